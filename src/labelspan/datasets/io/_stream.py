"""A text file, plain or gzip, as blocks of whole lines with a size limit."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits

GZIP_MAGIC = b"\x1f\x8b"
# Each block reuses the memory of the previous one, because a new memory page costs more than
# parsing its content. Larger blocks are no faster.
BLOCK_BYTES = 2**21
NEWLINE = ord("\n")
# Bytes compared at once, so that the result stays in the processor cache.
COUNTED_BYTES = 2**16


class LineBlocks:
    """Reads a file in blocks that end at a line end, and knows the line number of each.

    A missing final line end is added, so a loop over a block needs no other test for its end.

    Parameters
    ----------
    path : str or path
        File; gzip is recognised by its first two bytes, not by its name.
    limits : Limits
        Maximum size after decompression and maximum length of a line.
    block_bytes : int
        Size of a block; a longer line makes a longer block.

    Attributes
    ----------
    line : int
        Line number at which the current block starts.
    n_lines : int
        Number of lines of the current block.
    n_bytes : int
        Size of the file; 0 where it is not known, as for gzip.
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
        # The current block is buffer[first:start]; buffer[start:stop] is read but not yet given.
        self._buffer = bytearray()
        self._first = self._start = self._stop = 0

    def __enter__(self) -> LineBlocks:
        self._file, self.n_bytes = _open(self.path)
        # A small file needs memory for its bytes and perhaps a line end.
        if self.n_bytes:
            self.block_bytes = min(self.block_bytes, self.n_bytes + 2)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def __iter__(self) -> Iterator[np.ndarray]:
        """Yield the blocks that are left."""
        while len(block := self.next_block()):
            yield block

    def next_block(self) -> np.ndarray:
        """Return whole lines as bytes, which the next call overwrites; nothing at the end."""
        self.line += self.n_lines
        cut = self._buffer.rfind(b"\n", self._start, self._stop)
        if cut < 0:
            cut = self._fill()
        self._first, self._start = self._start, cut + 1
        return self._block()

    def unread(self, position: int) -> None:
        """Make the current block end at a position, a line start; the next begins there."""
        # A kernel running as plain Python uses unsigned numbers, which do not mix with int.
        self._start = self._first + int(position)
        self._block()

    def error(self, message: str, line: int | None = None) -> DataFileError:
        """Make an error about this file."""
        return DataFileError(message, file=self.path, line=line or self.line)

    def error_at(self, message: str, position: int) -> DataFileError:
        """Make an error about a position in the current block."""
        position = self._first + int(position)
        line = self.line + self._buffer.count(b"\n", self._first, position)
        column = position - max(self._buffer.rfind(b"\n", self._first, position), self._first - 1)
        return DataFileError(message, file=self.path, line=line, column=column)

    def _block(self) -> np.ndarray:
        block = np.frombuffer(self._buffer, np.uint8)[self._first : self._start]
        self.n_lines = count_lines(block)
        return block

    def _fill(self) -> int:
        """Append to the rest of the buffer up to a line end; return its position."""
        self._move(max(self.block_bytes, self._stop - self._start + 2))
        while True:
            size = self._read()
            if size == 0:
                return self._end_last_line()
            cut = self._buffer.rfind(b"\n", self._stop - size, self._stop)
            if cut >= 0:
                return cut
            if self._stop > self.limits.max_line_bytes:
                raise self.error(
                    f"no line end within {self.limits.max_line_bytes} bytes "
                    "(Limits.max_line_bytes); is this a text file?"
                )
            if self._stop + 1 == len(self._buffer):
                self._move(min(2 * self._stop, self.limits.max_line_bytes + self.block_bytes) + 2)

    def _move(self, size: int) -> None:
        """Move the rest to the front of a buffer of at least this size."""
        length = self._stop - self._start
        rest = memoryview(self._buffer)[self._start : self._stop]
        target = self._buffer if size <= len(self._buffer) else bytearray(size)
        memoryview(target)[:length] = rest
        self._buffer, self._start, self._stop = target, 0, length

    def _end_last_line(self) -> int:
        if self._stop == 0:
            return -1
        self._buffer[self._stop] = NEWLINE
        self._stop += 1
        return self._stop - 1

    def _read(self) -> int:
        """Fill the buffer except one byte, which the last line end may need."""
        if self._file is None:
            raise RuntimeError("LineBlocks is read inside a with statement")
        target = memoryview(self._buffer)[self._stop : len(self._buffer) - 1]
        try:
            size: int = self._file.readinto(target)  # type: ignore[attr-defined]
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            message = f"broken gzip file ({error}); fetch or copy it again"
            raise self.error(message) from error
        self._stop += size
        self._total += size
        if self._total > self.limits.max_bytes:
            raise self.error(
                f"more than {self.limits.max_bytes} bytes after decompression; pass "
                "limits=Limits(max_bytes=...) to read a larger file that you trust"
            )
        return size


def _open(path: Path) -> tuple[BinaryIO, int]:
    """Open a file; also return its size, or 0 if unknown."""
    file = path.open("rb", buffering=0)
    compressed = file.read(2) == GZIP_MAGIC
    file.seek(0)
    if not compressed:
        return file, os.fstat(file.fileno()).st_size
    file.close()
    return gzip.open(path, "rb"), 0  # type: ignore[return-value]


def count_lines(text: np.ndarray) -> int:
    """Count the line ends."""
    parts = (text[i : i + COUNTED_BYTES] for i in range(0, len(text), COUNTED_BYTES))
    return sum(int(np.count_nonzero(part == NEWLINE)) for part in parts)
