"""A text file, plain or gzip, as blocks of whole lines with a size limit."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits

GZIP_MAGIC = b"\x1f\x8b"
# Fits into the processor cache; larger blocks are slower.
BLOCK_BYTES = 2**18
NEWLINE = ord("\n")
# Bytes compared at once, so that the result stays in the processor cache.
COUNTED_BYTES = 2**16


class LineBlocks:
    """Reads a file in blocks of whole lines, gzip or not; a missing final line end is added.

    `line` is the number of the first line of the current block, `n_lines` how many it has;
    `n_bytes` is the size of the file, or 0 where it is unknown.
    """

    def __init__(
        self, path: str | os.PathLike[str], limits: Limits, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self.path = Path(path)
        self.limits = limits
        self.block_bytes = block_bytes
        self.line = 1
        self.n_lines = 0
        self.n_bytes = 0
        self._file: BinaryIO | None = None
        self._total = 0
        # The current block, and what was read but not yet given.
        self._block, self._rest = bytearray(), bytearray()

    def __enter__(self) -> LineBlocks:
        self._file, self.n_bytes = _open(self.path)
        return self

    def __exit__(self, *ignored: object) -> None:
        if self._file is not None:
            self._file.close()

    def __iter__(self) -> Iterator[np.ndarray]:
        while len(block := self.next_block()):
            yield block

    def next_block(self) -> np.ndarray:
        self.line += self.n_lines
        text = self._rest
        stop = text.rfind(b"\n") + 1
        while not stop:
            size = len(text)
            piece = self._read()
            text += piece or (b"\n" if size else b"")
            stop = text.rfind(b"\n", size) + 1
            if not piece:
                break
            if not stop and len(text) > self.limits.max_line_bytes:
                raise self.error(
                    f"no line end within {self.limits.max_line_bytes} bytes "
                    "(Limits.max_line_bytes); is this a text file?"
                )
        self._rest = text[stop:]
        return self._give(text[:stop])

    def unread(self, position: int) -> None:
        """Make the current block end at a position, a line start; the next begins there."""
        # A kernel running as plain Python uses unsigned numbers, which do not mix with int.
        position = int(position)
        self._rest = self._block[position:] + self._rest
        self._give(self._block[:position])

    def error(self, message: str, line: int | None = None) -> DataFileError:
        return DataFileError(message, file=self.path, line=line or self.line)

    def error_at(self, message: str, position: int) -> DataFileError:
        before = self._block[: int(position)]
        line = self.line + before.count(b"\n")
        column = len(before) - before.rfind(b"\n")
        return DataFileError(message, file=self.path, line=line, column=column)

    def _give(self, text: bytearray) -> np.ndarray:
        self._block = text
        block = np.frombuffer(text, np.uint8)
        self.n_lines = count_lines(block)
        return block

    def _read(self) -> bytes:
        if self._file is None:
            raise RuntimeError("LineBlocks is read inside a with statement")
        try:
            piece = self._file.read(self.block_bytes)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            message = f"broken gzip file ({error}); fetch or copy it again"
            raise self.error(message) from error
        self._total += len(piece)
        if self._total > self.limits.max_bytes:
            raise self.error(
                f"more than {self.limits.max_bytes} bytes after decompression; pass "
                "limits=Limits(max_bytes=...) to read a larger file that you trust"
            )
        return piece


def _open(path: Path) -> tuple[BinaryIO, int]:
    file = path.open("rb", buffering=0)
    compressed = file.read(2) == GZIP_MAGIC
    file.seek(0)
    if not compressed:
        return file, os.fstat(file.fileno()).st_size
    file.close()
    return gzip.open(path, "rb"), 0  # type: ignore[return-value]


def count_lines(text: np.ndarray) -> int:
    parts = (text[i : i + COUNTED_BYTES] for i in range(0, len(text), COUNTED_BYTES))
    return sum(int(np.count_nonzero(part == NEWLINE)) for part in parts)
