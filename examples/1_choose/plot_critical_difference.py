"""
Compare methods honestly: critical differences
==============================================

A method that wins on one data set has shown little. Demsar (JMLR 2006) compares average ranks
over several data sets: Friedman's test asks whether there is any difference, Nemenyi's critical
difference says which methods it separates.
"""

# %%
# Twelve data sets, each from a different random process. Six reducers with the same classifier.
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_multilabel_classification
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

from labelspan import DMLDA, MDDM, MLSI, OPLS, LabelCCA, MultiOutputRidge
from labelspan.metrics import micro_f1
from labelspan.plotting import CriticalDifferenceDisplay
from labelspan.stats import friedman, nemenyi

reducers = {
    "PCA": PCA(5),
    "MDDM": MDDM(5),
    "MLSI": MLSI(5),
    "LabelCCA": LabelCCA(5),
    "OPLS": OPLS(5),
    "DMLDA": DMLDA(5),
}


def scores_on(X: Any, Y: Any) -> Iterator[float]:
    """Micro-F1 of each reducer on the second half of a data set."""
    for reducer in reducers.values():
        model = make_pipeline(reducer, MultiOutputRidge(1.0, min_labels=1)).fit(X[:200], Y[:200])
        yield micro_f1(Y[200:], model.predict(X[200:]))


made = {"n_samples": 400, "n_features": 60, "n_classes": 8, "n_labels": 3, "length": 80}
scores = np.array(
    [
        list(scores_on(*make_multilabel_classification(**made, random_state=seed)))
        for seed in range(12)
    ]
)

# %%
# Friedman's test first: without a difference there is nothing to separate.
names = list(reducers)
print(f"Friedman: p = {friedman(scores, names=names).p_value:.1e}")

# %%
# Then the diagram. The best average rank is on the left. A bar joins methods that the test does
# not separate.
result = nemenyi(scores, names=names)
CriticalDifferenceDisplay.from_result(result, title="micro-F1 on 12 data sets")
for name, rank, mean in zip(names, result.ranks.average, scores.mean(axis=0), strict=True):
    print(f"{name:9} average rank {rank:.2f}, mean micro-F1 {mean:.3f}")

plt.show()
