"""Labels in the form that every writer uses."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from labelspan.datasets.io._tables import first_entry


def written_labels(Y: Any) -> Any:
    """Return label indicators as 0 and 1 (int64); anything else would not be read back."""
    if sp.issparse(Y):
        Y = sp.csr_array(Y, copy=True)
        Y.sum_duplicates()
    else:
        Y = np.asarray(Y)
    stored = Y.data if sp.issparse(Y) else Y
    wrong = ~np.isin(stored, (0, 1))
    if wrong.any():
        row, column, value = first_entry(Y, wrong)
        raise ValueError(
            f"Y[{row}, {column}] is {value:g}; labels are written as 0 and 1. To count positive "
            "values as labels write dataclasses.replace(dataset, Y=dataset.Y > 0)"
        )
    return Y.astype(np.int64)
