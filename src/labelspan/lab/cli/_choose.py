"""``labelspan choose``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from labelspan.choice import ReducerCV, advice, best_of_methods, described, standard_error
from labelspan.lab.cli import _fitting as fitting
from labelspan.lab.cli import options, output
from labelspan.lab.cli._data import load, read_source
from labelspan.lab.cli._model import Model, save_model
from labelspan.lab.methods import get_method
from labelspan.metrics import get_measure, search_measure
from labelspan.system import require

#: Formats of a plot.
PICTURES = (".svg", ".png", ".pdf")


@options.reads_files
def command(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help="Data set: a name or a file.")],
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            "--scoring",
            help="Measure to choose by; of search: shared_label_at_10 and the like.",
        ),
    ] = "micro_f1",
    reducers: Annotated[
        str,
        typer.Option(
            help="Reducers to try instead of the default ones, separated by commas: none, pca, "
            "extractors and selectors; see `labelspan methods`."
        ),
    ] = "",
    readout: Annotated[str, typer.Option(help=fitting.READOUT_HELP)] = "ridge",
    n_components: Annotated[
        str, typer.Option(help="Dimensions to try, separated by commas: numbers, shares or none.")
    ] = "",
    folds: Annotated[int, typer.Option(help="Number of stratified folds.")] = 5,
    rule: Annotated[
        str, typer.Option(help="best, or one_standard_error (fewer directions).")
    ] = "best",
    scale: Annotated[str, typer.Option(help=options.SCALE_HELP)] = "none",
    model: Annotated[
        Path | None, typer.Option(help="File to save the chosen reducer and classifier.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(help="File for a plot of scores against dimensions, svg, png or pdf."),
    ] = None,
    rows: Annotated[str, typer.Option(help=fitting.ROWS_HELP)] = "train",
    jobs: Annotated[int, typer.Option(help="Number of parallel folds.")] = 1,
    json: Annotated[bool, typer.Option(help="Print as JSON.")] = False,
) -> None:
    """Choose a reducer, its parameters and its dimension for a data set by cross-validation."""
    fitting.check_rows(rows)
    # The sign of the scores and the name in the table come from the measure itself.
    scoring = search_measure(measure) or get_measure(measure)
    if picture is not None:
        options.check_suffix(picture, "picture", *PICTURES)
        require("matplotlib", "report", "--picture")
    source = read_source(data, context)
    options.check_outputs({"model": model, "picture": picture}, source.files)
    dataset = load(source)
    chosen = fitting.rows_of(dataset, rows)
    scaling, why = fitting.scaling_of(options.scale_steps(scale), dataset, chosen)
    dimensions = [fitting.value_of(text) for text in n_components.split(",") if text.strip()]
    parameters = {"readout": readout, "cv": folds, "rule": rule, "n_jobs": jobs}
    if reducers.strip():
        named = [name.strip() for name in reducers.split(",")]
        parameters["reducers"] = [made_reducer(name) for name in named]
    search = fitting.search(
        dataset, chosen, scaling, scoring=scoring, n_components=dimensions or None, **parameters
    )
    if model is not None:
        fitted = fitting.pipeline(scaling, fitting.without_table(search))
        save_model(Model.of(fitted, dataset, source), model)
    if picture is not None:
        X = dataset.X[chosen]
        X = X if scaling is None else scaling.transform(X)
        draw(search, X, dataset.Y[chosen], picture)
    files = [str(path) for path in (model, picture) if path is not None]
    n_rows = fitting.n_rows(dataset, chosen)
    if json:
        output.print_json({**as_data(search), "scaling": why, "rows": n_rows, "files": files})
        return
    if why:
        print(why)
    show(search, f"{dataset.name}: {scoring.title} of {folds} folds of {n_rows} rows")
    for path in files:
        print(output.clean(path))


def made_reducer(name: str) -> Any:
    """A reducer by its name in `labelspan methods`; ReducerCV knows none and pca."""
    if name in ("none", "pca"):
        return name
    method = get_method(name)
    if method.kind != "reducer":
        raise ValueError(
            f"--reducers holds {name}, a {method.kind}; `labelspan methods` lists reducers."
        )
    return method.make()


def show(search: ReducerCV, title: str) -> None:
    """Print the best of each reducer as a table, and the choice."""
    header = ["reducer", "directions", "score", "+-", "mean rank"]
    lines = [
        [
            f"{row['reducer']} {row['parameters']}".strip(),
            f"{row['directions']:g}",
            output.number(row["score"]),
            output.number(row["standard_error"]),
            output.number(row["mean_rank"], 2),
        ]
        for row in as_data(search)["methods"]
    ]
    output.print_table(header, lines, title)
    for line in search.summary().split("\n\n")[0].splitlines():
        output.print_text(line)


def as_data(search: ReducerCV) -> dict[str, Any]:
    table, name = search.cv_results_, "score"
    error = standard_error(table, name, search.n_splits_)
    places = best_of_methods(table, name)
    methods = []
    for method, rank in search.method_ranks_.items():
        place = places[method]
        directions = float(table["mean_n_components"][place])
        text = described(table, place).partition(", ")[2].partition(", ")[2]
        methods.append(
            {
                "reducer": method,
                "directions": directions,
                "parameters": text,
                "score": float(table["mean_test_score"][place]),
                "standard_error": float(error[place]),
                "mean_rank": rank,
            }
        )
    return {
        "advice": advice(search),
        "chosen": described(table, search.best_index_),
        "score": search.best_score_,
        "candidates": len(table["params"]),
        "passes": search.n_passes_,
        "methods": methods,
    }


def draw(search: ReducerCV, X: Any, Y: Any, path: Path) -> None:
    from labelspan.plotting import ReducerCVDisplay

    ReducerCVDisplay.from_estimator(search, X, Y).figure_.savefig(path)
