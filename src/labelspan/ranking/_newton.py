"""Newton steps on the dual, for problems on which sweeps are slow.

A sweep moves a dual variable by about 1 / |x|^2. So if C is large and many variables must grow to
it, the number of sweeps is proportional to C. Here alpha moves by proximal steps

    maximise dual(alpha) - |alpha - centre|^2 / (2 sigma)   over the box of Eq. (19),

whose own dual has no constraints and is smooth: with W = diag(omega) B R^-1 and the residuals
r_p = 1 - z_k + z_l of W, its minimum over B is where B = X'beta of alpha = clip(centre + sigma r).
That equation is solved by semi-smooth Newton steps: only the pairs strictly inside the box, near
the margin, enter the linear system (I + sigma Z_J'Z_J) dB = A - B. Few of them: it is solved
directly in their number (Woodbury); many: by conjugate gradients in the inner product
<U, V> = tr(R^-1 U' diag(omega) V). As sigma grows, the proximal steps converge faster than linearly
for any C.
"""

from __future__ import annotations

# The kernels below are typed by numba at their first call, not by annotations.
# mypy: disable-error-code="no-untyped-def"
import numpy as np

from labelspan.jit import ZERO, kernel
from labelspan.ranking._dual import DualState, Objectives
from labelspan.ranking._pairs import Pairs
from labelspan.ranking._sweep import accumulate, row_scores, spread

# First sigma, in steps of a sweep; later ones grow by this factor, or twice it after an easy step.
FIRST_SIGMA = 10.0
GROWTH = 2.0
EASY = 2
# A proximal step is solved to this share of the gap that is left, its linear systems to this
# relative residual or for this number of products.
SHARE = 0.1
LINEAR_TOL = 0.05
MAX_PRODUCTS = 500
# Up to this number of pairs inside the box the systems are solved directly.
MAX_DIRECT = 1500
# Sufficient decrease, and the shortest step, of the line search.
ARMIJO = 1e-4
SHORTEST = 1e-12


def newton(dual: DualState, tol: float, max_steps: int, below: float = np.inf) -> Objectives:
    """Ascend from `dual`, which is updated, until the gap is within `tol` and primal <= `below`.

    Each step counts as a sweep, of at most `max_steps`; it also ends where `below` is out of reach.
    """
    sigma = FIRST_SIGMA / max(2.0 * float(dual.squares.mean()), np.finfo(float).tiny)
    while True:
        before, step = dual.n_sweeps, Proximal(dual, sigma)
        solved, moved = False, True
        while moved and not solved and dual.left(max_steps) > 0:
            moved = step.improve()
            dual.n_sweeps += 1
            solved = step.solved(tol)
        if solved:
            dual.A, dual.B, dual.alpha = step.A, step.B, step.alpha
        values = dual.values()
        small = values.primal - values.dual <= tol * values.primal
        if (small and values.primal <= below) or values.dual >= below or not solved:
            dual.wake()
            return values
        tol = SHARE * tol if small else tol
        sigma *= GROWTH if dual.n_sweeps > before + EASY else 2.0 * GROWTH


