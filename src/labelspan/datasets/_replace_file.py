"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def replace_file(path: str | os.PathLike[str], *, encoding: str | None = None) -> Iterator[IO[Any]]:
    """Open a file that takes the place of `path` once it is closed: bytes, or text if encoded.

    A failure, such as a full disk, leaves what was there, and the error names `path`.
    """
    # What a link points to is replaced, not the link.
    target = Path(os.path.realpath(path))
    is_special = target.exists() and not target.is_file()
    partial = target if is_special else target.with_name(f".{secrets.token_hex(8)}.part")
    mode = "w" if is_special else "x"
    try:
        with _open(partial, mode, encoding) as file:
            yield file
        if not is_special:
            _take_place(partial, target)
    except BaseException as error:
        if not is_special:
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(partial)):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


def _open(path: Path, mode: str, encoding: str | None) -> IO[Any]:
    if encoding is None:
        return path.open(f"{mode}b")
    return path.open(mode, encoding=encoding, newline="\n")


def _take_place(partial: Path, target: Path) -> None:
    if target.exists():
        shutil.copymode(target, partial)
    os.replace(partial, target)
