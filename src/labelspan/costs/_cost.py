"""A cost model of a fit: reading, products, solving and memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from labelspan.costs._methods import Fit, Row, row_of
from labelspan.costs._rates import rates
from labelspan.gate import LARGE
from labelspan.linalg import BLOCK
from labelspan.moments import BLOCK_BYTES

#: Assumed labels per row, which determine the cost of X'Y; data sets have 1 to 20.
LABELS_PER_ROW = 5
#: Applications of an operator to a block of BLOCK vectors until a few eigenpairs converge.
N_STEPS, BASIS = 30, 7

#: Speed-up of sums of rows of a large array by label over SciPy's product.
IN_CACHE = 4
#: Seconds of a fit of a handful of rows.
LEAST = 1e-3

#: Bytes of a block of vectors that stays in the cache.
CACHE_BYTES = 2**24
#: Speed-up of the compiled sparse product over SciPy's.
COMPILED = 1.7


@dataclass(frozen=True)
class Cost:
    """The expected cost of a fit, besides X and Y themselves.

    Attributes
    ----------
    solver : str
        The solver, as ``solver_`` reports it; see :func:`labelspan.linalg.choose_solver`.
    seconds : float
        Time on this machine, for data in memory or in the page cache.
    memory : float
        Bytes at the peak.
    read : float
        Bytes of X that are read, all passes together.
    passes : int
        How often X is read.
    flops : float
        Floating-point operations.
    network : float
        Bytes that each Dask worker sends: one set of statistics per pass.
    """

    solver: str
    seconds: float
    memory: float
    read: float
    passes: int
    flops: float
    network: float

    def __str__(self) -> str:
        times = "pass" if self.passes == 1 else "passes"
        return (
            f"{in_words(self.seconds)} and {in_bytes(self.memory)} of memory with the solver "
            f"{self.solver!r}: {self.passes} {times} over X, {in_bytes(self.read)} read, "
            f"{self.flops:.1e} operations, {in_bytes(self.network)} sent by each worker."
        )


def cost(estimator: Any, n: int, D: int, q: int, nnz: int | None = None) -> Cost:
    """Time and memory that ``estimator.fit`` will take, before it is called.

    Parameters
    ----------
    estimator : estimator
        One of labelspan that learns from pooled statistics, not necessarily fitted.
    n : int
        Number of rows.
    D : int
        Number of features.
    q : int
        Number of labels.
    nnz : int or None, default=None
        Entries of a sparse X, at most n D; None for a dense one.

    Returns
    -------
    Cost
        ``print`` shows it in one line. Rates of this computer are measured at the first call. The
        solver is the one that ``fit`` uses. Rows are assumed to have 5 labels, and iterations to
        take 30 steps. Extractors refuse a shape that ``fit`` refuses, with the same MemoryError.

    Examples
    --------
    >>> from labelspan import MVMD, cost
    >>> found = cost(MVMD(50), n=100_000, D=1000, q=100)
    >>> found.solver, found.passes
    ('scatter', 1)
    """
    for name, value in (("n", n), ("D", D), ("q", q)):
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name}={value!r}; expected an integer of at least 1.")
    if nnz is not None and not (isinstance(nnz, Integral) and 0 <= nnz <= n * D):
        raise ValueError(
            f"nnz={nnz!r}; expected the number of entries of a sparse X, an integer from 0 to "
            f"n * D = {n * D}, or None for a dense X."
        )
    row = row_of(estimator)
    if row is None or estimator._needs_rows():
        is_class = isinstance(estimator, type)
        name = f"the class {estimator.__name__}" if is_class else type(estimator).__name__
        raise TypeError(
            f"there is no cost model for {name}; expected an estimator (not its class) of "
            "labelspan that has partial_fit, such as MVMD(50) or CPLST(100)."
        )
    estimator._validate_params()
    sparse = nnz is not None
    fit = Fit(estimator, n, D, q, sparse, row.n_targets(estimator, n, D, q, sparse))
    fit = replace(fit, solver=row.solver(fit))
    entries = n * D if nnz is None else nnz
    return (by_steps if fit.solver in ("products", "krylov") else by_statistics)(row, fit, entries)


def by_statistics(row: Row, fit: Fit, entries: int) -> Cost:
    """One pass, one set of statistics, one dense problem on its smaller side."""
    n, D, q, side, thin = fit.n, fit.D, fit.q, fit.side, fit.solver == "thin"
    speed, few = rates(), min(LABELS_PER_ROW, q)
    # Labels of low density are multiplied entry by entry, as in most large arrays.
    crossed, loose, pairs = 0.0, 0.0, 0.0
    large = not fit.sparse and entries >= LARGE and fit.solver != "rows" and row.centred
    if fit.sparse:
        pairs = entries * few + (0.0 if thin else entries**2 / n)
    elif (2 if large else 10) * few > q:
        crossed = 2.0 * n * D * q
    else:
        loose = float(entries * few)
    squares = 0.0 if thin or fit.sparse else float(n) * D * side
    if fit.solver == "rows":
        # The factor of the Gram matrix, and the statistics of n coordinates.
        squares += n**3 / 3 + n**3
    products, eigen = row.after(fit)
    # A block is checked, centred into a copy by two subtractions, and squared, or in the cache.
    moved = (24.0 if fit.sparse else 16.0 if large else 48.0) * entries
    seconds = (
        LEAST
        + (crossed + squares + products) / speed.products
        + eigen / speed.eigen
        + loose / (speed.sparse * (IN_CACHE if large else 1))
        + pairs / speed.pairs
        + moved / speed.memory
    )
    statistics = 8.0 * side * (q if thin else side + q)
    # A sparse block is transposed and squared, a dense one centred.
    blocks = 36.0 * entries if fit.sparse else float(min(8 * entries, BLOCK_BYTES))
    memory = 3 * statistics + 8.0 * q * q * (eigen > 0) + blocks
    if fit.solver == "rows":
        memory += 8.0 * entries
    flops = crossed + squares + products + eigen + 2 * (loose + pairs)
    size = (12 if fit.sparse else 8) * entries
    return Cost(fit.solver, seconds, memory, size, 1, flops, statistics)


def by_steps(row: Row, fit: Fit, entries: int) -> Cost:
    """Iteration steps, each of which multiplies X and X' with some vectors."""
    n, D, q = fit.n, fit.D, fit.q
    side, n_vectors, n_iterations = row.loops(fit)
    speed, width, size = rates(), n_vectors or BLOCK, 12.0 * entries
    n_steps = N_STEPS * n_iterations
    multiplied = 2.0 * n_steps * width * (entries + n * min(LABELS_PER_ROW, q))
    # The basis of about BASIS blocks is orthogonalised twice at each step.
    basis = 1 if n_vectors else BASIS
    dense = 8.0 * n_steps * width**2 * side * basis
    in_cache = 8 * width * max(n, D) < CACHE_BYTES
    rate = speed.sparse if in_cache else speed.gathered * COMPILED
    seconds = LEAST + multiplied / rate + dense / speed.products
    held = 8.0 * width * (1.5 * basis * side + 3 * D + 2 * n)
    passes = 2 * n_steps
    sent = 8.0 * width * max(D, q) * passes
    return Cost(fit.solver, seconds, held, passes * size, passes, 2 * multiplied + dense, sent)


def in_bytes(number: float) -> str:
    """Bytes in words."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"


def in_words(seconds: float) -> str:
    """Seconds in words."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.2g} s"
