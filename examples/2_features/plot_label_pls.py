"""
PLS for labels: every number of directions from one fit
=======================================================

Partial least squares (PLS2, known as PLS-DA for classes) finds directions of large covariance
with the labels. ``LabelPLS`` computes what scikit-learn's ``PLSRegression`` does, without its
iterations over the rows, and ``truncate`` gives every smaller model for free.
"""

# %%
# One fit with 30 directions.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.cross_decomposition import PLSRegression

from labelspan import LabelPLS
from labelspan.datasets import load_yeast
from labelspan.metrics import micro_f1

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
X_test, Y_test = yeast.X[yeast.test], yeast.Y[yeast.test]
model = LabelPLS(30).fit(X, Y)

# %%
# The same scores as scikit-learn's PLS2 on labels of -1 and +1. (``2.0 * Y``, not ``2 * Y``: the
# labels are small unsigned integers, which cannot hold -1.)
peer = PLSRegression(5, scale=False, tol=1e-12, max_iter=5000).fit(X, 2.0 * Y - 1)
scores = model.truncate(5).decision_function(X_test)
print(f"largest difference to PLSRegression {np.abs(scores - peer.predict(X_test)).max():.0e}")

# %%
# Training and test scores of 30 models. More directions fit the training genes better; the test
# genes stop gaining early.
sizes = range(1, 31)
smaller = [model.truncate(size) for size in sizes]
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for name, rows, labels in (("training", X, Y), ("test", X_test, Y_test)):
    f1 = [micro_f1(labels, one.predict(rows)) for one in smaller]
    axis.plot(sizes, f1, marker="o", markersize=4, label=f"{name} genes")
axis.set(xlabel="number of directions", ylabel="micro-F1")
axis.grid(alpha=0.25)
axis.legend(frameon=False)

plt.show()