class Proximal:
    """One proximal step: the point B, and the alpha and A = X'beta that it proposes."""

    def __init__(self, dual: DualState, sigma: float):
        self.dual, self.sigma = dual, sigma
        self.centre = dual.alpha
        self.start = float(dual.alpha.sum()) - 0.5 * self.inner(dual.A, dual.A)
        self.move(dual.B)

    def move(self, B: np.ndarray) -> None:
        """Evaluate the smooth dual of the step at B, with the alpha it proposes."""
        dual = self.dual
        self.B, self.alpha, self.A = B, np.empty_like(self.centre), np.zeros_like(B)
        envelope, self.loss = propose(
            dual.rows, dual.pairs, dual.upper, dual.weights, dual.coupling, dual.coupled,
            B, self.centre, self.sigma, self.alpha, self.A, dual.room,
        )  # fmt: skip
        self.value = 0.5 * self.inner(B, B) + envelope

    def inner(self, U: np.ndarray, V: np.ndarray) -> float:
        """tr(R^-1 U' diag(omega) V)."""
        V = V @ self.dual.coupling if self.dual.coupled else V
        return float(np.einsum("j,jk,jk->", self.dual.weights, U, V))

    def solved(self, tol: float) -> bool:
        """Whether B and alpha are within `tol`, or the dual has risen and the step has ended."""
        moved = self.alpha - self.centre
        primal = 0.5 * self.inner(self.B, self.B) + self.loss
        dual = float(self.alpha.sum()) - 0.5 * self.inner(self.A, self.A)
        left = self.value - dual + float(moved @ moved) / (2.0 * self.sigma)
        # Accept only if the dual rises up to rounding, because an inexact step could lower it.
        risen = dual >= self.start - tol * primal
        return primal - dual <= tol * primal or (risen and left <= SHARE * (primal - dual))

    def improve(self) -> bool:
        """A Newton step with a line search; False if rounding leaves nothing to gain."""
        start, value = self.B, self.value
        residual = self.A - start
        step = self.solve(residual)
        slope, length = self.inner(residual, step), 1.0
        self.move(start + step)
        while self.value > value - ARMIJO * length * slope and length > SHORTEST:
            length /= 2.0
            self.move(start + length * step)
        if self.value > value:
            self.move(start)
            return False
        return True

    def solve(self, target: np.ndarray) -> np.ndarray:
        """(I + sigma Z_J'Z_J)^-1 target: directly if J is small, else by conjugate gradients."""
        J = pairs_inside(self.dual.pairs, self.dual.upper, self.alpha)
        square = self.inner(target, target)
        enough = LINEAR_TOL**2 * square
        if len(J[0]) <= MAX_DIRECT:
            x = self.solve_directly(target, J)
            r = target - self.product(x)
            # If J has more pairs than W has coordinates, a large sigma leaves mostly rounding.
            if self.inner(r, r) <= enough:
                return x
        x, r, p = np.zeros_like(target), target.copy(), target.copy()
        for _ in range(MAX_PRODUCTS):
            if square <= enough:
                break
            product = self.product(p)
            length = square / self.inner(p, product)
            x += length * p
            r -= length * product
            before, square = square, self.inner(r, r)
            p = r + square / before * p
        return x

    def solve_directly(self, target: np.ndarray, J: tuple[np.ndarray, ...]) -> np.ndarray:
        """Return target - Z_J' (I / sigma + Z_J Z_J')^-1 Z_J target, the same by Woodbury."""
        dual = self.dual
        scores = np.empty(len(J[0]))
        score_pairs(
            dual.rows, dual.weights, dual.coupling, dual.coupled, target, *J, scores, dual.room
        )
        matrix = np.empty((len(J[0]), len(J[0])))
        row, products = np.zeros(len(dual.weights)), np.empty(len(matrix))
        pair_matrix(dual.rows, dual.weights, dual.coupling, *J, matrix, row, products)
        matrix[np.diag_indices_from(matrix)] += 1.0 / self.sigma
        scattered = np.zeros_like(self.alpha)
        scattered[J[0]] = np.linalg.solve(matrix, -scores)
        step = target.copy()
        accumulate(dual.rows, dual.pairs, scattered, step, dual.room)
        return step

    def product(self, V: np.ndarray) -> np.ndarray:
        """(I + sigma Z_J'Z_J) V."""
        dual, product = self.dual, V.copy()
        curve(
            dual.rows, dual.pairs, dual.upper, dual.weights, dual.coupling, dual.coupled,
            V, self.alpha, self.sigma, product, dual.room,
        )  # fmt: skip
        return product


@kernel
def propose(
    rows, pairs, upper, weights, coupling, coupled, B, centre, sigma, alpha, A, room
):  # fmt: skip
    """Fill alpha = clip(centre + sigma r, 0, upper), add X'beta to A; return both losses.

    The smoothed one is the sum of alpha r - (alpha - centre)^2 / (2 sigma).
    """
    v, z, step = room
    envelope, loss = 0.0, 0.0
    for i in range(len(upper)):
        pair = pairs.start[i]
        if pair == pairs.start[i + 1]:
            continue
        row_scores(i, rows, weights, B, coupling, coupled, v, z)
        for r in range(pairs.relevant_start[i], pairs.relevant_start[i + 1]):
            k = pairs.relevant[r]
            for s in range(pairs.irrelevant_start[i], pairs.irrelevant_start[i + 1]):
                m = pairs.irrelevant[s]
                residual = 1.0 - z[k] + z[m]
                new = min(max(centre[pair] + sigma * residual, 0.0), upper[i])
                envelope += new * residual - (new - centre[pair]) ** 2 / (2.0 * sigma)
                loss += upper[i] * max(residual, 0.0)
                alpha[pair] = new
                step[k] += new
                step[m] -= new
                pair += 1
        spread(i, rows, step, A)
        for k in range(len(step)):
            step[k] = 0.0
    return envelope, loss


