"""Dask arrays on a real cluster of two processes."""

import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from dask.distributed import Client, LocalCluster
from scipy import sparse
from sklearn.base import clone

import labelspan as ls
from tests.registry import METHODS, RIDGE_FREE, name

CHUNK = 37
STREAMED = [method for method in METHODS if method.streams]


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 15)) * np.linspace(0.5, 2, 15) + 4.0
    X[rng.random(X.shape) < 0.5] = 0.0
    Y = (X @ rng.standard_normal((15, 4)) + rng.standard_normal((200, 4)) > 4).astype(int)
    Y[:40] = 0  # a whole block without labels
    return X, Y


def lazy(A, form=np.asarray):
    """A Dask array whose blocks are arrays of `form`."""
    array = da.from_array(A, chunks=(CHUNK, -1))
    return array if form is np.asarray else array.map_blocks(form, meta=form(A[:0]))


def assert_same_directions(a, b, tolerance=1e-10):
    """Each direction to `tolerance` over its gap: rounding turns near-equal ones by that much."""
    values = b.eigenvalues_ / b.eigenvalues_[0]
    gaps = np.abs(np.diff(values, prepend=np.inf, append=0.0))
    gap = np.minimum(gaps[:-1], gaps[1:])
    error = np.linalg.norm(a.components_ - b.components_, axis=1)
    assert (error <= tolerance / gap * np.linalg.norm(b.components_, axis=1)).all()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("method", [*STREAMED, *RIDGE_FREE], ids=name)
def test_cluster_equals_memory(method, form, client, sample):
    X, Y = sample
    memory = clone(method.estimator).fit(X, Y)
    for Y_form in (lazy(Y), lazy(Y, sparse.csr_matrix), Y, sparse.csr_array(Y)):
        model = clone(method.estimator).fit(lazy(X, form), Y_form)
        np.testing.assert_allclose(model.eigenvalues_, memory.eigenvalues_, rtol=1e-10)
        assert_same_directions(model, memory)
        for value in vars(model).values():
            assert not dask.is_dask_collection(value)
        assert all(type(getattr(model, n)) is np.ndarray for n in ("components_", "mean_"))
        if method not in (STREAMED[0], STREAMED[-1]):
            break  # the forms of Y do not depend on the method


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_transform_stays_lazy(form, client, sample):
    X, Y = sample
    model = ls.MVMD(3).fit(X, Y)
    projected = model.transform(lazy(X, form))
    assert dask.is_dask_collection(projected)
    assert projected.shape == (200, 3)
    assert projected.chunks[0] == lazy(X).chunks[0]
    np.testing.assert_allclose(projected.compute(), model.transform(X), atol=1e-10)
    single = model.transform(lazy(X.astype(np.float32)))
    assert single.dtype == single.compute().dtype == np.float32


@pytest.mark.parametrize(
    ("estimator", "passes"), [(ls.MDDM(), 1), (ls.MLSI(), 1), (ls.MLDA(), 2), (ls.DMLDA(), 1)]
)
def test_one_compute_a_pass(estimator, passes, client, sample, monkeypatch):
    X, Y = sample
    computes = []
    original = dask.base.compute

    def counted(*args, **kwargs):
        computes.append(args)
        return original(*args, **kwargs)

    monkeypatch.setattr("dask.base.compute", counted)
    estimator.fit(lazy(X), lazy(Y))
    assert len(computes) == passes


