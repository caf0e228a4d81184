"""For every candidate, fold and scorer the scores are those of GridSearchCV over a pipeline."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import (
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

import labelspan as ls
from labelspan.metrics import MEASURES, get_scorer
from tests.choice.oracle import as_pipeline, assert_same_scores, grid_search

# A grid may request more directions than a method has.
pytestmark = pytest.mark.filterwarnings("ignore:n_components=")
# Every one-pass method.
REDUCERS = [
    ls.MDDM(),
    (ls.MDDM(constraint="feature"), {"mu": [0.1, 0.9]}),
    ls.MDDM(label_correlation="rbf", label_width=10.0),
    (ls.MVMD(), {"beta": [0.0, 0.5, 1.0]}),
    (ls.LabelCCA(), {"ridge": [0.1, 10.0], "label_ridge": [0.1]}),
    (ls.OPLS(), {"ridge": [0.1, 1.0]}),
    (ls.MLSI(), {"beta": [0.5, 1.0]}),
    # Methods with their own statistics.
    ls.DMLDA(),
    ls.HSL(expansion="zhou"),
]
# Not for wide X, whose rows determine their labels, so all correlations are 1.
RIDGE_FREE = [
    ls.MDDM(constraint="feature", mu=1.0),
    ls.LabelCCA(ridge=0.0, label_ridge=0.0),
    ls.OPLS(ridge=0.0),
]
TWO_PASS = [ls.MLDA(), ls.HSL(), ls.LPP(n_neighbors=3)]
DIMENSIONS = [1, 2, 3, 9, 0.9, None]
# Scikit-learn's names, a labelspan measure of labels and one of scores.
SCORERS = {
    "micro": "f1_micro",
    "ranking": get_scorer("average_precision"),
    "macro": get_scorer("macro_f1"),
    "loss": get_scorer("ranking_loss"),
}

RIDGES = (ls.MultiOutputRidge(min_labels=1), {"ridge": [0.01, 3.0]})


def sample(n=60, n_features=7, n_labels=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_features)) * np.linspace(0.5, 2, n_features) + 1.0
    X[rng.random(X.shape) < 0.3] = 0.0
    scores = X @ rng.standard_normal((n_features, n_labels)) + rng.standard_normal((n, n_labels))
    return X, (scores > np.median(scores, axis=0)).astype(int)


def compare(search, X, Y, folds, tolerance=1e-10):
    search.set_params(cv=folds).fit(X, Y)
    readout = search.readout[0] if isinstance(search.readout, tuple) else search.readout
    slow = grid_search(search, X, Y, folds, readout, search.scoring)
    assert_same_scores(search, slow, tolerance)
    return search


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(60, 7), (24, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("readout", [RIDGES, (ls.MLkNN(), {"n_neighbors": [1, 5]})], ids=repr)
def test_every_method(form, shape, readout):
    X, Y = sample(*shape)
    scoring = SCORERS if readout is RIDGES else {"micro": "f1_micro", "loss": SCORERS["loss"]}
    reducers = REDUCERS + RIDGE_FREE * (shape[0] > shape[1])
    search = as_pipeline(reducers, DIMENSIONS, readout=readout, scoring=scoring, refit="micro")
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    compare(search, form(X), Y, folds)
    assert search.n_passes_ == 2 + (readout is not RIDGES)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_methods_of_several_passes_are_fitted_to_each_fold(form):
    X, Y = sample()
    search = as_pipeline(
        [*TWO_PASS, ls.MVMD()], [1, 3], readout=RIDGES, scoring=SCORERS, refit="micro"
    )
    compare(search, form(X), Y, list(KFold(3).split(X)))
    # Each of them reads the rows of each fold; the refit of the reducer and of the readout adds
    # two.
    pooled = isinstance(search.best_estimator_, ls.MVMD)
    assert search.n_passes_ == 2 + 3 * 3 + 2 * (not pooled)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(60, 7), (24, 40)], ids=["tall", "wide"])
def test_squared_errors_come_from_the_sums_of_the_first_pass(form, shape):
    X, Y = sample(*shape)
    reducers = ["none", "pca", *REDUCERS, *RIDGE_FREE * (shape[0] > shape[1])]
    readout = (ls.MultiOutputRidge(), {"ridge": [3.0, "auto"]})
    scoring = get_scorer("squared_error")
    search = as_pipeline(reducers, [1, 3, 0.9], readout=readout, scoring=scoring)
    compare(search, form(X), Y, list(KFold(3).split(X)))
    assert search.n_passes_ == 1


@pytest.mark.parametrize(
    "cv", [RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), TimeSeriesSplit(3)], ids=repr
)
def test_squared_errors_of_other_splits(cv):
    X, Y = sample()
    search = as_pipeline([ls.MVMD()], [1, 4], readout=RIDGES, scoring=get_scorer("squared_error"))
    compare(search, X, Y, list(cv.split(X)))
    assert search.n_passes_ == 1


def test_squared_errors_need_the_rows_where_sums_do_not_tell_them():
    """Held-out rows that are no whole parts, weights, a threshold, several measures."""
    X, Y = sample()
    weights = np.linspace(1, 2, len(X))
    scoring = get_scorer("squared_error")
    made = as_pipeline([ls.MVMD()], [2], readout=RIDGES, scoring=scoring, cv=3)
    assert made.fit(X, Y).n_passes_ == 1
    assert made.fit(X, Y, weights).n_passes_ == 2
    assert made.set_params(threshold="auto").fit(X, Y).n_passes_ == 2
    part = [(np.arange(40), np.arange(40, 50)), (np.arange(20, 60), np.arange(5))]
    made.set_params(threshold=0.0)
    compare(made, X, Y, part)
    assert made.n_passes_ == 2
    made.set_params(scoring=["squared_error", "micro_f1"], refit="micro_f1").fit(X, Y)
    assert made.n_passes_ == 2


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure(name):
    X, Y = sample()
    search = as_pipeline([ls.MVMD()], [1, 4], readout=RIDGES, scoring=get_scorer(name))
    compare(search, X, Y, list(KFold(4).split(X)))


@pytest.mark.parametrize(
    "cv",
    [
        KFold(2),
        RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(n_splits=4, test_size=0.2, train_size=0.5, random_state=0),
        TimeSeriesSplit(4),
    ],
    ids=lambda cv: type(cv).__name__,
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_every_kind_of_split(cv, form):
    X, Y = sample()
    search = as_pipeline([ls.MVMD(), ls.LabelCCA()], [1, 2], readout=RIDGES)
    compare(search, form(X), Y, list(cv.split(X)))


@pytest.mark.parametrize("name", ["emotions", "yeast", "scene", "enron", "bibtex"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_benchmark_sets(name, form, dataset):
    data = dataset(name)
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    if name == "bibtex":
        # Wide, too: 600 of its 7395 rows, because GridSearchCV takes minutes for all.
        X, Y = X[:600], Y[:600]
    reducers = [ls.MDDM(), ls.MVMD(), ls.LabelCCA(), ls.OPLS(ridge=10.0), ls.MLSI()]
    search = as_pipeline(
        reducers, [2, 5], readout=ls.MultiOutputRidge(), scoring=SCORERS, refit="micro"
    )
    compare(search, form(X), Y, list(KFold(3, shuffle=True, random_state=0).split(X)))


@pytest.mark.parametrize("shape", [(60, 7), (24, 40)], ids=["tall", "wide"])
def test_far_from_the_origin(shape):
    X, Y = sample(*shape)
    search = as_pipeline(REDUCERS, [1, 3], readout=RIDGES, scoring=SCORERS, refit="micro")
    compare(search, X + 1e6 * X.std(axis=0), Y, list(KFold(3).split(X)), 1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(60, 7), (24, 40)], ids=["tall", "wide"])
def test_weights(form, shape):
    X, Y = sample(*shape)
    weights = np.random.default_rng(1).uniform(0.2, 3.0, len(X))
    folds = list(KFold(3).split(X))
    reducers = REDUCERS + [ls.MLDA(), *RIDGE_FREE] * (shape[0] > shape[1])
    search = as_pipeline(reducers, [1, 3], readout=RIDGES, scoring=SCORERS, refit="micro", cv=folds)
    search.fit(form(X), Y, sample_weight=weights)
    routed = {f"{step}__sample_weight": weights for step in ("reducer", "readout")}
    slow = grid_search(search, form(X), Y, folds, RIDGES[0], SCORERS, **routed)
    assert_same_scores(search, slow)


ONE = {name: name for name in ("accuracy", "f1", "f1_micro", "f1_macro", "roc_auc")}


@pytest.mark.parametrize("holes", [False, True])
def test_one_label_in_a_column(holes):
    """scikit-learn's F1 of a column counts its zeros as a class, too."""
    X, Y = sample(n_labels=1)
    Y, folds = Y.astype(float) if holes else Y, list(KFold(3).split(X))
    if holes:
        Y[::7] = np.nan
    tested = [(train, test[~np.isnan(Y[test, 0])]) for train, test in folds]
    search = as_pipeline([ls.MDDM(), ls.OPLS()], [1], scoring=ONE, refit="f1", cv=folds)
    search.fit(X, Y)
    slow = grid_search(search, X, Y, tested, ls.MultiOutputRidge(), ONE)
    assert_same_scores(search, slow)
    assert not np.allclose(slow.cv_results_["mean_test_f1"], slow.cv_results_["mean_test_f1_macro"])
    alone = as_pipeline([ls.MDDM()], [1], cv=folds).fit(X, Y)
    slow = grid_search(alone, X, Y, tested, ls.MultiOutputRidge(), None)
    assert_same_scores(alone, slow)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(303, 20), (101, 150)], ids=["tall", "wide"])
