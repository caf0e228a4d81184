"""The members of a NumPy archive; declared sizes and types are checked before NumPy reads them."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import BinaryIO

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._tables import REAL_KINDS, check_matrix, check_size

CSR_PARTS = ("data", "indices", "indptr", "shape")
MATRICES = ("X", "Y")
INTEGERS = frozenset(
    ("train_idx", "test_idx", *(f"{key}_{part}" for key in MATRICES for part in CSR_PARTS[1:]))
)
VALUES = frozenset(f"{key}_data" for key in MATRICES)
NAMES = ("feature_names", "label_names")
TEXT_KINDS = "USiufb"
KNOWN = frozenset((*MATRICES, *VALUES, *INTEGERS, *NAMES, "source"))
# Two paths, or a citation.
MAX_SOURCE_CHARS = 10_000
# Bytes of a character in UTF-32, as NumPy stores text, and at most in UTF-8.
CHAR_BYTES = 4


def read_members(path: Path, limits: Limits) -> dict[str, np.ndarray]:
    """Read the members that belong to a data set; others are ignored."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        members = {member.filename.removesuffix(".npy"): member for member in archive.infolist()}
        wanted = {key: member for key, member in members.items() if key in KNOWN}
        total = sum(member.file_size for member in wanted.values())
        if total > limits.max_bytes:
            message = f"{total} bytes after decompression; the limit is {limits.max_bytes}"
            raise DataFileError(f"{message} (Limits.max_bytes)", file=path)
        for key, member in wanted.items():
            _check_compression(member, path)
            with archive.open(member) as file:
                _check_declared(key, member, file, limits, path)  # type: ignore[arg-type]
            with archive.open(member) as file:
                arrays[key] = np.lib.format.read_array(file, allow_pickle=False)
    return arrays


def _check_compression(member: zipfile.ZipInfo, path: Path) -> None:
    """Refuse compression that NumPy does not write; an LZMA dictionary may need gigabytes."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA"}.get(
            member.compress_type, f"method {member.compress_type}"
        )
        message = f"{member.filename} is compressed by {method}; allowed is deflate"
        raise DataFileError(f"{message}: save it by numpy.savez_compressed", file=path)


def _check_declared(
    key: str, member: zipfile.ZipInfo, file: BinaryIO, limits: Limits, path: Path
) -> None:
    """Refuse an array whose header declares more than its member holds, or another type."""
    version = np.lib.format.read_magic(file)
    reader = {(1, 0): np.lib.format.read_array_header_1_0}.get(
        version, np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = reader(file)
    if dtype.hasobject:
        raise DataFileError(f"{member.filename} holds pickled objects: refused", file=path)
    n_bytes = dtype.itemsize * math.prod(int(length) for length in shape)
    if n_bytes > member.file_size or min(shape, default=0) < 0:
        message = f"{member.filename} declares {n_bytes} bytes but holds {member.file_size}"
        raise DataFileError(message, file=path)
    _check_kind(key, shape, dtype, limits, path)


def _check_kind(
    key: str, shape: tuple[int, ...], dtype: np.dtype, limits: Limits, path: Path
) -> None:
    """Refuse a shape or type that the key cannot have; empty text may declare any length."""
    if key in MATRICES:
        check_matrix(shape, dtype, key, path)
        check_size(shape, key, limits, path)
        return
    if key in NAMES:
        is_sound = len(shape) == 1 and dtype.kind in TEXT_KINDS
        wanted, n_chars = "a 1-d array of text", limits.max_name_chars
        if is_sound and shape[0] > limits.max_columns:
            message = f"{key} has {shape[0]} names; the limit is {limits.max_columns}"
            raise DataFileError(f"{message} (Limits.max_columns)", file=path)
    elif key == "source":
        is_sound = shape in ((), (1,)) and dtype.kind in TEXT_KINDS
        wanted, n_chars = "one text", MAX_SOURCE_CHARS
    else:
        kinds, wanted = ("iu", "integers") if key in INTEGERS else (REAL_KINDS, "numbers")
        is_sound, n_chars = len(shape) == 1 and dtype.kind in kinds, 0
    if not is_sound:
        message = f"{key} must be {wanted}, not {dtype} of shape {shape}"
        raise DataFileError(message, file=path)
    if dtype.kind in "US" and dtype.itemsize > CHAR_BYTES * n_chars:
        message = f"{key} declares {dtype.itemsize} bytes per text"
        raise DataFileError(f"{message}; the limit is {n_chars} characters: shorten it", file=path)
