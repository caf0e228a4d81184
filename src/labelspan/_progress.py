"""A bar over the folds of a search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def watched(done: Iterable[Any], n_folds: int, shown: bool, parameter: str = "verbose") -> list:
    """The results as a list, behind a progress bar if one is wanted.

    Parameters
    ----------
    done : iterable
        Results of the folds as they come.
    n_folds : int
        How many there will be.
    shown : bool
        Whether to show the bar.
    parameter : str
        What asked for it.

    Returns
    -------
    list
        The results.
    """
    if not shown:
        return list(done)
    try:
        from rich.progress import track
    except ImportError as error:
        raise ImportError(
            f"{parameter} shows its bar with rich, which is not installed. "
            f"Run `pip install 'labelspan[cli]'`, or pass {parameter}=False."
        ) from error
    return list(track(done, total=n_folds, description="Folds"))
