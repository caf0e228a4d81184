"""The compiled number parsers against Python's float, to the last bit."""

from __future__ import annotations

import re
from decimal import Decimal

import numba
import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labelspan.datasets.io._numbers import EXACT, HARD, INVALID
from labelspan.datasets.io._numbers import quick_number as _quick_number
from labelspan.datasets.io._numbers import scan_number as _scan_number

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
