"""A text file, plain or gzip, as blocks of whole lines under a limit of size."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from labelspan.datasets._errors import DataFileError
from labelspan.datasets._limits import Limits

GZIP_MAGIC = b"\x1f\x8b"
# One block and the arrays parsed from it stay near 50 MB; larger blocks are no faster.
BLOCK_BYTES = 2**22
# The first block is small, since what follows a header in its block is copied.
FIRST_BYTES = 2**16


class LineBlocks:
    """Reads a file in blocks that end at a line end, and knows the line number of each.

    Parameters
    ----------
    path : str or path
        File; gzip is recognised by its first two bytes, whatever the file is called.
    limits : Limits
        Maximum size after decompression and maximum length of a line.
    block_bytes : int
        Size of a block; a longer line makes a longer block.
    """

    def __init__(
        self, path: str | os.PathLike[str], limits: Limits, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self.path = Path(path)
        self.limits = limits
        self.block_bytes = block_bytes
        self.line = 1
        self._rest = b""
        self._total = 0
        self._piece_bytes = min(FIRST_BYTES, block_bytes)
        self._file: BinaryIO | None = None

    def __enter__(self) -> LineBlocks:
        self._file = _open(self.path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        """Yield blocks; `line` is the line number at which the current block starts."""
        while block := self.next_block():
            yield block
            self.line += block.count(b"\n")

    def next_block(self) -> bytes:
        """Return whole lines, or what is left at the end of the file, or nothing."""
        parts: list[bytes | memoryview] = [self._rest]
        length = len(self._rest)
        cut = self._rest.rfind(b"\n")
        while cut < 0:
            piece = self._read()
            if not piece:
                self._rest = b""
                return b"".join(parts)
            cut = piece.rfind(b"\n")
            parts.append(piece)
            length += len(piece)
            if cut < 0 and length > self.limits.max_line_bytes:
                raise self.error(
                    f"no line end within {self.limits.max_line_bytes} bytes "
                    "(Limits.max_line_bytes); is this a text file?"
                )
        last = parts.pop()
        self._rest = bytes(last[cut + 1 :])
        return b"".join([*parts, memoryview(last)[: cut + 1]])

    def unread(self, block: bytes, line: int) -> None:
        """Put back the end of a block, which starts at the given line."""
        self._rest = block + self._rest
        self.line = line

    def error(self, message: str, line: int | None = None) -> DataFileError:
        """Make an error about this file."""
        return DataFileError(message, file=self.path, line=line or self.line)

    def _read(self) -> bytes:
        if self._file is None:
            raise RuntimeError("LineBlocks is read inside a with statement")
        try:
            piece = self._file.read(self._piece_bytes)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            message = f"broken gzip file ({error}); fetch or copy it again"
            raise self.error(message) from error
        self._piece_bytes = self.block_bytes
        self._total += len(piece)
        if self._total > self.limits.max_bytes:
            raise self.error(
                f"more than {self.limits.max_bytes} bytes after decompression; pass "
                "limits=Limits(max_bytes=...) to read a larger file that you trust"
            )
        return piece


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        compressed = file.read(2) == GZIP_MAGIC
    if compressed:
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return path.open("rb")
