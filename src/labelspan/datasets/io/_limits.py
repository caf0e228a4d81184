"""Limits on the size of files, because readers do not trust their input."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The largest file that a reader accepts; raise a limit for a file that you trust.

    Parameters
    ----------
    max_bytes : int, default=2 GiB
        Size of one file after decompression. A dense table needs at most four times this
        memory (two bytes of text are one float64).
    max_line_bytes : int, default=64 MiB
        Length of one line; also the length of an ARFF header.
    max_rows : int, default=100 million
        Number of samples.
    max_columns : int, default=4 million
        Number of features, and number of labels.
    max_name_chars : int, default=1000
        Length of the name of a feature or of a label.

    Examples
    --------
    >>> from labelspan.datasets import Limits
    >>> Limits(max_columns=10).max_columns
    10
    """

    max_bytes: int = 2**31
    max_line_bytes: int = 2**26
    max_rows: int = 100_000_000
    max_columns: int = 4_000_000
    max_name_chars: int = 1000
