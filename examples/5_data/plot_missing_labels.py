"""
A label that nobody looked at is not a zero
===========================================

Annotators skip labels. NaN in ``Y`` says so, and labelspan learns each label from the rows where
it was observed. Writing 0 instead teaches the model that the label is absent. What does that
mistake cost?
"""

# %%
# Hide a growing share of the labels at random, and train on what is left in two ways.
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from labelspan import MDDM, MultiOutputRidge
from labelspan.datasets import load_yeast
from labelspan.metrics import macro_auc, micro_f1

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train].astype(float)
X_test, Y_test = yeast.X[yeast.test], yeast.Y[yeast.test]


def scores(labels: Any) -> tuple[float, float]:
    """Micro-F1 and macro AUC of MDDM and a ridge classifier on the test genes."""
    reducer = MDDM(10).fit(X, labels)
    readout = MultiOutputRidge(0.1).fit(reducer.transform(X), labels)
    reduced = reducer.transform(X_test)
    predicted, values = readout.predict(reduced), readout.decision_function(reduced)
    return micro_f1(Y_test, predicted), macro_auc(Y_test, values)


rng = np.random.default_rng(0)
shares = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
found: dict[str, list[tuple[float, float]]] = {"NaN: not observed": [], "0: taken for absent": []}
for share in shares:
    hidden = rng.random(Y.shape) < share
    found["NaN: not observed"].append(scores(np.where(hidden, np.nan, Y)))
    found["0: taken for absent"].append(scores(np.where(hidden, 0.0, Y)))

# %%
# The order of the scores (macro AUC) hardly suffers. Micro-F1 collapses with zeros, because each
# label looks rarer than it is, and the classifier stops predicting it. With NaN nothing is lost.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for name, marker in zip(found, "os", strict=True):
    for axis, values in zip(axes, np.array(found[name]).T, strict=True):
        axis.plot(shares, values, marker=marker, label=name)
for axis, title in zip(axes, ("micro-F1", "macro AUC"), strict=True):
    axis.set(xlabel="share of hidden labels", title=title, ylim=(0, 0.75))
    axis.grid(alpha=0.25)
axes[0].legend(frameon=False)

plt.show()
