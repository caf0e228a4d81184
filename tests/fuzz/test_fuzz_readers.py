"""Short fuzzing of every reader with hypothesis; `fuzz_hypothesis.py` runs it for minutes."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.cases import READERS, run
from tests.fuzz.seeds import SEEDS

TOKENS = [
    b"@relation", b"@attribute", b"@data", b"real", b"{", b"}", b",", b" ", b"\n", b"\r", b"\t",
    b"%", b"'", b'"', b"\\", b"?", b"0", b"1", b"-1", b"2.5", b"1e999", b"99999999999999999999",
    b":", b"nan", b"\xff", b"\xc3\xa9", b"\x00", b"<label name='a'/>", b"<!DOCTYPE a [",
    b"{0,1}", b"-C 2",
]  # fmt: skip


@st.composite
def contents(draw, kind):
    """A valid file with a few pieces cut out, repeated or replaced; or tokens; or bytes."""
    if draw(st.integers(0, 3)) == 0:
        return b"".join(draw(st.lists(st.sampled_from(TOKENS), max_size=40)))
    content = draw(st.sampled_from(SEEDS[kind]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        stop = draw(st.integers(start, min(len(content), start + 12)))
        new = draw(
            st.sampled_from(TOKENS) | st.binary(max_size=6) | st.just(content[start:stop] * 2)
        )
        content = content[:start] + new + content[stop:]
    return content


@pytest.mark.parametrize("kind", READERS)
def test_reader_gives_a_data_set_or_a_clear_error(kind):
    fuzz(kind, 150)


@pytest.mark.parametrize("kind", READERS)
def test_seeds_are_valid(kind):
    for content in SEEDS[kind]:
        assert run(kind, content) is not None


def fuzz(kind: str, n_examples: int) -> None:
    """Run one reader on many mutated files."""

    @settings(
        max_examples=n_examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(contents(kind))
    def check(content):
        run(kind, content)

    check()
