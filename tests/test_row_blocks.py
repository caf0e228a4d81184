"""Transforms and predictions of files by blocks equal those of arrays; files are complete."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import labelspan as ls
from labelspan.datasets import blocks_of
from labelspan.kernels import KernelMDDM
from labelspan.labelspace import CPLST
from labelspan.selection import MultilabelFisherScore

rng = np.random.default_rng(0)
X = 3 + rng.standard_normal((100, 5))
Y = (X[:, :3] + rng.standard_normal((100, 3)) > 3).astype(int)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("model", [ls.MVMD(2), KernelMDDM(2), MultilabelFisherScore(2)])
def test_transform_blocks_writes_what_transform_gives(model, dtype, tmp_path):
    np.save(tmp_path / "X.npy", X.astype(dtype))
    model = model.fit(X, Y)
    out = tmp_path / "out.npy"
    found = model.transform_blocks(blocks_of(tmp_path / "X.npy", rows=30), out)
    expected = model.transform(X.astype(dtype))
    assert (found.dtype, found.flags.writeable) == (expected.dtype, False)
    # Another number of rows may take another kernel of BLAS.
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == np.float64 else 1e-5)
    assert_array_equal(np.load(out), found)
    # Sparse blocks, beside labels, give a dense file.
    pairs = ((sparse.csr_array(X[a : a + 40]), Y[a : a + 40]) for a in (0, 40, 80))
    again = model.transform_blocks(pairs, out)
    np.testing.assert_allclose(again, model.transform(X), rtol=1e-12)


def test_predict_blocks_of_classes_labels_and_dask_arrays(tmp_path):
    out = tmp_path / "out.npy"
    model = CPLST(2, ridge=0.0).fit(X, Y)
    found = model.predict_blocks([X[:70], X[70:]], out)
    assert_array_equal(found, model.predict(X))
    classes = np.array(["no", "yes"])[Y[:, 0]]
    named = ls.MultiOutputRidge().fit(X, classes)
    assert_array_equal(named.predict_blocks([X[:70], X[70:]], out), named.predict(X))
    da = pytest.importorskip("dask.array")
    lazy = da.from_array(X, chunks=(30, 5))
    assert_array_equal(model.predict_blocks(lazy, out), model.predict(X))


def test_a_table_without_labels_gives_features_alone(tmp_path):
    frame = pd.DataFrame(X, columns=list("vwxyz"))
    model = ls.MVMD(2).fit(frame, Y)
    found = model.transform_blocks(blocks_of(frame, rows=30), tmp_path / "out.npy")
    np.testing.assert_allclose(found, model.transform(frame), rtol=1e-12)
    with pytest.raises(ValueError, match="weights are given without labels"):
        blocks_of(frame, weights="v")


def test_a_failure_leaves_what_was_there(tmp_path):
    out = tmp_path / "out.npy"
    np.save(out, np.arange(3))
    model = ls.MVMD(2).fit(X, Y)
    for blocks, message in (
        ([X[:50], X[50:, :4]], "X has 4 features"),
        ([X[:50], X[50:].astype(np.float32)], "dtype float32, the first gave .* float64"),
        ([], "blocks is empty; expected at least one block"),
    ):
        with pytest.raises(ValueError, match=message):
            model.transform_blocks(blocks, out)
        assert_array_equal(np.load(out), np.arange(3))
        assert [path.name for path in tmp_path.iterdir()] == ["out.npy"]