def test_neighbours_of_rows_that_repeat(form, shape):
    """Rows at equal distances are taken in order, whatever the rounding of their projections."""
    X, Y = sample(*shape, seed=3)
    rows = np.random.default_rng(0).integers(0, len(X) // 5, len(X))
    X, folds = X[rows], list(KFold(3, shuffle=True, random_state=0).split(X))
    reducers = [ls.MDDM(), ls.LabelCCA(), ls.MVMD()]
    search = as_pipeline(reducers, [1, 2, 4], readout="mlknn", scoring="f1_micro", cv=folds)
    search.fit(form(X), Y)
    slow = grid_search(search, form(X), Y, folds, ls.MLkNN(), "f1_micro")
    assert_same_scores(search, slow, 0)


def test_rows_of_weight_zero_are_in_no_fold():
    """GridSearchCV would score them; ReducerCV is the search over the other rows."""
    X, Y = sample()
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    folds = list(KFold(3).split(X))
    kept = weights > 0
    number = np.cumsum(kept) - 1
    numbered = [tuple(number[rows[kept[rows]]] for rows in fold) for fold in folds]
    search = as_pipeline([ls.MDDM(), ls.OPLS()], [1, 3], scoring="f1_micro", cv=folds)
    search.fit(X, Y, sample_weight=weights)
    routed = {f"{step}__sample_weight": weights[kept] for step in ("reducer", "readout")}
    given = numbered, ls.MultiOutputRidge(), "f1_micro"
    slow = grid_search(search, X[kept], Y[kept], *given, **routed)
    assert_same_scores(search, slow)
