"""``labelspan report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from labelspan.lab import Store
from labelspan.lab.cli import options, output
from labelspan.lab.report import FORMATS, write_manuscript, write_report


def command(
    results: Annotated[Path, typer.Argument(help="Folder of the store.")] = Path("results"),
    format: Annotated[
        str, typer.Option(help="html, md, csv, latex; several separated by commas.")
    ] = "html",
    latex: Annotated[
        bool,
        typer.Option(
            "--latex", help="For a paper: tables of methods by data sets, diagrams of ranks as PDF."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the report; by default the folder of the store.")
    ] = None,
    plan: Annotated[
        str | None, typer.Option(help="Hash of a plan; by default the plan run last.")
    ] = None,
) -> None:
    """Make a report from the store of a comparison."""
    formats = [name.strip() for name in format.split(",") if name.strip()]
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        wrong = repr(unknown[0]) if unknown else "without a name"
        raise ValueError(f"there is no format {wrong}; use {', '.join(FORMATS)}.")
    if latex and formats != ["html"]:
        raise ValueError("--latex cannot be combined with --format; run the command twice.")
    folder = results if out is None else out
    with Store(results, read_only=True) as store:
        folder.mkdir(parents=True, exist_ok=True)
        if latex:
            page = folder / "report.tex"
            options.check_outputs({"out": page}, [store.path])
            for path in write_manuscript(store, page, plan):
                print(output.clean(str(path)))
            return
        pages = {name: folder / f"report{FORMATS[name][0]}" for name in formats}
        for page in pages.values():
            options.check_outputs({"out": page}, [store.path])
        for name, page in pages.items():
            write_report(store, page, name, plan)
            print(output.clean(str(page)))
