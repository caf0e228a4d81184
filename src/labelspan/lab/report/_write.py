"""Write a report in one of its formats."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from labelspan.lab.report._contents import Contents, contents_of
from labelspan.lab.report._html import html
from labelspan.lab.report._latex import latex
from labelspan.lab.report._text import csv_text, markdown
from labelspan.lab.store import Store
from labelspan.plotting import CriticalDifferenceDisplay
from labelspan.stats import NemenyiResult
from labelspan.system import escaped, replace_file, require

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


def write_manuscript(
    store: Store, path: str | os.PathLike[str], plan: str | None = None
) -> list[Path]:
    """Write a LaTeX report and, beside it, the diagrams of its ranks as PDF."""
    path, figures, drawn = Path(path), {}, []
    contents = contents_of(store, plan)
    for classifier, rankings in contents.analysis.rankings.items():
        for measure, ranking in rankings.items():
            if ranking.nemenyi is None:
                continue
            words = re.findall(r"[a-z0-9]+", f"{classifier} {measure}".lower())
            figure = path.with_name("-".join([path.stem, "ranks", *words]) + ".pdf")
            _draw_ranks(ranking.nemenyi, figure)
            figures[classifier, measure] = figure.name
            drawn.append(figure)
    with replace_file(path, encoding="utf-8") as stream:
        stream.write(escaped(latex(contents, figures)))
    return [path, *drawn]


def _draw_ranks(result: NemenyiResult, path: Path) -> None:
    plt = require("matplotlib.pyplot", "report", "report --latex")
    display = CriticalDifferenceDisplay.from_result(result)
    with replace_file(path) as stream:
        # Without a date, so that the same results give the same file.
        display.figure_.savefig(stream, format="pdf", metadata={"CreationDate": None})
    plt.close(display.figure_)


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
