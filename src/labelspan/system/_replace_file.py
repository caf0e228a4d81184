"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def replace_file(path: str | os.PathLike[str], *, encoding: str | None = None) -> Iterator[IO[Any]]:
    """Open a file that replaces `path` when it is closed: bytes, or text if encoded.

    After a failure, such as a full disk, the old file is unchanged and the error names `path`.
    Pipes, devices, and files whose folder forbids a replacement are written in place.
    """
    # The target of a link is replaced, not the link.
    target = Path(os.path.realpath(path))
    in_place = (os.path.exists(path) and not os.path.isfile(path)) or _must_stay(target)
    partial = Path(path) if in_place else target.with_name(f".{secrets.token_hex(8)}.part")
    mode = "w" if in_place else "x"
    try:
        with _open(partial, mode, encoding) as file:
            yield file
        if not in_place:
            _take_place(partial, target)
    except BaseException as error:
        if not in_place:
            partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(partial)):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


def _must_stay(target: Path) -> bool:
    """Whether a file is writable but its folder forbids replacing it."""
    if not target.exists() or not os.access(target, os.W_OK):
        return False
    folder = target.parent
    if not os.access(folder, os.W_OK):
        return True
    owners = {target.stat().st_uid, folder.stat().st_uid, 0}
    is_sticky = bool(folder.stat().st_mode & stat.S_ISVTX)
    return is_sticky and hasattr(os, "geteuid") and os.geteuid() not in owners


def _open(path: Path, mode: str, encoding: str | None) -> IO[Any]:
    if encoding is None:
        return path.open(f"{mode}b")
    return path.open(mode, encoding=encoding, newline="\n")


def _take_place(partial: Path, target: Path) -> None:
    if target.exists():
        shutil.copymode(target, partial)
    os.replace(partial, target)
