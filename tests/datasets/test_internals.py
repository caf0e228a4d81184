"""What the readers share inside: blocks of whole lines."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelspan.datasets import DataFileError, Limits
from labelspan.datasets.io._stream import LineBlocks

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
