"""What an iterative fit tells while it runs, and when its time is over."""

from __future__ import annotations

import math
import time

# Seconds between two lines, and the width of the bar.
PAUSE, WIDTH = 1.0, 20


class Watch:
    """The time an iterative fit may take, and lines with the gap it has reached.

    `max_time` in seconds, None for no limit; a line at most once per second if `verbose`.
    """

    def __init__(
        self, name: str = "", max_time: float | None = None, verbose: int = 0, tol: float = 1e-3
    ):
        self.name, self.max_time, self.verbose, self.tol = name, max_time, verbose, tol
        self.part = 1.0
        self.start = self.last = time.monotonic()

    def is_over(self) -> bool:
        """Whether the time, or the share `part` of it, has passed."""
        if self.max_time is None:
            return False
        return time.monotonic() - self.start >= self.part * self.max_time

    def tell(self, gap: float, steps: int, of: str) -> None:
        """Print the gap as a bar, full at the tolerance, with the steps and seconds so far."""
        now = time.monotonic()
        if not self.verbose or now - self.last < PAUSE:
            return
        self.last = now
        decades = math.log10(self.tol)
        done = math.log10(min(max(gap, self.tol), 1.0)) / decades if decades < 0 else 1.0
        bar = "=" * round(WIDTH * done)
        print(
            f"{self.name} [{bar:<{WIDTH}}] gap {gap:.1e} (tol {self.tol:g}), "
            f"{steps} {of}, {now - self.start:.0f} s",
            flush=True,
        )

    def ended(self) -> str:
        """What to say of the time in a warning; nothing unless it is over."""
        return f" by max_time={self.max_time:g} s" if self.is_over() else ""
