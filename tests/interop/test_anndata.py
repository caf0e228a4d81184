"""AnnData in and out: objects in memory, and files that are read by blocks."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError

import labelspan as ls
from labelspan.interop import reduce_anndata
from tests.laws.law import sample

anndata = pytest.importorskip("anndata", reason="anndata is not installed")
X, Y, X_NEW = sample()
LABELS = ["red", "green", "blue", "grey"]


def cells(form=np.asarray):
    obs = pd.DataFrame(Y, columns=LABELS, index=[f"cell{i}" for i in range(len(X))])
    return anndata.AnnData(form(X), obs=obs, obsm={"Y": Y, "sparse_Y": sparse.csr_array(Y)})


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("labels", [LABELS, "Y", "sparse_Y"], ids=["obs", "obsm", "sparse"])
def test_projections_and_directions_stay_with_the_data(form, labels, tmp_path):
    annotated = cells(form)
    model = reduce_anndata(annotated, ls.MDDM(2), labels)
    expected = ls.MDDM(2).fit(X, Y)
    assert_allclose(model.components_, expected.components_, atol=1e-10)
    annotated.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert_allclose(read.obsm["X_mddm"], expected.transform(X), atol=1e-10)
    assert_allclose((X - read.uns["mddm"]["mean"]) @ read.varm["mddm"], read.obsm["X_mddm"])
    assert read.uns["mddm"]["model"] == "MDDM(n_components=2)"


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_file_is_read_by_blocks(form, tmp_path):
    cells(form).write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    heights = []

    class Watched(ls.MVMD):
        def transform(self, X):
            heights.append(X.shape[0])
            return super().transform(X)

    model = reduce_anndata(backed, Watched(2), LABELS, key="mine", rows=20)
    assert heights == [20, 20, 8]
    expected = ls.MVMD(2).fit(X, Y)
    assert_allclose(backed.obsm["X_mine"], expected.transform(X), atol=1e-10)
    assert_allclose(backed.varm["mine"], expected.components_.T, atol=1e-10)
    # The statistics of the blocks are dropped.
    assert "_chunks" not in vars(model)
    backed.write_h5ad(tmp_path / "reduced.h5ad")
    read = anndata.read_h5ad(tmp_path / "reduced.h5ad")
    assert_allclose(read.obsm["X_mine"], expected.transform(X), atol=1e-10)


def test_a_reducer_of_other_data_is_not_fitted_again():
    model = ls.LabelPLS(2).fit(X, Y)
    new = anndata.AnnData(X_NEW)
    assert reduce_anndata(new, model) is model
    assert_array_equal(new.obsm["X_labelpls"], model.transform(X_NEW))
    with pytest.raises(NotFittedError):
        reduce_anndata(new, ls.MDDM(2))


def test_selectors_mark_features_and_kernels_leave_no_directions():
    annotated = cells()
    reduce_anndata(annotated, ls.MultilabelFisherScore(3), "Y", key="fisher")
    expected = ls.MultilabelFisherScore(3).fit(X, Y).get_support()
    assert_array_equal(annotated.var["fisher"], expected)
    assert_array_equal(annotated.obsm["X_fisher"], X[:, expected])
    reduce_anndata(annotated, ls.KernelMDDM(2, gamma=0.1), "Y")
    expected = ls.KernelMDDM(2, gamma=0.1).fit(X, Y).transform(X)
    assert_allclose(annotated.obsm["X_kernelmddm"], expected)
    assert list(annotated.varm) == []


def test_what_cannot_be_done_is_refused(tmp_path):
    with pytest.raises(TypeError, match="cells is a ndarray; expected an AnnData object"):
        reduce_anndata(X, ls.MDDM(2), "Y")
    cells().write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    with pytest.raises(ValueError, match=r"LPP needs all rows at once.*to_memory\(\)"):
        reduce_anndata(backed, ls.LPP(2), LABELS)
