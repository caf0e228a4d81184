"""Arrays that can be sliced by rows, including npy files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

# Default size of a block.
BLOCK_BYTES = 2**26


class NpyFolder:
    """The rows of all npy files of a folder by name, each open only while it is read."""

    def __init__(self, folder: Path):
        self.paths = sorted(folder.glob("*.npy"))
        if not self.paths:
            raise ValueError(f"{str(folder)!r} has no npy files.")
        shapes = [np.load(path, mmap_mode="r").shape for path in self.paths]
        for path, shape in zip(self.paths, shapes, strict=True):
            if shape[1:] != shapes[0][1:]:
                raise ValueError(
                    f"{path.name} holds rows of shape {shape[1:]}, but {self.paths[0].name} of "
                    f"{shapes[0][1:]}; all npy files of {str(folder)!r} must agree."
                )
        self.ends = np.cumsum([shape[0] for shape in shapes])
        self.shape = (int(self.ends[-1]), *shapes[0][1:])

    def __getitem__(self, rows: slice) -> np.ndarray:
        first, last = np.searchsorted(self.ends, [rows.start, rows.stop - 1], side="right")
        parts = []
        for i in range(first, last + 1):
            array = np.load(self.paths[i], mmap_mode="r")
            before = int(self.ends[i]) - len(array)
            parts.append(array[max(rows.start - before, 0) : rows.stop - before])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def array_of(source: Any, name: str) -> Any:
    """An object with a shape that can be sliced by rows; nothing is read."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        return NpyFolder(path) if path.is_dir() else np.load(path, mmap_mode="r")
    if getattr(source, "shape", None) is None:
        raise TypeError(
            f"{name} is a {type(source).__name__}; expected an array that can be sliced by rows, "
            "a path of npy or Parquet files, a frame or AnnData. Pass iterables of (X, y), "
            "such as a torch DataLoader, directly to fit_blocks."
        )
    return source


def rows_of(array: Any, start: int, stop: int) -> Any:
    block = getattr(array, "iloc", array)[start:stop]
    # The same memory pages as a plain array, which is checked faster.
    return np.asarray(block) if isinstance(block, np.memmap) else block


def default_height(array: Any) -> int:
    """Rows per block: whole chunks of the file, because a split chunk would be read twice."""
    height = height_for(int(np.prod(array.shape[1:])))
    chunk = (getattr(array, "chunks", None) or (1,))[0]
    return max(height // chunk, 1) * chunk if isinstance(chunk, int) else height


def height_for(n_columns: int) -> int:
    return max(BLOCK_BYTES // (8 * max(n_columns, 1)), 1)
