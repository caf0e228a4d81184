"""Laws of soft labels: accepted in every form or refused with a reason; 0/1 is unchanged."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

from tests.laws.law import assert_same, fit, law, outputs, plain, sample


def takes(entry):
    return entry.estimator.__sklearn_tags__().label_tags.takes("soft_labels")


def soft_sample():
    """The sample of the laws with labels that annotators do not agree on, some of them 0 or 1."""
    X, Y, X_new = sample()
    shares = np.random.default_rng(6).uniform(0.0, 0.6, Y.shape)
    return X, np.where(shares < 0.2, Y, np.abs(Y - shares)), X_new


@pytest.mark.filterwarnings("ignore:y is coded -1/\\+1:UserWarning")
@law(lambda entry: entry.supervised)
def test_zeros_and_ones_are_no_soft_labels(entry):
    """To the last bit, for any dtype."""
    X, Y, X_new = sample()
    expected = outputs(plain(entry.name), X_new)
    for given in (Y.astype(float), Y.astype(np.float32), Y.astype(bool), 2.0 * Y - 1):
        assert_same(outputs(fit(entry, X, given), X_new), expected, 0.0)


@law(lambda entry: entry.supervised and not takes(entry))
def test_soft_labels_are_refused_with_the_reason(entry):
    X, Y, _ = soft_sample()
    reason = entry.estimator.__sklearn_tags__().label_tags.refused["soft_labels"]
    assert len(reason.split()) >= 4
    message = rf"soft labels, such as 0\.\d+; {entry.name} takes only 0 and 1: .* y > 0.5"
    model = clone(entry.estimator)
    for given in (Y, Y[:, :1], sparse.csr_array(Y), pd.DataFrame(Y)):
        with pytest.raises(ValueError, match=message):
            model.fit(X, given)
    if entry.dask == "fit":
        with pytest.raises(ValueError, match=message):
            model.fit(*in_blocks(X, Y))
    assert not hasattr(model, "n_features_in_")


def in_blocks(*arrays):
    """Dask arrays with blocks of 20 rows."""
    da = pytest.importorskip("dask.array")
    return [da.from_array(A, chunks=(20, A.shape[1])) for A in arrays]


@law(lambda entry: entry.supervised and takes(entry))
def test_soft_labels_in_every_form(entry):
    X, Y, X_new = soft_sample()
    expected = outputs(fit(entry, X, Y), X_new)
    for given in (sparse.csr_array(Y), sparse.coo_array(Y), pd.DataFrame(Y), Y.tolist()):
        assert_same(outputs(fit(entry, X, given), X_new), expected, entry.within(1e-9))
    if entry.one_pass:
        model = clone(entry.estimator)
        for rows in (slice(0, 20), slice(20, 23), slice(23, None)):
            model.partial_fit(X[rows], Y[rows])
        assert_same(outputs(model, X_new), expected, entry.tolerance)
    if entry.dask == "fit":
        assert_same(outputs(fit(entry, *in_blocks(X, Y)), X_new), expected, entry.tolerance)


@law(lambda entry: entry.supervised and takes(entry))
def test_soft_labels_are_not_rounded(entry):
    X, Y, X_new = soft_sample()
    ours, rounded = (outputs(fit(entry, X, T), X_new) for T in (Y, (Y > 0.5).astype(int)))
    name = next(n for n in ("transform", "decision_function", "scores") if n in ours)
    assert np.abs(ours[name] - rounded[name]).max() > 1e-3 * np.abs(rounded[name]).max()


@law(lambda entry: entry.supervised and takes(entry))
def test_one_soft_label_is_a_column(entry):
    """Numbers of a column between 0 and 1 are not classes."""
    X, Y, X_new = soft_sample()
    model = clone(entry.estimator)
    sizes = [name for name in model.get_params() if name.split("__")[-1] == "n_components"]
    model.set_params(**dict.fromkeys(sizes, 1))
    model.fit(X, Y[:, :1])
    assert not hasattr(model, "classes_") or model.classes_.tolist() == [[0, 1]]
    if entry.predicts:
        predicted = model.predict(X_new)
        assert predicted.shape == (len(X_new), 1)
        np.testing.assert_array_equal(predicted, model.decision_function(X_new) > 0)


@law(lambda entry: entry.supervised and takes(entry))
def test_numbers_outside_zero_and_one_are_refused(entry):
    X, Y, _ = soft_sample()
    for value in (-0.1, 1.5, -1.0):
        wrong = Y.copy()
        wrong[3, 2] = value
        for form in (np.asarray, sparse.csr_array):
            with pytest.raises(ValueError, match=r"only 0 and 1|allowed are 0 and 1"):
                fit(entry, X, form(wrong))
