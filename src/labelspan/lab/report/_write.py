"""Write a report in one of its formats."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from labelspan.lab.report._contents import Contents, contents_of
from labelspan.lab.report._html import html
from labelspan.lab.report._text import csv_text, latex, markdown
from labelspan.lab.store import Store
from labelspan.system import escaped, replace_file

#: Formats of a report: the suffix of its file and the function that makes it.
FORMATS: dict[str, tuple[str, Callable[[Contents], str]]] = {
    "html": (".html", html),
    "md": (".md", markdown),
    "csv": (".csv", csv_text),
    "latex": (".tex", latex),
}


def render(store: Store, format: str = "html", plan: str | None = None) -> str:
    """Make a report from the content of a store only, of the plan run last by default."""
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}; use {', '.join(FORMATS)}.")
    return FORMATS[format][1](contents_of(store, plan))


def write_report(
    store: Store,
    path: str | os.PathLike[str],
    format: str = "html",
    plan: str | None = None,
) -> Path:
    """Write a report to a file; see `render`."""
    path = Path(path)
    text = render(store, format, plan)
    # Written completely or not at all, so that an open page is never incomplete.
    with replace_file(path, encoding="utf-8") as stream:
        # Invalid characters in texts of older stores are shown as their code.
        stream.write(escaped(text))
    return path
