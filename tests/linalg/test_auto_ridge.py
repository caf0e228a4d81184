"""A ridge that is chosen: the same from any form of the rows, and that of the definition."""

from inspect import signature

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import labelspan as ls
from labelspan.classifiers import MultiOutputRidge
from labelspan.kernels import kernel_path
from labelspan.labelspace import (
    CPLST,
    OCCA,
    PLST,
    CompressedSensing,
    FaIE,
    LabelSpaceCCA,
    PartialBinaryRelevance,
)
from labelspan.linalg import units_of
from tests.laws.test_laws import problem
from tests.reference.extraction import auto_ridge, auto_ridge_of_available
from tests.reference.subspace import auto_prices
from tests.registry import ESTIMATORS

MODELS = [
    ls.OPLS(None),
    ls.LabelCCA(None),
    ls.HSL(None),
    ls.HSL(None, expansion="zhou"),
    ls.MDDM(None, constraint="feature"),
    ls.MDDM(None, constraint="feature", label_correlation="rbf", label_width=5.0),
    MultiOutputRidge(),
    PLST(2),
    CPLST(2),
    OCCA(2),
    FaIE(2),
    ls.SharedSubspaceClassifier(2),
]
LINEAR = {"kernel": "linear"}
KERNELS = [
    (ls.KernelLabelCCA(None, **LINEAR), ls.LabelCCA(None)),
    (ls.KernelHSL(None, **LINEAR), ls.HSL(None)),
    (ls.KernelHSL(None, expansion="zhou", **LINEAR), ls.HSL(None, expansion="zhou")),
    (ls.KernelMDDM(None, constraint="feature", **LINEAR), ls.MDDM(None, constraint="feature")),
    (ls.KernelCPLST(2, **LINEAR), CPLST(2)),
    (ls.KernelSharedSubspaceClassifier(2, **LINEAR), ls.SharedSubspaceClassifier(2)),
]
SHAPES = pytest.mark.parametrize("shape", [(90, 12), (25, 40)], ids=["tall", "wide"])
EVERY = pytest.mark.parametrize("model", MODELS, ids=str)


# A mean and a standard deviation for each column in large units, beside columns of unit scale.
STAMP = (1.7e9, 3e7)
LARGE = {"one": [STAMP], "two": [STAMP, (0.0, 1e5)], "three": [(0.0, 3e7), STAMP, (1e6, 1e4)]}
CHOOSING = [
    *MODELS,
    PartialBinaryRelevance(2, random_state=0),
    CompressedSensing(2, random_state=0),
    LabelSpaceCCA(2),
    ls.EmbeddingReducer(2),
    ls.MultilabelRidgeCV(kernel="linear", scale=None),
]


def with_large_units(columns, shape):
    """Unit columns that tell the labels, the same with others, and the labels."""
    rng = np.random.default_rng(3)
    features = rng.random(shape)
    Y = ((features - 0.5) @ rng.standard_normal((shape[1], 4)) > 0).astype(int)
    Y = np.where(rng.random(Y.shape) < 0.05, 1 - Y, Y)
    large = [mean + scale * rng.standard_normal(shape[0]) for mean, scale in columns]
    return features, np.column_stack([features, *large]), Y


def chosen(model):
    """The ridge, of MDDM that of its mu, of a shared subspace that of the labels outside it."""
    if hasattr(model, "alpha_"):
        return model.alpha_ + model.beta_
    return 1 / model.mu_ - 1 if hasattr(model, "mu_") else model.ridge_


def fitted(model, *data, **weights):
    return chosen(clone(model).fit(*data, **weights))


