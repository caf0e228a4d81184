"""
Where to cut: one threshold per label
=====================================

A score above zero is not always the best place to say yes. Rare labels get low scores, so a fixed
cut never predicts them. ``ThresholdTuner`` finds the cut with the best F1 for each label if
asked to; by default it maximises micro-F1.
"""

# %%
# A ridge classifier with its own cut, and the same with tuned cuts. ``cv=5`` tunes them on
# held-out scores.
import matplotlib.pyplot as plt
import numpy as np

from labelspan import MultiOutputRidge, ThresholdTuner
from labelspan.datasets import load_yeast
from labelspan.metrics import hamming_loss, macro_f1, micro_f1

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
X_test, Y_test = yeast.X[yeast.test], yeast.Y[yeast.test]
plain = MultiOutputRidge(1.0).fit(X, Y)
tuned = ThresholdTuner(MultiOutputRidge(1.0), "per_label_f1", cv=5).fit(X, Y)

# %%
# F1 of each label, from the most frequent to the rarest.
order = np.argsort(-Y.mean(axis=0))
figure, axis = plt.subplots(figsize=(9, 4), layout="constrained")
places = np.arange(len(order))
for shift, (name, model) in zip((-0.2, 0.2), (("fixed", plain), ("tuned", tuned)), strict=True):
    predicted = model.predict(X_test)
    f1 = [micro_f1(Y_test[:, [k]], predicted[:, [k]]) for k in order]
    axis.bar(places + shift, f1, 0.4, label=f"{name} cut")
axis.set_xticks(places, [f"{k}\n{100 * Y[:, k].mean():.0f} %" for k in order])
axis.set(xlabel="label and the share of genes that have it", ylabel="F1 on the test genes")
axis.legend(frameon=False)

# %%
# What it buys depends on the measure. Macro-F1 counts rare labels as much as frequent ones and
# gains. Micro-F1 and the Hamming loss count every error alike and prefer the fixed cut: choose the
# cut for the measure that you need.
for name, model in (("fixed", plain), ("tuned", tuned)):
    predicted = model.predict(X_test)
    print(
        f"{name}: macro-F1 {macro_f1(Y_test, predicted):.3f}, "
        f"micro-F1 {micro_f1(Y_test, predicted):.3f}, "
        f"Hamming loss {hamming_loss(Y_test, predicted):.3f}"
    )

plt.show()
