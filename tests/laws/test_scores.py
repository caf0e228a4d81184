"""``score`` and scorers: the same for both codings of the labels, and for those observed."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import labelspan as ls
from labelspan.metrics import get_scorer, subset_accuracy
from tests.laws.law import fit, law, plain, sample

SIGNED = r"y is coded -1/\+1, and predict returns 0/1.*F1 does not know this coding"
IGNORED = pytest.mark.filterwarnings("ignore:y is coded -1/\\+1:UserWarning")


def halves():
    """Yeast, every fifth row, as features, labels and rows to score."""
    yeast = ls.datasets.load_yeast()
    return yeast.X[::5], yeast.Y[::5], yeast.X[1::5], yeast.Y[1::5]


@law(lambda entry: entry.predicts)
def test_score_of_both_codings(entry):
    X, Y, _ = sample()
    model = plain(entry.name)
    expected = subset_accuracy(Y, model.predict(X))
    frame = sparse.csr_array(Y)
    for given in (Y, 2 * Y - 1, 2.0 * Y - 1, Y.astype(bool), frame, Y.tolist()):
        assert model.score(X, given) == pytest.approx(expected)
    with pytest.warns(UserWarning, match=SIGNED) as told:
        signed = fit(entry, X, 2 * Y - 1)
    assert len(told) == 1
    assert signed.score(X, 2 * Y - 1) == pytest.approx(expected)
    assert set(np.unique(signed.predict(X))) <= {0, 1}


@law(lambda entry: entry.predicts)
def test_score_skips_labels_that_are_not_observed(entry):
    X, Y, _ = sample()
    model, holes = plain(entry.name), Y.astype(float)
    holes[::3, 1], holes[4] = np.nan, np.nan
    weights = np.arange(len(X)) % 4.0
    expected = subset_accuracy(holes, model.predict(X))
    assert model.score(X, holes) == pytest.approx(expected)
    assert model.score(X, 2 * holes - 1) == pytest.approx(expected)
    rows = np.repeat(np.arange(len(X)), weights.astype(int))
    of_copies = model.score(X[rows], holes[rows])
    assert model.score(X, holes, sample_weight=weights) == pytest.approx(of_copies)
    with pytest.raises(ValueError, match="y has no observed label"):
        model.score(X, np.full(Y.shape, np.nan))


@IGNORED
def test_scores_of_the_codings_agree_on_yeast():
    X, Y, X_new, Y_new = halves()
    S, S_new = 2 * Y - 1, 2 * Y_new - 1
    tuner = ls.ThresholdTuner(ls.MultiOutputRidge())
    search = ls.ReducerCV([ls.MDDM()], [2, 5], cv=3)
    for model in (tuner, search, make_pipeline(ls.MDDM(5), ls.MLkNN())):
        signed, usual = clone(model).fit(X, S), clone(model).fit(X, Y)
        assert signed.score(X_new, S_new) == usual.score(X_new, Y_new) > 0.02
        for name in ("micro_f1", "subset_accuracy", "hamming_loss"):
            scorer = get_scorer(name)
            assert scorer(signed, X_new, S_new) == scorer(usual, X_new, Y_new)


@IGNORED
@pytest.mark.parametrize("scoring", [None, get_scorer("samples_f1")])
def test_searches_choose_alike(scoring):
    X, Y, _, _ = halves()
    search = GridSearchCV(ls.MultiOutputRidge(), {"ridge": [0.01, 1e3, 1e5]}, scoring=scoring, cv=3)
    usual = search.fit(X, Y).cv_results_["mean_test_score"]
    scores = cross_val_score(ls.MultiOutputRidge(1.0), X, Y, scoring=scoring, cv=3)
    signed = search.fit(X, 2 * Y - 1).cv_results_["mean_test_score"]
    of_signed = cross_val_score(ls.MultiOutputRidge(1.0), X, 2 * Y - 1, scoring=scoring, cv=3)
    np.testing.assert_array_equal(signed, usual)
    np.testing.assert_array_equal(of_signed, scores)


def test_one_label_and_chunks():
    X, Y, X_new, Y_new = halves()
    usual = ls.MultiOutputRidge().fit(X, Y[:, :1])
    with pytest.warns(UserWarning, match=SIGNED):
        signed = ls.MultiOutputRidge().fit(X, 2 * Y[:, :1] - 1)
    assert signed.score(X_new, 2 * Y_new[:, :1] - 1) == usual.score(X_new, Y_new[:, :1])
    model = ls.MultiOutputRidge()
    first, *others = np.array_split(np.arange(len(X)), 3)
    with pytest.warns(UserWarning, match=SIGNED):
        model.partial_fit(X[first], 2 * Y[first] - 1)
    for rows in others:
        model.partial_fit(X[rows], 2 * Y[rows] - 1)
    assert model.score(X_new, 2 * Y_new - 1) == model.score(X_new, Y_new)
    # Two classes of a 1-d y are classes: no warning, and predict returns them.
    one = ls.MultiOutputRidge().fit(X, 2 * Y[:, 0] - 1)
    assert one.score(X_new, 2 * Y_new[:, 0] - 1) == usual.score(X_new, Y_new[:, :1])