@EVERY
@SHAPES
def test_every_form_of_the_rows_gives_the_same_ridge(model, shape, rng):
    X, Y = problem(rng, *shape)
    order, labels, columns = (rng.permutation(n) for n in (*X.shape, Y.shape[1]))
    expected = fitted(model, X, Y)
    da = pytest.importorskip("dask.array")
    blocks = da.from_array(X, chunks=(10, -1)), da.from_array(Y, chunks=(10, -1))
    for data in (
        (sparse.csr_array(X), sparse.csr_array(Y)),
        blocks,
        (X[order], Y[order]),
        (X[:, labels], Y[:, columns]),
        (np.column_stack([X, np.ones(len(X))]), Y),
    ):
        assert fitted(model, *data) == pytest.approx(expected, rel=1e-10)
    assert fitted(model, 1e3 * X, Y) == pytest.approx(1e6 * expected, rel=1e-10)
    counts = rng.integers(0, 3, len(X))
    copies = np.repeat(np.arange(len(X)), counts)
    weighted = fitted(model, X, Y, sample_weight=counts)
    assert weighted == pytest.approx(fitted(model, X[copies], Y[copies]), rel=1e-10)


@pytest.mark.parametrize("model", [m for m in MODELS if hasattr(m, "partial_fit")], ids=str)
@SHAPES
def test_chunks_give_the_same_ridge(model, shape, rng):
    X, Y = problem(rng, *shape)
    parts = np.array_split(np.arange(len(X)), 4)
    streamed = clone(model).fit_blocks((X[rows], Y[rows]) for rows in parts)
    assert chosen(streamed) == pytest.approx(fitted(model, X, Y), rel=1e-10)


@SHAPES
def test_the_ridge_of_the_regression_is_that_of_the_definition(shape, rng):
    X, Y = problem(rng, *shape)
    expected = auto_ridge(X, Y @ Y.T)
    for form in (np.asarray, sparse.csr_array):
        assert fitted(MultiOutputRidge(), form(X), Y) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("kernel", "linear"), KERNELS, ids=str)
@SHAPES
def test_a_linear_kernel_has_the_ridge_of_the_linear_class(kernel, linear, shape, rng):
    X, Y = problem(rng, *shape)
    expected, order = fitted(linear, X, Y), rng.permutation(len(X))
    given = clone(kernel).set_params(kernel="precomputed")
    landmarks = clone(kernel).set_params(n_landmarks=len(X))
    counts = rng.integers(0, 3, len(X))
    for found in (
        fitted(kernel, sparse.csr_array(X), Y),
        fitted(kernel, X[order], Y[order]),
        fitted(given, X @ X.T, Y),
        fitted(landmarks, X, Y),
    ):
        assert found == pytest.approx(expected, rel=1e-8)
    weighted = fitted(linear, X, Y, sample_weight=counts)
    assert fitted(kernel, X, Y, sample_weight=counts) == pytest.approx(weighted, rel=1e-8)
    soft = np.clip(Y, 0.1, 0.7)
    assert fitted(kernel, X, soft) == pytest.approx(fitted(linear, X, soft), rel=1e-8)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in KERNELS], ids=str)
def test_the_ridge_that_is_chosen_gives_the_model_of_that_number(kernel, rng):
    X, Y = problem(rng, 60, 8)
    model = clone(kernel).set_params(kernel="rbf", gamma=0.1)
    auto = clone(model).fit(X, Y)
    names = [name for name in ("mu", "ridge", "alpha", "beta") if hasattr(auto, f"{name}_")]
    given = {name: getattr(auto, f"{name}_") for name in names}
    fixed = clone(model).set_params(**given).fit(X, Y)
    np.testing.assert_allclose(
        np.abs(auto.dual_components_), np.abs(fixed.dual_components_), atol=1e-9
    )
    [one] = kernel_path(model, X, Y, {names[0]: ["auto"]}).estimators
    np.testing.assert_allclose(one.dual_components_, auto.dual_components_, atol=1e-12)


@SHAPES
def test_the_penalties_of_the_shared_subspace_are_those_of_the_definition(shape, rng):
    X, Y = problem(rng, *shape)
    model = ls.SharedSubspaceClassifier(2).fit(X, Y)
    expected = auto_prices(X, Y, 2)
    np.testing.assert_allclose((model.alpha_, model.beta_), expected, rtol=1e-8)
    assert (model.alpha_ > 0) == (shape == (90, 12))
    # All labels are inside.
    assert ls.SharedSubspaceClassifier(Y.shape[1]).fit(X, Y).alpha_ == 0


