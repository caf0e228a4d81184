"""What ``reduce`` and ``choose`` share: which rows to fit on, scaling, and the search."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from labelspan.choice import ReducerCV
from labelspan.datasets import MultilabelDataset
from labelspan.lab import Step
from labelspan.lab.plan import AUTO, choose_scaler, made_preprocessing

ROWS_HELP = "Rows to fit on: train (the standard split, if any) or all."


#: Classifiers behind a reducer.
READOUTS = ("ridge", "mlknn")
READOUT_HELP = f"Classifier behind the reducer: {', '.join(READOUTS)}."


def rows_of(dataset: MultilabelDataset, rows: str) -> Any:
    return dataset.train if rows == "train" and dataset.train is not None else slice(None)


def check_rows(rows: str) -> None:
    """Refuse an unknown value of ``--rows``."""
    if rows not in ("train", "all"):
        raise ValueError(f"--rows is {rows!r}; give train or all.")


def scaling_of(
    steps: tuple[Step, ...], dataset: MultilabelDataset, chosen: Any
) -> tuple[Pipeline | None, str]:
    X = dataset.X[chosen]
    why = "" if steps != AUTO else "scaling: {} ({})".format(*choose_scaler(X))
    return made_preprocessing(steps, X, dataset.name), why


def search(
    dataset: MultilabelDataset, chosen: Any, scaling: Pipeline | None, **parameters: Any
) -> ReducerCV:
    """A search fitted to the scaled rows."""
    X, Y = dataset.X[chosen], dataset.Y[chosen]
    X = X if scaling is None else scaling.fit_transform(X)
    return ReducerCV(**parameters).fit(X, Y)


def without_table(search: ReducerCV) -> ReducerCV:
    """A search that only reduces and predicts."""
    model = copy(search)
    for name in ("cv_results_", "best_params_", "method_ranks_"):
        delattr(model, name)
    return model.set_params(reducers=None, scoring=None)


def pipeline(scaling: Pipeline | None, reducer: Any, readout: Any = None) -> Pipeline:
    steps = [] if scaling is None else list(scaling.steps)
    steps.append(("reducer", reducer))
    return Pipeline(steps if readout is None else [*steps, ("readout", readout)])


def value_of(text: str) -> Any:
    words = {"none": None, "true": True, "false": False}
    if text.strip().lower() in words:
        return words[text.strip().lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()


def n_rows(dataset: MultilabelDataset, chosen: Any) -> int:
    return len(np.arange(dataset.X.shape[0])[chosen])
