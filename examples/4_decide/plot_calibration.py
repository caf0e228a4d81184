"""
Scores that mean something: calibrated probabilities
====================================================

Does a probability of 0.8 come true four times out of five? The scores of a ridge classifier are
not probabilities. ``ProbabilityCalibrator`` learns one link per label from held-out scores.
"""

# %%
# Three ways to a probability: the raw score clipped to [0, 1], a sigmoid and isotonic regression.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import brier_score_loss

from labelspan import MultiOutputRidge, ProbabilityCalibrator
from labelspan.datasets import load_yeast

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
X_test, Y_test = yeast.X[yeast.test], yeast.Y[yeast.test]
readout = MultiOutputRidge(0.01)
raw = readout.fit(X, Y).decision_function(X_test)
found = {"score, clipped": np.clip((raw + 1) / 2, 0, 1)}
for method in ("sigmoid", "isotonic"):
    found[method] = ProbabilityCalibrator(readout, method).fit(X, Y).predict_proba(X_test)

# %%
# The reliability diagram: predicted against observed, over all labels of the test genes. A
# calibrated model lies on the diagonal. The clipped score is too sure of itself at both ends.
edges = np.linspace(0, 1, 11)
figure, axis = plt.subplots(figsize=(5.5, 5), layout="constrained")
axis.plot([0, 1], [0, 1], "--", color="grey", linewidth=1)
for name, P in found.items():
    cells = np.clip(np.digitize(P.ravel(), edges) - 1, 0, 9)
    counts = np.bincount(cells, minlength=10)
    mean = [
        np.bincount(cells, values.ravel(), 10) / np.maximum(counts, 1) for values in (P, Y_test)
    ]
    kept = counts >= 30
    axis.plot(mean[0][kept], mean[1][kept], marker="o", label=name)
    print(f"{name:15} Brier score {brier_score_loss(Y_test.ravel(), P.ravel()):.4f}")
axis.set(xlabel="predicted probability", ylabel="share of labels that are present")
axis.legend(frameon=False)

plt.show()
