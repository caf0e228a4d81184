"""Tables on narrow terminals: no number, name or word is cut, and no line is too wide."""

import os
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

from labelspan.papers import EXPERIMENTS
from tests.lab.plans import write_toy

pty = pytest.importorskip("pty")


def shown(width, *arguments):
    """The output of the command on a terminal of this width, without colours."""
    outer, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "labelspan", *map(str, arguments)],
        stdout=inner,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": str(width)},
    )
    os.close(inner)
    pieces = []
    while True:
        try:
            piece = os.read(outer, 65536)
        except OSError:
            # The end of a terminal, on Linux.
            piece = b""
        if not piece:
            break
        pieces.append(piece)
    os.close(outer)
    assert process.wait() == 0
    text = b"".join(pieces).decode().replace("\r\n", "\n")
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def cells(text):
    """The cells of all drawn tables, one list per line."""
    lines = [line for line in text.splitlines() if line.startswith(("│", "┃"))]
    return [[cell.strip() for cell in re.split("[│┃]", line)[1:-1]] for line in lines]


@pytest.mark.parametrize("width", [80, 60])
def test_compare_puts_columns_below_and_cuts_no_digit(tmp_path, width):
    options = (
        "compare", "--data", write_toy(tmp_path), "--methods", "none,mvmd,shared-subspace",
        "--classifiers", "ridge", "--splits", "2x2", "--directions", "", "--jobs", "0",
        "--out", tmp_path / "out",
    )  # fmt: skip
    text = shown(width, *options)
    plain = subprocess.run(
        [sys.executable, "-m", "labelspan", *map(str, options)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    table = [line for line in cells(text) if line[0] in ("no reduction", "MVMD", "ML_LS")]
    found = {}
    for name, *values in table:
        found.setdefault(name, []).extend(values)
    expected = {}
    for line in plain.splitlines()[2:5]:
        name = next(name for name in found if line.startswith(name))
        expected[name] = line.removeprefix(name).split()
    assert found == expected
    assert len(expected["MVMD"]) == 9
    # The first table has the rank and the first measure.
    assert text.index("Micro-F1") < text.index("└")
    lines = [line for line in text.splitlines() if not line.startswith("report: ")]
    assert max(map(cell_len, lines)) <= width
    words = set(re.findall(r"[\w-]+", plain.split("fit, s")[1].split("report:")[0]))
    assert words <= set(re.findall(r"[\w-]+", text))


def test_the_list_of_experiments_has_one_line_each():
    lines = shown(80, "reproduce", "list").splitlines()
    assert [line.split()[0] for line in lines[1:-3]] == [item.name for item in EXPERIMENTS]
    assert max(map(cell_len, lines)) <= 80


def test_the_long_list_of_experiments_cuts_no_name_and_breaks_no_word():
    text = shown(80, "reproduce", "list", "--long")
    table = cells(text)
    assert {item.name for item in EXPERIMENTS} <= {line[0] for line in table}
    words = {word for line in table for cell in line for word in cell.split()}
    for item in EXPERIMENTS:
        assert set(item.title.split()) <= words
        assert set(item.data) <= {word.rstrip(",") for word in words}
    assert max(map(cell_len, text.splitlines())) <= 80


def columns(text):
    """Heading and content of the columns of each drawn table, without spaces."""
    tables = re.findall(r"^┏.*?^└", text, re.MULTILINE | re.DOTALL)
    for head, body in (table.split("┡") for table in tables):
        joined = ("".join("".join(column).split()) for column in zip(*cells(head), strict=True))
        yield from zip(joined, zip(*cells(body), strict=True), strict=True)


@pytest.mark.parametrize("width", [20, 30, 40])
def test_what_fits_nowhere_is_folded_and_not_lost(width):
    """Names of methods have up to 22 characters, and their parameters words of more than 40."""
    text = shown(width, "methods")
    found = {}
    for heading, column in columns(text):
        found.setdefault(heading, "".join("".join(column).split()))
    whole = dict(columns(shown(1000, "methods")))
    assert (
        list(found) == list(whole) == ["name", "kind", "class", "source", "parameters", "tunedover"]
    )
    for heading, column in whole.items():
        assert found[heading] == "".join("".join(column).split())
    assert max(map(cell_len, re.findall(r"^[┏┃┡│└].*$", text, re.MULTILINE))) <= width
