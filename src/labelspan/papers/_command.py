"""``labelspan reproduce``."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from labelspan.datasets import list_datasets
from labelspan.datasets.catalogue import files_of
from labelspan.lab import Store
from labelspan.lab.cli import output
from labelspan.lab.cli.options import check_outputs
from labelspan.lab.runner import default_progress
from labelspan.lab.store import FILE_NAME
from labelspan.papers import (
    EXPERIMENTS,
    PAPERS,
    RULES,
    Experiment,
    Outcome,
    cells,
    document,
    find_experiments,
    judge_text,
    numbered,
    printed_values,
    read_values,
    reasons_of,
    reproduce,
    write_values,
)
from labelspan.system import counted

# Width of a line where no terminal says one.
LINE = 100


def command(
    names: Annotated[
        list[str], typer.Argument(help="list, or experiments: mvmd/figure3, mvmd, all.")
    ],
    quick: Annotated[bool, typer.Option(help="Fewer splits.")] = False,
    out: Annotated[
        Path, typer.Option(help="Folder of the store; with --stored also a file of --values.")
    ] = Path("results/reproduce"),
    page: Annotated[Path | None, typer.Option("--document", help="Markdown page to write.")] = None,
    text: Annotated[
        Path | None,
        typer.Option("--values", help="JSON to update: what the page needs of the results."),
    ] = None,
    jobs: Annotated[
        int, typer.Option(help="Number of parallel cells; -1 for one per processor.")
    ] = -1,
    timeout: Annotated[float | None, typer.Option(help="Time limit per cell in seconds.")] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run all failed cells again.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            help="Time budget in hours; experiments with most values per minute come first."
        ),
    ] = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="Run nothing: judge what is stored, name the rest.")
    ] = False,
    long: Annotated[
        bool,
        typer.Option(
            "--long",
            help="With list: data, what cannot be run, rules; otherwise: values not judged, too.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option(help="Print as JSON.")] = False,
) -> None:
    """Run experiments of the papers: printed value, our value, difference, verdict."""
    if names == ["list"]:
        if json:
            output.print_json(_listed())
        elif long:
            _list_long()
        else:
            _list()
        return
    experiments = find_experiments(names)
    read = [file for item in experiments for name in item.data for file in files_of(name)]
    check_outputs({"document": page, "values": text}, [*read, out / FILE_NAME])
    # A stored result needs nothing installed.
    ready = [item for item in experiments if stored or not _lacks(item)]
    for item in experiments:
        if item not in ready:
            print(f"{item.name} is left out: it needs {_lacks(item)}", file=sys.stderr)
    show = (lambda outcome: None) if json else partial(_show, long=long)
    if stored and out.suffix == ".json":
        outcomes = list(judge_text(ready, read_values(out)))
        _each(show, outcomes)
    else:
        with Store(out) as store:
            found = reproduce(
                ready,
                store,
                quick=quick,
                n_jobs=jobs,
                timeout=timeout,
                progress=default_progress(),
                command=output.command_line(),
                retry_failed=retry_failed,
                budget=budget,
                stored=stored,
            )
            outcomes = _each(show, found)
    if text is not None:
        write_values(outcomes, text)
        # The page is what the text says.
        outcomes = list(judge_text(experiments, read_values(text)))
    if json:
        output.print_json([_data(outcome) for outcome in outcomes])
    if page is not None:
        # Without folders and processes: the page is the same wherever it is made.
        made = " ".join(["labelspan reproduce", *names, *(["--quick"] if quick else [])])
        page.write_text(document(outcomes, made), encoding="utf-8")
    failed = any(outcome.failed or outcome.not_run for outcome in outcomes) or len(ready) < len(
        experiments
    )
    raise typer.Exit(1 if failed else 0)


def _each(show: Callable[[Outcome], None], outcomes: Iterable[Outcome]) -> list[Outcome]:
    """The outcomes, each shown as soon as it is there."""
    found = []
    for outcome in outcomes:
        show(outcome)
        found.append(outcome)
    return found


def _lacks(experiment: Experiment) -> str:
    missing = [f"the data set {name}" for name in _sets(experiment, "missing")]
    missing += [f"the package {name} (pip install {name})" for name in _packages(experiment)]
    return ", ".join(missing)


def _packages(experiment: Experiment) -> list[str]:
    return [name for name in experiment.packages if find_spec(name) is None]


def _sets(experiment: Experiment, where: str) -> list[str]:
    places = {info.name: info.where for info in list_datasets()}
    return [name for name in experiment.data if places[name] == where]


def _needs(experiment: Experiment) -> str:
    downloads = ", ".join(_sets(experiment, "download"))
    parts = [_lacks(experiment), f"download of {downloads}" if downloads else ""]
    return "; ".join(filter(None, parts)) or "nothing"


def _listed() -> dict[str, object]:
    fields = ("name", "title", "data", "minutes", "quick_minutes")
    content = [
        {**{name: getattr(item, name) for name in fields}, "lacks": _needs(item)}
        for item in EXPERIMENTS
    ]
    skipped = {paper: printed_values(paper)["unavailable"] for paper in PAPERS}
    return {"experiments": content, "unavailable": skipped}


def _list() -> None:
    header = ("name", "minutes", "quick", "lacks")
    rows = [
        (item.name, f"{item.minutes:g}", f"{item.quick_minutes:g}", _kind_of_lack(item))
        for item in EXPERIMENTS
    ]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    width = shutil.get_terminal_size((LINE, 24)).columns if sys.stdout.isatty() else LINE
    titles = ["what", *(item.title for item in EXPERIMENTS)]
    for (name, *figures), title in zip((header, *rows), titles, strict=True):
        cells = [name.ljust(widths[0]), *map(str.rjust, figures, widths[1:])]
        room = width - sum(widths) - 2 * len(widths)
        print("  ".join([*cells, textwrap.shorten(title, max(room, 10), placeholder=" ...")]))
    print("\nminutes: of one processor; experiments of a paper share cells")
    print("--long: whole titles, data, what cannot be run, and the rules of the verdicts")


def _kind_of_lack(experiment: Experiment) -> str:
    kinds = {"data": _sets(experiment, "missing"), "download": _sets(experiment, "download")}
    kinds["package"] = _packages(experiment)
    return next((kind for kind, names in kinds.items() if names), "-")


def _list_long() -> None:
    rows = [
        [
            item.name,
            item.title,
            ", ".join(item.data),
            f"{item.minutes:g}",
            f"{item.quick_minutes:g}",
            _needs(item),
        ]
        for item in EXPERIMENTS
    ]
    header = ["name", "what", "data", "minutes", "quick", "lacks"]
    output.print_table(header, rows, n_left=3)
    print("\ncannot be run:")
    for paper in PAPERS:
        for what, why in printed_values(paper)["unavailable"].items():
            output.print_text(f"  {paper}/{what}: {why}")
    print("\nrules of the verdicts:")
    for rule in RULES.replace("\n  ", " ").splitlines():
        output.print_text(rule)


def _show(outcome: Outcome, long: bool) -> None:
    """A table of the judged lines, or of all if asked for or if none could be judged."""
    print()
    if outcome.not_run:
        output.print_text(f"{outcome.experiment.name}: {outcome.summary}")
        return
    title = f"{outcome.experiment.name}: {outcome.experiment.title}"
    header = ["what", "printed", "ours", "difference", "verdict", "rule or reason"]
    reasons = reasons_of(outcome.judged)
    judged = [line for line in outcome.judged if line.verdict != "not judged"]
    shown = outcome.judged if long or not judged else judged
    output.print_table(header, [cells(line, reasons) for line in shown], title, words=(4, 5))
    if n_more := len(outcome.judged) - len(shown):
        left_out = counted(n_more, "value is not judged and", "values are not judged and")
        output.print_text(f"{left_out} left out; --long shows all")
    for text in numbered(reasons):
        output.print_text(f"reason {text}")
    for text in outcome.failed:
        output.print_text(f"failed: {text}")
    counts = Counter(line.verdict for line in outcome.judged)
    figures = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    print(f"{outcome.summary} ({figures})")


def _data(outcome: Outcome) -> dict[str, object]:
    return {
        "name": outcome.experiment.name,
        "quick": outcome.quick,
        "summary": outcome.summary,
        "judged": [{**asdict(line), "difference": line.difference} for line in outcome.judged],
        "failed": outcome.failed,
        "not_run": outcome.not_run,
    }
