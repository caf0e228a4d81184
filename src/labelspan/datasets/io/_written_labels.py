"""Labels in the form that every writer uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._tables import first_entry


def written_labels(Y: Any, *, allow_missing: bool = False) -> Any:
    """Labels as 0 and 1 (int64), or dense float64 with NaN where a format has missing values."""
    if sp.issparse(Y):
        Y = sp.csr_array(Y, copy=True)
        Y.sum_duplicates()
    else:
        Y = np.asarray(Y)
    stored = Y.data if sp.issparse(Y) else Y
    missing = has_missing(Y) if allow_missing else False
    wrong = ~(np.isin(stored, (0, 1)) | (missing & (stored != stored)))
    if wrong.any():
        row, column, value = first_entry(Y, wrong)
        raise ValueError(
            f"Y[{row}, {column}] is {value:g}; labels are written as 0 and 1. To count positive "
            "values as labels write dataclasses.replace(dataset, Y=dataset.Y > 0)"
        )
    return Y.astype(np.float64 if missing else np.int64)


def has_missing(Y: Any) -> bool:
    return isinstance(Y, np.ndarray) and Y.dtype.kind == "f" and bool(np.isnan(Y).any())