@kernel
def curve(rows, pairs, upper, weights, coupling, coupled, V, alpha, sigma, product, room):
    """Add sigma Z_J'Z_J V to product, in one pass over the rows that have pairs in J."""
    v, z, step = room
    for i in range(len(upper)):
        known = False
        pair = pairs.start[i]
        for r in range(pairs.relevant_start[i], pairs.relevant_start[i + 1]):
            k = pairs.relevant[r]
            for s in range(pairs.irrelevant_start[i], pairs.irrelevant_start[i + 1]):
                if 0.0 < alpha[pair] < upper[i]:
                    if not known:
                        row_scores(i, rows, weights, V, coupling, coupled, v, z)
                        known = True
                    m = pairs.irrelevant[s]
                    change = sigma * (z[k] - z[m])
                    step[k] += change
                    step[m] -= change
                pair += 1
        if known:
            spread(i, rows, step, product)
            for k in range(len(step)):
                step[k] = 0.0


def pairs_inside(pairs: Pairs, upper: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, ...]:
    """The pairs strictly inside the box: their numbers, instances and two labels."""
    J = np.empty((4, len(alpha)), dtype=np.int64)
    count = inside(pairs, upper, alpha, *J)
    return tuple(row[:count] for row in J)


@kernel
def inside(pairs, upper, alpha, J, instance, relevant, irrelevant):
    """Fill in the pairs strictly inside the box; returns how many there are."""
    count = ZERO
    for i in range(len(upper)):
        pair = pairs.start[i]
        for r in range(pairs.relevant_start[i], pairs.relevant_start[i + 1]):
            for s in range(pairs.irrelevant_start[i], pairs.irrelevant_start[i + 1]):
                if 0.0 < alpha[pair] < upper[i]:
                    J[count], instance[count] = pair, i
                    relevant[count], irrelevant[count] = pairs.relevant[r], pairs.irrelevant[s]
                    count += 1
                pair += 1
    return count


@kernel
def score_pairs(
    rows, weights, coupling, coupled, V, J, instance, relevant, irrelevant, scores, room
):
    """Fill scores with z_k - z_l of the pairs J, at W = diag(weights) V coupling."""
    v, z, _ = room
    for t in range(len(J)):
        if t == 0 or instance[t] != instance[t - 1]:
            row_scores(instance[t], rows, weights, V, coupling, coupled, v, z)
        scores[t] = z[relevant[t]] - z[irrelevant[t]]


@kernel
def pair_matrix(rows, weights, coupling, J, instance, relevant, irrelevant, matrix, row, products):
    """Fill in Z_J Z_J': products of two rows times (e_k - e_l)' R^-1 (e_k' - e_l').

    `row` and `products` are work arrays, with one value per feature and per pair.
    """
    for t in range(len(J)):
        i, k, m = instance[t], relevant[t], irrelevant[t]
        first = t
        if t == 0 or i != instance[t - 1]:
            first = 0
            for j in range(len(row)):
                row[j] = 0.0
            shift = rows.where[i] - rows.indptr[i]
            for p in range(rows.indptr[i], rows.indptr[i + 1]):
                j = rows.indices[p + shift]
                row[j] = weights[j] * rows.data[p]
        for u in range(first, t + 1):
            o = instance[u]
            if u > 0 and o == instance[u - 1]:
                products[u] = products[u - 1]
                continue
            products[u] = weights[len(weights) - 1]
            shift = rows.where[o] - rows.indptr[o]
            for p in range(rows.indptr[o], rows.indptr[o + 1]):
                products[u] += row[rows.indices[p + shift]] * rows.data[p]
        for u in range(t + 1):
            a, b = relevant[u], irrelevant[u]
            change = coupling[k, a] - coupling[k, b] - coupling[m, a] + coupling[m, b]
            matrix[t, u] = matrix[u, t] = products[u] * change
