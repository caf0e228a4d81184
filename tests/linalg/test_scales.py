"""Columns in units far apart: every linear class against references in 80 digits."""

from contextlib import nullcontext
from functools import cache, partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score

import labelspan as ls
from labelspan.classifiers import MultiOutputRidge
from labelspan.labelspace import CPLST, LEML, OCCA, PLST, FaIE, LabelSubset
from labelspan.linalg import Whitened, _leading, squared
from labelspan.subspace import SharedSubspaceClassifier, SharedSubspaceClassifierCV
from tests.comparison import sine
from tests.reference import multiprecision as exact

D = 8
SCALES = {
    "ascending": np.logspace(0, 12, D),
    "descending": np.logspace(12, 0, D),
    "mixed": 10 ** np.random.default_rng(5).uniform(0, 12, D),
    "other": 10 ** np.random.default_rng(11).uniform(0, 12, D),
    "tiny": 10 ** np.random.default_rng(7).uniform(-12, 0, D),
    "one": np.where(np.arange(D) == 3, 3e9, 1.0),
}
# A column that is another in a unit 2^30 times as small, exactly: the rank is D - 1.
TWINS = "twins"
PROBLEMS = [*SCALES, TWINS]


@cache
def problem(case, n_rows=40):
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((n_rows, D)) + rng.random(D)
    scores = Z @ rng.standard_normal((D, 3)) + rng.standard_normal((n_rows, 3))
    Y = (scores > np.median(scores, axis=0)).astype(int)
    if case == TWINS:
        Z[:, 5] = Z[:, 2] * 2.0**30
        return Z, Y
    return Z * SCALES[case], Y


def lengths(X):
    return np.linalg.norm(X - X.mean(axis=0), axis=0)[:, None]


def assert_same_columns(ours, theirs, X, tolerance=1e-8):
    """Coefficients (D, k), each times the length of its column, relative to the largest."""
    error = np.abs(ours - theirs) * lengths(X)
    assert (error <= tolerance * (np.abs(theirs) * lengths(X)).max(axis=0)).all()


def longer(model, n):
    """Directions of n rows relative to P'BP = I, where projections have a variance of about 1."""
    a = getattr(model, "mu_", 1.0 if hasattr(model, "ridge_") else 0.0)
    return np.sqrt(n * a) if a else 1.0


def assert_same_pairs(model, values, vectors, X, tolerance=1e-8):
    """Every eigenvalue relative to itself; directions whose eigenvalues are separated."""
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=tolerance)
    ratio = values[1:] / values[:-1] < 0.99
    apart = np.r_[True, ratio] & np.r_[ratio, True]
    assert apart.any()
    V = model.components_.T[:, apart] / longer(model, len(X))
    V = V * np.sign(np.sum(V * vectors[:, apart] * lengths(X) ** 2, axis=0))
    assert_same_columns(V, vectors[:, apart], X, tolerance)


THIN = {
    "mddm-p": (ls.MDDM(None), partial(exact.thin, a=0, b=1)),
    "mddm-f": (ls.MDDM(None, constraint="feature", mu=0.5), partial(exact.thin, a=0.5, b=0.5)),
    "mddm-f-1": (ls.MDDM(None, constraint="feature", mu=1.0), partial(exact.thin, a=1, b=0)),
    "opls": (ls.OPLS(None, ridge=0.1), partial(exact.thin, a=1, b=0.1)),
    "opls-0": (ls.OPLS(None, ridge=0.0), partial(exact.thin, a=1, b=0)),
    "cca": (
        ls.LabelCCA(None, ridge=0.1, label_ridge=0.1),
        partial(exact.thin, a=1, b=0.1, label_ridge=0.1),
    ),
    "cca-0": (
        ls.LabelCCA(None, ridge=0.0, label_ridge=0.0),
        partial(exact.thin, a=1, b=0, label_ridge=0),
    ),
    "mvmd": (ls.MVMD(None), exact.mvmd),
    "mvmd-1": (ls.MVMD(None, beta=1.0), partial(exact.mvmd, beta=1)),
    "mlsi": (ls.MLSI(None), exact.mlsi),
    "mlsi-0": (ls.MLSI(None, ridge=0.0), partial(exact.mlsi, ridge=0)),
    "mlsi-1": (ls.MLSI(None, beta=1.0), partial(exact.mlsi, beta=1)),
}
TWO_PASS = {"mlda": (ls.MLDA(None), exact.mlda), "dmlda": (ls.DMLDA(None), exact.dmlda)}
REDUCERS = {**THIN, **TWO_PASS}


@cache
def reference(name, case, n_rows=40):
    return REDUCERS[name][1](*problem(case, n_rows))


@pytest.mark.parametrize("case", PROBLEMS)
@pytest.mark.parametrize("name", REDUCERS)
def test_reducers_do_not_see_units(name, case):
    X, Y = problem(case)
    assert_same_pairs(clone(REDUCERS[name][0]).fit(X, Y), *reference(name, case), X)


