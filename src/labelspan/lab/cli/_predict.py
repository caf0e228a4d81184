"""``labelspan predict``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from labelspan.datasets import MultilabelDataset, write_csv
from labelspan.datasets.io import numbered
from labelspan.lab.cli import options, output
from labelspan.lab.cli._data import rows_for, source_for
from labelspan.lab.cli._model import Model, load_model, refusing
from labelspan.lab.cli._reduce_blocks import blocks_for, input_files, is_blocks
from labelspan.lab.plan import READING_FIELDS
from labelspan.system import counted

#: Methods of a classifier by the value of ``--what``.
WHAT = {"labels": "predict", "scores": "decision_function", "probabilities": "predict_proba"}


@options.reads_files
def command(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help="Rows, which need no labels: a file.")],
    model: Annotated[Path, typer.Option(help="A model that `choose` or `reduce` saved.")],
    what: Annotated[str, typer.Option(help=f"What to predict: {', '.join(WHAT)}.")] = "labels",
    out: Annotated[
        Path, typer.Option(help="CSV file: one column per label, rows in the order of the data.")
    ] = Path("predicted.csv"),
    json: Annotated[bool, typer.Option(help="Print a summary as JSON.")] = False,
) -> None:
    """Predict the labels of new rows by a saved model; columns are matched by their names."""
    options.check_suffix(out, "out", ".csv")
    saved = load_model(model)
    predicts = prediction(saved, what, model)
    name, blocks = _blocks(saved, data, context, {"out": out}, model)
    with refusing(model, name):
        found = np.concatenate([np.atleast_2d(predicts(X)) for X in blocks])
        # Scores of labels without rows may be infinite.
        if np.isnan(found).any():
            raise ValueError("the result holds NaN.")
    labels = saved.labels or numbered("label", found.shape[1])
    write_csv(MultilabelDataset(name, found, np.zeros((len(found), 0)), labels), out)
    counts = {"rows": len(found), "labels": len(labels)}
    if json:
        output.print_json({"what": what, **counts, "files": [str(out)]})
        return
    mean = f", {found.sum(axis=1).mean():.3g} per row on average" if what == "labels" else ""
    shape = f"{counted(counts['rows'], 'row')}, {counted(counts['labels'], 'label')}"
    print(f"{what} of {shape}{mean}")
    print(output.clean(str(out)))


def prediction(model: Model, what: str, path: Path) -> Callable[[Any], Any]:
    """The method of a model that predicts; what it cannot predict is refused."""
    if what not in WHAT:
        raise ValueError(f"--what is {what!r}; give {', '.join(WHAT)}.")
    found = getattr(model.estimator, WHAT[what], None)
    if found is not None:
        return found
    able = [word for word, method in WHAT.items() if hasattr(model.estimator, method)]
    if able:
        raise ValueError(
            f"{path} predicts {' and '.join(able)}, but no {what}; give another --what, or fit "
            "with --readout mlknn for probabilities and --readout ridge for scores."
        )
    raise ValueError(
        f"{path} holds a reducer without a classifier; make a model with `labelspan choose "
        "--model` or `labelspan reduce --model`, from a file that fits into memory."
    )


def _blocks(
    model: Model, data: str, context: typer.Context, outputs: dict[str, Path | None], path: Path
) -> tuple[str, Iterator[Any]]:
    """Name and features of the rows; those of npy and Parquet files are read block by block."""
    if is_blocks(data):
        options.refuse_beside(context, "model", READING_FIELDS, "which is applied by blocks")
        options.check_outputs(outputs, [*input_files(data), path])
        blocks = blocks_for(model, data)
        return data, (blocks[i][0] for i in range(len(blocks)))
    source = source_for(model, data, context)
    options.check_outputs(outputs, [*source.files, path])
    dataset = rows_for(model, source)
    return dataset.name, iter([dataset.X])
