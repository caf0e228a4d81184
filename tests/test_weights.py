"""Sample weights beyond the laws: routing, folds, given kernels, many labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import get_scorer, hamming_loss, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

import labelspan as ls
from tests.laws.law import sample

X, Y, X_NEW = sample()
COUNTS = np.random.default_rng(1).integers(0, 4, len(X))
X_COPIES, Y_COPIES = np.repeat(X, COUNTS, axis=0), np.repeat(Y, COUNTS, axis=0)


def test_weights_are_routed_through_pipelines_and_searches():
    with config_context(enable_metadata_routing=True):
        steps = (
            ls.MDDM(3).set_fit_request(sample_weight=True),
            ls.MultiOutputRidge(0.1).set_fit_request(sample_weight=True),
        )
        scorer = get_scorer("f1_micro").set_score_request(sample_weight=True)
        pipeline = make_pipeline(*steps).fit(X, Y, sample_weight=COUNTS)
        grid = {"mddm__n_components": [1, 3]}
        search = GridSearchCV(make_pipeline(*steps), grid, cv=3, scoring=scorer)
        search.fit(X, Y, sample_weight=COUNTS)
    reducer = ls.MDDM(3).fit(X_COPIES, Y_COPIES)
    readout = ls.MultiOutputRidge(0.1).fit(reducer.transform(X_COPIES), Y_COPIES)
    expected = readout.decision_function(reducer.transform(X_NEW))
    assert_allclose(pipeline.decision_function(X_NEW), expected, atol=1e-10)
    assert search.best_params_ == {"mddm__n_components": 3}
    assert_allclose(search.decision_function(X_NEW), expected, atol=1e-10)


def test_what_takes_no_weights_asks_for_none():
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            ls.LPP(2), ls.MultiOutputRidge().set_fit_request(sample_weight=True)
        )
        pipeline.fit(X, Y, sample_weight=COUNTS)
    assert_array_equal(pipeline[0].components_, ls.LPP(2).fit(X).components_)


def folds_of_copies(folds):
    """The same folds by the numbers of the copies."""
    owner = np.repeat(np.arange(len(X)), COUNTS)
    return [tuple(np.flatnonzero(np.isin(owner, rows)) for rows in fold) for fold in folds]


SEARCHES = {
    "own": ls.SharedSubspaceClassifierCV([0.0, 0.1], [0.01, 1.0], n_components=2),
    "own without ridge": ls.SharedSubspaceClassifierCV([0.0, 0.1], [0.0, 1.0], n_components=2),
    "shared": ls.SharedSubspaceClassifierCV([0.1], [0.01, 1.0], fold_statistics="shared"),
    "through the origin": ls.SharedSubspaceClassifierCV([0.1], [0.1, 1.0], fit_intercept=False),
    "best F1": ls.SharedSubspaceClassifierCV([0.1], [0.01], threshold="per_label_f1"),
    "cardinality": ls.SharedSubspaceClassifierCV([0.1], [0.01], threshold="cardinality"),
    "kernel": ls.KernelCPLSTCV(2, ridges=[0.1, 1.0]),
}


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", SEARCHES)
def test_weights_count_on_both_sides_of_given_folds(name, wide):
    """Folds refer to the given rows, including those of weight 0."""
    if wide and name == "cardinality":
        pytest.skip("scores of copies differ by rounding, and a cut between them is another cut")
    search = SEARCHES[name]
    Q = np.linalg.qr(np.random.default_rng(2).standard_normal((60, 6)))[0] if wide else np.eye(6)
    folds = list(KFold(3).split(X))
    ours = search.set_params(cv=folds).fit(X @ Q.T, Y, sample_weight=COUNTS)
    found = ours.cv_results_["mean_test_score"]
    decided = ours.decision_function(X_NEW @ Q.T)
    theirs = search.set_params(cv=folds_of_copies(folds)).fit(X_COPIES @ Q.T, Y_COPIES)
    assert_allclose(found, theirs.cv_results_["mean_test_score"], atol=1e-10)
    assert_allclose(decided, theirs.decision_function(X_NEW @ Q.T), atol=1e-8)


def test_a_fold_needs_rows_of_positive_weight():
    weights = np.where(np.arange(len(X)) < 24, 0.0, 1.0)
    folds = [(np.arange(24, 48), np.arange(24)), (np.arange(24), np.arange(24, 48))]
    model = ls.SharedSubspaceClassifierCV([0.1], [0.1], cv=folds)
    with pytest.raises(ValueError, match="Fold 0 of cv trains on 24 rows of positive weight"):
        model.fit(X, Y, sample_weight=weights)
    folds[0] = np.arange(24, 48), np.array([48])
    with pytest.raises(ValueError, match="Fold 0 of cv has row 48; rows go from 0 to 47"):
        model.set_params(cv=folds).fit(X, Y, sample_weight=weights)


def test_a_scorer_without_weights_is_refused():
    def losses(estimator, X, y):
        return -hamming_loss(y, estimator.predict(X))

    model = ls.SharedSubspaceClassifierCV([0.1], [0.1], scoring=losses)
    model.fit(X, Y)
    with pytest.raises(TypeError, match=r"scoring=<function .* takes no sample_weight"):
        model.fit(X, Y, sample_weight=COUNTS)
    scorer = make_scorer(hamming_loss, greater_is_better=False)
    model.set_params(scoring=scorer).fit(X, Y, sample_weight=COUNTS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("largest", "tolerance"), [(4000, 1e-8), (10, 1e-4)])
def test_turns_of_weighted_machines(limit, largest, tolerance):
    """By pairs of rows and, for many rows, row by row; solved to a tight tolerance."""
    limit("hinge Gram side", largest)
    limit("hinge tolerance", 1e-9)
    limit("hinge steps", 20_000)
    limit("hinge sweeps", 2000)
    model = ls.ASOClassifier(2, alpha=0.1, tol=0, max_iter=5, random_state=0)
    ours = model.fit(X, Y, sample_weight=COUNTS)
    found, objectives = ours.decision_function(X_NEW), ours.objectives_
    theirs = model.fit(X_COPIES, Y_COPIES)
    assert_allclose(objectives, theirs.objectives_, atol=tolerance)
    assert_allclose(found, theirs.decision_function(X_NEW), atol=10 * tolerance)


REGRESSORS = [Ridge(0.1), MultiOutputRegressor(Ridge(0.1)), KernelRidge(alpha=0.1, kernel="rbf")]


@pytest.mark.parametrize("regressor", REGRESSORS, ids=lambda r: type(r).__name__)
@pytest.mark.parametrize("method", [ls.PLST, ls.KernelCPLST])
def test_regressors_of_codes_get_the_weights(method, regressor):
    ours = method(2, regressor=regressor, ridge=0.1).fit(X, Y, sample_weight=COUNTS)
    theirs = method(2, regressor=regressor, ridge=0.1).fit(X_COPIES, Y_COPIES)
    # scikit-learn's KernelRidge divides the ridge of a row by its weight instead.
    expected = theirs.decision_function(X_NEW)
    assert_allclose(ours.decision_function(X_NEW), expected, atol=1e-8)


def test_a_regressor_without_weights_is_refused():
    for regressor in (KNeighborsRegressor(), make_pipeline(LinearRegression())):
        model = ls.CPLST(2, regressor=regressor, ridge=1.0)
        message = f"CPLST.fit takes no sample_weight: its regressor, {type(regressor).__name__}"
        with pytest.raises(TypeError, match=message):
            model.fit(X, Y, sample_weight=COUNTS)
        model.fit(X, Y)


PRECOMPUTED = [
    ls.KernelMDDM(2, kernel="precomputed"),
    ls.KernelMDDM(2, constraint="feature", kernel="precomputed"),
    ls.KernelLabelCCA(2, kernel="precomputed"),
    ls.KernelCPLST(2, kernel="precomputed"),
    ls.KernelSharedSubspaceClassifier(2, kernel="precomputed"),
    ls.KernelCPLSTCV(2, ridges=[0.1, 1.0], kernel="precomputed", cv=list(KFold(3).split(X))),
]


@pytest.mark.parametrize("model", PRECOMPUTED, ids=lambda m: type(m).__name__)
def test_rows_without_weight_stay_columns_of_a_given_kernel(model):
    """New rows are compared with all the rows that were given."""
    method = "transform" if hasattr(model, "transform") else "decision_function"
    kept = COUNTS > 0
    ours = model.fit(rbf_kernel(X), Y, sample_weight=COUNTS)
    found = getattr(ours, method)(rbf_kernel(X_NEW, X))
    named = model.set_params(kernel="rbf")
    if hasattr(model, "gammas"):
        named.set_params(gammas=[1 / 6])
    assert kept.sum() < len(X)
    expected = getattr(named.fit(X, Y, sample_weight=COUNTS), method)(X_NEW)
    assert_allclose(np.abs(found), np.abs(expected), atol=1e-8)


def test_a_given_label_kernel_has_the_rows_without_weight():
    def linear(Y):
        return Y @ Y.T

    expected = ls.KernelMDDM(2, gamma=0.1).fit(X, Y, sample_weight=COUNTS).transform(X_NEW)
    for given in (Y @ Y.T, Y.astype(float), linear):
        model = ls.KernelMDDM(2, gamma=0.1, label_kernel=given)
        found = model.fit(X, Y, sample_weight=COUNTS).transform(X_NEW)
        assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("shape", [(40, 90), (90, 40)])
def test_many_labels_by_their_short_side(limit, shape):
    """Directions of more labels than rows, and by Lanczos steps, from weighted rows."""
    rng = np.random.default_rng(0)
    Y = (rng.random(shape) < 0.1).astype(float)
    X, counts = rng.standard_normal((len(Y), 5)), rng.integers(0, 4, len(Y))
    copies = np.repeat(X, counts, axis=0), np.repeat(Y, counts, axis=0)
    expected = ls.PLST(4, ridge=1.0).fit(*copies)
    for side in (4000, 10):
        limit("exact label side", side)
        for form in (np.asarray, sparse.csr_array):
            model = ls.PLST(4, ridge=1.0, tol=1e-12).fit(X, form(Y), sample_weight=counts)
            assert_allclose(model.components_, expected.components_, atol=1e-8)
            assert_allclose(model.label_mean_, expected.label_mean_, atol=1e-12)
            assert_allclose(model.regressor_.coef_, expected.regressor_.coef_, atol=1e-8)


def test_weights_that_overflow_are_refused():
    model = ls.MDDM(2)
    with pytest.raises(ValueError, match=r"overflow: .* largest weight of a row 1e\+300"):
        model.fit(X, Y, sample_weight=1e300)
    assert not hasattr(model, "n_features_in_")
    expected = model.fit(X, Y).components_
    assert_allclose(model.fit(X, Y, sample_weight=1e100).components_, expected, atol=1e-8)


def test_labels_of_every_weighted_row_are_constant():
    """Rounding in sums of weights is neither a direction nor a feature that separates labels."""
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(X)) / 3
    constant = np.column_stack([np.ones(len(X)), np.zeros(len(X))])
    for Y in (constant, np.hstack([constant] * 30)):
        assert ls.PLST(ridge=0.0).fit(X, Y, sample_weight=weights).n_components_ == 0
    both = np.column_stack([constant, X[:, 0] > 0])
    one = ls.MultilabelFisherScore(2).fit(X, both[:, 2:], sample_weight=weights)
    assert_allclose(
        ls.MultilabelFisherScore(2).fit(X, both, sample_weight=weights).scores_, one.scores_
    )
