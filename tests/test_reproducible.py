"""Fits under ``config_context(reproducible=True)`` have the same bits, however rows arrive."""

import hashlib

import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import labelspan as ls
from labelspan.labelspace import CPLST, PLST

N, D, Q = 300, 7, 4
MODELS = [
    ls.MVMD(2),
    ls.OPLS(2, ridge=0.0),
    ls.LabelCCA(2),
    ls.EmbeddingReducer(3),
    ls.MultiOutputRidge("auto"),
    PLST(2),
    CPLST(2),
    ls.SharedSubspaceClassifier(2),
]


def rows(seed=0, n=N, q=Q):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D)) * np.geomspace(1, 100, D) + 1e3
    # Rare labels first, so that chunks differ in the form of their labels.
    Y = (rng.random((n, q)) < np.linspace(0.01, 0.6, n)[:, None]).astype(int)
    return X, Y


def bits(model):
    """A hash of all fitted arrays and numbers."""
    found = hashlib.sha256()
    for name in sorted(model._learnt):
        value = getattr(model, name, None)
        if isinstance(value, np.ndarray | float | int):
            found.update(np.ascontiguousarray(value).tobytes())
    return found.hexdigest()


def fitted(model, X, Y, edges, **more):
    with ls.config_context(reproducible=True):
        model = clone(model)
        for start, stop in zip([0, *edges], [*edges, X.shape[0]], strict=True):
            given = {name: value[start:stop] for name, value in more.items()}
            model.partial_fit(X[start:stop], Y[start:stop], **given)
    return model


def cuts(rng, n=N):
    return np.sort(rng.choice(np.arange(1, n), rng.integers(0, 12), replace=False)).tolist()


def test_a_thousand_chunkings(limit):
    limit("fixed rows", 128)
    X, Y = rows()
    rng = np.random.default_rng(1)
    found = set()
    for i in range(1000):
        # Views with strides, and copies in both orders of memory.
        form = (np.asfortranarray, np.ascontiguousarray, np.array)[i % 3]
        found.add(bits(fitted(ls.MVMD(2), form(X), Y, cuts(rng))))
    assert len(found) == 1
    # The default has no such order, so the hash sees the difference.
    plain = {bits(ls.MVMD(2).fit_blocks([(X[:k], Y[:k]), (X[k:], Y[k:])])) for k in (1, 99)}
    limit("chunk bytes", 1)
    plain |= {bits(ls.MVMD(2).fit_blocks([(X[:k], Y[:k]), (X[k:], Y[k:])])) for k in (1, 99)}
    assert len(plain) > 1


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("form", ["dense", "single", "sparse", "weights"])
def test_every_kind_of_statistics(model, form, limit):
    limit("fixed rows", 64)
    X, Y = rows()
    rng = np.random.default_rng(2)
    more = {"sample_weight": rng.random(N) + 0.5} if form == "weights" else {}
    if form == "sparse":
        X = sparse.csr_array(X * (rng.random(X.shape) < 0.7))
    X = X.astype(np.float32) if form == "single" else X
    found = {bits(fitted(model, X, Y, cuts(rng), **more)) for _ in range(8)}
    assert len(found) == 1
    # The result is that of fit, up to rounding.
    own, expected = fitted(model, X, Y, [10], **more), clone(model).fit(X, Y, *more.values())
    one, other = (getattr(m, "eigenvalues_", getattr(m, "coef_", 0)) for m in (own, expected))
    np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)


def test_compiled_sums_of_many_rows_begin_at_the_same_row(limit):
    limit("fixed rows", 64)
    limit("many chunks", 100 * D)
    X, Y = rows()
    rng = np.random.default_rng(5)
    assert len({bits(fitted(ls.MVMD(2), X, Y, cuts(rng))) for _ in range(8)}) == 1


def test_missing_labels(limit):
    limit("fixed rows", 64)
    X, Y = rows()
    Y = np.where(np.random.default_rng(3).random(Y.shape) < 0.1, np.nan, Y)
    rng = np.random.default_rng(4)
    assert len({bits(fitted(ls.MVMD(2), X, Y, cuts(rng))) for _ in range(8)}) == 1


def test_threads():
    """Products of this size are divided among the threads of BLAS; the solution, too."""
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((1500, 300)), (rng.random((1500, 20)) < 0.3).astype(int)
    found = set()
    for n_threads in (1, 2, 4):
        with threadpool_limits(n_threads):
            with ls.config_context(reproducible=True):
                found.add(("fit", bits(ls.MVMD(200).fit(X, Y))))
                model = ls.MVMD(200).partial_fit(X[:700], Y[:700]).partial_fit(X[700:], Y[700:])
            # Solved outside of the context.
            found.add(("chunks", bits(model)))
    assert len(found) == 2


def test_asking_between_chunks_and_checkpoints_change_nothing(limit, tmp_path):
    limit("fixed rows", 64)
    X, Y = rows()
    X = sparse.csr_array(X)
    expected = bits(fitted(ls.OPLS(2), X, Y, [100]))
    with ls.config_context(reproducible=True):
        model = ls.OPLS(2)
        for start in range(0, N, 30):
            model.partial_fit(X[start : start + 30], Y[start : start + 30])
            assert model.components_ is not None
        assert bits(model) == expected
        first = [(X[:50], Y[:50]), (X[50:120], Y[50:120])]
        ls.OPLS(2).fit_blocks(first, checkpoint=tmp_path / "c.npz")
        blocks = [*first, (X[120:], Y[120:])]
        model = ls.OPLS(2).fit_blocks(blocks, checkpoint=tmp_path / "c.npz")
        assert bits(model) == expected


def test_what_cannot_be_reproducible_is_refused():
    X, Y = rows()
    refused = pytest.raises(TypeError, match=r"Dask array.*pass them to fit_blocks")
    with ls.config_context(reproducible=True), refused:
        ls.MVMD(2).fit(da.from_array(X, chunks=(100, -1)), Y)
    with (
        pytest.raises(ValueError, match="exclude each other"),
        ls.config_context(device=np.ones(1), reproducible=True),
    ):
        pass
