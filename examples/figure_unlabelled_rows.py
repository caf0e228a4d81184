"""
Do rows without labels help?
============================

Of the training rows only the first few have labels. MDDM learns its directions from these alone,
or from labels that ``SemiSupervised`` has spread to all rows along their neighbours; a ridge
readout learns from the labelled rows in both cases. On scene, where neighbours are pictures of one
kind, it gains half of what 30 more labelled rows would; from 300 on there is nothing to gain. On
yeast the labels of neighbours hardly agree, and spreading them changes little.

usage: python examples/figure_unlabelled_rows.py [FILE.svg]
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from labelspan import MDDM, MultiOutputRidge, SemiSupervised
from labelspan.datasets import load_dataset
from labelspan.metrics import average_precision

SIZES = (30, 60, 120, 300, 600, 1000)
REDUCERS = {"labelled rows": MDDM(5), "SemiSupervised": SemiSupervised(MDDM(5))}
N_SEEDS = 10


def scores(name: str) -> dict[str, np.ndarray]:
    """Average precision on the test part, (n_seeds, n_sizes), by how the directions are learnt."""
    data = load_dataset(name)
    X, Y = data.X[data.train], data.Y[data.train]
    found: dict[str, list[list[float]]] = {title: [] for title in REDUCERS}
    for seed in range(N_SEEDS):
        order = np.random.default_rng(seed).permutation(len(Y))
        for title, reducer in REDUCERS.items():
            line = []
            for size in SIZES:
                known = Y.astype(float)
                known[order[size:]] = np.nan
                model = make_pipeline(StandardScaler(), reducer, MultiOutputRidge()).fit(X, known)
                output = model.decision_function(data.X[data.test])
                line.append(average_precision(data.Y[data.test], output))
            found[title].append(line)
    return {title: np.array(lines) for title, lines in found.items()}


def main(path: str) -> None:
    plt.rcParams["svg.fonttype"] = "none"
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for panel, name in zip(panels, ("scene", "yeast"), strict=True):
        found = scores(name)
        for (title, values), marker in zip(found.items(), "os", strict=True):
            mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(N_SEEDS)
            panel.errorbar(SIZES, mean, error, marker=marker, capsize=3, label=title)
            print(name, title, mean.round(3))
        first, second = found.values()
        print(name, "seeds in which it helps", (second > first).sum(axis=0))
        panel.set(title=name, xlabel="labelled rows", ylabel="average precision", xscale="log")
        panel.set_xticks(SIZES, [str(size) for size in SIZES], minor=False)
        panel.minorticks_off()
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "unlabelled_rows.svg")
