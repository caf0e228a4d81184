"""Run benchmark scripts, store their output in results.json, write docs/benchmarks.md from it.

usage: python benchmarks/record.py [bench_extraction ...]     all scripts if none is named
       python benchmarks/record.py --page                    write the page only
"""

from __future__ import annotations

import ast
import json
import platform
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
RESULTS, PAGE = FOLDER / "results.json", FOLDER.parent / "docs" / "benchmarks.md"
LIBRARIES = ("labelspan", "numpy", "scipy", "scikit-learn")
HEAD = """# Benchmarks

Made by `make bench`, which runs the scripts in `benchmarks/` and writes this page from their
output (`benchmarks/results.json`). Nothing here is typed by hand.

Most scripts compare with a peer in the same run: processor time on one thread, best of several
rounds, the two calls alternating. A ratio below 1 means that labelspan is faster. *Goal* is the
target ratio of the project; MISSED marks ratios that do not reach it. Seconds depend on the
computer, ratios much less.

| script | what it measures | recorded | goals |
|---|---|---|---|
"""
# A line of ``timing.compare``, and its heading.
RATIO = re.compile(
    r"(\S.*?) {2,}(\S.*?) {2,}([\d.]+) +([\d.]+) +([\d.]+) */ +([\d.]+)(  MISSED)?\s*$"
)
HEADING = re.compile(r"ours +peer +ratio +goal")
TABLE = (
    "| ratio | goal | ours | peer | seconds | seconds of the peer |\n|---:|---:|---|---|---:|---:|"
)


def processor() -> str:
    """Model of the processor."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return found.group(1) if found else platform.machine()


def record(name: str) -> dict[str, Any]:
    """Run one script and return what it printed."""
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py"], stdout=subprocess.PIPE, text=True, check=False
    )
    print(done.stdout, flush=True)
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": processor(),
        "python": platform.python_version(),
        "libraries": {library: version(library) for library in LIBRARIES},
        "minutes": round((time.monotonic() - start) / 60, 1),
        "reached": done.returncode == 0,
        "lines": done.stdout.rstrip().splitlines(),
    }


def summary(name: str) -> str:
    """First line of the docstring of a script."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").splitlines()[0].rstrip(".")


def page(results: dict[str, dict[str, Any]]) -> str:
    """The documentation page, from the stored results only."""
    names = sorted(path.stem for path in FOLDER.glob("bench_*.py"))
    text = HEAD
    for name in names:
        found = results.get(name)
        link = f"[{name}](#{name.replace('_', '-')})" if found else name
        goals = "" if not found else "reached" if found["reached"] else "not all reached"
        text += (
            f"| {link} | {summary(name)} | {found['date'] if found else 'not yet'} | {goals} |\n"
        )
    for name in [name for name in names if name in results]:
        found = results[name]
        libraries = ", ".join(f"{key} {value}" for key, value in found["libraries"].items())
        text += f"\n({name.replace('_', '-')})=\n## {name}\n\n{summary(name)}. "
        text += f"Recorded {found['date']} on {found['machine']}, Python {found['python']}, "
        text += f"{libraries}; {found['minutes']:g} minutes.\n"
        text += "\n" + shown(found["lines"])
    return text


def shown(lines: list[str]) -> str:
    """Lines of ratios as tables, with the ratio first; other lines unchanged."""
    parts: list[tuple[bool, list[str]]] = []
    for line in lines:
        found = RATIO.match(line)
        if HEADING.match(line):
            continue
        if found:
            ours, peer, ratio, goal, ours_s, peer_s, verdict = found.groups()
            cells = [ratio + (" MISSED" if verdict else ""), goal, ours, peer, ours_s, peer_s]
            line = "| " + " | ".join(cell.strip().replace("|", "\\|") for cell in cells) + " |"
        if not parts or parts[-1][0] != bool(found):
            parts.append((bool(found), [TABLE] if found else []))
        parts[-1][1].append(line.rstrip())
    blocks = ("\n".join(block) for _, block in parts)
    kinds = (is_table for is_table, _ in parts)
    return "\n".join(
        f"{block}\n" if is_table else f"```text\n{block}\n```\n"
        for is_table, block in zip(kinds, blocks, strict=True)
    )


def stored() -> dict[str, dict[str, Any]]:
    """Results of earlier runs."""
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def main(arguments: list[str]) -> int:
    """Run, store after each script, and write the page."""
    names = arguments or sorted(path.stem for path in FOLDER.glob("bench_*.py"))
    results, reached = stored(), True
    for name in [] if arguments == ["--page"] else names:
        print(f"== {name}", flush=True)
        found = record(name)
        reached &= found["reached"]
        # A script without output lacks a peer or a data set; its standard error says which.
        if found["lines"]:
            results[name] = found
            text = json.dumps(results, indent=1, sort_keys=True, ensure_ascii=False)
            RESULTS.write_text(text + "\n", encoding="utf-8")
    # As stored: the keys are sorted there.
    PAGE.write_text(page(stored()), encoding="utf-8")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
