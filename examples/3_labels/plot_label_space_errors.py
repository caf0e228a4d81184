"""
Fewer codes than labels: what to give up?
=========================================

With 14 labels and M < 14 regression tasks something must be given up. PLST codes what varies
most, whether or not the features can predict it. OCCA codes what is easiest to predict, whether
or not it matters. CPLST minimises the sum of the two errors, which bounds the Hamming loss. PBR
learns M labels drawn at random. This is Figure 1 of Chen and Lin, "Feature-aware label space
dimension reduction for multi-label classification" (NIPS 2012), on the 917 test genes of yeast.
"""

# %%
# Fit each method once. A smaller number of codes is cut out of the same fit.
import matplotlib.pyplot as plt

from labelspan.datasets import load_yeast
from labelspan.labelspace import CPLST, OCCA, PLST, PartialBinaryRelevance, error_curves
from labelspan.plotting import ErrorCurvesDisplay

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
models = {
    "PBR": PartialBinaryRelevance(random_state=0),
    "OCCA": OCCA(),
    "PLST": PLST(),
    "CPLST": CPLST(),
}
curves = {
    name: error_curves(model.fit(X, Y), yeast.X[yeast.test], yeast.Y[yeast.test])
    for name, model in models.items()
}

# %%
# Encoding error: what the codes cannot hold. Prediction error: what the regression misses. OCCA
# is best at the second and worst at the first; CPLST is best at their sum.
ErrorCurvesDisplay.from_curves(curves)

# %%
# The Hamming loss on the test genes. With all 14 codes the methods are the same regression.
print(f"{'M':>3}" + "".join(f"{name:>9}" for name in curves))
for i, M in enumerate(curves["PLST"].M):
    print(f"{M:>3}" + "".join(f"{curve.hamming_loss[i]:>9.4f}" for curve in curves.values()))

plt.show()
