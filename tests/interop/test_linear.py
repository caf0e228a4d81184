"""Reducers as a matrix and an offset."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import labelspan as ls
from labelspan.interop import to_linear

rng = np.random.default_rng(0)
X = 3 + rng.standard_normal((80, 12)) * np.arange(1, 13)
Y = (X[:, :4] + rng.standard_normal((80, 4)) > 3).astype(int)
MODELS = {
    "embedding": ls.EmbeddingReducer(5),
    "mvmd": ls.MVMD(4),
    "pls": ls.LabelPLS(3),
    "selector": ls.MultilabelFisherScore(4),
    "choice": ls.ReducerCV([ls.OPLS(ridge=1.0)], [2, 3], cv=2),
    "no reduction": ls.ReducerCV(["none"], cv=2),
    "standardised": make_pipeline(StandardScaler(), ls.OPLS(3)),
    "scaled": make_pipeline(MaxAbsScaler(), "passthrough", ls.MDDM(3)),
    "uncentred": make_pipeline(StandardScaler(with_mean=False), TruncatedSVD(6), ls.MVMD(2)),
    "unscaled": make_pipeline(StandardScaler(with_std=False), PCA(6), ls.LabelCCA(2)),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_matrix_and_offset_are_the_model(model):
    model.fit(X, Y)
    matrix, offset = to_linear(model)
    assert_allclose(X @ matrix.T + offset, model.transform(X), atol=1e-9)
    assert matrix.dtype == offset.dtype == np.float64


def test_models_that_are_not_linear_are_refused():
    with pytest.raises(TypeError, match=r"unit length, which is not linear.*normalize=False"):
        to_linear(ls.EmbeddingReducer(3, normalize=True).fit(X, Y))
    with pytest.raises(TypeError, match=r"unit length, which is not linear.*another scale"):
        to_linear(ls.ReducerCV(["none", "pca"], [2], scale="rows", cv=2).fit(X, Y))
    with pytest.raises(TypeError, match="MultilabelRidgeCV cannot be exported: it is not a linear"):
        to_linear(ls.MultilabelRidgeCV(kernel="linear").fit(X, Y))
    with pytest.raises(TypeError, match="KernelMDDM cannot be exported"):
        to_linear(ls.KernelMDDM(2).fit(X, Y))


def test_rows_of_unit_length_in_onnx():
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    model = ls.EmbeddingReducer(3, normalize=True).fit(X, Y)
    session = runtime.InferenceSession(ls.interop.to_onnx(model, X).SerializeToString())
    assert_allclose(session.run(None, {"X": X})[0], model.transform(X), atol=1e-9)


def test_sparse_rows_are_multiplied():
    model = ls.MDDM(3).fit(X, Y)
    matrix, offset = to_linear(model)
    assert_allclose(sparse.csr_array(X) @ matrix.T + offset, model.transform(X), atol=1e-9)