def test_a_number_is_kept():
    X, Y = problem(np.random.default_rng(0))
    assert ls.OPLS(ridge=3).fit(X, Y).ridge_ == 3
    assert ls.MDDM(constraint="feature", mu=0.25).fit(X, Y).mu_ == 0.25
    # Directions of unit length are those of mu = 0.
    assert ls.MDDM().fit(X, Y).mu_ == 0


@pytest.mark.parametrize("model", [ls.OPLS(2), ls.LabelCCA(2), MultiOutputRidge()], ids=str)
@pytest.mark.parametrize("shape", [(400, 90), (90, 400)], ids=["tall", "wide"])
def test_rows_that_are_only_multiplied_give_the_same_ridge(model, shape, rng, limit):
    X = sparse.random_array(shape, density=0.1, random_state=rng, format="csr")
    Y = (X[:, :3].toarray() + 0.1 * rng.random((shape[0], 3)) > 0.1).astype(int)
    expected = fitted(model, X, Y)
    limit("krylov side", 10)
    krylov = clone(model).fit(X, Y)
    assert krylov.solver_ == "krylov"
    assert chosen(krylov) == pytest.approx(expected, rel=1e-10)
    # Where the rest of the spectrum is taken as flat, the ridge is at most two steps away.
    limit("few for the ridge", 50)
    limit("leading for the ridge", 20)
    assert 0.2 < fitted(model, X, Y) / expected < 5


def with_missing(rng, shape=(90, 12)):
    X, Y = problem(rng, *shape)
    Y = np.where(rng.random(Y.shape) < 0.4, np.nan, Y)
    return X, np.where(np.isnan(Y).all(axis=1, keepdims=True), np.arange(Y.shape[1]) % 2, Y)


def test_rows_without_a_label_do_not_move_the_ridge_of_regressions(rng):
    X, Y = with_missing(rng)
    more = np.concatenate([X, 3.0 * rng.standard_normal((200, 12))])
    unseen = np.concatenate([Y, np.full((200, Y.shape[1]), np.nan)])
    w = rng.random(len(more)) + 0.5
    for weights in (None, w):
        some = None if weights is None else weights[: len(X)]
        expected = MultiOutputRidge().fit(X, Y, sample_weight=some)
        found = MultiOutputRidge().fit(more, unseen, sample_weight=weights)
        assert found.ridge_ == pytest.approx(expected.ridge_, rel=1e-12)
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-9)


@SHAPES
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_missing_labels_count_as_many_rows_as_have_one(shape, form, rng, limit):
    X, Y = with_missing(rng, shape)
    share = np.mean(~np.isnan(Y))
    expected = auto_ridge_of_available(X, Y)
    assert fitted(ls.OPLS(2), form(X), Y) == pytest.approx(expected, rel=1e-8)
    assert fitted(MultiOutputRidge(), form(X), Y) == pytest.approx(share * expected, rel=1e-8)
    blocks = [slice(0, 10), slice(10, len(X))]
    streamed = ls.OPLS(2).fit_blocks((X[rows], Y[rows]) for rows in blocks)
    assert streamed.ridge_ == pytest.approx(expected, rel=1e-8)
    if form is not np.asarray:
        limit("krylov side", 10)
        assert fitted(ls.OPLS(2), form(X), Y) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("model", CHOOSING, ids=str)
@pytest.mark.parametrize("large", LARGE)
def test_columns_in_large_units_do_not_hide_the_others(model, large):
    features, X, Y = with_large_units(LARGE[large], (300, 20))
    expected, found = fitted(model, features, Y), fitted(model, X, Y)
    if isinstance(model, ls.MultilabelRidgeCV):
        # Average precision of left-out scores hardly depends on the ridge here.
        assert 0.05 < found / expected < 20
    else:
        # The mean of the other eigenvalues moves by what the large columns explain of theirs.
        assert found == pytest.approx(expected, rel=0.03)
    given = {"rel": 1e-10}
    assert fitted(model, 1e-3 * X, Y) == pytest.approx(1e-6 * found, **given)
    assert fitted(model, sparse.csr_array(X[::-1, ::-1]), Y[::-1]) == pytest.approx(found, **given)
    counts = np.random.default_rng(0).integers(0, 3, len(X))
    if not isinstance(model, ls.MultilabelRidgeCV):
        copies = np.repeat(np.arange(len(X)), counts)
        weighted = fitted(model, X, Y, sample_weight=counts)
        assert weighted == pytest.approx(fitted(model, X[copies], Y[copies]), **given)
    if hasattr(model, "fit_blocks"):
        parts = np.array_split(np.arange(len(X)), 4)
        streamed = clone(model).fit_blocks((X[rows], Y[rows]) for rows in parts)
        assert chosen(streamed) == pytest.approx(found, **given)


