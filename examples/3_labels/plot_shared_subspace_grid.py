"""
A heat map over alpha and beta
==============================

``SharedSubspaceClassifier`` gives all labels a common subspace. ``alpha`` penalises what a label
has outside it, ``beta`` penalises all weights. ``SharedSubspaceClassifierCV`` decomposes each
training fold once and reads the whole grid off that decomposition.
"""

# %%
# Search an 8 x 8 grid with five folds, with a subspace of two directions for 14 labels.
import matplotlib.pyplot as plt
import numpy as np

from labelspan import SharedSubspaceClassifierCV
from labelspan.datasets import load_yeast
from labelspan.metrics import micro_f1
from labelspan.plotting import SensitivityDisplay

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
grid = np.logspace(-5, 2, 8)
search = SharedSubspaceClassifierCV(grid, grid, n_components=[2], scoring="f1_micro", cv=5)
search.fit(X, Y)

# %%
# The ring is the best point. A large ``beta`` shrinks all weights until few labels are predicted.
# A large ``alpha`` forces all labels into the two shared directions.
SensitivityDisplay.from_estimator(search)

# %%
# The search is fitted on all rows with the best point, and predicts.
predicted = search.predict(yeast.X[yeast.test])
print(f"best: {search.best_params_}")
print(f"test micro-F1 {micro_f1(yeast.Y[yeast.test], predicted):.3f}")

plt.show()
