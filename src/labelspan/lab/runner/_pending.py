"""Cells that wait for a worker."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Hashable, Iterable

from labelspan.lab.plan import Cell


class Pending:
    """Cells in order, but each worker keeps to one split, whose searches it has in memory."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._waiting: dict[Hashable, deque[Cell]] = {}
        for cell in cells:
            self._waiting.setdefault((cell.source, cell.split), deque()).append(cell)
        self._taken: dict[Hashable, Hashable] = {}
        self._lock = threading.Lock()

    def take(self, worker: Hashable) -> Cell:
        with self._lock:
            group = self._taken.get(worker)
            if group not in self._waiting:
                others = {held for by, held in self._taken.items() if by != worker}
                group = next((one for one in self._waiting if one not in others), None)
            if group is None:
                group = next(iter(self._waiting))
            self._taken[worker] = group
            cells = self._waiting[group]
            cell = cells.popleft()
            if not cells:
                del self._waiting[group]
            return cell
