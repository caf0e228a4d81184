"""Reports from a store: HTML, Markdown, CSV and LaTeX."""

from labelspan.experiments.report._write import FORMATS, render, write_report

__all__ = ["FORMATS", "render", "write_report"]
