"""Figure 1: the numbers behind the curves."""

import numpy as np
import pytest
from sklearn.metrics import hamming_loss

from labelspan.datasets import load_yeast
from labelspan.labelspace import (
    CPLST,
    OCCA,
    PLST,
    PartialBinaryRelevance,
    error_curves,
)
from tests.labelspace.problems import problem


def test_curves_are_those_of_separate_fits():
    X, Y = problem(50)
    curves = error_curves(CPLST(ridge=0.0).fit(X, Y), X, Y)
    assert curves.M.tolist() == [1, 2, 3, 4, 5, 6]
    for i, M in enumerate(curves.M):
        model = CPLST(int(M), ridge=0.0).fit(X, Y)
        np.testing.assert_allclose(
            [curves.encoding[i], curves.prediction[i], curves.bound[i]],
            model.errors(X, Y),
            atol=1e-9,
        )
        assert curves.hamming_loss[i] == pytest.approx(hamming_loss(Y, model.predict(X)))


def test_figure_1_says_what_the_paper_says():
    """Sec. 4.1, on the test rows of yeast."""
    yeast = load_yeast()
    X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
    names = {
        "PBR": PartialBinaryRelevance(random_state=0, ridge=0.0),
        "OCCA": OCCA(ridge=0.0),
        "PLST": PLST(ridge=0.0),
    }
    names["CPLST"] = CPLST(ridge=0.0)
    curves = {
        name: error_curves(model.fit(X, Y), yeast.X[yeast.test], yeast.Y[yeast.test])
        for name, model in names.items()
    }
    inner = slice(0, 13)
    for name, curve in curves.items():
        assert curve.encoding[-1] < 1e-9, name
        # "PLST achieves the lowest encoding error", "OCCA the lowest prediction error".
        assert (curves["PLST"].encoding <= 1.001 * curve.encoding + 1e-9).all()
        assert (curves["OCCA"].prediction <= curve.prediction + 1e-9).all()
    # OCCA "is even worse than that of the baseline PBR"; PLST predicts worst of all.
    assert curves["OCCA"].encoding[inner].mean() > curves["PBR"].encoding[inner].mean()
    assert curves["PLST"].prediction[inner].mean() > curves["PBR"].prediction[inner].mean()
    for name in ("PBR", "OCCA"):
        assert (curves["CPLST"].hamming_loss[inner] < curves[name].hamming_loss[inner]).all()
