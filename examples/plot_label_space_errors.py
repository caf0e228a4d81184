"""
What to give up: fewer codes than labels on yeast
=================================================

With 14 labels and M < 14 regression tasks something must be given up. PLST codes what varies
most, whether or not the features can predict it; OCCA codes what is easiest to predict, whether
or not it matters; CPLST minimises the sum of the two errors, which bounds the Hamming loss; PBR
learns M labels drawn at random. This draws Figure 1 of Chen and Lin, "Feature-aware label space
dimension reduction for multi-label classification" (NIPS 2012), on the 917 test genes.

usage: python examples/plot_label_space_errors.py [FILE.png]
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")

from labelspan.datasets import load_yeast
from labelspan.labelspace import (
    CPLST,
    OCCA,
    PLST,
    PartialBinaryRelevance,
    error_curves,
)
from labelspan.plotting import ErrorCurvesDisplay


def main(path: str) -> None:
    yeast = load_yeast()
    X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
    models = {
        "PBR": PartialBinaryRelevance(random_state=0),
        "OCCA": OCCA(),
        "PLST": PLST(),
        "CPLST": CPLST(),
    }
    # One fit a method: a smaller number of codes is cut out of it.
    curves = {
        name: error_curves(model.fit(X, Y), yeast.X[yeast.test], yeast.Y[yeast.test])
        for name, model in models.items()
    }
    ErrorCurvesDisplay.from_curves(curves).figure_.savefig(path, dpi=120)
    print(f"{'M':>3}" + "".join(f"{name:>9}" for name in curves) + "   test Hamming loss")
    for i, M in enumerate(curves["PLST"].M):
        print(f"{M:>3}" + "".join(f"{curve.hamming_loss[i]:>9.4f}" for curve in curves.values()))
    print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "label_space_errors.png")
