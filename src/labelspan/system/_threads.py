"""Limit BLAS to one thread while our own threads work."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Any

import threadpoolctl


class OneBlasThread:
    """Context that limits BLAS to one thread until the last user has left it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limits: Any = None
        # The libraries found when so many modules were loaded: a search takes a millisecond.
        self._found: tuple[int, threadpoolctl.ThreadpoolController] | None = None

    def __enter__(self) -> OneBlasThread:
        with self._lock:
            if self._inside == 0:
                if self._found is None or self._found[0] != len(sys.modules):
                    self._found = len(sys.modules), threadpoolctl.ThreadpoolController()
                self._limits = self._found[1].limit(limits=1, user_api="blas")
            self._inside += 1
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._limits is not None:
                take_control()
                self._limits.restore_original_limits()
                take_control()
                self._limits = None


def take_control() -> None:
    """Let any thread set the limit; since 3.8 threadpoolctl ignores all but the first one."""
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


_SHARED = OneBlasThread()


def one_blas_thread() -> OneBlasThread:
    """The context that all searches of this process share."""
    return _SHARED
