"""One experiment as one pure function."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.lab.methods import measure_of
from labelspan.lab.plan import (
    Cell,
    dense,
    learnt,
    loaded,
    made_preprocessing,
    made_step,
    outputs_of,
    removed,
    split_indices,
)
from labelspan.lab.runner._environment import environment, peak_memory, reset_peak_memory
from labelspan.lab.runner._search import tuned_steps
from labelspan.lab.store import METHOD, Result, cause_of
from labelspan.system import escaped

# Spectra are only drawn, so this many of their values are kept.
LONGEST_SPECTRUM = 400
LONGEST_TEXT = 2000


class NotFiniteError(ValueError):
    """A method returned NaN or infinity."""


def prepare(cell: Cell) -> None:
    """Load the data of a cell and split them, so that this time does not count for the method."""
    loaded(cell.source)
    split_indices(cell.source, cell.splits, cell.seed)


def run_cell(cell: Cell) -> Result:
    """Fit on the training part, predict the test part, measure.

    Parameters
    ----------
    cell : Cell
        What to do.

    Returns
    -------
    Result
        The rows, or the reason why there are none; this function does not raise.

    Examples
    --------
    >>> from labelspan.lab import Cell, Source, Splits, Step, run_cell
    >>> cell = Cell(
    ...     Source("yeast"), Splits("standard"), 0, Step("mddm-p"), Step("ridge"), ("hamming_loss",)
    ... )
    >>> result = run_cell(cell)
    >>> result.status, result.n_components, round(result.rows[0][1], 3)
    ('ok', 11, 0.204)
    """
    reset_peak_memory()
    clock = Clock()
    ready, cause = False, ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            loaded(cell.source)
            ready = True
            found = _measured(cell, clock)
            status, error = "ok", ""
        except NotFiniteError as problem:
            found, status, error, cause = {}, "nan", str(problem), METHOD
        except (Exception, SystemExit) as problem:
            found, status, error = {}, "failed", explained(problem)
            cause = cause_of(problem, loaded=ready)
    return Result(
        cell=cell.id,
        status=status,
        error=escaped(error[:LONGEST_TEXT]),
        seconds=clock.totals(),
        peak_memory=peak_memory(),
        warnings=tuple(dict.fromkeys(escaped(str(item.message)[:LONGEST_TEXT]) for item in caught)),
        environment=environment(),
        finished=time.time(),
        cause=cause,
        **found,
    )


class Clock:
    def __init__(self) -> None:
        self.parts: dict[str, float] = {}
        self.started = time.perf_counter()

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.parts[part] = self.parts.get(part, 0.0) + time.perf_counter() - start

    def totals(self) -> dict[str, float]:
        return {**self.parts, "total": time.perf_counter() - self.started}


def _measured(cell: Cell, clock: Clock) -> dict[str, Any]:
    dataset = loaded(cell.source)
    train, test = split_indices(cell.source, cell.splits, cell.seed)[cell.split]
    X, Y = dataset.X[train], removed(dataset.Y[train], cell.source, (cell.seed, cell.split))
    X_test, Y_test = dataset.X[test], dense(dataset.Y[test])
    series: dict[str, list[Any]] = {}
    with clock.of("tune"):
        tuned = tuned_steps(cell, X, Y)
    X, X_test = _preprocessed(cell, X, X_test)
    step = tuned.reducer.on(X)
    series["chosen"] = [*tuned.reducer.record(step)]
    reducer = made_step(step, cell.seed, cell.directions)
    if reducer is not None:
        X, X_test = _reduced(reducer, X, Y, X_test, cell, clock)
        series["eigenvalues"] = _spectrum(reducer)
    step = tuned.classifier.on(X)
    series["chosen"] += tuned.classifier.record(step)
    classifier = made_step(step, cell.seed)
    with clock.of("fit" if cell.is_model else "train"):
        classifier.fit(X, learnt(cell.classifier, Y))
    with clock.of("predict"):
        outputs = outputs_of(classifier, X_test, Y_test.shape[1])
    predicted, scores = outputs["labels"], outputs["scores"]
    if not np.isfinite(scores).all():
        raise NotFiniteError(f"{cell.classifier.title}: {_count(scores)} scores are not finite")
    series["label_f1"] = _label_f1(Y_test, predicted)
    return {
        "rows": tuple(_rows(cell, Y_test, outputs)),
        "series": {name: values for name, values in series.items() if values},
        "n_components": X.shape[1] if reducer is not None else _subspace(classifier),
    }


def _reduced(reducer: Any, X: Any, Y: Any, X_test: Any, cell: Cell, clock: Clock) -> Any:
    with clock.of("fit"):
        reducer.fit(X, learnt(cell.reducer, Y))
    with clock.of("transform"):
        X, X_test = reducer.transform(X), reducer.transform(X_test)
    for part in (X, X_test):
        values = part.data if sparse.issparse(part) else np.asarray(part)
        if not np.isfinite(values).all():
            raise NotFiniteError(f"{cell.reducer.title}: {_count(values)} values are not finite")
    return X, X_test


def _preprocessed(cell: Cell, X: Any, X_test: Any) -> Any:
    dataset = loaded(cell.source)
    steps = made_preprocessing(cell.preprocessing, dataset.X, dataset.name, cell.seed)
    return (X, X_test) if steps is None else (steps.fit_transform(X), steps.transform(X_test))


def _rows(cell: Cell, Y: np.ndarray, outputs: dict[str, Any]) -> Iterator[tuple[str, float | None]]:
    for name in cell.measures:
        measure = measure_of(name, cell.convention)
        # A measure returns NaN if it is not defined; an error belongs to the cell.
        value = float(measure(Y, outputs[measure.needs]))
        if not np.isfinite(value):
            warnings.warn(f"{name} is not defined on this test part", UserWarning, stacklevel=2)
        yield name, value if np.isfinite(value) else None


def _label_f1(Y: np.ndarray, predicted: np.ndarray) -> list[float]:
    """F1 of each label; 0 for one that is neither present nor predicted."""
    both = ((Y > 0) & (predicted > 0)).sum(axis=0)
    either = (Y > 0).sum(axis=0) + (predicted > 0).sum(axis=0)
    return np.round(2 * both / np.maximum(either, 1), 6).tolist()


def _spectrum(reducer: Any) -> list[float]:
    values = np.asarray(getattr(reducer, "eigenvalues_", ()), dtype=float)
    return [float(f"{value:.6g}") for value in values[:LONGEST_SPECTRUM]]


def _subspace(classifier: Any) -> int | None:
    model = getattr(classifier, "estimator_", classifier)
    n_components = getattr(model, "n_components_", None)
    if n_components is None and hasattr(model, "support_"):
        n_components = np.count_nonzero(model.support_)
    return None if n_components is None else int(n_components)


def _count(values: np.ndarray) -> str:
    return f"{np.count_nonzero(~np.isfinite(values))} of {values.size}"


def explained(error: BaseException) -> str:
    """Type, message and the innermost line: what a reader needs to find the fault."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"
