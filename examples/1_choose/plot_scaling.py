"""
Units matter: when to scale the features
========================================

Write one column in grams instead of kilograms and its numbers grow a thousandfold. Methods that
maximise a covariance or a variance follow the column with the largest numbers. Methods that
whiten the features do not care.
"""

# %%
# Multiply one feature of yeast by a growing factor, and score two reducers of each kind.
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelspan import MDDM, MVMD, LabelCCA, MultiOutputRidge
from labelspan.datasets import load_yeast
from labelspan.metrics import micro_f1

yeast = load_yeast()
X, Y, X_test, Y_test = yeast.X[:1000], yeast.Y[:1000], yeast.X[1500:], yeast.Y[1500:]
methods = {
    "MDDM": [MDDM(3)],
    "MVMD": [MVMD(3)],
    "LabelCCA": [LabelCCA(3, ridge=1e-3)],
    "StandardScaler, then MDDM": [StandardScaler(), MDDM(3)],
}


def score(steps: list[Any], factor: Any) -> float:
    """Test micro-F1 with feature 0 multiplied by a factor."""
    unit = np.r_[factor, np.ones(X.shape[1] - 1)]
    model = make_pipeline(*steps, MultiOutputRidge(1e-6)).fit(X * unit, Y)
    return micro_f1(Y_test, model.predict(X_test * unit))


# %%
# The factor says nothing about the genes. MDDM and MVMD spend their directions on the large
# column; LabelCCA and the scaled pipeline give the same answer for every unit.
factors = np.logspace(0, 4, 7)
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, steps), marker in zip(methods.items(), "os^D", strict=True):
    axis.semilogx(factors, [score(steps, f) for f in factors], marker=marker, label=name)
axis.set(xlabel="factor of one feature", ylabel="test micro-F1 with 3 directions")
axis.legend(frameon=False)
axis.grid(alpha=0.25)

plt.show()
