"""A concave quadratic over a simplex, to which variables are added one by one."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from labelspan.linalg import EPS

# Ridge on the free variables, relative to the largest diagonal: variables may repeat each other.
RIDGE = 1e-10
# Slopes of free variables that differ by more than rounding are solved for again, so that the order
# of rows and features shows in no later plane. Rounding is between these shares of the tolerance.
# The inverse is made anew for the third solve, at most six.
UNEVEN = (1e-8, 0.1)
RENEWED = 3
MOST_SOLVES = 6


class SimplexQuadratic:
    """Maximise ``losses'a - a'gram a / 2`` over a >= 0 with the sum 1, from the last maximiser on.

    Active sets: solve on the free variables, move until one of them vanishes, free the one with the
    steepest slope. A new variable changes few of them. The inverse of the free part of the matrix
    is updated by bordering, so that a change costs the square of their number, not the cube. To
    `gram`, `shift`, about its largest diagonal, is added: it changes nothing on the simplex.
    """

    def __init__(self, shift: float):
        self.shift, self.n, self.n_free = shift, 0, 0
        self._gram, self._losses, self._a = np.zeros((16, 16)), np.zeros(16), np.zeros(16)
        self._inverse, self._free = np.zeros((16, 16)), np.zeros(16, dtype=np.intp)

    @property
    def gram(self) -> np.ndarray:
        """The matrix, without the shift."""
        return self._gram[: self.n, : self.n]

    @property
    def losses(self) -> np.ndarray:
        """The linear term."""
        return self._losses[: self.n]

    @property
    def a(self) -> np.ndarray:
        """The variables."""
        return self._a[: self.n]

    def add(self, products: np.ndarray, square: float, loss: float) -> None:
        """Add a variable at 0 with its products with the others; the first one is at 1."""
        if self.n == len(self._a):
            self._grow()
        n = self.n
        self._gram[n, :n] = self._gram[:n, n] = products
        self._gram[n, n], self._losses[n], self._a[n] = square, loss, float(n == 0)
        self.n += 1
        if n == 0:
            self._enter(0)

    def keep(self, kept: np.ndarray) -> None:
        """Drop the variables that are not `kept`; those dropped must be 0."""
        places, n = np.flatnonzero(kept), int(kept.sum())
        new = np.cumsum(kept) - 1
        self._gram[:n, :n] = self._gram[np.ix_(places, places)]
        self._losses[:n], self._a[:n] = self._losses[places], self._a[places]
        for t in reversed(range(self.n_free)):
            if not kept[self._free[t]]:
                self._leave(t)
        self._free[: self.n_free] = new[self._free[: self.n_free]]
        self.n = n

    def maximise(self, tolerance: float) -> None:
        """Move `a` until no variable outside could gain more than `tolerance` to first order."""
        entered, solves = -1, 0
        least, most = UNEVEN
        even = min(max(least * tolerance, 100 * EPS * self.shift), most * tolerance)
        for _ in range(20 * self.n):
            free = self._free[: self.n_free]
            slopes = self.losses - self.gram @ self.a
            level = float(slopes[free] @ self._a[free])
            uneven = float(np.abs(slopes[free] - level).max()) > even
            if uneven and solves < MOST_SOLVES:
                solves += 1
                if solves == RENEWED:
                    self._invert(free)
                left, step = self._solve(free, slopes[free])
                solves = 0 if left >= 0 else solves
                # Rounding alone may send back the variable that has just entered.
                if left == entered and step == 0.0:
                    break
                continue
            slopes[free] = -np.inf
            entered, solves = int(np.argmax(slopes)), 0
            if slopes[entered] - level <= tolerance:
                break
            self._enter(entered)
        self._a[: self.n] /= self._a[: self.n].sum()

    def _solve(self, free: np.ndarray, slopes: np.ndarray) -> tuple[int, float]:
        """Move the free variables towards equal slopes; return which left, or -1, and the step."""
        H = self._inverse[: self.n_free, : self.n_free]
        towards, ones = H @ slopes, H.sum(axis=1)
        move = towards - towards.sum() / ones.sum() * ones
        shrinking = move < 0
        ratios = np.where(shrinking, self._a[free] / np.where(shrinking, -move, 1.0), np.inf)
        blocked = int(np.argmin(ratios))
        step = min(1.0, float(ratios[blocked]))
        self._a[free] = np.maximum(self._a[free] + step * move, 0.0)
        if step == 1.0:
            return -1, step
        place = int(free[blocked])
        self._a[place] = 0.0
        self._leave(blocked)
        return place, step

    def _invert(self, free: np.ndarray) -> None:
        shifted = self._gram[np.ix_(free, free)] + self.shift
        shifted[np.diag_indices_from(shifted)] += RIDGE * self.shift
        factor, info = lapack.dpotrf(shifted, lower=1)
        if info == 0:
            inverse, info = lapack.dpotri(factor, lower=1)
        if info != 0:
            inverse = np.linalg.pinv(shifted, hermitian=True)
        n = len(free)
        self._inverse[:n, :n] = np.tril(inverse) + np.tril(inverse, -1).T

    def _enter(self, place: int) -> None:
        """Border the inverse by a variable."""
        f = self.n_free
        H, column = self._inverse[:f, :f], self._gram[self._free[:f], place] + self.shift
        towards = H @ column
        diagonal = self._gram[place, place] + self.shift * (1.0 + RIDGE)
        rest = 1.0 / max(diagonal - float(column @ towards), RIDGE * self.shift)
        H += np.outer(rest * towards, towards)
        self._inverse[f, :f] = self._inverse[:f, f] = -rest * towards
        self._inverse[f, f] = rest
        self._free[f] = place
        self.n_free += 1

    def _leave(self, t: int) -> None:
        """Remove free variable number t from the inverse; the last one takes its place."""
        last = self.n_free - 1
        full = self._inverse[: last + 1, : last + 1]
        if t != last:
            full[[t, last]] = full[[last, t]]
            full[:, [t, last]] = full[:, [last, t]]
            self._free[t] = self._free[last]
        column = full[:last, last].copy()
        full[:last, :last] -= np.outer(column / full[last, last], column)
        self.n_free = last

    def _grow(self) -> None:
        n = self.n
        for name in ("_gram", "_inverse"):
            larger = np.zeros((2 * n, 2 * n))
            larger[:n, :n] = getattr(self, name)
            setattr(self, name, larger)
        for name in ("_losses", "_a", "_free"):
            setattr(self, name, np.append(getattr(self, name), np.zeros_like(getattr(self, name))))
