"""
The label correlation that a classifier learns
==============================================

Labels that often occur together need not be hard to tell apart, and labels that never meet may
depend on the same features. ``CLaRankSVM`` learns a covariance of the labels together with its
weights: large where two labels use the features in the same way.
"""

# %%
# Fit the SVM on 400 genes. ``mu`` is the strength of the covariance; the relative duality gap
# certifies the solution.
import matplotlib.pyplot as plt
import numpy as np

from labelspan import CLaRankSVM
from labelspan.datasets import load_yeast
from labelspan.plotting import LabelCorrelationDisplay
from labelspan.ranking import label_correlation

yeast = load_yeast()
X, Y = yeast.X[:400], yeast.Y[:400]
model = CLaRankSVM(C=1.0, mu=1.0, tol=1e-2, random_state=0).fit(X, Y)
gap = (model.primal_objective_ - model.dual_objective_) / model.primal_objective_
print(f"relative duality gap {gap:.0e}")

# %%
# On the left the correlation of the label columns, on the right the learnt one. The learnt one has
# few independent parts, so that the labels fall into groups which share their weights.
LabelCorrelationDisplay.from_estimator(model, Y)

# %%
# How far do the two agree? Compare them over all pairs of labels.
D = model.label_covariance_
scale = np.sqrt(np.diag(D))
pairs = np.triu_indices(len(D), 1)
learnt = (D / np.outer(scale, scale))[pairs]
observed = label_correlation(Y)[pairs]
print(f"correlation of the two over {len(learnt)} pairs: {np.corrcoef(learnt, observed)[0, 1]:.2f}")

plt.show()
