"""How the work of a fit follows from its shape: one row per method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from labelspan.base import REDUCER_ADVICE, REGRESSION_ADVICE, LinearReducer
from labelspan.labelspace import by_products, codes_first
from labelspan.linalg import BLOCK, solver_that_fits, too_large


@dataclass(frozen=True)
class Fit:
    """A fit to n rows of D features and q labels, of which `n_targets` columns are regressed."""

    model: Any
    n: int
    D: int
    q: int
    sparse: bool
    n_targets: int
    solver: str = ""

    @property
    def side(self) -> int:
        """Side of the dense problem."""
        return min(self.n, self.D) if self.solver == "rows" else self.D

    @property
    def ridge_free(self) -> bool:
        """Whether the smallest ridge of a regression is zero."""
        return getattr(self.model, "ridge", getattr(self.model, "beta", 1.0)) == 0


Operations = tuple[float, float]
#: Length and number of the vectors that an iteration finds (0: a basis of blocks), and the number
#: of iterations.
Loops = tuple[int, int, int]


@dataclass(frozen=True)
class Row:
    """What a method costs besides its statistics.

    solver: as ``fit`` chooses it, or the refusal of ``fit``; after: operations of products and
    factors, and of eigenproblems (9 m^3 for a side of m); loops: of solvers that iterate;
    n_targets: columns regressed on the features.
    """

    solver: Callable[[Fit], str]
    after: Callable[[Fit], Operations]
    loops: Callable[[Fit], Loops]
    n_targets: Callable[[Any, int, int, int, bool], int] = lambda model, n, D, q, sparse: q
    centred: bool = True


def row_of(estimator: Any) -> Row | None:
    """The row of a method, of a parent, or that of a pencil; None if it has no cost model."""
    names = (parent.__name__ for parent in type(estimator).__mro__)
    default = PENCIL if isinstance(estimator, LinearReducer) else None
    return next((TABLE[name] for name in names if name in TABLE), default)


def reducer_needs(fit: Fit) -> dict[str, bool]:
    pencil = fit.model._pencil((fit.n, fit.q))
    return pencil.needs(fit.n, fit.D, fit.q, fit.model.n_components)


def reducer_solver(fit: Fit) -> str:
    needs = reducer_needs(fit) | {"sparse": fit.sparse, "streamed": False}
    return solver_that_fits(fit.n, fit.D, fit.q, advice=REDUCER_ADVICE, **needs)


def pencil(fit: Fit) -> Operations:
    """F F' v = lambda B v with a factor F (side, q), and a Cholesky factor of B unless B = I."""
    side, q, small = fit.side, fit.q, min(fit.side, fit.q)
    products = 2.0 * side * q * small
    if fit.solver != "thin":
        products += side**3 / 3 + side**2 * q
    return products, 9.0 * small**3


def pencil_loops(fit: Fit) -> Loops:
    if fit.solver == "krylov":
        return fit.q, fit.q, 1
    # With a metric B about 25 solves with a block of vectors, of about 70 steps each.
    return (min(fit.n, fit.D), BLOCK, 60) if reducer_needs(fit)["scatter"] else (fit.q, 0, 1)


def variance_and_dependence(fit: Fit) -> Operations:
    """One eigenproblem of the features; for a few directions, only its tridiagonal form counts."""
    M, side = fit.model.n_components, fit.side
    few = isinstance(M, Integral) and side / 10 > M
    return 2.0 * side**2 * fit.q, (3.0 if few else 9.0) * side**3


def variance_loops(fit: Fit) -> Loops:
    return (fit.D, 0, 1) if fit.solver == "products" else pencil_loops(fit)


def regression_solver(fit: Fit, shared: bool = False) -> str:
    few = not (shared or too_large(fit.D, fit.n_targets))
    needs = {"sparse": fit.sparse, "streamed": False, "ridge_free": fit.ridge_free, "few": few}
    return solver_that_fits(fit.n, fit.D, fit.n_targets, advice=REGRESSION_ADVICE, **needs)


def regression(fit: Fit) -> Operations:
    """A factor, and a solution."""
    return fit.side**3 / 3 + 2.0 * fit.side**2 * fit.q, 0.0


def regression_loops(fit: Fit) -> Loops:
    if fit.solver == "products" and fit.ridge_free and fit.n <= fit.D:
        # Vectors of independent rows: more steps without a ridge, after a test of independence.
        return fit.n, fit.n_targets, 3
    return fit.D, fit.n_targets, 1


def hat_loops(fit: Fit) -> Loops:
    side, width, n_iterations = regression_loops(fit)
    if by_products(fit.model.n_components, fit.n, fit.D, fit.q):
        # Each step takes one or two inner solves, which have steps of their own.
        n_iterations = 60 if not fit.ridge_free else 30 if fit.n > fit.D else n_iterations
    return side, width, n_iterations


def first_codes(model: Any, n: int, D: int, q: int, sparse: bool) -> int:
    M = model.n_components
    return min(int(M), q) if isinstance(M, Integral) and codes_first(n, D, q, sparse) else q


def few_codes(model: Any, n: int, D: int, q: int, sparse: bool) -> int:
    M = model.n_components
    return int(M) if sparse and by_products(M, n, D, q) else q


def shared_subspace(fit: Fit) -> Operations:
    """Two regressions, or one without alpha, and the eigenvectors that labels share."""
    products, side, q = regression(fit)[0], fit.side, fit.q
    ridges = 1 if fit.model.alpha == 0 else 2
    return ridges * products + 4.0 * side * q**2, 9.0 * min(side, q) ** 3


def added(rule: Callable[[Fit], Operations], more: Callable[[int, int], Operations]) -> Any:
    """A rule with more operations, which follow from the side and the number of labels."""

    def both(fit: Fit) -> Operations:
        (products, eigen), (more_products, more_eigen) = rule(fit), more(fit.side, fit.q)
        return products + more_products, eigen + more_eigen

    return both


PENCIL = Row(reducer_solver, pencil, pencil_loops)
REGRESSION = Row(regression_solver, regression, regression_loops)
SCORES = Row(
    lambda fit: fit.model._chunk_solver(fit.D, fit.q),
    lambda fit: (8.0 * fit.side * fit.q, 0.0),
    pencil_loops,
    centred=False,
)

TABLE = {
    "LabelCCA": replace(
        PENCIL, after=added(pencil, lambda side, q: (2.0 * side * q**2, 9.0 * q**3))
    ),
    "MVMD": replace(PENCIL, after=variance_and_dependence, loops=variance_loops),
    **dict.fromkeys(("MultiOutputRidge", "LabelPLS"), REGRESSION),
    **dict.fromkeys(("OCCA", "LabelSpaceCCA", "FaIE", "LEML", "LabelSubset"), REGRESSION),
    **dict.fromkeys(("PartialBinaryRelevance", "CompressedSensing"), REGRESSION),
    "PLST": replace(
        REGRESSION,
        after=added(regression, lambda side, q: (0.0, 9.0 * q**3)),
        n_targets=first_codes,
    ),
    "CPLST": replace(
        REGRESSION,
        after=added(
            regression, lambda side, q: (2.0 * side * q * min(side, q), 9.0 * min(side, q) ** 3)
        ),
        loops=hat_loops,
        n_targets=few_codes,
    ),
    "SharedSubspaceClassifier": replace(
        REGRESSION,
        solver=lambda fit: regression_solver(fit, shared=True),
        after=shared_subspace,
    ),
    **dict.fromkeys(("MultilabelFisherScore", "DiscriminativeRatio"), SCORES),
}