@pytest.mark.parametrize(
    "estimator", [ls.MDDM(constraint="feature", mu=0.5), ls.MLDA(), ls.MVMD(5)]
)
def test_only_statistics_leave_the_workers(estimator, client, monkeypatch):
    # 16 MB of rows, made on the workers from a seed: the client never holds one.
    X = da.random.default_rng(0).standard_normal((40_000, 50), chunks=(10_000, -1))
    Y = (X[:, :3] > 0).astype(int)
    received = []
    gather = Client.gather

    def measured(self, *args, **kwargs):
        result = gather(self, *args, **kwargs)
        received.append(len(pickle.dumps(result)))
        return result

    monkeypatch.setattr(Client, "gather", measured)
    model = estimator.fit(X, Y)
    assert 1 <= len(received) <= 2
    assert sum(received) < 1e5
    assert len(pickle.dumps(model)) < 1e5
    assert model.solver_ == "scatter"
    if not isinstance(model, ls.MDDM):
        return
    directions = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    assert np.abs(directions[:, :3]).min(axis=1).max() > 0
    # The noise of a covariance over the signal is 0.5 / 0.4 / sqrt(n) = 0.006; three times that.
    np.testing.assert_allclose(np.abs(directions[:, 3:]).max(), 0, atol=0.02)


def test_refusals_name_the_repair(client, sample):
    X, Y = sample
    unknown = lazy(X)[da.from_array(X[:, 0] > -9, chunks=CHUNK)]
    with pytest.raises(ValueError, match=r"X\.compute_chunk_sizes\(\)"):
        ls.MDDM().fit(unknown, lazy(Y))
    with pytest.raises(ValueError, match=r"X = X\.rechunk\(\{1: -1\}\)"):
        ls.MDDM().fit(lazy(X).rechunk({1: 5}), lazy(Y))
    with pytest.raises(ValueError, match=r"X = X\.rechunk\(\{1: -1\}\)"):
        ls.MDDM().fit(X, Y).transform(lazy(X).rechunk({1: 5}))
    with pytest.raises(ValueError, match="X is a 1-d Dask array"):
        ls.MDDM().fit(X, Y).transform(lazy(X)[:, 0])
    with pytest.raises(TypeError, match=r"dtype complex128.*X\.astype\(float\)"):
        ls.MDDM().fit(lazy(X).astype(complex), lazy(Y))
    with pytest.raises(ValueError, match=r"y = y\.rechunk\(\{0: X\.chunks\[0\]\}\)"):
        ls.MDDM().fit(lazy(X), lazy(Y).rechunk({0: 50}))
    with pytest.raises(ValueError, match="X has 200 rows, y has 199"):
        ls.MDDM().fit(lazy(X), lazy(Y[:-1]))
    with pytest.raises(ValueError, match="1-d Dask array"):
        ls.MDDM().fit(lazy(X), lazy(Y)[:, 0])
    with pytest.raises(ValueError, match="requires y"):
        ls.MDDM().fit(lazy(X))
    with pytest.raises(TypeError, match=r"y\.compute\(\)"):
        ls.MDDM().fit(X, lazy(Y))
    with pytest.raises(TypeError, match=r"LPP .* X\.compute\(\)"):
        ls.LPP(2).fit(lazy(X))
    with pytest.raises(ValueError, match=r"14 features.*expecting 15"):
        ls.MDDM().fit(X, Y).transform(lazy(X)[:, :14])


def test_bad_values_are_found_on_the_workers(client, sample):
    X, Y = sample
    bad = X.copy()
    bad[150, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ls.MDDM().fit(lazy(bad), lazy(Y))
    with pytest.raises(ValueError, match="only 0 and 1"):
        ls.MDDM().fit(lazy(X), lazy(Y + 1))
    # Each block has a valid coding; together they do not.
    mixed = Y.copy()
    mixed[:CHUNK] = 2 * mixed[:CHUNK] - 1
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match="both -1 and 0"):
            ls.MDDM().fit(lazy(X), lazy(mixed, form))
    with pytest.raises(ValueError, match="NaN"):
        ls.MDDM().fit(X, Y).transform(lazy(bad)).compute()


