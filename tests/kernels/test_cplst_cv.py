"""KernelCPLSTCV: every point of its grid is a separate cross-validation of KernelCPLST."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.metrics import hamming_loss, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit

from labelspan.kernels import KernelCPLST, KernelCPLSTCV
from labelspan.kernels import _cplst_cv as module
from tests.kernels.problems import problem

GAMMAS, RIDGES = [0.02, 0.2], [0.1, 1.0, 10.0]
LOSS = make_scorer(hamming_loss, greater_is_better=False)


@pytest.mark.parametrize("n_components", [1, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_grid_is_that_of_separate_fits(n_components, form):
    X, Y = problem(90)
    folds = KFold(4, shuffle=True, random_state=0)
    search = KernelCPLSTCV(n_components, gammas=GAMMAS, ridges=RIDGES, cv=folds)
    search.fit(form(X), Y)
    slow = GridSearchCV(
        KernelCPLST(n_components),
        {"gamma": GAMMAS, "ridge": RIDGES},
        cv=folds,
        scoring=LOSS,
    ).fit(X, Y)
    assert search.cv_results_["params"] == slow.cv_results_["params"]
    for i in range(4):
        name = f"split{i}_test_score"
        np.testing.assert_allclose(search.cv_results_[name], slow.cv_results_[name], atol=1e-12)
    assert search.best_params_ == slow.best_params_
    np.testing.assert_allclose(
        search.decision_function(form(X)), slow.best_estimator_.decision_function(X), atol=1e-9
    )
    np.testing.assert_array_equal(
        search.cv_results_["rank_test_score"], slow.cv_results_["rank_test_score"]
    )


def test_without_a_number_of_codes_the_mean_over_all_counts():
    X, Y = problem(90)
    folds = KFold(3, shuffle=True, random_state=0)
    search = KernelCPLSTCV(gammas=GAMMAS, ridges=RIDGES, cv=folds).fit(X, Y)
    singles = [
        KernelCPLSTCV(M, gammas=GAMMAS, ridges=RIDGES, cv=folds)
        .fit(X, Y[:, :4])
        .cv_results_["mean_test_score"]
        for M in (1, 2, 3, 4)
    ]
    losses = search.cv_results_["mean_hamming_loss"]
    # The fifth label has no rows: it is never predicted and never wrong.
    np.testing.assert_allclose(-losses[:, :4].T * 5 / 4, singles, atol=1e-12)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], -losses.mean(axis=1))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_with_all_rows_as_landmarks_the_search_is_the_exact_one(form):
    X, Y = problem(90)
    folds = KFold(4, shuffle=True, random_state=0)
    exact = KernelCPLSTCV(2, gammas=GAMMAS, ridges=RIDGES, cv=folds).fit(X, Y)
    search = KernelCPLSTCV(2, gammas=GAMMAS, ridges=RIDGES, cv=folds, n_landmarks=90)
    search.fit(form(X), Y)
    np.testing.assert_allclose(
        search.cv_results_["mean_hamming_loss"], exact.cv_results_["mean_hamming_loss"], atol=1e-12
    )
    scores = search.decision_function(form(X))
    np.testing.assert_allclose(scores, exact.decision_function(X), atol=1e-7)


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans", "leverage"])
@pytest.mark.parametrize(
    "folds", [KFold(4), ShuffleSplit(3, test_size=0.3, random_state=0)], ids=["folds", "overlap"]
)
def test_the_grid_with_landmarks_is_that_of_ridge_regression_on_their_features(landmarks, folds):
    """Features of the fitted landmarks, regressed fold by fold by scikit-learn's Ridge."""
    X, Y = problem(90)
    search = KernelCPLSTCV(
        gammas=[0.2], ridges=RIDGES, cv=folds, n_landmarks=20, landmarks=landmarks, random_state=3
    ).fit(X, Y)
    best = search.best_estimator_
    assert len(best.landmark_indices_) == 20
    some = X[best.landmark_indices_]
    values, U = np.linalg.eigh(rbf_kernel(some, gamma=0.2))
    Z = rbf_kernel(X, some, gamma=0.2) @ (U / np.sqrt(values))
    # With all codes the directions do not matter; a label without rows has none.
    losses = [
        np.mean(
            [
                hamming_loss(Y[test], Ridge(ridge).fit(Z[train], Y[train]).predict(Z[test]) > 0.5)
                for train, test in folds.split(X)
            ]
        )
        for ridge in RIDGES
    ]
    np.testing.assert_allclose(search.cv_results_["mean_hamming_loss"][:, -1], losses, atol=1e-12)


