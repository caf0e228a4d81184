"""What the readers share inside: numbers to the last bit, and blocks of whole lines."""

from __future__ import annotations

import gzip
import re
import tempfile
from decimal import Decimal
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labelspan.datasets import DataFileError, Limits
from labelspan.datasets.io._numbers import EXACT, HARD, INVALID
from labelspan.datasets.io._numbers import quick_number as _quick_number
from labelspan.datasets.io._numbers import scan_number as _scan_number
from labelspan.datasets.io._stream import LineBlocks

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
decimals = st.builds(
    lambda sign, digits, point, exponent: f"{sign}{digits[:point]}.{digits[point:]}{exponent}",
    st.sampled_from(["", "-", "+"]),
    st.text("0123456789", min_size=1, max_size=22),
    st.integers(0, 22),
    st.just("") | st.integers(-330, 330).map(lambda e: f"e{e}"),
)
# Decimals near the middle of two neighbouring floats, where rounding is decided late.
ties = st.builds(
    lambda x, digits: f"{(Decimal(x) + Decimal(float(np.nextafter(x, 2.0)))) / 2:.{digits}f}",
    st.floats(0.001, 1.0),
    st.integers(14, 18),
)


@numba.njit
def scan_number(text, start, stop):
    return _scan_number(text, start, stop)


@numba.njit
def quick_number(text, pos):
    return _quick_number(text, pos)


def as_bytes(text):
    return np.frombuffer(text.encode(), dtype=np.uint8)


@settings(max_examples=500, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False).map(repr) | decimals | ties)
@example("9007199254740993")
@example("0.500000000000000055")
def test_exact_values_equal_python(text):
    array = as_bytes(text)
    status, value = scan_number(array, 0, len(array))
    assert status in (EXACT, HARD)
    if status == EXACT:
        assert np.float64(value).view(np.int64) == np.float64(float(text)).view(np.int64)
    stop, quick = quick_number(as_bytes(text + "\n"), np.uint64(0))
    if stop == len(array) and not np.isnan(quick):
        assert np.float64(quick).view(np.int64) == np.float64(float(text)).view(np.int64)


@settings(max_examples=300, deadline=None)
@given(st.text("0123456789+-.eE_x ", max_size=8))
def test_only_numbers_are_accepted(text):
    array = as_bytes(text)
    status, _ = scan_number(array, 0, len(array))
    assert (status == INVALID) == (NUMBER.fullmatch(text) is None)
    stop, value = quick_number(as_bytes(text + "\n"), np.uint64(0))
    if stop == len(array) and not np.isnan(value):
        assert NUMBER.fullmatch(text)


def test_most_long_decimals_need_no_python():
    rng = np.random.default_rng(0)
    arrays = [as_bytes(repr(value)) for value in rng.random(2000).tolist()]
    hard = sum(scan_number(array, 0, len(array))[0] == HARD for array in arrays)
    assert hard < 20


contents = st.lists(st.sampled_from([b"", b"a", b"bc", b"d" * 30]), max_size=12).map(b"\n".join)


@settings(max_examples=200, deadline=None)
@given(contents, st.integers(1, 40), st.booleans())
def test_blocks_are_the_file(content, block_bytes, compressed):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f")
        path.write_bytes(gzip.compress(content) if compressed else content)
        whole, line = b"", 1
        with LineBlocks(path, Limits(), block_bytes) as source:
            for block in source:
                assert source.line == line
                assert block.tobytes().endswith(b"\n")
                whole += block.tobytes()
                line += source.n_lines
        assert whole == content + (b"\n" if content and not content.endswith(b"\n") else b"")
        assert line == 1 + whole.count(b"\n")


@pytest.mark.parametrize("block_bytes", [3, 7, 1000])
def test_what_is_put_back_comes_again(block_bytes, tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"ab\ncd\nef\ngh")
    with LineBlocks(path, Limits(), block_bytes) as source:
        assert source.next_block().tobytes().startswith(b"ab\n")
        source.unread(3)
        rest = b"".join(block.tobytes() for block in source)
    assert rest == b"cd\nef\ngh\n"


@pytest.mark.parametrize("block_bytes", [4, 9, 1000])
def test_place_of_an_error(block_bytes, tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"ab\ncd\n\nexf\n")
    with LineBlocks(path, Limits(), block_bytes) as source:
        for block in source:
            position = block.tobytes().find(b"x")
            if position >= 0:
                error = source.error_at("here", position)
    assert (error.line, error.column) == (4, 2)


def test_long_line_is_refused_at_its_limit(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"ab\n" + b"c" * 100)
    limits = Limits(max_line_bytes=50)
    message = "line 2: no line end within 50 bytes"
    with LineBlocks(path, limits, 16) as source, pytest.raises(DataFileError, match=message):
        list(source)