def test_every_class_that_chooses_a_ridge_is_tried():
    kernels = {type(kernel) for kernel, _ in KERNELS} | {ls.KernelOCCA}
    tried = {type(model) for model in CHOOSING} | kernels
    names = {"ridge", "mu", "alpha", "beta", "ridges"}
    classes = {type(entry.estimator) for entry in ESTIMATORS}
    choosing = {
        each
        for each in classes
        if any(p.default == "auto" and p.name in names for p in signature(each).parameters.values())
    }
    assert choosing == tried


@pytest.mark.parametrize("kernel", [*(k for k, _ in KERNELS), ls.KernelOCCA(2, **LINEAR)], ids=str)
def test_columns_in_large_units_do_not_hide_the_others_from_a_linear_kernel(kernel):
    # The products of rows have lost columns that are 1e8 times as short.
    features, X, Y = with_large_units([(0.0, 3e3), (1e3, 1e4)], (120, 20))
    # The next ridge of the grid is 2.2 times as large.
    assert 0.4 < fitted(kernel, X, Y) / fitted(kernel, features, Y) < 2.5


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("shape", [(300, 20), (25, 40)], ids=["tall", "wide"])
def test_the_ridges_in_large_units_are_those_of_the_definition(large, shape):
    _, X, Y = with_large_units(LARGE[large], shape)
    expected = auto_ridge(X, Y @ Y.T)
    assert fitted(MultiOutputRidge(), X, Y) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("model", [ls.OPLS(2), MultiOutputRidge()], ids=str)
def test_products_with_columns_in_large_units_give_the_same_ridge(model, large, limit):
    _, X, Y = with_large_units(LARGE[large], (600, 100))
    X = sparse.csr_array(X)
    expected = fitted(model, X, Y)
    limit("krylov side", 10)
    assert fitted(model, X, Y) == pytest.approx(expected, rel=1e-10)
    limit("few for the ridge", 50)
    limit("leading for the ridge", 20)
    assert 0.2 < fitted(model, X, Y) / expected < 5


def test_a_few_short_columns_and_a_steady_decay_add_no_ridges():
    def units(values):
        values = np.array(values, dtype=float)
        return units_of(values, np.ones(len(values)), values.mean(), 0.0).tolist()

    # A minority may be rounding.
    assert len(units([2.0] * 11 + [1e-9] * 9)) == 1
    assert len(units([2.0] * 10 + [1e-9] * 10)) == 2
    # Nothing is apart.
    assert len(units(np.geomspace(1, 1e-9, 60))) == 1
    assert units([1e18, 1e9, 1e9, 1.0, 1.0, 1.0]) == [
        pytest.approx(1e18 / 6), pytest.approx(4e8, rel=1e-8), 1.0
    ]  # fmt: skip


def test_two_rows_get_the_largest_ridge():
    X, Y = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([[1, 0], [0, 1]])
    assert fitted(MultiOutputRidge(), X, Y) == pytest.approx(1e3 * 2.5)


@pytest.mark.parametrize("seed", range(10))
def test_rounding_of_repeated_sparse_rows_is_no_eigenvalue(seed):
    """Wide sparse rows are solved in their row space, where repeated rows leave rounding."""
    rng = np.random.default_rng(seed)
    X = rng.random((60, 200)) * (rng.random((60, 200)) < 0.3)
    X[40:] = X[20:40]
    Y = (X[:, 1:4] + 0.2 * rng.random((60, 3)) > 0.3).astype(int)
    dense, found = (ls.OPLS(None).fit(A, Y).ridge_ for A in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(found, dense, rtol=1e-10)
