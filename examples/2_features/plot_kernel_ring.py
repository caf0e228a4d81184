"""
A ring needs a kernel
=====================

One label is a disc, the other is everything on the left. No straight direction separates a disc
from the ring around it. ``KernelMDDM`` finds directions in the feature space of a kernel.
"""

# %%
# 400 points in the plane with two labels.
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import roc_auc_score

from labelspan import MDDM, KernelMDDM

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (400, 2))
Y = np.column_stack([np.hypot(*X.T) < 0.6, X[:, 0] < 0]).astype(int)

# %%
# The plane, then the same points on the two directions of each method. Colours are the four
# combinations of labels.
models: dict[str, Any] = {"MDDM": MDDM(2), "KernelMDDM, rbf": KernelMDDM(2, gamma=1.0)}
kinds = ("neither", "left", "disc", "disc and left")
figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
pictures = {"features": X} | {name: model.fit_transform(X, Y) for name, model in models.items()}
for axis, (name, points) in zip(axes, pictures.items(), strict=True):
    for kind, label in enumerate(kinds):
        chosen = 2 * Y[:, 0] + Y[:, 1] == kind
        axis.scatter(*points[chosen].T, s=12, label=label)
    axis.set(title=name)
axes[0].legend(fontsize="small", loc="upper left")

# %%
# How well does the best single direction separate each label? The linear method fails on the disc.
X_new = rng.uniform(-1, 1, (1000, 2))
Y_new = np.column_stack([np.hypot(*X_new.T) < 0.6, X_new[:, 0] < 0]).astype(int)
for name, model in models.items():
    points = model.transform(X_new)
    areas = [[roc_auc_score(y, x) for x in points.T] for y in Y_new.T]
    disc, left = (max(max(a, 1 - a) for a in row) for row in areas)
    print(f"{name:16} AUC of the disc {disc:.2f}, of the left side {left:.2f}")

plt.show()
