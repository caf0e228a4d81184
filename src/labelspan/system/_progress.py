"""Progress bars: over the folds of a search, over the blocks of a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from labelspan.system._optional import install_hint


def watched(
    done: Iterable[Any],
    count: int | None,
    shown: bool,
    parameter: str = "verbose",
    of: str = "Folds",
) -> Iterable[Any]:
    """The results behind a bar if `shown`; `parameter` asked for it, `of` says what is counted."""
    if not shown:
        return done
    try:
        from rich.progress import track
    except ImportError as error:
        raise ImportError(
            f"{parameter} shows its bar with rich, which is not installed; {install_hint('cli')}, "
            f"or pass {parameter}=False."
        ) from error
    return track(done, total=count, description=of)
