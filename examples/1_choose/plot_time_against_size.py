"""
Time against size, and what a fit will cost
===========================================

MDDM never forms a matrix of features by features: its problem is as small as the labels. MVMD
needs the scatter matrix of the features. PCA is here for comparison. Times are those of the
machine that built this page.
"""

# %%
# Random features, 300 columns, 20 labels; the fit is timed for growing numbers of rows.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from labelspan import MDDM, MVMD, LabelCCA, cost
from labelspan.plotting import TrainingTimesDisplay
from labelspan.subspace import training_times

rng = np.random.default_rng(0)
X = rng.standard_normal((8000, 300))
Y = (X @ rng.standard_normal((300, 20)) > 15).astype(int)
reducers = {"PCA": PCA(10), "MDDM": MDDM(10), "MVMD": MVMD(10), "LabelCCA": LabelCCA(10)}
times = training_times(reducers, X, Y, [500, 1000, 2000, 4000, 8000])

# %%
# MDDM multiplies X with 20 columns of labels and nothing else. The other three need the products
# of all pairs of features, or a decomposition of X.
TrainingTimesDisplay.from_times(times)

# %%
# ``cost`` predicts time and memory before a fit starts, here for a million rows.
for reducer in (MDDM(10), MVMD(10), LabelCCA(10)):
    print(f"{type(reducer).__name__:9} {cost(reducer, n=1_000_000, D=300, q=20)}")

plt.show()
