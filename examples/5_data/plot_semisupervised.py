"""
A few labelled rows and many without labels
===========================================

Labels are expensive, features are cheap. ``SemiSupervised`` spreads the known labels over a graph
of nearest neighbours, and fits the reducer to all rows. How much is that worth?
"""

# %%
# Keep the labels of a few training genes. One reducer sees these genes alone, the other one also
# sees the features of the rest. The classifier behind both is trained on the labelled genes.
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from labelspan import OPLS, MultiOutputRidge, SemiSupervised
from labelspan.datasets import load_yeast
from labelspan.metrics import micro_f1

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train].astype(float)
X_test, Y_test = yeast.X[yeast.test], yeast.Y[yeast.test]
SIZES, REPEATS = [25, 50, 100, 200, 400], 3


def score(reducer: Any, known: Any) -> float:
    """Test micro-F1 of a ridge classifier on the directions."""
    readout = MultiOutputRidge(0.1).fit(reducer.transform(X[known]), Y[known])
    return micro_f1(Y_test, readout.predict(reducer.transform(X_test)))


found = np.zeros((2, len(SIZES), REPEATS))
for repeat in range(REPEATS):
    order = np.random.default_rng(repeat).permutation(len(X))
    for place, size in enumerate(SIZES):
        known = order[:size]
        some = np.full(Y.shape, np.nan)  # NaN: not observed
        some[known] = Y[known]
        found[0, place, repeat] = score(OPLS(5).fit(X[known], Y[known]), known)
        found[1, place, repeat] = score(SemiSupervised(OPLS(5)).fit(X, some), known)

# %%
# Mean and standard error over three draws. With very few labels the graph spreads mistakes, and the
# labelled rows alone are the better teacher; from about 100 labelled genes on the others help.
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for name, values in zip(("labelled rows alone", "all rows"), found, strict=True):
    error = values.std(axis=1, ddof=1) / np.sqrt(REPEATS)
    axis.errorbar(SIZES, values.mean(axis=1), error, marker="o", capsize=3, label=name)
axis.set(xscale="log", xlabel="labelled genes", ylabel="test micro-F1")
axis.set_xticks(SIZES, [str(size) for size in SIZES])
axis.set_xticks([], minor=True)
axis.grid(alpha=0.25)
axis.legend(frameon=False)
for size, (alone, together) in zip(SIZES, found.mean(axis=2).T, strict=True):
    print(f"{size:>4} labelled genes: {alone:.3f} alone, {together:.3f} with the others")

plt.show()
