"""``labelspan reduce`` on npy and Parquet files, by blocks: they may be larger than memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labelspan.datasets import Blocks, blocks_of, from_frame
from labelspan.datasets.io import refuse_others
from labelspan.lab import get_method
from labelspan.lab.cli._model import Model, load_model, refusing, save_model


def is_blocks(data: str) -> bool:
    path = Path(data)
    kinds = {child.suffix for child in path.iterdir()} if path.is_dir() else {path.suffix}
    return path.exists() and bool(kinds & {".npy", ".parquet"})


def check_out(out: Path) -> None:
    if out.suffix != ".npy":
        raise ValueError(f"--out is {str(out)!r}; npy and Parquet files are reduced to .npy.")


def input_files(*names: str | Path | None) -> list[Path]:
    paths = [Path(name) for name in names if name is not None]
    return [file for path in paths for file in (path.iterdir() if path.is_dir() else [path])]


def blocks_for(model: Model, data: str) -> Blocks:
    blocks = blocks_of(data)
    frame = blocks[0][0]
    if not model.features or not hasattr(frame, "columns"):
        return blocks
    refuse_others(model.features, set(frame.columns).difference(model.ignore), data)
    names, is_named = list(model.features), hasattr(model.reducer, "feature_names_in_")
    return blocks.features(lambda X: X[names] if is_named else X[names].to_numpy())


def labels_from(labels: tuple[str, ...]) -> Any:
    """Labels in a file of their own, or the names of label columns."""
    if len(labels) != 1 or not Path(labels[0]).exists():
        return list(labels)
    if Path(labels[0]).suffix != ".csv":
        return labels[0]
    import pandas as pd

    frame = pd.read_csv(labels[0])
    # One column lists the labels of each row; several are 0/1.
    columns = list(frame.columns)
    return from_frame(
        frame.assign(nothing=0.0), labels=columns if len(columns) > 1 else columns[0]
    ).Y


def reduce_blocks(
    data: str,
    labels: tuple[str, ...],
    method: str,
    parameters: dict[str, Any],
    out: Path,
    model: Path | None,
    apply: Path | None,
) -> tuple[Any, tuple[int, int], int]:
    """Fit or apply a reducer; return it, the shape of the features and the number of rows."""
    given: Any = labels_from(labels)
    if apply is None and not labels:
        raise ValueError(
            "--labels is missing: give the npy file or folder of the labels, or the label columns "
            "of Parquet, with commas."
        )
    if apply is not None:
        saved = load_model(apply)
        blocks, estimator = blocks_for(saved, data), saved.reducer
        if not hasattr(estimator, "transform_blocks"):
            raise ValueError(
                f"{apply} holds {type(estimator).__name__}, which does not reduce blocks of rows; "
                "give a file that fits into memory, such as npz or csv."
            )
        with refusing(apply, data):
            rows = estimator.transform_blocks(blocks, out)
    else:
        blocks = blocks_of(data, given)
        estimator = get_method(method).make(parameters)
        if not hasattr(estimator, "fit_blocks"):
            raise ValueError(
                f"{method} does not learn from blocks of rows; give a method that does, such as "
                "mvmd, or a file that fits into memory."
            )
        estimator.fit_blocks(blocks).finalize()
        rows = estimator.transform_blocks(blocks, out)
        names = tuple(getattr(estimator, "feature_names_in_", ()))
        saved = Model(estimator, names, ignore=tuple(labels) if names else ())
    if model is not None:
        save_model(saved, model)
    return estimator, (len(rows), estimator.n_features_in_), rows.shape[1]
