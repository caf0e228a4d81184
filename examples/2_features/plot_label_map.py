"""
A map of yeast: PCA, MDDM and MVMD
==================================

PCA keeps the directions along which the features vary most. It never looks at the labels. MDDM
keeps the directions that depend most on the labels, and MVMD weighs both. How different are the
first two directions?
"""

# %%
# Yeast has 2417 genes, 103 features and 14 labels. A gene has about four labels. All three
# reducers have the same interface; PCA ignores the labels.
import matplotlib.pyplot as plt
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score

from labelspan import MDDM, MVMD
from labelspan.datasets import load_yeast
from labelspan.plotting import LabelMapDisplay

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
reducers = {"PCA": PCA(2), "MDDM": MDDM(2), "MVMD": MVMD(2, beta=0.5)}

# %%
# One row of panels per method, one panel per label. Coloured points have the label, grey points
# do not.
SHOWN = [0, 3, 7]
figure, axes = plt.subplots(3, 3, figsize=(9, 8), layout="constrained")
for panels, (name, reducer) in zip(axes, reducers.items(), strict=True):
    reducer.fit(X, Y)
    LabelMapDisplay.from_estimator(reducer, X, Y, labels=SHOWN, ax=panels)
    panels[0].set_ylabel(f"{name}\n{panels[0].get_ylabel()}")

# %%
# How well does one direction separate the genes that have a label from those that do not? The
# area under the ROC curve says it: 0.5 is chance, 1 is perfect. These are the test genes, so that
# no method is judged by what it has seen. Both supervised methods beat PCA. MVMD is nearly MDDM
# here: the dependence outweighs the variance until the labels are used up, which the example on
# spectra shows.
X_test, Y_test = yeast.X[yeast.test], yeast.Y[yeast.test]
print(f"{'':6}" + "".join(f"  label {k:<2}" for k in SHOWN))
for name, reducer in reducers.items():
    first = reducer.transform(X_test)[:, 0]
    areas = [roc_auc_score(Y_test[:, k], first) for k in SHOWN]
    print(f"{name:6}" + "".join(f"{max(area, 1 - area):>10.3f}" for area in areas))

plt.show()
