"""The decompressed size of a MATLAB file, without keeping its content."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import BinaryIO, Literal

import scipy.io

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits

# Version 5: a header that ends with the byte order, then elements, each after its tag.
HEADER_BYTES, TAG_BYTES, COMPRESSED = 128, 8, 15
PIECE_BYTES = 2**18
# The largest expansion per byte of deflate, so small files need no extra pass.
LARGEST_RATIO = 1032


def check_unpacked_bytes(path: Path, limits: Limits) -> None:
    """Refuse a file that unpacks to more than the limit; SciPy would unpack any size."""
    size = path.stat().st_size
    is_open = size <= limits.max_bytes < LARGEST_RATIO * size
    if is_open and scipy.io.matlab.matfile_version(path)[0] == 1:
        with path.open("rb") as file:
            size = _unpacked_bytes(file, limits.max_bytes)
    if size > limits.max_bytes:
        message = f"more than {limits.max_bytes} bytes after decompression"
        raise DataFileError(f"{message} (Limits.max_bytes)", file=path)


def _unpacked_bytes(file: BinaryIO, limit: int) -> int:
    order: Literal["little", "big"] = "little" if file.read(HEADER_BYTES).endswith(b"IM") else "big"
    total = 0
    while total <= limit and len(tag := file.read(TAG_BYTES)) == TAG_BYTES:
        kind, size = (int.from_bytes(tag[i : i + 4], order) for i in (0, 4))
        end = file.tell() + size
        total += _inflated_bytes(file, size, limit - total) if kind == COMPRESSED else size
        file.seek(end)
    return total


def _inflated_bytes(file: BinaryIO, size: int, limit: int) -> int:
    inflater = zlib.decompressobj()
    total = 0
    while total <= limit and (piece := file.read(min(size, PIECE_BYTES))):
        size -= len(piece)
        while piece and total <= limit:
            total += len(inflater.decompress(piece, PIECE_BYTES))
            piece = inflater.unconsumed_tail
    return total
