"""
Let cross-validation choose the reducer
=======================================

Which reducer, which parameters, how many directions? ``ReducerCV`` compares hundreds of answers
in a few passes over the data, because all of them come from the same sums.
"""

# %%
# The default grid has no reduction, PCA and five reducers, up to ten dimensions and three ridges
# for the classifier behind the reducer, on columns and on kernel functions.
import matplotlib.pyplot as plt

from labelspan import ReducerCV
from labelspan.datasets import load_yeast
from labelspan.metrics import micro_f1
from labelspan.plotting import ReducerCVDisplay

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
search = ReducerCV().fit(X, Y)
print(f"{len(search.cv_results_['params'])} candidates, {search.n_passes_} passes over the data")
print(search.summary())

# %%
# A line is the best of a reducer at each dimension, the band is one standard error. The ring is
# the choice. The square is the smallest number of directions within one standard error: with
# ``rule="one_standard_error"`` the search takes that one.
ReducerCVDisplay.from_estimator(search)

# %%
# The search is itself a reducer and a classifier.
predicted = search.predict(yeast.X[yeast.test])
print(f"test micro-F1 {micro_f1(yeast.Y[yeast.test], predicted):.3f}")
print(f"shape of the reduced rows {search.transform(yeast.X[yeast.test]).shape}")

plt.show()
