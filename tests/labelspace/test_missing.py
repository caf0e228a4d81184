"""Codes of labels that are not observed, from available cases, against their transcription."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from labelspan.labelspace import CPLST, OCCA, PLST
from tests.labelspace.problems import problem
from tests.labelspace.test_transcriptions import cuts
from tests.reference.extraction import available, available_pairs, largest


def holed(n, n_features, n_labels, share=0.3, seed=1):
    X, Y = problem(seed, n, n_features, n_labels)
    rng = np.random.default_rng(seed)
    Y = Y.astype(float)
    Y[rng.random(Y.shape) < share] = np.nan
    return X, Y, rng.uniform(0.5, 2.0, n)


def transcription(method, X, Y, ridge, weights):
    """Values and directions (q, q) as columns, and the regression A^+ xt (D, q)."""
    xx, xt = available(X, Y, weights)
    _, tt, P = available_pairs(Y, weights)
    if method is not CPLST:
        xt = xt @ P
    inverse = np.linalg.pinv(xx + ridge * np.eye(len(xx)), rcond=1e-12)
    fitted = xt.T @ (2 * inverse - inverse @ xx @ inverse) @ xt
    values, V = largest({PLST: tt, CPLST: fitted, OCCA: fitted - tt}[method])
    return values, V, inverse @ xt


@pytest.mark.filterwarnings("ignore:Without a ridge the features")
@pytest.mark.parametrize("method", [PLST, CPLST, OCCA])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("shape", [(80, 10, 6), (80, 4, 9, 0.7), (20, 12, 30), (15, 40, 4)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_directions_and_scores(method, ridge, shape, form, weighted):
    X, Y, weights = holed(*shape)
    weights = weights if weighted else None
    model = method(ridge=ridge).fit(form(X), Y, sample_weight=weights)
    values, V, coef = transcription(method, X, Y, ridge, weights)
    ours = np.abs(model.eigenvalues_)
    # OCCA takes the least error first; one below zero is one of available cases.
    theirs = np.maximum(-values, 0) if method is OCCA else values
    np.testing.assert_allclose(ours, theirs[: len(ours)], atol=1e-8 * np.abs(values).max())
    means = np.ma.average(np.ma.masked_invalid(Y), axis=0, weights=weights)
    Xc = X - np.average(X, axis=0, weights=weights)
    for M in cuts(values, model.n_components_):
        expected = Xc @ coef @ V[:, :M] @ V[:, :M].T + means
        found = model.truncate(M).decision_function(X) + 0.5
        np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("method", [PLST, OCCA])
def test_the_clipped_share_is_told(method):
    X, Y, _ = holed(80, 4, 9, 0.7)
    model = method(ridge=1.0).fit(X, Y)
    values = np.linalg.eigvalsh(available_pairs(Y)[0])
    share = -np.minimum(values, 0).sum() / np.maximum(values, 0).sum()
    assert share > 1e-3
    assert model.label_scatter_clipped_ == pytest.approx(share, rel=1e-9)
    chunks = method(ridge=1.0)
    for rows in (slice(0, 30), slice(30, None)):
        chunks.partial_fit(X[rows], Y[rows])
    assert chunks.label_scatter_clipped_ == pytest.approx(share, rel=1e-9)
    assert model.fit(X, np.nan_to_num(Y)).label_scatter_clipped_ == 0


@pytest.mark.parametrize("method", [PLST, CPLST, OCCA])
def test_a_regressor_needs_the_codes_of_rows(method):
    X, Y, _ = holed(40, 5, 4)
    message = "with regressor=Ridge it learns the codes of rows.*only regressor=None"
    with pytest.raises(ValueError, match=message):
        method(2, regressor=Ridge()).fit(X, Y)


def test_chunks_in_memory_whose_columns_depend_on_each_other():
    """QR factors of some blocks and Gram matrices of others, each with its own missing labels."""
    X, Y, _ = holed(60, 6, 4)
    X = np.hstack([X, X[:, :1]])
    X[30:, 0] += 0.1
    expected = CPLST(2, ridge=0.0).fit(X, Y).decision_function(X)
    chunks = CPLST(2, ridge=0.0)
    for rows in (slice(0, 30), slice(30, None)):
        chunks.partial_fit(X[rows], Y[rows])
    np.testing.assert_allclose(chunks.decision_function(X), expected, atol=1e-9)
