"""
Select features instead of mixing them
======================================

A direction mixes all features. A selector keeps some of them as they are, which is what you want
if each feature costs money to measure. Three rules, from a score per feature to a joint model.
"""

# %%
# The Fisher score judges each feature alone. MLFS and CMLFS choose features jointly with a
# ranking SVM; CMLFS also learns how the labels depend on each other.
import matplotlib.pyplot as plt

from labelspan.datasets import load_yeast
from labelspan.plotting import SelectionPathDisplay
from labelspan.selection import CMLFS, selection_path

yeast = load_yeast()
X, Y, X_test, Y_test = yeast.X[:250], yeast.Y[:250], yeast.X[1500:], yeast.Y[1500:]
path = selection_path(X, Y, X_test, Y_test, [5, 15, 40], tol=1e-2, random_state=0)

# %%
# The area under the ROC curve of the test genes against the number of features. On these 250 genes
# the simple score does best: try it first. ``n_features`` of MLFS and CMLFS is the sum of the
# feature weights, so they keep more features than that.
SelectionPathDisplay.from_path(path)

# %%
# A selector is a transformer and a classifier: ``support_`` says which features it keeps.
model = CMLFS(n_features=5, tol=1e-2, random_state=0).fit(X, Y)
print(f"kept features {model.get_support(indices=True)}")
print(f"shape {model.transform(X_test).shape}, predictions {model.predict(X_test).shape}")

plt.show()
