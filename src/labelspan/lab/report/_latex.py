"""Reports as LaTeX, with every name escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labelspan.lab.analysis import Ranking
from labelspan.lab.methods import ALL_MEASURES
from labelspan.lab.report._contents import Contents, Line
from labelspan.lab.report._text import blocks, number, one_line, rank_tables, titled, value

LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # After \\ and \midrule, LaTeX would read these two as an option.
    "[": "{[}",
    "*": "{*}",
}


WORSE = "$^{\\bullet}$"


def latex(contents: Contents, figures: Mapping[tuple[str, str], str] | None = None) -> str:
    """Booktabs tables, best values bold; `figures` names files by classifier and measure."""
    parts = ["% needs \\usepackage{booktabs, graphicx}"]
    parts += [f"% {one_line(contents.missing)}"] if contents.missing else []
    splits = contents.analysis.plan.splits.title
    if len(contents.analysis.plan.sources) > 1:
        parts += _by_measure(contents)
    for (classifier, measure), file in (figures or {}).items():
        parts += _figure(file, f"{_titles(classifier, measure)}: average ranks")
    titles = [ALL_MEASURES[name].title for name in contents.measures]
    for (dataset, classifier), lines in blocks(contents).items():
        rows = [_latex_row(contents.measures, line) for line in lines]
        parts += _latex_table(f"{dataset}, {classifier}: {splits}", [*titles, "rank"], rows)
    for classifier, header, ranks in rank_tables(contents):
        caption = f"average ranks{f', {classifier}' if classifier else ''}: {splits}"
        rows = [f"{' & '.join(map(latex_escape, row))} \\\\" for row in ranks]
        parts += _latex_table(caption, header[1:], rows)
    said = [*contents.verdicts, contents.caution, *contents.recommendations]
    parts += [f"{latex_escape(sentence)}\n" for sentence in said if sentence]
    return "\n".join(parts)


def _by_measure(contents: Contents) -> list[str]:
    """One table per classifier and measure: methods by data sets, ranks, and who is worse."""
    parts = []
    for classifier, rankings in contents.analysis.rankings.items():
        for measure, ranking in rankings.items():
            caption = f"{_titles(classifier, measure)}: {contents.analysis.plan.splits.title}"
            if ranking.differ and ranking.nemenyi is not None:
                worse = "separated from the best method by Nemenyi's test of the ranks"
                test = f"; {WORSE}: {worse}"
            else:
                test = ""
            columns = _columns(contents, classifier, measure)
            rows = [_measure_row(method, columns, ranking) for method in ranking.order]
            titles = [*columns, "rank"]
            parts += _latex_table(caption, titles, rows, note=test)
    return parts


def _columns(contents: Contents, classifier: str, measure: str) -> dict[str, dict[str, str]]:
    """Cells by data set and method, the best of a data set bold."""
    found: dict[str, dict[str, str]] = {
        source.name: {} for source in contents.analysis.plan.sources
    }
    models = {cell["method"] for cell in contents.analysis.plain if cell["is_model"]}
    for line in contents.lines:
        if line.classifier == classifier or line.method in models:
            text = value(line, measure).replace("±", "$\\pm$")
            best = measure in line.best
            found[line.dataset][line.method] = f"\\textbf{{{text}}}" if best else text
    return found


def _measure_row(method: str, columns: dict[str, dict[str, str]], ranking: Ranking) -> str:
    cells = [column.get(method, "-") for column in columns.values()]
    mark = WORSE if ranking.separated(ranking.order[0], method) else ""
    rank = f"{ranking.rank_of(method):.2f}{mark}"
    return f"{latex_escape(method)} & {' & '.join([*cells, rank])} \\\\"


def _titles(classifier: str, measure: str) -> str:
    title = ALL_MEASURES[measure].title
    return f"{classifier}, {title}" if classifier else title


def _figure(file: str, caption: str) -> list[str]:
    return [
        "\\begin{figure}",
        f"\\includegraphics[width=\\linewidth]{{{file}}}",
        f"\\caption{{{latex_escape(caption)}; methods under one bar are not separated}}",
        "\\end{figure}",
        "",
    ]


def _latex_table(
    caption: str, titles: Sequence[str], rows: Sequence[str], note: str = ""
) -> list[str]:
    return [
        "\\begin{table}",
        f"\\caption{{{latex_escape(caption)}{note}}}",
        f"\\begin{{tabular}}{{l{'r' * len(titles)}}}",
        "\\toprule",
        f"method & {' & '.join(map(latex_escape, titles))} \\\\",
        "\\midrule",
        *rows,
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
        "",
    ]


def _latex_row(measures: Sequence[str], line: Line) -> str:
    cells = []
    for name in measures:
        text = value(line, name).replace("±", "$\\pm$")
        cells.append(f"\\textbf{{{text}}}" if name in line.best else text)
    return f"{latex_escape(titled(line))} & {' & '.join(cells)} & {number(line.rank, 2)} \\\\"


def latex_escape(text: str) -> str:
    return "".join(LATEX.get(char, char) for char in one_line(text))
