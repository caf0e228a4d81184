"""``labelspan reduce``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import assert_all_finite

from labelspan.choice import default_reducers
from labelspan.datasets import MultilabelDataset, write_csv, write_npz
from labelspan.lab import get_method
from labelspan.lab.cli import _fitting as fitting
from labelspan.lab.cli import options, output
from labelspan.lab.cli._data import load, read_source, rows_for, source_for
from labelspan.lab.cli._model import Model, load_model, refusing, save_model
from labelspan.lab.cli._reduce_blocks import check_out, input_files, is_blocks, reduce_blocks
from labelspan.lab.cli.options import (
    SCALE_HELP,
    check_outputs,
    refuse_alone,
    refuse_beside,
    scale_steps,
)
from labelspan.lab.plan import READING_FIELDS

#: Stands for the reducer that a search chooses.
AUTOMATIC = "auto"
#: Options that need a data set in memory.
NOT_OF_BLOCKS = tuple(name for name in READING_FIELDS if name != "labels")
FITTING = ("method", "n_components", "set", "rows", "scale", "readout")


@options.reads_files
def command(
    context: typer.Context,
    data: Annotated[
        str,
        typer.Argument(
            help="Data set: a name or a file; npy and Parquet files, or folders of them, may be "
            "larger than memory."
        ),
    ],
    method: Annotated[
        str, typer.Option(help="Reducer; `labelspan methods` lists them; auto chooses one.")
    ] = "mvmd",
    n_components: Annotated[
        str, typer.Option(help="Number of directions, share of the eigenvalue sum, or none.")
    ] = "",
    set: Annotated[
        list[str] | None, typer.Option(help="Another parameter, such as beta=0.9; may be repeated.")
    ] = None,
    scale: Annotated[str, typer.Option(help=SCALE_HELP)] = "none",
    readout: Annotated[
        str, typer.Option(help=f"{fitting.READOUT_HELP} It is saved in --model, for `predict`.")
    ] = "ridge",
    out: Annotated[
        Path, typer.Option(help="Reduced data set, npz or csv; npy for npy and Parquet.")
    ] = Path("reduced.npz"),
    model: Annotated[
        Path | None, typer.Option(help="File to save the fitted reducer and classifier.")
    ] = None,
    apply: Annotated[
        Path | None, typer.Option(help="A saved reducer to apply instead of fitting one.")
    ] = None,
    rows: Annotated[str, typer.Option(help=fitting.ROWS_HELP)] = "train",
    json: Annotated[bool, typer.Option(help="Print a summary as JSON.")] = False,
) -> None:
    """Reduce the features of a data set, and save the reducer; or apply a saved one."""
    if apply is not None:
        refuse_beside(context, "apply", FITTING, "which fits nothing")
    fitting.check_rows(rows)
    if readout not in fitting.READOUTS:
        raise ValueError(f"--readout is {readout!r}; give {' or '.join(fitting.READOUTS)}.")
    if method == AUTOMATIC:
        refuse_beside(context, "method auto", ("set",), "which chooses the parameters")
    elif model is None:
        refuse_alone(context, "readout", "model")
    in_blocks = is_blocks(data)
    check_out(out) if in_blocks else options.check_suffix(out, "out", ".npz", ".csv")
    paths = [path for path in (out, model) if path]
    if in_blocks:
        refuse_beside(
            context,
            "out",
            ("rows", "scale", "readout", *NOT_OF_BLOCKS),
            "which is written by blocks",
        )
        names = options.reading_options(context).get("labels", ())
        check_outputs({"out": out, "model": model}, input_files(data, *names, apply))
        parameters = _parameters(n_components, set or [])
        places = out, model, apply
        estimator, shape, n_after = reduce_blocks(data, names, method, parameters, *places)
        _show(estimator, shape, n_after, None if apply else shape[0], paths, "", json)
        return
    saved = None if apply is None else load_model(apply)
    source = read_source(data, context) if saved is None else source_for(saved, data, context)
    check_outputs({"out": out, "model": model}, [*source.files, apply])
    if saved is not None and apply is not None:
        dataset, n_rows, why = rows_for(saved, source), None, ""
        with refusing(apply, dataset.name):
            reduced = _reduced(saved.reducer, dataset)
            assert_all_finite(reduced.X, input_name="result")
    else:
        dataset = load(source)
        parameters = _parameters(n_components, set or [])
        chosen = fitting.rows_of(dataset, rows)
        steps, why = fitting.scaling_of(scale_steps(scale), dataset, chosen)
        behind = "" if model is None else readout
        fitted, n_rows = _fitted(method, parameters, dataset, chosen, steps, behind)
        saved = Model.of(fitted, dataset, source)
        reduced = _reduced(saved.reducer, dataset)
    (write_csv if out.suffix == ".csv" else write_npz)(reduced, out)
    if model is not None:
        save_model(saved, model)
    _show(saved.reducer, dataset.X.shape, reduced.X.shape[1], n_rows, paths, why, json)


def _parameters(n_components: str, pairs: list[str]) -> dict[str, Any]:
    found = {"n_components": fitting.value_of(n_components)} if n_components else {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise ValueError(f"--set {pair} is not understood; give name=value.")
        found[name.strip()] = fitting.value_of(text)
    return found


def _fitted(
    name: str,
    parameters: dict[str, Any],
    dataset: MultilabelDataset,
    chosen: Any,
    scaling: Pipeline | None,
    readout: str,
) -> tuple[Any, int]:
    if name == AUTOMATIC:
        parameters = {**parameters, "reducers": default_reducers(None)[1:], "threshold": "paper"}
        search = fitting.search(dataset, chosen, scaling, readout=readout or "ridge", **parameters)
        output.say(search.summary().splitlines()[0])
        found = fitting.pipeline(scaling, search.best_estimator_, search.best_readout_)
        return found, fitting.n_rows(dataset, chosen)
    method = get_method(name)
    if method.kind != "reducer" or not method.path:
        raise ValueError(f"{name} does not reduce features; `labelspan methods` lists reducers.")
    estimator = method.make(parameters)
    for need in ("transform", "get_feature_names_out"):
        if not hasattr(estimator, need):
            raise ValueError(f"{name} has no {need}; `labelspan methods` lists reducers.")
    X, Y = dataset.X[chosen], dataset.Y[chosen]
    behind = get_method(readout).make() if readout else None
    whole = fitting.pipeline(scaling, estimator, behind)
    return whole.fit(X, Y), X.shape[0]


def _reduced(estimator: Any, dataset: MultilabelDataset) -> MultilabelDataset:
    X = estimator.transform(dataset.X)
    names = tuple(str(name) for name in estimator.get_feature_names_out())
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    text = f"{dataset.source}; reduced by {_text(estimator)}" if _is_scaled(estimator) else None
    return replace(dataset, X=X, feature_names=names, source=text or dataset.source)


def _is_scaled(estimator: Any) -> bool:
    return isinstance(estimator, Pipeline)


def _text(estimator: Any) -> str:
    steps = [step for _, step in estimator.steps] if _is_scaled(estimator) else [estimator]
    return " after ".join(" ".join(repr(step).split()) for step in reversed(steps))


def _show(
    estimator: Any,
    shape: tuple[int, int],
    after: int,
    n_rows: int | None,
    paths: list[Path],
    why: str,
    json: bool,
) -> None:
    if json:
        output.print_json(
            {
                "estimator": _text(estimator),
                "scaling": why,
                "rows": shape[0],
                "fitted_on": n_rows,
                "features": shape[1],
                "directions": after,
                "files": [str(path) for path in paths],
            }
        )
        return
    fitted = "" if n_rows is None else f", fitted on {n_rows} rows"
    if why:
        print(why)
    print(f"{_text(estimator)}{fitted}: {shape[0]} rows, {shape[1]} features to {after}")
    for path in paths:
        print(output.clean(str(path)))
