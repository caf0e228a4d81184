"""Reports from a store: HTML, Markdown, CSV and LaTeX."""

from labelspan.lab.report._text import markdown_escape, markdown_text
from labelspan.lab.report._write import FORMATS, render, write_manuscript, write_report

__all__ = [
    "FORMATS",
    "markdown_escape",
    "markdown_text",
    "render",
    "write_manuscript",
    "write_report",
]
