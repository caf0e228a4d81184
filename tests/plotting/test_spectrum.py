"""The spectrum display shows figure 1 of the MVMD paper."""

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose

from labelspan import LPP, MDDM, MVMD, OPLS, LabelCCA
from labelspan.plotting import SpectrumDisplay
from tests.laws.law import sample

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    matplotlib.pyplot.close("all")


def test_curves_are_the_eigenvalues_and_their_cumulative_shares():
    X, Y, _ = sample()
    models = {"MVMD": MVMD(2).fit(X, Y), "MDDM": MDDM(None).fit(X, Y)}
    models["all"] = MVMD(None).fit(X, Y)
    display = SpectrumDisplay.from_estimators(models, share=0.9)
    left, right = display.axes_
    for (name, model), line, sums in zip(models.items(), left.lines, right.lines, strict=False):
        values = model.eigenvalues_
        assert_allclose(line.get_ydata(), values / values[0])
        assert_allclose(sums.get_ydata(), np.cumsum(values) / models["all"].eigenvalues_.sum()
                        if name != "MDDM" else np.cumsum(values) / values.sum())  # fmt: skip
    kept = {name: type(m)(0.9).fit(X, Y).n_components_ for name, m in models.items()}
    assert display.counts_["all"] == kept["all"]
    assert display.counts_["MDDM"] == kept["MDDM"]
    one = SpectrumDisplay.from_estimator(models["all"], 0.9)
    assert list(one.counts_) == ["MVMD"]


def test_the_counts_on_scene_are_those_of_the_paper(dataset):
    data = dataset("scene")
    X, Y = data.X[data.train], data.Y[data.train]
    models = {m.__name__: m(None) for m in (MVMD, MDDM)}
    models["CCA"] = LabelCCA(None, ridge=0.1, label_ridge=0.1)
    for model in models.values():
        model.fit(X, Y)
    assert SpectrumDisplay.from_estimators(models).counts_ == {"MVMD": 47, "MDDM": 5, "CCA": 6}


def test_shares_that_are_not_known_are_refused():
    X, Y, _ = sample()
    with pytest.raises(ValueError, match="LPP does not know the sum of its eigenvalues"):
        SpectrumDisplay.from_estimator(LPP(2, n_neighbors=3).fit(X, Y))
    with pytest.raises(ValueError, match="share=1; expected a number between 0 and 1"):
        SpectrumDisplay.from_estimator(OPLS(2).fit(X, Y), 1)
