"""Laws of missing labels: NaN is left out of the sums and changes nothing else, or is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import labelspan as ls
from tests.laws.law import assert_same, fit, law, outputs, plain, sample, takes_holes


def holed_sample():
    """The sample of the laws with 30 % missing labels, more in the last; two rows have none."""
    X, Y, X_new = sample()
    X[np.abs(X) < 0.2] = 0.0
    Y = Y.astype(float)
    Y[np.random.default_rng(3).random(Y.shape) < [0.2, 0.2, 0.3, 0.5]] = np.nan
    Y[[4, 30]] = np.nan
    # Chunks with and without missing labels are pooled.
    Y[23:40] = np.where(np.isnan(Y[23:40]), 1.0, Y[23:40])
    return X, Y, X_new


def signless(found):
    return {name: np.abs(value) for name, value in found.items()}


def takes(entry, capability):
    return entry.estimator.__sklearn_tags__().label_tags.takes(capability)


def streams(entry):
    """Whether chunks and Dask arrays may have missing labels, too."""
    return entry.dask == "fit" and takes(entry, "streamed_holes")


def reduces(entry):
    """Whether it returns directions, not the features of a selector."""
    model = entry.estimator
    return hasattr(model, "transform") and not hasattr(model, "get_support")


def by_label(found, labels):
    """The outputs for these labels, and all outputs for the features."""
    per_label = ("decision_function", "predict_proba", "predict")
    return {name: A[:, labels] if name in per_label else A for name, A in found.items()}


def in_blocks(*arrays):
    da = pytest.importorskip("dask.array")
    return [da.from_array(A, chunks=(20, A.shape[1])) for A in arrays]


@law(lambda entry: entry.supervised and not takes_holes(entry))
def test_missing_labels_are_refused_with_a_way_to_find_who_takes_them(entry):
    X, Y, _ = holed_sample()
    row, column = np.argwhere(np.isnan(Y))[0]
    found = r"label_tags.takes\('missing_labels'\) take such labels"
    message = rf"NaN: y\[{row}, {column}\] is not observed; {entry.name} needs .*{found}"
    model = clone(entry.estimator)
    for given in (Y, pd.DataFrame(Y), np.ma.masked_invalid(Y)):
        with pytest.raises(ValueError, match=message):
            model.fit(X, given)
    if entry.dask == "fit":
        with pytest.raises(ValueError, match=message):
            model.fit(*in_blocks(X, Y))
    assert not hasattr(model, "n_features_in_")


@law(takes_holes)
def test_labels_of_which_none_is_observed_are_refused(entry):
    X, Y, _ = sample()
    for nothing in (np.full(Y.shape, np.nan), pd.DataFrame(np.full(Y.shape, None))):
        with pytest.raises(ValueError, match=r"NaN only: no label of any row is observed"):
            clone(entry.estimator).fit(X, nothing)


@law(takes_holes)
def test_labels_without_holes_are_as_ever(entry):
    """To the last bit, in forms that could have missing labels."""
    X, Y, X_new = sample()
    expected = outputs(plain(entry.name), X_new)
    for given in (np.ma.array(Y), pd.DataFrame(Y).astype("Int64"), Y.astype(object)):
        assert_same(outputs(fit(entry, X, given), X_new), expected, 0.0)


@pytest.mark.filterwarnings("ignore:y is coded -1/\\+1:UserWarning")
@law(takes_holes)
def test_missing_labels_in_every_form(entry):
    X, Y, X_new = holed_sample()
    expected = outputs(fit(entry, X, Y), X_new)
    frame = pd.DataFrame(Y).astype("Int64")
    assert frame.isna().to_numpy().any()
    nothing = np.where(np.isnan(Y), None, Y).tolist()
    for given in (frame, nothing, np.ma.masked_invalid(Y), 2 * Y - 1, Y.astype(np.float32)):
        assert_same(outputs(fit(entry, X, given), X_new), expected, 0.0)
    sparse_X = outputs(fit(entry, sparse.csr_array(X), Y), X_new)
    assert_same(sparse_X, expected, entry.tolerance)
    for form in (np.asarray, sparse.csr_array) if streams(entry) else ():
        model = clone(entry.estimator)
        for rows in (slice(0, 20), slice(20, 23), slice(23, 40), slice(40, None)):
            model.partial_fit(form(X[rows]), Y[rows])
        assert_same(outputs(model, X_new), expected, entry.tolerance)
    if streams(entry):
        assert_same(outputs(fit(entry, *in_blocks(X, Y)), X_new), expected, entry.tolerance)


@law(takes_holes)
def test_missing_labels_of_rows_that_are_sent_to_a_device(entry):
    """Labels with NaN stay on the host."""
    pytest.importorskip("torch")
    X, Y, X_new = holed_sample()
    expected = outputs(fit(entry, X, Y), X_new)
    with ls.config_context(device="cpu"):
        model = fit(entry, X, Y)
        assert_same(outputs(model, X_new), expected, entry.tolerance)


@law(takes_holes)
def test_a_mask_beside_sparse_labels(entry):
    X, Y, X_new = holed_sample()
    expected = outputs(fit(entry, X, Y), X_new)
    observed = ~np.isnan(Y)
    labels = sparse.csr_array(np.nan_to_num(Y))
    for mask in (observed, sparse.csr_array(observed), observed.tolist()):
        ours = clone(entry.estimator).fit(X, labels, observed=mask)
        assert_same(outputs(ours, X_new), expected, 0.0)
    parts = (slice(0, 20), slice(20, 23), slice(23, None))
    blocks = [(X[rows], labels[rows], None, observed[rows]) for rows in parts]
    if streams(entry):
        ours = clone(entry.estimator).fit_blocks(blocks)
        assert_same(outputs(ours, X_new), expected, entry.tolerance)
    whole = clone(entry.estimator).fit(X, labels, observed=np.ones(Y.shape, dtype=bool))
    assert_same(outputs(whole, X_new), outputs(fit(entry, X, labels), X_new), 0.0)
    for wrong in (observed[:, :2], observed.astype(int)):
        with pytest.raises(ValueError, match=r"expected booleans of shape \(48, 4\)"):
            clone(entry.estimator).fit(X, labels, observed=wrong)
    with pytest.raises(ValueError, match=r"NaN in a dense array, y.toarray\(\), or False in"):
        clone(entry.estimator).fit(X, sparse.csr_array(Y))
    with pytest.raises(ValueError, match="NaN where observed is True"):
        clone(entry.estimator).fit(X, sparse.csr_array(Y), observed=np.roll(observed, 1, axis=0))
    with pytest.raises(TypeError, match=r"y is ndarray.*numpy.where\(observed, y, numpy.nan\)"):
        clone(entry.estimator).fit(X, Y, observed=observed)


def test_a_mask_is_routed():
    X, Y, X_new = holed_sample()
    labels, observed = sparse.csr_array(np.nan_to_num(Y)), ~np.isnan(Y)
    with config_context(enable_metadata_routing=True):
        reducer = ls.MDDM(2).set_fit_request(observed=True)
        model = make_pipeline(StandardScaler(with_mean=False), reducer)
        ours = model.fit(X, labels, observed=observed).transform(X_new)
    expected = make_pipeline(StandardScaler(with_mean=False), ls.MDDM(2)).fit(X, Y)
    np.testing.assert_array_equal(ours, expected.transform(X_new))


@law(takes_holes)
def test_a_hole_is_neither_0_nor_1(entry):
    X, Y, X_new = holed_sample()
    found = outputs(fit(entry, X, Y), X_new)
    name, ours = next((name, A) for name, A in found.items() if A.dtype.kind == "f")
    for value in (0.0, 1.0):
        theirs = outputs(fit(entry, X, np.where(np.isnan(Y), value, Y)), X_new)[name]
        assert np.abs(ours - theirs).max() > 1e-3 * np.abs(theirs).max()


@law(lambda entry: takes_holes(entry) and takes(entry, "sample_weight"))
def test_a_weight_is_a_number_of_copies_with_holes(entry):
    X, Y, X_new = holed_sample()
    counts = np.random.default_rng(1).integers(0, 4, len(X))
    copies = [np.repeat(A, counts, axis=0) for A in (X, Y)]
    expected = outputs(fit(entry, *copies), X_new)
    ours = clone(entry.estimator).fit(X, Y, sample_weight=counts)
    assert_same(signless(outputs(ours, X_new)), signless(expected), entry.within(1e-9))
    if not streams(entry):
        return
    streamed = clone(entry.estimator).fit(*in_blocks(X, Y), sample_weight=counts)
    assert_same(signless(outputs(streamed, X_new)), signless(expected), entry.tolerance)


@law(takes_holes)
def test_the_order_of_rows_and_labels_with_holes(entry):
    X, Y, X_new = holed_sample()
    rng = np.random.default_rng(2)
    rows, labels = rng.permutation(len(X)), rng.permutation(Y.shape[1])
    expected = outputs(fit(entry, X, Y), X_new)
    assert_same(outputs(fit(entry, X[rows], Y[rows]), X_new), expected, entry.tolerance)
    ours = outputs(fit(entry, X, Y[:, labels]), X_new)
    assert_same(ours, by_label(expected, labels), entry.tolerance)


@law(takes_holes)
def test_a_label_that_is_never_observed_is_absent(entry):
    X, Y, X_new = holed_sample()
    Y[:, 1] = np.nan
    expected = outputs(fit(entry, X, np.delete(Y, 1, axis=1)), X_new)
    with pytest.warns(UserWarning, match=r"1 label\(s\) \(1\) are observed in"):
        model = fit(entry, X, Y)
    ours = by_label(outputs(model, X_new), [0, 2, 3])
    assert_same(ours, expected, entry.tolerance)


@law(lambda entry: takes_holes(entry) and reduces(entry))
def test_a_label_that_is_constant_where_it_is_observed_is_absent(entry):
    X, Y, X_new = holed_sample()
    for value in (0.0, 1.0, 0.3):
        Y[:, 2] = np.where(np.isnan(Y[:, 2]), np.nan, value)
        expected = outputs(fit(entry, X, np.delete(Y, 2, axis=1)), X_new)["transform"]
        ours = outputs(fit(entry, X, Y), X_new)["transform"]
        assert_same({"transform": ours}, {"transform": expected}, entry.tolerance)


@law(lambda entry: takes_holes(entry) and reduces(entry))
def test_rows_without_labels_count_for_the_features(entry):
    X, Y, _ = holed_sample()
    model = fit(entry, X, Y)
    model = getattr(model, "reducer_", getattr(model, "best_estimator_", model))
    np.testing.assert_allclose(model.mean_, X.mean(axis=0), rtol=1e-12)
