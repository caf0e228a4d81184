"""``labelspan reduce``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from scipy import sparse

from labelspan.cli import _output as output
from labelspan.cli._describe import read_source
from labelspan.cli._model import load_model, save_model
from labelspan.cli._options import check_place, refuse_beside
from labelspan.datasets import MultilabelDataset, write_npz
from labelspan.experiments import get_method

FITTING = ("method", "n_components", "set", "rows")


def command(
    context: typer.Context,
    data: Annotated[str, typer.Argument(help="Data set: a name or a file.")],
    method: Annotated[str, typer.Option(help="Reducer; `labelspan methods` lists them.")] = "mvmd",
    n_components: Annotated[
        str, typer.Option(help="Number of directions, share of the eigenvalue sum, or none.")
    ] = "",
    set: Annotated[
        list[str] | None, typer.Option(help="Another parameter, as beta=0.9; may be repeated.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Reduced data set, npz.")] = Path("reduced.npz"),
    model: Annotated[Path | None, typer.Option(help="Where to save the fitted reducer.")] = None,
    apply: Annotated[
        Path | None, typer.Option(help="A saved reducer to apply, in place of fitting one.")
    ] = None,
    rows: Annotated[
        str, typer.Option(help="Rows to fit on: train (the standard split, if any) or all.")
    ] = "train",
    label_count: Annotated[
        int | None, typer.Option(help="Labels of an ARFF file: first columns, or last if < 0.")
    ] = None,
    xml: Annotated[str, typer.Option(help="Mulan XML file of the labels.")] = "",
    test: Annotated[str, typer.Option(help="File of the test part.")] = "",
    json: Annotated[bool, typer.Option(help="Print what was done as JSON.")] = False,
) -> None:
    """Reduce the features of a data set, and save the reducer; or apply a saved one."""
    if apply is not None:
        refuse_beside(context, "apply", FITTING, "which fits nothing")
    if rows not in ("train", "all"):
        raise ValueError(f"--rows is {rows!r}; give train or all.")
    if out.suffix != ".npz":
        raise ValueError(f"--out is {str(out)!r}; give a name that ends with .npz.")
    check_place(out, "out")
    if model is not None:
        check_place(model, "model")
    dataset = read_source(data, label_count=label_count, xml=xml, test=test).load()
    if apply is not None:
        estimator, n_rows = load_model(apply), None
    else:
        parameters = _parameters(n_components, set or [])
        estimator, n_rows = _fitted(method, parameters, dataset, rows)
    reduced = _reduced(estimator, dataset)
    write_npz(reduced, out)
    if model is not None:
        save_model(estimator, model)
    _show(estimator, dataset, reduced, n_rows, [path for path in (out, model) if path], json)


def _parameters(n_components: str, pairs: list[str]) -> dict[str, Any]:
    found = {"n_components": _value(n_components)} if n_components else {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise ValueError(f"--set {pair} is not understood; give name=value.")
        found[name.strip()] = _value(text)
    return found


def _value(text: str) -> Any:
    """A number, true, false, none, or the word itself."""
    words = {"none": None, "true": True, "false": False}
    if text.strip().lower() in words:
        return words[text.strip().lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()


def _fitted(
    name: str, parameters: dict[str, Any], dataset: MultilabelDataset, rows: str
) -> tuple[Any, int]:
    method = get_method(name)
    if method.kind != "reducer" or not method.path:
        raise ValueError(f"{name} does not reduce features; `labelspan methods` lists reducers.")
    estimator = method.make(parameters)
    for need in ("transform", "get_feature_names_out"):
        if not hasattr(estimator, need):
            raise ValueError(f"{name} has no {need}; `labelspan methods` lists reducers.")
    chosen = dataset.train if rows == "train" and dataset.train is not None else slice(None)
    X, Y = dataset.X[chosen], dataset.Y[chosen]
    return estimator.fit(X, Y), X.shape[0]


def _reduced(estimator: Any, dataset: MultilabelDataset) -> MultilabelDataset:
    X = estimator.transform(dataset.X)
    names = tuple(str(name) for name in estimator.get_feature_names_out())
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    return replace(dataset, X=X, feature_names=names)


def _show(
    estimator: Any,
    dataset: MultilabelDataset,
    reduced: MultilabelDataset,
    n_rows: int | None,
    paths: list[Path],
    json: bool,
) -> None:
    before, after = dataset.X.shape[1], reduced.X.shape[1]
    if json:
        output.print_json(
            {
                "estimator": repr(estimator),
                "rows": dataset.X.shape[0],
                "fitted_on": n_rows,
                "features": before,
                "directions": after,
                "files": [str(path) for path in paths],
            }
        )
        return
    fitted = "" if n_rows is None else f", fitted on {n_rows} rows"
    print(f"{estimator!r}{fitted}: {dataset.X.shape[0]} rows, {before} features to {after}")
    for path in paths:
        print(output.clean(str(path)))
