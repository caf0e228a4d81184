"""Find the files of a data set in the user's folder or in the cache."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path

from labelspan.datasets.catalogue._catalogue import DataFile, Entry

DATA_VARIABLE = "LABELSPAN_DATA"
CACHE_VARIABLE = "LABELSPAN_CACHE"


def cache_folder() -> Path:
    """Folder of downloaded files: ``LABELSPAN_CACHE``, else the user's cache folder."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "labelspan"


def in_data_folder(entry: Entry) -> list[Path] | None:
    folder = os.environ.get(DATA_VARIABLE)
    if not folder:
        return None
    places = (entry.name, f"mulan/{entry.name}", entry.reader, ".")
    found = [_first_file(Path(folder), places, file.name) for file in entry.files]
    present = [path for path in found if path is not None]
    return present if len(present) == len(found) else None


def in_cache(entry: Entry, cache: Path) -> list[Path] | None:
    paths = [cache / entry.name / file.name for file in entry.files]
    if all(_is_whole(path, file) for path, file in zip(paths, entry.files, strict=True)):
        return paths
    return None


def _first_file(folder: Path, places: tuple[str, ...], name: str) -> Path | None:
    for place in places:
        for candidate in (folder / place / name, folder / place / f"{name}.gz"):
            if candidate.is_file():
                return candidate
    return None


def _is_whole(path: Path, file: DataFile) -> bool:
    if not path.is_file():
        return False
    if not file.sha256:
        return True
    return hash_of(path) == file.sha256


def hash_of(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, computed once as long as the file does not change."""
    state = os.stat(path)
    return _hash_at(os.fspath(path), state.st_mtime_ns, state.st_size, state.st_ino)


@lru_cache(maxsize=64)
def _hash_at(path: str, *state: int) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
