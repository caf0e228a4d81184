"""Numbers of files against Python's float, to the last bit."""

from __future__ import annotations

import re
import tempfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from labelspan.datasets import DataFileError, read_arff, read_libsvm

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
decimals = st.builds(
    lambda sign, digits, point, exponent: f"{sign}{digits[:point]}.{digits[point:]}{exponent}",
    st.sampled_from(["", "-", "+"]),
    st.text("0123456789", min_size=1, max_size=22),
    st.integers(0, 22),
    st.just("") | st.integers(-330, 300).map(lambda e: f"e{e}"),
)
# Decimals near the middle of two neighbouring floats, where rounding is decided late.
ties = st.builds(
    lambda x, digits: f"{(Decimal(x) + Decimal(float(np.nextafter(x, 2.0)))) / 2:.{digits}f}",
    st.floats(0.001, 1.0),
    st.integers(14, 18),
)
numbers = st.floats(allow_nan=False, allow_infinity=False).map(repr) | decimals | ties
ARFF = "@relation 't: -C 1'\n@attribute a {0,1}\n@attribute x real\n@data\n"


def read(texts, kind):
    """Values of a file of one number per row."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"numbers.{kind}")
        if kind == "arff":
            path.write_text(ARFF + "".join(f"0,{text}\n" for text in texts))
            return read_arff(path).X.ravel()
        path.write_text("".join(f"0 1:{text}\n" for text in texts))
        return read_libsvm(path, n_features=1, first_feature=1).X.toarray().ravel()


@pytest.mark.parametrize("kind", ["arff", "svm"])
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(numbers, min_size=1, max_size=200))
@example(texts=["9007199254740993", "0.500000000000000055", "." + "0" * 17 + "12", "9" * 19])
@example(texts=["1000000000000000001", "0.1000000000000000055", "1" * 20, "0" * 25 + "1"])
def test_values_equal_those_of_python(kind, texts):
    found = read(texts, kind)
    expected = np.array([float(text) for text in texts])
    if kind == "svm":
        # Zeros are not stored, and so have no sign.
        expected += 0.0
    np.testing.assert_array_equal(found.view(np.int64), expected.view(np.int64))


@pytest.mark.parametrize("kind", ["arff", "svm"])
@settings(max_examples=100, deadline=None)
@given(text=st.text("0123456789+-.eE_x", min_size=1, max_size=8))
def test_only_finite_numbers_are_accepted(kind, text):
    if NUMBER.fullmatch(text) and np.isfinite(float(text)):
        assert read([text], kind) == float(text)
    else:
        with pytest.raises(
            DataFileError, match=re.escape(text)[:20] if kind == "arff" else "number"
        ):
            read([text], kind)