@pytest.mark.parametrize("name", THIN)
def test_chunks_do_not_see_units(name):
    X, Y = problem("mixed")
    model = clone(THIN[name][0])
    for rows in np.array_split(np.arange(len(X)), 3):
        model.partial_fit(X[rows], Y[rows])
    assert_same_pairs(model, *reference(name, "mixed"), X)


@pytest.mark.parametrize("case", ["ascending", "mixed", "one"])
@pytest.mark.parametrize("name", ["mddm-p", "mddm-f", "opls", "opls-0", "mvmd", "mlsi", "mlda"])
@pytest.mark.filterwarnings("ignore:Without a ridge the features fit any label")
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_fewer_rows_than_features_do_not_see_units(name, case, form):
    X, Y = problem(case, 7)
    model = clone(REDUCERS[name][0]).fit(form(X), Y)
    assert_same_pairs(model, *reference(name, case, 7), X)


def test_dask_does_not_see_units():
    da = pytest.importorskip("dask.array")
    X, Y = problem("mixed")
    for name in ("opls", "opls-0", "mvmd", "mlda", "dmlda"):
        model = clone(REDUCERS[name][0]).fit(da.from_array(X, chunks=(15, D)), Y)
        assert_same_pairs(model, *reference(name, "mixed"), X)
    model = MultiOutputRidge(0.1).fit(da.from_array(X, chunks=(15, D)), Y)
    assert_same_columns(model.coef_.T, exact.ridge(X, Y, 0.1), X)


def linear_codes(model):
    """Coefficients (D, q) of 2 Y - 1 from those of all codes."""
    return 2 * model.regressor_.coef_.T @ model.components_


# Seven rows of more features are interpolated without a ridge; CPLST warns.
@pytest.mark.filterwarnings("ignore:Without a ridge the features:UserWarning")
@pytest.mark.parametrize("n_rows", [40, 7], ids=["tall", "wide"])
@pytest.mark.parametrize("case", PROBLEMS)
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_regressions_do_not_see_units(case, ridge, n_rows):
    if case == TWINS and n_rows < D:
        pytest.skip("fewer rows than features leave no rank to lose")
    X, Y = problem(case, n_rows)
    coef = exact.ridge(X, Y, ridge)
    assert_same_columns(MultiOutputRidge(ridge).fit(X, Y).coef_.T, coef, X)
    assert_same_columns(linear_codes(PLST(ridge=ridge).fit(X, Y)), coef, X)
    assert_same_columns(linear_codes(CPLST(ridge=ridge).fit(X, Y)), coef, X)
    values = np.linalg.eigvalsh(exact.hat(X, Y, ridge))[::-1]
    np.testing.assert_allclose(CPLST(ridge=ridge).fit(X, Y).eigenvalues_, values, rtol=1e-8)
    if n_rows > D:
        model = OCCA(ridge=ridge).fit(X, Y)
        assert_same_columns(linear_codes(model), coef, X)
        Yc = Y - Y.mean(axis=0)
        errors = np.linalg.eigvalsh(Yc.T @ Yc - exact.hat(X, Y, ridge))
        np.testing.assert_allclose(model.eigenvalues_, errors, rtol=1e-8)


@pytest.mark.parametrize("n_rows", [40, 7], ids=["tall", "wide"])
@pytest.mark.parametrize("case", SCALES)
@pytest.mark.parametrize("beta", [0.0, 0.01])
def test_the_shared_subspace_does_not_see_units(case, beta, n_rows):
    X, Y = problem(case, n_rows)
    U, Q = exact.shared_subspace(X, Y, 2, 0.1, beta)
    model = SharedSubspaceClassifier(2, alpha=0.1, beta=beta).fit(X, Y)
    assert_same_columns(model.coef_.T, U, X)
    theta = model.theta_.T * np.sign(np.sum(model.theta_.T * Q * lengths(X) ** 2, axis=0))
    assert_same_columns(theta, Q, X)


@pytest.mark.parametrize("shared", ["own", "shared"])
@pytest.mark.parametrize("shape", [(60, 8), (20, 30)], ids=["tall", "wide"])
def test_a_search_scores_what_a_fit_scores(shape, shared):
    rng = np.random.default_rng(2)
    X = rng.standard_normal(shape)
    Y = (X[:, :3] + 0.5 * rng.standard_normal((len(X), 3)) > 0).astype(int)
    X[:, 4] = 1.7e9 + 3e7 * X[:, 4]
    folds = [(np.arange(len(X))[i::2], np.arange(len(X))[1 - i :: 2]) for i in range(2)]
    search = SharedSubspaceClassifierCV(
        alphas=[0.1], betas=[0.01], cv=folds, fold_statistics=shared, scoring="roc_auc",
        threshold=None, n_components=2,
    ).fit(X, Y)  # fmt: skip
    for i, (train, test) in enumerate(folds):
        fitted = SharedSubspaceClassifier(2, alpha=0.1, beta=0.01).fit(X[train], Y[train])
        score = roc_auc_score(Y[test], fitted.decision_function(X[test]))
        assert search.cv_results_[f"split{i}_test_score"][0] == pytest.approx(score, abs=1e-12)


LARGE = {
    "stamp": [(5, 3e7, 1.7e9)],
    "two": [(5, 3e7, 1.7e9), (9, 1e9, 0.0)],
    "sparse": [(7, 1e8, None)],
}