def test_a_search_with_landmarks_repeats_itself_by_its_seed():
    X, Y = problem(90)
    parameters = {"gammas": GAMMAS, "ridges": RIDGES, "n_landmarks": 15}
    first, again = (KernelCPLSTCV(**parameters, random_state=1).fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(first.decision_function(X), again.decision_function(X))
    other = KernelCPLSTCV(**parameters, random_state=2).fit(X, Y)
    assert np.any(
        first.best_estimator_.landmark_indices_ != other.best_estimator_.landmark_indices_
    )
    K = rbf_kernel(X, gamma=0.2)
    given = KernelCPLSTCV(kernel="precomputed", ridges=RIDGES, n_landmarks=15, random_state=1)
    rows = KernelCPLSTCV(gammas=[0.2], ridges=RIDGES, n_landmarks=15, random_state=1).fit(X, Y)
    np.testing.assert_allclose(given.fit(K, Y).decision_function(K), rows.decision_function(X))


def test_one_decomposition_a_width(monkeypatch):
    X, Y = problem(60)
    calls = []
    true_spectrum = module.kernel_spectrum
    monkeypatch.setattr(
        module, "kernel_spectrum", lambda *args: calls.append(1) or true_spectrum(*args)
    )
    KernelCPLSTCV(gammas=[0.1, 1.0, 2.0], ridges=RIDGES, cv=5).fit(X, Y)
    assert len(calls) == 3
    KernelCPLSTCV(kernel="linear", gammas=[0.1, 1.0], ridges=RIDGES).fit(X, Y)
    assert len(calls) == 4


def widths_of(X, **parameters):
    """The widths that a search over rows tries."""
    search = KernelCPLSTCV(ridges=[1e3], cv=2, **parameters).fit(X, problem(60)[1])
    return list(dict.fromkeys(search.cv_results_["param_gamma"]))


def test_precomputed_kernels_classes_and_default_widths():
    X, Y = problem(60)
    folds = KFold(3)
    given = KernelCPLSTCV(kernel="precomputed", ridges=RIDGES, cv=folds)
    given.fit(rbf_kernel(X, gamma=0.2), Y)
    rows = KernelCPLSTCV(gammas=[0.2], ridges=RIDGES, cv=folds).fit(X, Y)
    np.testing.assert_allclose(
        given.cv_results_["mean_test_score"], rows.cv_results_["mean_test_score"]
    )
    words = np.where(Y[:, 0] == 1, "yes", "no")
    named = KernelCPLSTCV(cv=3).fit(pd.DataFrame(X), words)
    assert (named.predict(pd.DataFrame(X)) == words).mean() > 0.8
    widths = np.unique(named.cv_results_["param_gamma"].astype(float))
    differences = X[:, None] - X
    # The middle width gives rows at the mean squared distance a kernel value of exp(-2).
    np.testing.assert_allclose(widths[4] * np.mean(np.sum(differences**2, axis=2)), 2.0)
    np.testing.assert_allclose(widths / widths[4], 4.0 ** np.arange(-4, 3))
    for other in (sparse.csr_array(X), X + np.arange(8) * 100.0):
        np.testing.assert_allclose(widths_of(other), widths)


@pytest.mark.parametrize("value", [0.0, 0.1, 1.0, 1e5 + 0.1])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_constant_features_leave_no_scale(form, value):
    assert widths_of(form(np.full((60, 3), value)))[4] == 1.0
    one_varies = np.full((60, 3), value)
    one_varies[:, 1] += np.arange(60)
    width = widths_of(form(one_varies))[4]
    assert width == pytest.approx(1 / np.var(np.arange(60)))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_features_without_a_usable_scale(form):
    X, Y = problem(60)
    with pytest.raises(ValueError, match="no width of the kernel can be taken"):
        KernelCPLSTCV().fit(form(X * 1e-158), Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gammas": [0.1, 0.0]}, "gammas holds 0; allowed are finite numbers > 0"),
        ({"ridges": [-1.0]}, "ridges holds -1; allowed are finite numbers > 0"),
        ({"ridges": []}, "ridges is empty; pass at least one number > 0"),
        (
            {"cv": ShuffleSplit(2, test_size=0.2, train_size=0.5, random_state=0)},
            "Fold 0 of cv trains on 30 rows and holds out 12 of 60; .*each of the others once",
        ),
    ],
)
def test_refusals(parameters, message):
    X, Y = problem(60)
    with pytest.raises(ValueError, match=message):
        KernelCPLSTCV(**parameters).fit(X, Y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_features_that_vary_a_little_about_a_large_mean_have_their_scale(form):
    X = 1e5 + 1e-6 * np.arange(60.0)[:, None]
    width = widths_of(form(X))[4]
    assert width == pytest.approx(1e12 / np.var(np.arange(60)), rel=1e-3)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_scale_of_float32_features_is_taken_in_float64(form):
    X = (problem(60)[0] + 3000.0).astype(np.float32)
    expected = widths_of(X.astype(np.float64))
    np.testing.assert_allclose(widths_of(form(X)), expected, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "cosine", "precomputed", np.dot])
def test_kernels_without_a_width_have_one_candidate(kernel):
    X, _ = problem(60)
    assert widths_of(X @ X.T if kernel == "precomputed" else X, kernel=kernel) == [None]
