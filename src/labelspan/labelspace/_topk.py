"""The k largest scores of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from labelspan.arrays import namespace
from labelspan.jit import kernel, read_only


def leading_columns(scores: Any, k: int) -> Any:
    """Columns (n, k) of the k largest scores of each row, best first; the first column on ties."""
    xp = namespace(scores)
    if xp is not np:
        return xp.argsort(-scores, axis=1, stable=True)[:, :k]
    chosen = np.empty((len(scores), k), dtype=np.int64)
    top_k.for_steps(scores.size)(read_only(scores, np.float64), chosen, np.empty(k))
    return chosen


@kernel
def top_k(scores, chosen, best):  # type: ignore[no-untyped-def]
    """Fill `chosen` (n, k) with the columns of the largest scores, best first; `best` is room."""
    n_rows, n_labels = scores.shape
    k = len(best)
    for i in range(n_rows):
        n_held = 0
        for j in range(n_labels):
            score = scores[i, j]
            if n_held == k and score <= best[k - 1]:
                continue
            place = min(n_held, k - 1)
            while place > 0 and best[place - 1] < score:
                best[place] = best[place - 1]
                chosen[i, place] = chosen[i, place - 1]
                place -= 1
            best[place] = score
            chosen[i, place] = j
            n_held = min(n_held + 1, k)
