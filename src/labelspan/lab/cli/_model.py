"""Fitted reducers on disk, without pickle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from labelspan.kernels import KernelMap
from labelspan.lab import METHODS
from labelspan.lab.methods import SCALERS
from labelspan.system import require

#: Types in fitted reducers besides arrays and numbers.
PARTS = (KernelMap,)


def save_model(estimator: Any, path: Path) -> None:
    """Write a fitted estimator as a skops file."""
    require("skops.io", "cli", "saving a model").dump(estimator, path)


def load_model(path: Path) -> Any:
    """Read a fitted estimator; a file with types from outside this package is refused."""
    skops = require("skops.io", "cli", "reading a model")
    if not path.is_file():
        raise FileNotFoundError(f"there is no model {path}; make one with --model.")
    own = {f"{cls.__module__}.{cls.__qualname__}" for cls in (*_classes(), *PARTS)}
    try:
        foreign = [name for name in skops.get_untrusted_types(file=path) if name not in own]
        estimator = None if foreign else skops.load(path, trusted=sorted(own))
    except Exception as error:
        # The content can be anything, so skops may raise anything.
        raise ValueError(f"{path} is not a model that `labelspan reduce` saved.") from error
    if foreign:
        raise ValueError(
            f"{path} holds {', '.join(sorted(foreign)[:3])}, which is not of labelspan: it is "
            "not loaded, because it could run any code."
        )
    if not _is_reducer(estimator):
        raise ValueError(f"{path} holds a {type(estimator).__name__}, not a reducer of labelspan.")
    return estimator


def _is_reducer(estimator: Any) -> bool:
    """Whether it is a reducer of labelspan, alone or after scalers."""
    if not isinstance(estimator, Pipeline):
        return type(estimator) in _classes()
    *scalers, reducer = (step for _, step in estimator.steps)
    known = [method.load() for method in SCALERS]
    return type(reducer) in _classes() and all(type(step) in known for step in scalers)


def _classes() -> list[type]:
    found = (method.load() for method in METHODS if method.kind == "reducer")
    return [cls for cls in found if isinstance(cls, type)]
