"""The speed of this computer, measured once in a fifth of a second and kept in memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse


class Rates(NamedTuple):
    """Numbers per second: operations of products, of eigenproblems (9 m^3 for a side of m).

    Products of sparse with dense entries in the cache (`sparse`) and far beyond it (`gathered`), of
    two sparse arrays (`pairs`); bytes of a copy (`memory`).
    """

    products: float
    eigen: float
    sparse: float
    gathered: float
    pairs: float
    memory: float


@lru_cache(maxsize=1)
def rates() -> Rates:
    """The rates of this computer with the current number of BLAS threads."""
    rng = np.random.default_rng(0)
    A, long = rng.standard_normal((768, 768)), np.ones(2**22)
    S = sparse.random_array((4000, 20_000), density=0.001, format="csr", random_state=rng)
    V, long_block = rng.standard_normal((20_000, 32)), np.ones((300_000, 32))
    wide = sparse.random_array((4000, 300_000), density=0.0001, format="csr", random_state=rng)
    symmetric = (A + A.T)[:400, :400]
    return Rates(
        2 * 768**3 / best(lambda: A @ A),
        9 * 400**3 / best(lambda: linalg.eigh(symmetric, driver="evd", check_finite=False)),
        32 * S.nnz / best(lambda: S @ V),
        32 * wide.nnz / best(lambda: wide @ long_block),
        S.nnz**2 / S.shape[0] / best(lambda: S.T @ S),
        long.nbytes / best(long.copy),
    )


def best(call: Callable[[], Any], repeats: int = 5) -> float:
    """Shortest time of a call, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
