"""The error that every reader raises, with the place in the file."""

from __future__ import annotations

import os
import zlib

#: What NumPy, SciPy and zlib raise for a damaged file.
DAMAGED = (
    zlib.error, ValueError, TypeError, LookupError, OverflowError, EOFError, OSError, MemoryError
)  # fmt: skip


class DataFileError(ValueError):
    """A data file is malformed, or larger than the stated limits.

    Parameters
    ----------
    message : str
        What is wrong and, if possible, how to repair it.
    file : str or path
        The file.
    line : int, optional
        Line number, from 1.
    column : int, optional
        Position in the line in bytes, from 1.

    Examples
    --------
    >>> from labelspan.datasets import DataFileError
    >>> print(DataFileError("empty value", file="a.arff", line=7, column=3))
    a.arff, line 7, column 3: empty value
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | os.PathLike[str],
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.file = os.fspath(file)
        self.line = line
        self.column = column
        place = [self.file]
        if line is not None:
            place.append(f"line {line}")
        if column is not None:
            place.append(f"column {column}")
        super().__init__(f"{', '.join(place)}: {message}")
