"""
Weights of rows: correct a biased sample
========================================

A survey that asks one group too often gives directions for that group. Weights undo the bias: a
row of weight k counts exactly as k rows.
"""

# %%
# Two groups of rows whose labels follow different features. In the population they are equally
# large; the sample has 900 of the first and 100 of the second.
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from labelspan import MDDM


def rows(count: int, feature: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Rows whose label follows one of the two features."""
    X = rng.standard_normal((count, 2))
    return X, (X[:, [feature]] > 0).astype(int)


rng = np.random.default_rng(0)
X1, Y1 = rows(900, 0, rng)
X2, Y2 = rows(100, 1, rng)
X, Y = np.vstack([X1, X2]), np.vstack([Y1, Y2])
weights = np.r_[np.full(900, 1.0), np.full(100, 9.0)]

# %%
# The direction of the biased sample, of the weighted sample, and of a large fair sample.
fair = [np.vstack(part) for part in zip(rows(20000, 0, rng), rows(20000, 1, rng), strict=True)]
found = {
    "sample as it is": MDDM(1).fit(X, Y),
    "weighted sample": MDDM(1).fit(X, Y, sample_weight=weights),
    "fair sample": MDDM(1).fit(*fair),
}
figure, axis = plt.subplots(figsize=(5.5, 5), layout="constrained")
axis.scatter(X1[:, 0], X1[:, 1], s=8, color="#C8C8C8", label="first group, 900 rows")
axis.scatter(X2[:, 0], X2[:, 1], s=8, color="#5A5A5A", label="second group, 100 rows")
for (name, model), style in zip(found.items(), (":", "-", "--"), strict=True):
    x, y = 2.5 * model.components_[0] * np.sign(model.components_[0, 0])
    axis.plot([0, x], [0, y], style, linewidth=3, label=name)
    print(f"{name}: {np.degrees(np.arctan2(y, x)):.0f} degrees")
axis.set(xlabel="feature 0", ylabel="feature 1", aspect="equal")
axis.legend(loc="lower left", fontsize="small")

# %%
# Weights are counts: nine copies of each row of the second group give the same direction.
copies = np.r_[np.arange(900), np.repeat(np.arange(900, 1000), 9)]
again = MDDM(1).fit(X[copies], Y[copies])
difference = np.abs(again.components_ - found["weighted sample"].components_).max()
print(f"difference to copied rows {difference:.0e}")

plt.show()