@pytest.mark.parametrize("dtype", [np.int64, bool, np.float16, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_blocks_of_any_number(dtype, form, client, sample):
    X, Y = sample
    X = X.astype(dtype)
    if form is sparse.csr_array and dtype == np.float16:
        pytest.skip("SciPy has no sparse float16")
    model = ls.MDDM().fit(X, Y)
    lazily = ls.MDDM().fit(lazy(X, form), lazy(Y))
    np.testing.assert_allclose(lazily.components_, model.components_, atol=1e-5)
    projected = model.transform(lazy(X, form))
    assert projected.dtype == projected.compute().dtype == model.transform(X).dtype
    np.testing.assert_allclose(projected.compute(), model.transform(X), atol=1e-4)


@pytest.mark.parametrize("estimator", [ls.MDDM(), ls.OPLS(ridge=0), ls.MLDA(), ls.DMLDA()])
def test_chunks_without_rows_are_passed_over(estimator, client, sample):
    X, Y = sample
    # Filtering rows can leave such chunks.
    rows = (50, 0, 150, 0)
    gappy = da.from_array(X, chunks=(rows, (X.shape[1],)))
    memory = clone(estimator).fit(X, Y)
    for y in (Y, da.from_array(Y, chunks=(rows, (Y.shape[1],)))):
        model = clone(estimator).fit(gappy, y)
        np.testing.assert_allclose(model.eigenvalues_, memory.eigenvalues_, rtol=1e-10)


def test_labels_as_a_list(client, sample):
    X, Y = sample
    np.testing.assert_allclose(
        ls.MDDM().fit(lazy(X), Y.tolist()).components_, ls.MDDM().fit(X, Y).components_, atol=1e-9
    )


def test_classes_in_memory_with_features_on_the_cluster(client, sample):
    X, Y = sample
    y = np.array(["a", "b", "c"])[Y[:, 0] + Y[:, 1]]
    np.testing.assert_allclose(
        ls.MLDA().fit(lazy(X), y).components_, ls.MLDA().fit(X, y).components_, atol=1e-8
    )


@pytest.mark.parametrize(
    "estimator", [ls.MVMD(2), ls.MultiOutputRidge(), ls.labelspace.CPLST(2, ridge=0.0)]
)
def test_frames_stream_with_their_names(estimator, client, sample, monkeypatch):
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    X, Y = sample
    features = pd.DataFrame(X, columns=[f"x{i}" for i in range(15)])
    labels = pd.DataFrame(Y, columns=list("abcd"))
    memory = clone(estimator).fit(features, labels)
    # Whole frames are never made here.
    monkeypatch.setattr(dd.DataFrame, "__array__", None)
    lazy_X, lazy_Y = (dd.from_pandas(frame, npartitions=4) for frame in (features, labels))
    model = clone(estimator).fit(lazy_X, lazy_Y)
    assert list(model.feature_names_in_) == list(features.columns)
    assert list(model.label_names_) == list("abcd")
    use = "transform" if hasattr(model, "transform") else "predict"
    found = getattr(model, use)(lazy_X)
    assert isinstance(found, da.Array)
    np.testing.assert_allclose(found.compute(), getattr(memory, use)(features), atol=1e-8)
    with pytest.raises(ValueError, match="feature names should match"):
        getattr(model, use)(lazy_X.rename(columns={"x0": "z"}))
    chunks = clone(estimator).partial_fit(lazy_X, lazy_Y).partial_fit(features, labels)
    weighted = clone(estimator).fit(features, labels, sample_weight=2)
    np.testing.assert_allclose(
        getattr(chunks, use)(features), getattr(weighted, use)(features), atol=1e-8
    )
    with pytest.raises(TypeError, match="dtype object; expected numbers"):
        clone(estimator).fit(lazy_X.assign(x0="text"), lazy_Y)


def test_weights_of_a_frame(client, sample):
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    X, Y = sample
    weights = np.arange(200) % 3.0
    frame = pd.DataFrame(np.column_stack([X, Y, weights]))
    frame.columns = [*(f"x{i}" for i in range(15)), *"abcd", "weight"]
    table = dd.from_pandas(frame, npartitions=3)
    given = table[[f"x{i}" for i in range(15)]], table[list("abcd")]
    model = ls.MVMD(2).fit(*given, sample_weight=table["weight"])
    memory = ls.MVMD(2).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(model.components_, memory.components_, atol=1e-10)
