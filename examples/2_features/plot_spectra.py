"""
How many directions? Read the spectrum
======================================

Each reducer solves an eigenvalue problem. An eigenvalue says how much of its goal a direction
reaches. The share of the eigenvalue sum is what ``n_components=0.999`` counts.
"""

# %%
# Fit with ``n_components=None``: every direction with a positive eigenvalue.
import matplotlib.pyplot as plt
import numpy as np

from labelspan import DMLDA, MDDM, MLSI, MVMD, LabelCCA
from labelspan.datasets import load_yeast

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
reducers = {
    "MDDM": MDDM(None),
    "LabelCCA": LabelCCA(None),
    "MVMD": MVMD(None),
    "MLSI": MLSI(None),
    "DMLDA": DMLDA(None),
}
for reducer in reducers.values():
    reducer.fit(X, Y)

# %%
# On the left the eigenvalues, on the right their cumulative share. The dashed lines are the 14
# labels and the share 0.999 of the papers.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name, reducer in reducers.items():
    values = reducer.eigenvalues_
    places = np.arange(1, len(values) + 1)
    left.plot(places, values / values[0], marker=".", label=name)
    right.plot(places, np.cumsum(reducer.explained_dependence_ratio_), marker=".", label=name)
left.axvline(Y.shape[1], color="grey", linestyle="--", linewidth=1)
right.axhline(0.999, color="grey", linestyle="--", linewidth=1)
left.set(yscale="log", ylim=(1e-7, 2), xlabel="direction", ylabel="eigenvalue over the first")
right.set(xscale="log", xlabel="number of directions", ylabel="cumulative share")
right.legend(frameon=False)

# %%
# MDDM and LabelCCA see the features only through 14 labels, so they have at most 14 directions.
# MVMD adds the variance of the features: it has a direction per feature, and its spectrum drops
# sharply after the labels. MLSI and DMLDA have no such drop, so a share of 0.999 keeps nearly
# everything: give them a number.
for name, reducer in reducers.items():
    share = np.cumsum(reducer.explained_dependence_ratio_)
    print(f"{name:9} {len(share):>4} directions, {np.searchsorted(share, 0.999) + 1:>4} for 0.999")

plt.show()
