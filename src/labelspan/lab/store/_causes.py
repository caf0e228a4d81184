"""Whether a failed cell is due to the method or to its environment."""

from __future__ import annotations

import builtins

#: Causes of a failure: "method" stays as it is, "environment" is retried by the next run.
METHOD, ENVIRONMENT = "method", "environment"
# Files, permissions, downloads, memory, packages that are not installed.
OUTSIDE = (OSError, MemoryError, ImportError)


def cause_of(error: BaseException, *, loaded: bool) -> str:
    """Return the cause of an error in a cell; before the data are loaded it is not the method."""
    return ENVIRONMENT if not loaded or isinstance(error, OUTSIDE) else METHOD


def stored_cause(status: str, error: str) -> str:
    """Return the cause of a failure that was stored without one, by its status and error class."""
    if status in ("timeout", "crashed"):
        return ENVIRONMENT
    found = getattr(builtins, error.partition(":")[0], None)
    is_outside = isinstance(found, type) and issubclass(found, OUTSIDE)
    return ENVIRONMENT if status == "failed" and is_outside else METHOD
