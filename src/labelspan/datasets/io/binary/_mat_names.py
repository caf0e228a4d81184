"""Which variables of a MATLAB file are features and which are labels."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from labelspan.datasets.io._errors import DataFileError

DATA_NAMES = ("data", "X", "x", "features")
TARGET_NAMES = ("target", "targets", "Y", "y", "labels", "label")


def variable_names(
    present: Collection[str],
    data: str | None,
    target: str | None,
    needs_labels: bool,
    path: Path,
) -> dict[str, tuple[str, str | None]]:
    """Return the names of features and labels by part: ``train``, and ``test`` if it is there."""
    bases = {
        "data": DATA_NAMES if data is None else (data,),
        "target": TARGET_NAMES if target is None else (target,),
    }
    is_split = bool(_found(present, bases["data"], "train"))
    parts = ["train"] if is_split else [""]
    if is_split and _found(present, bases["data"], "test"):
        parts.append("test")

    def labels(part: str) -> str | None:
        if not needs_labels and not _found(present, bases["target"], part):
            return None
        return _one(present, bases["target"], part, "target", path)

    return {
        part or "train": (_one(present, bases["data"], part, "data", path), labels(part))
        for part in parts
    }


def _one(
    present: Collection[str], bases: tuple[str, ...], part: str, argument: str, path: Path
) -> str:
    """Return the only variable with one of these names; none or several are an error."""
    found = _found(present, bases, part)
    if len(found) == 1:
        return found[0]
    if found:
        message = f"variables {' and '.join(found)} are both there; say which by {argument}="
        raise DataFileError(f"{message} (--variables X,Y)", file=path)
    wanted = " or ".join(_spellings(base, part)[0] for base in bases)
    listed = ", ".join(sorted(name for name in present if not name.startswith("__"))) or "none"
    message = f"no numeric variable {wanted}; the file has: {listed}; say which by {argument}="
    raise DataFileError(f"{message} (--variables X,Y)", file=path)


def _found(present: Collection[str], bases: tuple[str, ...], part: str) -> list[str]:
    return [name for base in bases for name in _spellings(base, part) if name in present]


def _spellings(base: str, part: str) -> list[str]:
    if not part:
        return [base]
    words = (part, part[:2], part.capitalize())
    joined = (f"{base}_{word}" for word in words), (f"{base}{word}" for word in words)
    return [f"{part}_{base}", f"{part}{base}", *joined[0], *joined[1]]
