"""LabelSubset against pivoted QR, the published probabilities, and any classifier."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import labelspan as ls
from labelspan.labelspace import LabelSubset
from tests.labelspace.problems import problem
from tests.reference import labelspace as reference


@pytest.mark.parametrize("shape", [(80, 10, 6), (80, 4, 9), (20, 12, 30)])
def test_labels_decoding_and_scores_are_those_of_the_transcription(shape):
    n, n_features, n_labels = shape
    X, Y = problem(1, n, n_features, n_labels)
    whole = LabelSubset().fit(X, Y)
    assert whole.n_components_ == np.linalg.matrix_rank(Y)
    for M in (1, 3, 5):
        model = LabelSubset(M).fit(X, Y)
        labels, decoding = reference.column_subset(X, Y, M)
        np.testing.assert_array_equal(model.labels_, labels)
        np.testing.assert_allclose(model.decoding_, decoding, atol=1e-8)
        fitted = LinearRegression().fit(X, Y[:, labels]).predict(X)
        np.testing.assert_allclose(model.decision_function(X) + 0.5, fitted @ decoding, atol=1e-8)
        short = whole.truncate(M)
        np.testing.assert_array_equal(short.labels_, labels)
        np.testing.assert_allclose(short.decision_function(X), model.decision_function(X))


def test_the_pivots_are_what_the_labels_before_leave():
    X, Y = problem(2)
    model = LabelSubset(4).fit(X, Y)
    for m, label in enumerate(model.labels_):
        basis = Y[:, model.labels_[:m]].astype(float)
        left = Y[:, label] - basis @ np.linalg.pinv(basis) @ Y[:, label]
        np.testing.assert_allclose(model.eigenvalues_[m], left @ left)


def test_leverage_draws_with_the_published_probabilities():
    X, Y = problem(3, n_labels=5)
    expected = reference.leverage_probabilities(Y, 2)
    models = [
        LabelSubset(2, selection="leverage", random_state=seed).fit(X, Y) for seed in range(2000)
    ]
    assert {len(model.labels_) for model in models} == {2}
    counts = np.bincount([model.labels_[0] for model in models], minlength=5)
    # Four standard deviations of each count.
    deviations = np.sqrt(2000 * expected * (1 - expected))
    assert (np.abs(counts - 2000 * expected) <= 4 * deviations).all()
    # Other shares would be noticed: those of one label or three, or equal ones.
    for M in (1, 3, 5):
        other = reference.leverage_probabilities(Y, M)
        assert (np.abs(counts - 2000 * other) > 4 * deviations).any()


def test_leverage_is_reproducible_and_distinct():
    X, Y = problem(4, n_labels=8)
    one, two = (
        LabelSubset(5, selection="leverage", random_state=3).fit(X, Y).labels_ for _ in "12"
    )
    np.testing.assert_array_equal(one, two)
    assert len(set(one)) == 5
    decoding = np.linalg.pinv(Y[:, one].astype(float)) @ Y
    model = LabelSubset(5, selection="leverage", random_state=3).fit(X, Y)
    np.testing.assert_allclose(model.decoding_, decoding, atol=1e-8)


def presence(classifier, X, y):
    """Probabilities, or else predictions, of labels y (n,) or (n, M) on the training rows."""
    model = clone(classifier).fit(X, y)
    if not hasattr(model, "predict_proba"):
        return model.predict(X).reshape(len(X), -1)
    P = model.predict_proba(X)
    if isinstance(P, list):
        return np.column_stack([p[:, 1] for p in P])
    return P[:, 1:] if y.ndim == 1 else P


@pytest.mark.parametrize(
    ("classifier", "joint"),
    [
        (LogisticRegression(), False),
        (LinearSVC(), False),
        (KNeighborsClassifier(3), True),
        (RandomForestClassifier(5, random_state=0), True),
        (ls.MLkNN(3), True),
        (ls.LaRankSVM(random_state=0), True),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("M", [1, 2, 4])
def test_any_classifier_learns_the_labels(classifier, joint, M):
    X, Y = problem(5)
    # The label of all rows, which most classifiers refuse, is the first to be chosen.
    Y[:, 2] = 1
    model = LabelSubset(M, classifier=classifier).fit(X, Y)
    assert model.labels_[0] == 2
    codes, others = [np.ones((len(X), 1))], Y[:, model.labels_[1:]]
    if joint and M > 2:
        codes.append(presence(classifier, X, others))
    else:
        codes += [presence(classifier, X, y) for y in others.T]
    theirs = np.hstack(codes) @ model.decoding_
    np.testing.assert_allclose(model.decision_function(X) + 0.5, theirs, atol=1e-12)


def test_sparse_labels_and_features_reach_the_classifier():
    X, Y = problem(7)
    dense = LabelSubset(3, classifier=LogisticRegression()).fit(X, Y)
    thin = LabelSubset(3, classifier=LogisticRegression()).fit(
        sparse.csr_array(X), sparse.csr_array(Y)
    )
    np.testing.assert_allclose(
        thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-3
    )


def test_truncated_models_of_classifiers():
    X, Y = problem(8)
    model = LabelSubset(4, classifier=LogisticRegression()).fit(X, Y)
    fresh = LabelSubset(2, classifier=LogisticRegression()).fit(X, Y)
    np.testing.assert_allclose(model.truncate(2).decision_function(X), fresh.decision_function(X))
    forest = LabelSubset(4, classifier=RandomForestClassifier(5, random_state=0)).fit(X, Y)
    with pytest.raises(ValueError, match="learnt independently: None, MultiOutputClassifier"):
        forest.truncate(2)
    drawn = LabelSubset(4, selection="leverage", random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="truncate needs selection='pivoted'"):
        drawn.truncate(2)


def test_codes_are_the_labels_and_the_encoding_error_is_what_they_leave():
    X, Y = problem(9)
    model = LabelSubset(3).fit(X, Y)
    np.testing.assert_array_equal(model.encode(Y), Y[:, model.labels_])
    left = Y - Y[:, model.labels_] @ model.decoding_
    np.testing.assert_allclose(model.errors(X, Y).encoding, np.square(left).sum())


def test_sums_of_other_labels_are_not_learnt():
    X, Y = problem(10, n_labels=4)
    Y = np.column_stack([Y, Y[:, 1], np.zeros(len(Y), dtype=int)])
    with pytest.warns(UserWarning, match="n_components=6 is more than the 4 labels that are not"):
        model = LabelSubset(6).fit(X, Y)
    assert 5 not in model.labels_
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores[:, 1], scores[:, 4], atol=1e-10)
    np.testing.assert_allclose(scores[:, 5], -0.5)


@pytest.mark.parametrize("classifier", [None, BernoulliNB()], ids=["none", "BernoulliNB"])
def test_a_weight_is_a_number_of_copies(classifier):
    X, Y = problem(14)
    weights = np.arange(len(X)) % 3
    copies = np.repeat(np.arange(len(X)), weights)
    weighed = LabelSubset(3, classifier=classifier).fit(X, Y, sample_weight=weights)
    copied = LabelSubset(3, classifier=classifier).fit(X[copies], Y[copies])
    np.testing.assert_array_equal(weighed.labels_, copied.labels_)
    np.testing.assert_allclose(
        weighed.decision_function(X), copied.decision_function(X), atol=1e-10
    )


def test_weights_need_a_classifier_that_takes_them():
    X, Y = problem(15)
    with pytest.raises(TypeError, match="its classifier, KNeighborsClassifier, takes none"):
        LabelSubset(classifier=KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(len(X)))


def test_a_regressor_is_refused():
    X, Y = problem(12)
    with pytest.raises(TypeError, match="classifier is LinearRegression, which is not a class"):
        LabelSubset(classifier=LinearRegression()).fit(X, Y)


def test_a_classifier_does_not_learn_from_chunks():
    with pytest.raises(AttributeError) as refusal:
        LabelSubset(classifier=LogisticRegression()).partial_fit(*problem(13))
    assert "Set classifier=None for least squares, or use fit" in str(refusal.value.__cause__)
    model = LabelSubset(3).partial_fit(*problem(13))
    with pytest.raises(ValueError, match="cannot learn from chunks any more: classifier=Logistic"):
        model.set_params(classifier=LogisticRegression()).predict(problem(13)[0])


def test_a_classifier_does_not_learn_from_blocks():
    dask = pytest.importorskip("dask.array")
    X, Y = problem(11)
    blocks = dask.from_array(X, chunks=(40, 10)), dask.from_array(Y, chunks=(40, 6))
    with pytest.raises(TypeError, match="only classifier=None learns from blocks"):
        LabelSubset(classifier=LogisticRegression()).fit(*blocks)
