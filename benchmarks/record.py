"""Run benchmark scripts, store their output in results.json, write docs/benchmarks.md from it.

usage: python benchmarks/record.py [bench_extraction ...]     if none is named, all that this
                                                              version has not recorded yet
       python benchmarks/record.py --page                    write the page and its chart only
       python benchmarks/record.py --check                   1 if a script has no result at all

A script that takes longer than its limit is stopped; the lines that it has printed are stored.
"""

from __future__ import annotations

import ast
import json
import math
import os
import platform
import re
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
RESULTS, PAGE = FOLDER / "results.json", FOLDER.parent / "docs" / "benchmarks.md"
CHART = PAGE.with_suffix(".svg")
# Seconds that a script may take, so that all of them together take about an hour; and of those
# that make large files.
LIMIT, LIMITS = 240, {"bench_embeddings": 600, "bench_grid": 480, "bench_out_of_core": 480}
LIBRARIES = ("labelspan", "numpy", "scipy", "scikit-learn")
HEAD = """# Benchmarks

Made by `make bench`, which runs the scripts in `benchmarks/` and writes this page from their
output (`benchmarks/results.json`). Nothing here is typed by hand.

![Time relative to peers](benchmarks.svg)

Most scripts compare with a peer in the same run: processor time on one thread, best of several
rounds, the two calls alternating. A ratio below 1 means that labelspan is faster. *Goal* is the
target ratio of the project; MISSED marks ratios that do not reach it. Seconds depend on the
computer, ratios much less. In the chart, each dot is one of these ratios, on a logarithmic axis;
dots left of the line are faster than the peer, hollow ones miss their goal. Results of a version
before this one are marked *old*; a script that was stopped at its time limit is *cut*.

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
    start, limit = time.monotonic(), LIMITS.get(name, LIMIT)
    command = [sys.executable, "-u", FOLDER / f"{name}.py"]
    # A session of its own, so that the processes of the script end with it.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        clock = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
        clock.start()
        lines = []
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())
        code = process.wait()
        clock.cancel()
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": processor(),
        "python": platform.python_version(),
        "libraries": {library: version(library) for library in LIBRARIES},
        "minutes": round((time.monotonic() - start) / 60, 1),
        "reached": code == 0,
        "cut": code == -signal.SIGKILL,
        "lines": lines,
    }


def summary(name: str) -> str:
    """First line of the docstring of a script."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").splitlines()[0].rstrip(".")


def page(results: dict[str, dict[str, Any]]) -> str:
    """The documentation page, from the stored results only."""
    names = scripts()
    text = HEAD
    for name in names:
        found = results.get(name)
        link = f"[{name}](#{name.replace('_', '-')})" if found else name
        goals = "" if not found else "reached" if found["reached"] else "not all reached"
        goals += ", cut" if found and found.get("cut") else ""
        date = found["date"] + ("" if is_current(found) else ", old") if found else "not yet"
        text += f"| {link} | {summary(name)} | {date} | {goals} |\n"
    for name in [name for name in names if name in results]:
        found = results[name]
        libraries = ", ".join(f"{key} {value}" for key, value in found["libraries"].items())
        text += f"\n({name.replace('_', '-')})=\n## {name}\n\n{summary(name)}. "
        text += f"Recorded {found['date']} on {found['machine']}, Python {found['python']}, "
        text += f"{libraries}; {found['minutes']:g} minutes.\n"
        text += "\n" + shown(found["lines"])
    return text


def scripts() -> list[str]:
    """Names of all scripts that are recorded."""
    return sorted(path.stem for path in FOLDER.glob("bench_*.py"))


def is_current(found: dict[str, Any]) -> bool:
    """Whether this version of labelspan made the result."""
    text = (FOLDER.parent / "src" / "labelspan" / "__init__.py").read_text(encoding="utf-8")
    return f'__version__ = "{found["libraries"]["labelspan"]}"' in text


def missing(results: dict[str, dict[str, Any]]) -> list[str]:
    """Scripts without any result, apart from those that need an accelerator."""
    return [name for name in scripts() if name not in results and "device" not in name]


def ratios(found: dict[str, Any]) -> list[tuple[float, bool]]:
    """Ratios of a script, and whether each reaches its goal."""
    matches = [match for match in map(RATIO.match, found["lines"]) if match]
    return [(float(match[3]), not match[7]) for match in matches]


def chart(results: dict[str, dict[str, Any]]) -> str:
    """Ratios of every script as dots on a logarithmic axis, as SVG."""
    rows = {name: ratios(found) for name, found in sorted(results.items())}
    rows = {name: dots for name, dots in rows.items() if dots}
    every = [ratio for dots in rows.values() for ratio, _ in dots] or [1.0]
    low = min(math.floor(math.log10(max(min(every), 1e-4))), -1)
    high = max(math.ceil(math.log10(max(every))), 1)
    left, width, height = 170, 430, 20

    def place(ratio: float) -> float:
        share = (math.log10(max(ratio, 10.0**low)) - low) / (high - low)
        return round(left + width * min(share, 1.0), 1)

    bottom = 30 + height * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 30} {bottom + 40}" '
        'font-family="sans-serif" font-size="12" role="img">',
        "<title>Time of labelspan relative to peers, by benchmark script</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for power in range(low, high + 1):
        x = place(10.0**power)
        stroke = "#333333" if power == 0 else "#dddddd"
        parts.append(f'<line x1="{x}" x2="{x}" y1="20" y2="{bottom}" stroke="{stroke}"/>')
        label = f"{10.0**power:g}"
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{label}</text>')
    for i, (name, dots) in enumerate(rows.items()):
        y = 36 + height * i
        title = name.removeprefix("bench_")
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{title}</text>')
        for ratio, reached in dots:
            fill = "#0072b2" if reached else "#ffffff"
            spot = f'cx="{place(ratio)}" cy="{y}" r="4" fill="{fill}" stroke="#0072b2"'
            parts.append(f"<circle {spot}><title>{title}: {ratio:g}</title></circle>")
    middle = left + width / 2
    note = "time of labelspan / time of the peer"
    parts.append(f'<text x="{middle:g}" y="{bottom + 34}" text-anchor="middle">{note}</text>')
    return "\n".join([*parts, "</svg>", ""])


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
    results, reached = stored(), True
    if arguments == ["--check"]:
        print("\n".join(f"{name}: not yet" for name in missing(results)))
        return int(bool(missing(results)))
    names = arguments or [
        name for name in scripts() if name not in results or not is_current(results[name])
    ]
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
    CHART.write_text(chart(stored()), encoding="utf-8")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
