"""Reports as Markdown and CSV, with every name escaped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from labelspan.lab.analysis import Analysis, Row
from labelspan.lab.methods import ALL_MEASURES
from labelspan.lab.report._contents import Contents, Line
from labelspan.system import counted

# First characters that a spreadsheet takes for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

CSV_COLUMNS = (
    "dataset", "split", "method", "reducer", "classifier", "directions", "status", "error",
    "measure", "value", "average_rank", "test_p_value", "interaction_p_value", "n_components",
    "fit_seconds", "transform_seconds", "train_seconds", "predict_seconds", "peak_memory",
)  # fmt: skip


def one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())


def markdown_escape(text: str) -> str:
    """Text that Markdown and the HTML within it show as it is."""
    plain = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]()#+!|~$:])", r"\\\1", plain)


def markdown_text(text: str) -> str:
    """Our own text, which may contain code; brackets and colons stay readable in the source."""
    plain = text.replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"`[^`]*`|[\\*_|]", lambda m: m[0] if m[0][0] == "`" else f"\\{m[0]}", plain)


def csv_escape(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    plain = one_line(text)
    return f"'{plain}" if plain.startswith(FORMULA) else plain


def csv_text(contents: Contents) -> str:
    """One row per measurement: every cell of the plan, failures included."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for cell in contents.analysis.cells:
        names = ("method", "reducer", "classifier")
        head = [csv_escape(cell["dataset"]), cell["split"], *(csv_escape(cell[n]) for n in names)]
        head += [cell["directions"], cell["status"], csv_escape(cell["error"])]
        parts = ("fit", "transform", "train", "predict")
        tail = [cell["n_components"], *(cell[f"{part}_seconds"] for part in parts)]
        for measure, value in (cell["values"] or {"": None}).items():
            tests = _csv_tests(contents.analysis, cell, measure)
            writer.writerow([*head, measure, value, *tests, *tail, cell["peak_memory"]])
    return stream.getvalue()


def _csv_tests(analysis: Analysis, cell: Row, measure: str) -> list[float | None]:
    """Average rank under the classifier, p-value of its test, and that of the classifiers."""
    ranking = analysis.ranking_of(cell, measure)
    if ranking is None:
        return [None, None, None]
    item = analysis.interactions.get(measure)
    rank = ranking.rank_of(cell["method"])
    return [rank, ranking.p_value, None if item is None else item.p_value]


def markdown(contents: Contents) -> str:
    """Tables of means and ranks, verdicts, failures and how it was run."""
    analysis = contents.analysis
    parts = [f"# {markdown_escape(analysis.plan.name)}", ""]
    for sentence in contents.recommendations:
        parts += [f"**{markdown_escape(sentence)}**", ""]
    for sentence in contents.noise:
        parts += [markdown_escape(sentence), ""]
    parts += [f"- {markdown_escape(sentence)}" for sentence in contents.verdicts]
    parts += ["", markdown_escape(contents.caution), ""]
    parts += [markdown_escape(contents.missing), ""] if contents.missing else []
    for (dataset, classifier), lines in blocks(contents).items():
        title = f"{markdown_escape(dataset)}, {markdown_escape(classifier)}"
        parts += [f"## {title}", "", *_markdown_table(contents.measures, lines), ""]
    parts += _markdown_ranks(contents)
    if contents.failures:
        parts += ["## Failures", ""]
        parts += [
            f"- {markdown_escape(cell['method'])} on {markdown_escape(cell['dataset'])}, "
            f"{counted(n, 'cell')}: {cell['status']}: {markdown_escape(cell['error'])}"
            for cell, n in contents.failures
        ]
        parts.append("")
    parts += _markdown_chosen(contents)
    parts += ["## How it was run", "", f"- {markdown_escape(analysis.plan.splits.title)}"]
    parts += [f"- {markdown_escape(line)}" for line in contents.settings]
    parts += [f"- seed {analysis.plan.seed}, plan `{analysis.plan.hash}`"]
    parts += [f"- command: {markdown_escape(contents.command)}"] if contents.command else []
    for item in contents.environments:
        versions = ", ".join(f"{key} {value}" for key, value in item.items())
        parts.append(f"- {markdown_escape(versions)}")
    return "\n".join(parts) + "\n"


def _markdown_ranks(contents: Contents) -> list[str]:
    parts = []
    for classifier, header, rows in rank_tables(contents):
        title = f"Average ranks, {markdown_escape(classifier)}" if classifier else "Average ranks"
        head = [f"| {' | '.join(header)} |", f"|---|{'---:|' * (len(header) - 1)}"]
        body = [f"| {' | '.join([markdown_escape(row[0]), *row[1:]])} |" for row in rows]
        parts += [f"## {title}", "", *head, *body, ""]
    return parts


def rank_tables(contents: Contents) -> list[tuple[str, list[str], list[list[str]]]]:
    """By classifier: header and rows of average ranks, the best method first."""
    analysis, found = contents.analysis, []
    for classifier, rankings in analysis.rankings.items():
        header = ["method", *(ALL_MEASURES[name].title for name in rankings), "mean rank"]
        rows = [
            [method, *(f"{item.rank_of(method):.2f}" for item in rankings.values()), f"{rank:.2f}"]
            for method, rank in sorted(analysis.overall[classifier].items(), key=lambda i: i[1])
        ]
        if rows:
            found.append((classifier, header, rows))
    return found


def _markdown_chosen(contents: Contents) -> list[str]:
    if not contents.chosen:
        return []
    rows = [
        f"| {' | '.join(markdown_escape(text) for text in (*key, values))} |"
        for key, values in contents.chosen
    ]
    head = ["| data set | method | step | parameter | chosen (splits) |", "|---|---|---|---|---|"]
    note = f"{markdown_escape(contents.legend)}."
    return ["## Chosen parameters", "", note, "", *head, *rows, ""]


def _markdown_table(measures: Sequence[str], lines: Sequence[Line]) -> list[str]:
    header = ["method", *(ALL_MEASURES[name].title for name in measures), "mean rank", "directions"]
    rows = [f"| {' | '.join(header)} |", f"|---|{'---:|' * (len(header) - 1)}"]
    for line in lines:
        values = [f"{value(line, name)} ({rank(line, name)})" for name in measures]
        last = [number(line.rank, 2), number(line.directions, 0)]
        rows.append(f"| {' | '.join([markdown_escape(titled(line)), *values, *last])} |")
    return rows


def titled(line: Line) -> str:
    return f"{line.method} ({line.note})" if line.note else line.method


def blocks(contents: Contents) -> dict[tuple[str, str], list[Line]]:
    """Lines by data set and classifier, the best method first."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in contents.lines:
        found.setdefault((line.dataset, line.classifier), []).append(line)
    for lines in found.values():
        lines.sort(key=lambda line: line.rank if line.rank is not None else float("inf"))
    return found


def value(line: Line, name: str) -> str:
    """Mean and deviation of a measure, or how its cells ended."""
    if name not in line.means:
        return "failed" if line.n_failed else "-"
    deviation = line.deviations.get(name)
    return f"{line.means[name]:.4f}" + ("" if deviation is None else f" ± {deviation:.4f}")


def rank(line: Line, name: str) -> str:
    """Rank of a measure."""
    return f"{line.ranks[name]:g}" if name in line.ranks else "-"


def number(item: float | None, digits: int) -> str:
    """Write a number, or a dash."""
    return "-" if item is None else f"{item:.{digits}f}"
