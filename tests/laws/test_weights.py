"""Laws of sample weights: weight k is k copies, weight 0 is absence, weight 1 is nothing."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from tests.laws.law import assert_same, law, outputs, plain, sample
from tests.laws.test_every_estimator import changed

COUNTS = np.random.default_rng(1).integers(0, 4, 48)
FORMS = {"dense": np.asarray, "sparse": sparse.csr_array}


def weighs(entry):
    return has_fit_parameter(entry.estimator, "sample_weight")


def at_random():
    return np.random.default_rng(5).uniform(0.2, 3.0, 48)


def weighted(entry, X, Y, weights):
    return clone(entry.estimator).fit(X, Y, sample_weight=weights)


@law()
def test_tags_and_signature_say_the_same(entry):
    takes = clone(entry.estimator).__sklearn_tags__().label_tags.takes("sample_weight")
    assert takes == weighs(entry)


@law(lambda entry: not weighs(entry))
def test_weights_are_refused_with_the_reason(entry):
    X, Y, _ = sample()
    model = clone(entry.estimator)
    reason = model.__sklearn_tags__().label_tags.refused["sample_weight"]
    with pytest.raises(TypeError, match=f"{entry.name}.fit takes no sample_weight: .* Leave it"):
        model.fit(X, Y, sample_weight=np.ones(len(X)))
    assert len(reason.split()) >= 4
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(TypeError, match="unexpected keyword argument 'groups'"):
        model.fit(X, Y, groups=None)


@law(weighs)
@pytest.mark.parametrize("form", FORMS)
def test_a_weight_is_a_number_of_copies(entry, form):
    X, Y, X_new = sample()
    X = np.where(np.abs(X) < 0.2, 0.0, X)
    ours = weighted(entry, FORMS[form](X), Y, COUNTS)
    copies = FORMS[form](np.repeat(X, COUNTS, axis=0)), np.repeat(Y, COUNTS, axis=0)
    theirs = clone(entry.estimator).fit(*copies)
    # Results of solvers with a tolerance depend on the number of rows.
    tolerance = entry.tolerance if hasattr(entry.estimator, "max_iter") else 1e-10
    assert_same(signless(outputs(ours, X_new)), signless(outputs(theirs, X_new)), tolerance)


@law(weighs)
@pytest.mark.parametrize("form", FORMS)
def test_a_row_of_weight_zero_is_absent(entry, form):
    """To the last bit, for any content of the row; a class that only this row has is absent."""
    X, Y, X_new = sample()
    weights = at_random()
    weights[[0, 7, 40]] = 0.0
    X[0], Y[7] = 1e6, 1 - Y[7]
    kept = weights > 0
    ours = weighted(entry, FORMS[form](X), Y, weights)
    theirs = weighted(entry, FORMS[form](X[kept]), Y[kept], weights[kept])
    assert_same(outputs(ours, X_new), outputs(theirs, X_new), 0.0)
    names = np.where(kept, np.array(["red", "green", "blue"])[Y[:, :2].sum(axis=1)], "grey")
    if entry.supervised:
        model = weighted(entry, FORMS[form](X), names, weights)
        assert "grey" not in model.classes_


@law(weighs)
def test_the_unit_of_the_weights(entry):
    """Scaling all weights changes nothing, except for parameters that weigh a sum over rows."""
    X, Y, X_new = sample()
    expected = outputs(weighted(entry, X, Y, at_random()), X_new)
    for t in (1e-3, 7.0):
        model = changed(entry, t, entry.per_row).fit(X, Y, sample_weight=t * at_random())
        found = of_unit_length(outputs(model, X_new))
        assert_same(found, of_unit_length(expected), max(entry.tolerance, 1e-6))


def of_unit_length(found):
    """How long a direction is depends on its metric, a sum over rows."""
    for name in {"transform", "scores"} & set(found):
        found[name] = found[name] / np.linalg.norm(found[name], axis=0)
    return found


@law(weighs)
def test_weights_of_one_are_no_weights(entry):
    X, Y, X_new = sample()
    for ones in (1.0, np.ones(len(X)), [1] * len(X), pd.Series(np.ones(len(X)))):
        ours = outputs(weighted(entry, X, Y, ones), X_new)
        assert_same(ours, outputs(plain(entry.name), X_new), 0.0)


@law(weighs)
def test_more_features_than_weighted_rows(entry):
    """Weights with every solver: the rows rotated into 60 dimensions, dense and sparse."""
    X, Y, X_new = sample()
    Q, _ = np.linalg.qr(np.random.default_rng(2).standard_normal((60, X.shape[1])))
    Q = np.eye(*Q.shape) if hasattr(entry.estimator, "get_support") else Q
    expected = signless(outputs(weighted(entry, X, Y, at_random()), X_new))
    for form in FORMS.values():
        model = weighted(entry, form(X @ Q.T), Y, at_random())
        found = signless(outputs(model, form(X_new @ Q.T)))
        found = {k: v[:6] if k in ("support", "scores") else v for k, v in found.items()}
        assert_same(found, expected, 100 * entry.tolerance)


def signless(found):
    """Projections with the largest of each column positive: signs may follow from the rows."""
    if "transform" in found:
        Z = found["transform"]
        found["transform"] = Z * np.sign(Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])])
    return found


@law(lambda entry: weighs(entry) and entry.one_pass)
def test_weighted_chunks_pool(entry):
    X, Y, X_new = sample()
    weights = at_random()
    model = clone(entry.estimator)
    for rows in (slice(0, 20), slice(20, 23), slice(23, None)):
        model.partial_fit(X[rows], Y[rows], sample_weight=weights[rows])
    expected = outputs(weighted(entry, X, Y, weights), X_new)
    assert_same(outputs(model, X_new), expected, entry.tolerance)


@law(lambda entry: weighs(entry) and entry.dask == "fit")
def test_weighted_blocks_pool(entry):
    """With one block of weight 0, and one with some rows of weight 0."""
    da = pytest.importorskip("dask.array")
    X, Y, X_new = sample()
    weights = at_random()
    weights[:20] = weights[30] = 0.0
    expected = outputs(weighted(entry, X, Y, weights), X_new)
    lazy = [da.from_array(A, chunks=(10, *A.shape[1:])) for A in (X, Y, weights)]
    for given in (lazy[2], weights):
        model = weighted(entry, *lazy[:2], given)
        assert_same(outputs(model, X_new), expected, entry.tolerance)


@law(weighs)
def test_weights_that_are_none_are_refused(entry):
    X, Y, _ = sample()
    model = clone(entry.estimator)
    for given, message in {
        "negative": (np.where(np.arange(48) == 3, -0.5, 1), r"sample_weight\[3\] is -0.5; .* >= 0"),
        "zero": (np.zeros(48), r"sample_weight is zero for all but 0 of 48 rows"),
        "length": (np.ones(47), r"shape \(47,\); expected \(48,\): one number per row"),
        "2-d": (np.ones((48, 2)), r"shape \(48, 2\); expected \(48,\)"),
        "nan": (np.where(np.arange(48) == 3, np.nan, 1), "sample_weight contains NaN"),
        "infinite": (np.inf, "sample_weight contains infinity"),
    }.values():
        with pytest.raises(ValueError, match=message):
            model.fit(X, Y, sample_weight=given)
    assert not hasattr(model, "n_features_in_")
