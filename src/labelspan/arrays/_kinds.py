"""What dense and sparse arrays have in common, so that callers need not ask which they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def dense(A: Any) -> np.ndarray:
    """Return a sparse or dense array as dense."""
    return A.toarray() if sparse.issparse(A) else np.asarray(A)


def values_of(A: Any) -> Any:
    """The stored numbers: those of a sparse array, or the dense array itself."""
    return A.data if sparse.issparse(A) else A
