"""Sums of large dense arrays by compiled loops: the same numbers, and the same refusals."""

import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import labelspan as ls
from labelspan.gate import as_csr
from labelspan.jit import is_loaded, kernel
from labelspan.moments import Moments, Sample, _large, project, summarise
from tests.comparison import sine
from tests.registry import ESTIMATORS

LEARN_FROM_CHUNKS = [
    variant
    for entry in ESTIMATORS
    for variant in (entry.estimator, *entry.variants)
    if hasattr(variant, "partial_fit")
]


def problem(rng, n_rows=700, n_features=30, mean=0.0, dtype=np.float32):
    """Columns of different spread, one constant, and labels that depend on some of them."""
    X = rng.standard_normal((n_rows, n_features)) * 10 ** rng.uniform(-1, 1, n_features)
    X = (X + mean).astype(dtype)
    Y = (X[:, :6] - mean + rng.standard_normal((n_rows, 6)) > 1).astype(float)
    X[:, 7] = mean + 0.1
    return X, Y


def direct(X, T):
    """The definition, in extended precision; a constant column is exactly zero."""
    A, B = (M.astype(np.longdouble) - M[0] for M in (X, T))
    A, B = A - A.mean(axis=0), B - B.mean(axis=0)
    return A.T @ B, A.T @ A, B.T @ B


@pytest.fixture
def large(monkeypatch, limit):
    """Every dense array counts as large; in which threads the loops ran."""
    calls = []
    plain = _large.sums_of
    limit("large X", 1)

    def sums_of(*args, **named):
        calls.append(threading.get_ident())
        return plain(*args, **named)

    monkeypatch.setattr("labelspan.moments._moments.sums_of", sums_of)
    return calls


# More columns than a part of a row; more rows than are read at a time; fewer than four.
@pytest.mark.parametrize("shape", [(150, 1100), (9000, 33), (3, 9)])
@pytest.mark.parametrize(("dtype", "mean"), [("f4", 0), ("f4", 1e5), ("f8", 0), ("f8", 1e9)])
@pytest.mark.parametrize("xx", [False, True])
def test_sums_have_the_digits_of_the_spread(rng, shape, dtype, mean, xx):
    X, T = problem(rng, *shape, mean, dtype)
    found = Moments.of(X, sparse.csr_array(T), xx=xx, large=True)
    xt, scatter, tt = direct(X, T)
    scale = np.sqrt(np.diag(scatter).astype(float))
    # A column that is constant, also by rounding to float32, is zero to the last bit.
    assert not found.xt[scale == 0].any()
    scale[scale == 0] = 1.0
    labels = np.sqrt(np.diag(tt).astype(float)) + 1e-300
    np.testing.assert_allclose((found.xt - xt) / scale[:, None] / labels, 0, atol=1e-12)
    np.testing.assert_allclose(found.squares / scale**2, np.diag(scatter) / scale**2, atol=1e-12)
    means = (X.astype(np.longdouble) - X[0]).mean(axis=0) + X[0]
    np.testing.assert_allclose(found.x_mean, means, rtol=1e-14, atol=1e-14 * scale.max())
    np.testing.assert_allclose(found.tt, tt, atol=1e-11 * len(X))
    if xx:
        np.testing.assert_array_equal(found.xx, found.xx.T)
        np.testing.assert_allclose((found.xx - scatter) / scale / scale[:, None], 0, atol=1e-12)


def test_first_rows_unlike_the_others_cost_few_digits(rng):
    X, T = problem(rng, 5000, dtype="f8")
    X[:70] += 1e6
    found, (xt, scatter, _) = Moments.of(X, T, large=True), direct(X, T)
    scale = np.sqrt(np.diag(scatter).astype(float)) + 1e-300
    np.testing.assert_allclose((found.xx - scatter) / scale / scale[:, None], 0, atol=1e-12)
    np.testing.assert_allclose((found.xt - xt) / scale[:, None], 0, atol=1e-10)


@pytest.mark.parametrize(
    "model", [ls.MDDM(3), ls.MVMD(3), ls.LabelCCA(3), ls.PLST(3, ridge=0.0)], ids=str
)
@pytest.mark.parametrize("form", ["array", "columns", "sparse labels", "mapped"])
def test_fits_equal_those_of_small_arrays(rng, large, limit, tmp_path, model, form):
    X, Y = problem(rng)
    given = {"columns": np.asfortranarray(X), "sparse labels": X, "array": X}.get(form)
    if form == "mapped":
        np.save(tmp_path / "X.npy", X)
        given = np.load(tmp_path / "X.npy", mmap_mode="r")
    found = clone(model).fit(given, sparse.csr_array(Y) if form == "sparse labels" else Y)
    # Columns that are one piece of memory are left to BLAS.
    assert bool(large) == (form != "columns")
    limit("large X", 2**26)
    plain = clone(model).fit(X.astype(np.float64), Y)
    if hasattr(plain, "components_"):
        # The directions are stored in float32.
        assert sine(found.components_.T, plain.components_.T) < 1e-5
        np.testing.assert_allclose(found.eigenvalues_, plain.eigenvalues_, rtol=1e-10)
    else:
        np.testing.assert_allclose(found.predict(X), plain.predict(X))


