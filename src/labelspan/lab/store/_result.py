"""The outcome of a cell, and whether a failure is due to the method or to its environment."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: How a cell can end.
STATUSES = ("ok", "failed", "nan", "timeout", "crashed")
#: Causes of a failure: "method" stays as it is, "environment" is retried by the next run.
METHOD, ENVIRONMENT = "method", "environment"
# Files, permissions, downloads, memory, packages that are not installed.
OUTSIDE = (OSError, MemoryError, ImportError)


@dataclass(frozen=True)
class Result:
    """The outcome of a cell.

    Parameters
    ----------
    cell : str
        Hash of the cell.
    status : {"ok", "failed", "nan", "timeout", "crashed"}
        How it ended.
    error : str
        The reason, if not "ok".
    rows : tuple of (str, float or None)
        Measure and value; None where a measure is not defined.
    series : dict of str to list
        Per-label F1, eigenvalues; the chosen parameters, if they were searched.
    seconds : dict of str to float
        "fit", "transform", "train", "predict" and "total".
    n_components : int or None
        Number of directions that were used.
    peak_memory : int or None
        Largest memory of the process during the cell, in bytes.
    warnings : tuple of str
        Warnings of the methods.
    environment : dict of str to str
        Versions and machine.
    finished : float
        Seconds since 1970.
    cause : {"", "method", "environment"}
        Cause of the failure, if not "ok".
    """

    cell: str
    status: str
    error: str = ""
    rows: tuple[tuple[str, float | None], ...] = ()
    series: Mapping[str, list[Any]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    n_components: int | None = None
    peak_memory: int | None = None
    warnings: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    finished: float = 0.0
    cause: str = ""


def cause_of(error: BaseException, *, loaded: bool) -> str:
    """Return the cause of an error in a cell; before the data are loaded it is not the method."""
    return ENVIRONMENT if not loaded or isinstance(error, OUTSIDE) else METHOD


def stored_cause(status: str, error: str) -> str:
    if status in ("timeout", "crashed"):
        return ENVIRONMENT
    found = getattr(builtins, error.partition(":")[0], None)
    is_outside = isinstance(found, type) and issubclass(found, OUTSIDE)
    return ENVIRONMENT if status == "failed" and is_outside else METHOD