def with_large_columns(case, shape):
    """A sparse X with one or two columns that are dense and large, or sparse and large."""
    rng = np.random.default_rng(0)
    X = rng.random(shape) * (rng.random(shape) < 0.1)
    Y = (X @ rng.standard_normal((shape[1], 4)) + 0.3 * rng.standard_normal((len(X), 4)) > 0.3) * 1
    for column, scale, mean in LARGE[case]:
        if mean is None:
            X[:, column] *= scale
        else:
            X[:, column] = mean + scale * rng.standard_normal(len(X))
    return X, Y


@pytest.mark.parametrize("shape", [(300, 120), (150, 300)], ids=["tall", "wide"])
@pytest.mark.parametrize("case", LARGE)
@pytest.mark.parametrize(
    "model",
    [
        ls.OPLS(3, ridge=0.1),
        ls.LabelCCA(3, ridge=0.1),
        ls.MDDM(3, constraint="feature", mu=0.5),
        ls.MLDA(3),
        ls.MVMD(6),
        MultiOutputRidge(0.1),
        CPLST(3, ridge=1.0),
        SharedSubspaceClassifier(2, alpha=0.1, beta=0.01),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_matrix_free_route_does_not_see_units(model, case, shape, limit):
    X, Y = with_large_columns(case, shape)
    direct = clone(model).fit(X, Y)
    limit("krylov side", 10)
    krylov = clone(model).fit(sparse.csr_array(X), Y)
    if isinstance(model, ls.base.LinearReducer):
        assert krylov.solver_ == "krylov"
        assert krylov.n_components_ == direct.n_components_
        a, b = krylov.transform(X), direct.transform(X)
        # The directions of LabelCCA nearly tie; what they span does not.
        assert sine(a, b) < 1e-6
    else:
        a, b = krylov.decision_function(X), direct.decision_function(X)
        np.testing.assert_allclose(a, b, atol=1e-6 * np.abs(b).max())


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_time_stamp_does_not_hide_the_features(form):
    # A reported case: 50 features in [0, 1] and a time stamp in seconds.
    rng = np.random.default_rng(3)
    features = rng.random((600, 50))
    X = np.column_stack([features, 1.7e9 + 3e7 * rng.standard_normal(600)])
    Y = ((features - 0.5) @ rng.standard_normal((50, 6)) > 0).astype(int)
    Y = np.where(rng.random(Y.shape) < 0.05, 1 - Y, Y)
    train, test = slice(0, 400), slice(400, None)

    def auc(scores):
        return roc_auc_score(Y[test], scores, average="macro")

    goal = auc(Ridge(1.0, solver="svd").fit(X[train], Y[train]).predict(X[test]))
    assert goal > 0.8
    for model in (
        MultiOutputRidge(1.0), PLST(ridge=1.0), PLST(ridge=0.0), CPLST(ridge=1.0),
        CPLST(ridge=0.0), OCCA(ridge=1.0),
        MultiOutputRidge(), CPLST(), SharedSubspaceClassifier(),
        SharedSubspaceClassifier(alpha=0.1, beta=0.01),
        FaIE(ridge=1.0), FaIE(ridge=0.0), LabelSubset(),
        LEML(ridge=0.1),
    ):  # fmt: skip
        # Its bound depends on the units of the columns, so the gap stays open, and LEML warns.
        told = pytest.warns(ConvergenceWarning, match="scale the features")
        with told if isinstance(model, LEML) else nullcontext():
            fitted = model.fit(form(X[train]), Y[train])
        assert auc(fitted.decision_function(form(X[test]))) > goal - 0.01, model
    for model in (
        ls.OPLS(None),
        ls.LabelCCA(None),
        ls.HSL(None),
        ls.MDDM(None, constraint="feature"),
        ls.OPLS(None, ridge=0.1),
        ls.LabelCCA(None, ridge=0.1),
        ls.MDDM(None, constraint="feature", mu=0.5),
    ):
        fitted = model.fit(form(X[train]), Y[train])
        assert fitted.n_components_ == 6
        Z = fitted.transform(form(X[train])), fitted.transform(form(X[test]))
        assert auc(Ridge(1e-3).fit(Z[0], Y[train]).predict(Z[1])) > goal - 0.01, model


def test_rotations_are_only_for_requested_directions_that_a_gram_matrix_loses(rng, monkeypatch):
    scales = np.logspace(0, -9, 8)
    W = scales[:, None] * rng.standard_normal((8, 8))
    whitened = Whitened(W, lambda Y: Y, scales**2)
    calls, decompose = [], _leading.scaled_svd
    monkeypatch.setattr(_leading, "scaled_svd", lambda *args: calls.append(1) or decompose(*args))
    few, all_ = squared(whitened, 2), squared(whitened, None)
    assert len(calls) == 1
    assert sine(few.vectors, all_.vectors[:, :2]) < 1e-12
    np.testing.assert_allclose(few.values[:2], all_.values[:2], rtol=1e-12)
    # The eighth is 1e-18 of the first.
    squared(whitened, 8)
    assert len(calls) == 2