def test_blocks_of_a_dask_array_are_added_up_by_the_loops(rng, large, limit):
    da = pytest.importorskip("dask.array")
    X, Y = problem(rng, dtype="f8")
    found = ls.MVMD(3).fit(da.from_array(X, chunks=(200, -1)), da.from_array(Y, chunks=(200, -1)))
    assert len(large) == 4
    limit("large X", 2**26)
    plain = ls.MVMD(3).fit(X, Y)
    np.testing.assert_allclose(found.components_, plain.components_, atol=1e-10)


@pytest.mark.parametrize("case", ["weights", "soft", "holes", "many ones"])
def test_other_labels_are_left_to_blas(rng, large, limit, case):
    X, Y = problem(rng, dtype="f8")
    weights = rng.random(len(X)) if case == "weights" else None
    if case == "soft":
        Y = Y * 0.7
    if case == "holes":
        Y[::5, 1] = np.nan
    if case == "many ones":
        Y = 1 - 0.5 * Y.round()
        Y = (Y > 0.6).astype(float)
    found = ls.MDDM(3).fit(X, Y, sample_weight=weights)
    assert not large
    limit("large X", 2**26)
    plain = ls.MDDM(3).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(found.components_, plain.components_, atol=1e-10)


@pytest.mark.parametrize("estimator", LEARN_FROM_CHUNKS, ids=str)
def test_values_that_are_no_numbers_are_refused(rng, large, estimator):
    """Validation does not read large float32 arrays, so the sums must check them."""
    X, Y = problem(rng, n_rows=200)
    model = clone(estimator).fit(X, Y)
    before = dict(vars(model))
    X[-1, 2] = np.inf if isinstance(model, ls.MVMD) else np.nan
    with pytest.raises(ValueError, match=r"Input X contains (NaN|infinity)"):
        model.fit(X, Y)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is kept for name, kept in before.items())


@pytest.mark.parametrize("form", ["rows", "every other", "columns", "one row", "one of a chunk"])
def test_loops_agree_with_the_plain_path(rng, large, limit, form):
    """Also where a label has no row, and where several short rows are walked as one."""
    X, Y = problem(rng, 1205 if form != "one row" else 2, 30)
    Y[:, 2] = 0.0
    X, Y = (X[:1], Y[:1]) if form == "one row" else (X, Y)
    given = {"every other": np.repeat(X, 2, axis=1)[:, ::2], "columns": np.asfortranarray(X)}

    def sums():
        model = ls.MDDM(3)
        if form != "one of a chunk":
            return summarise(Sample(given.get(form, X), sparse.csr_array(Y), "thin", part=True))
        model.partial_fit(X[:-1], Y[:-1]).partial_fit(X[-1:], Y[-1:])
        return model._chunks.pool.total(model._summarise)[0]

    found = sums()
    assert bool(large) == (form not in given)
    limit("large X", 2**26)
    plain = sums()
    scale = np.sqrt(plain.squares) + 1e-300
    np.testing.assert_allclose((found.xt - plain.xt) / scale[:, None], 0, atol=1e-12)
    np.testing.assert_allclose(found.squares, plain.squares, rtol=1e-12)
    np.testing.assert_allclose(found.x_mean, plain.x_mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.t_mean, plain.t_mean, rtol=1e-14)
    assert not found.xt[:, 2].any()


@kernel
def doubled(number):
    return 2 * number


@pytest.mark.parametrize("density", [0.0, 0.02, 0.3])
def test_compiled_and_plain_search_find_the_same_ones(rng, density):
    # Once any loop is compiled, a million labels are searched so; other numbers never are.
    doubled(1.0)
    assert is_loaded()
    Y = rng.random((1100, 1000)) < density
    expected = sparse.csr_array(Y)
    for found in (as_csr(Y), as_csr(Y.astype(np.uint8))):
        assert found.dtype == np.float64
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_result_does_not_depend_on_the_number_of_threads(rng, large, use_threads, limit):
    X, Y = problem(rng, 4000)
    limit("fewest walked", 5000)
    limit("most walked", 10000)
    fits, threads = [], []
    for n in (1, 3):
        use_threads(n)
        fits.append(ls.MDDM(3).fit(X, Y))
        threads.append(len(set(large)))
        assert len(large) == 12
        large.clear()
    assert threads[0] == 1 < threads[1] <= 3
    np.testing.assert_array_equal(fits[0].eigenvalues_, fits[1].eigenvalues_)
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)


def test_threads_stop_at_the_first_refusal(rng, large, use_threads, limit):
    X, Y = problem(rng, 4000)
    X[3, 1] = np.nan
    limit("most walked", 60)
    limit("fewest walked", 60)
    use_threads(2)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        ls.MDDM(3).fit(X, Y)
    # The first of two thousand blocks is refused; the others that have begun come to their end.
    assert len(large) < 2000


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("k", [1, 3, 40])
@pytest.mark.parametrize("shape", [(303, 20), (1000, 5003), (97, 7)])
def test_equal_rows_have_equal_projections(shape, k, form):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((shape[0] // 3, shape[1]))
    X[rng.random(X.shape) < 0.3] = 0.0
    rows = rng.integers(0, len(X), shape[0])
    found = project(form(X[rows]), X.mean(axis=0), rng.standard_normal((k, shape[1])))
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    np.testing.assert_array_equal(found, found[first][which])
