"""Models fitted on device arrays equal those of NumPy arrays, and stay on the device."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone

import labelspan as ls
from labelspan import arrays
from labelspan.arrays import is_device, to_host
from tests.laws.law import law, sample

# Tolerance by precision, relative to the largest number.
TOLERANCES = {np.float64: 1e-9, np.float32: 1e-4}
SHOWN = ("transform", "decision_function", "predict_proba", "predict")


def follows(entry):
    return entry.estimator.__sklearn_tags__().array_api_support


def stays(entry):
    return not follows(entry) and hasattr(entry.estimator.__sklearn_tags__(), "label_tags")


def shown(model, X):
    """The outputs of a model for rows, by name."""
    return {name: getattr(model, name)(X) for name in SHOWN if hasattr(model, name)}


def assert_like(found, expected, tolerance):
    found, expected = np.asarray(to_host(found)), np.asarray(expected)
    assert found.dtype == expected.dtype
    if expected.dtype.kind in "iub":
        # A score at the threshold may fall on either side of it.
        assert np.mean(found != expected) <= (0 if tolerance < 1e-6 else 0.01)
        return
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def numbers(model):
    """Fitted numeric arrays by name, including those within fitted parts."""
    found = {}

    def note(name, value):
        if is_device(value) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
            found[name] = value
        elif hasattr(value, "__dataclass_fields__"):
            for field in value.__dataclass_fields__:
                note(f"{name}.{field}", getattr(value, field))

    for name, value in vars(model).items():
        if name not in (*model.get_params(deep=False), *arrays._arrays.TABLES):
            note(name, value)
    return found


@pytest.mark.parametrize("dtype", TOLERANCES, ids=lambda dtype: dtype.__name__)
@law(follows)
def test_arrays_on_a_device_give_what_numpy_gives(entry, place, dtype):
    X, Y, rows = sample()
    X, rows = X.astype(dtype), rows.astype(dtype)
    expected = shown(clone(entry.estimator).fit(X, Y), rows)
    model = clone(entry.estimator).fit(place.put(X), place.put(Y))
    found = shown(model, place.put(rows))
    for name in expected:
        assert place.holds(found[name])
        assert_like(found[name], expected[name], entry.within(TOLERANCES[dtype]))


@law(follows)
def test_every_setting_gives_what_numpy_gives(entry, place):
    X, Y, rows = sample(1)
    for variant in entry.variants:
        if variant.__sklearn_tags__().array_api_support:
            expected = shown(clone(variant).fit(X, Y), rows)
            found = shown(clone(variant).fit(place.put(X), place.put(Y)), place.put(rows))
            for name in expected:
                assert_like(found[name], expected[name], entry.within(1e-8))


@law(follows)
def test_every_number_that_is_learnt_lives_where_X_lives(entry, place):
    X, Y, _ = sample()
    model = clone(entry.estimator).fit(place.put(X), Y)
    found = numbers(model)
    assert found
    assert [name for name, value in found.items() if not place.holds(value)] == []


@pytest.mark.filterwarnings("ignore:y is coded -1/\\+1:UserWarning")
@law(follows)
def test_labels_of_any_kind_are_moved_beside_X(entry, place):
    X, Y, rows = sample()
    expected = shown(clone(entry.estimator).fit(X, Y), rows)
    X, rows = place.put(X), place.put(rows)
    for y in (Y, Y.astype(bool), 2 * Y - 1, place.put(Y.astype(bool)), place.put(2.0 * Y - 1)):
        found = shown(clone(entry.estimator).fit(X, y), rows)
        for name in expected:
            assert_like(found[name], expected[name], entry.within(1e-9))


@law(lambda entry: follows(entry) and entry.weights)
def test_weights_count_as_on_the_host(entry, place):
    X, Y, rows = sample()
    weights = np.arange(len(X)) % 3.0
    expected = shown(clone(entry.estimator).fit(X, Y, sample_weight=weights), rows)
    model = clone(entry.estimator).fit(place.put(X), Y, sample_weight=place.put(weights))
    found = shown(model, place.put(rows))
    for name in expected:
        assert_like(found[name], expected[name], entry.within(1e-8))


@law(follows)
def test_wide_rows_give_what_numpy_gives(entry, place):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 50))
    Y = (X @ rng.standard_normal((50, 4)) > 0).astype(int)
    ridge = "ridge" in entry.estimator.get_params()
    with_ridge = clone(entry.estimator).set_params(**({"ridge": 1.0} if ridge else {}))
    expected = shown(clone(with_ridge).fit(X, Y), X)
    found = shown(with_ridge.fit(place.put(X), Y), place.put(X))
    for name in expected:
        assert_like(found[name], expected[name], entry.within(1e-8))


@law(follows)
def test_no_copy_of_X_reaches_the_host(entry, place):
    X, Y, _ = sample(n=300)
    clone(entry.estimator).fit(place.put(X), place.put(Y))
    large = [shape for shape in place.moved if int(np.prod(shape)) >= X.size]
    assert large == []


@law(follows)
def test_a_model_on_the_host_is_the_same_model(entry, place):
    X, Y, rows = sample()
    model = clone(entry.estimator).fit(place.put(X), Y)
    expected = shown(model, place.put(rows))
    at_home = ls.to_numpy(model)
    assert all(isinstance(value, np.ndarray) for value in numbers(at_home).values())
    with sklearn.config_context(array_api_dispatch=False):
        found = shown(at_home, rows)
    for name in expected:
        assert_like(found[name], to_host(expected[name]), entry.within(1e-9))
    assert all(place.holds(value) for value in numbers(model).values())


@law(follows)
def test_rows_that_live_elsewhere_are_refused(entry, place):
    X, Y, rows = sample()
    method = next(name for name in SHOWN if hasattr(entry.estimator, name))
    model = clone(entry.estimator).fit(place.put(X), Y)
    with pytest.raises(ValueError, match=r"fitted on .*labelspan\.to_numpy\(estimator\)"):
        getattr(model, method)(rows)
    with (
        sklearn.config_context(array_api_dispatch=False),
        pytest.raises(ValueError, match="array_api_dispatch=True"),
    ):
        getattr(model, method)(place.put(rows))
    # A fit on the host resets the device.
    assert getattr(model.fit(X, Y), method)(rows) is not None


@law(stays)
def test_who_stays_on_the_host_says_so(entry, place):
    X, Y, _ = sample()
    model = clone(entry.estimator)
    with pytest.raises(TypeError, match=r"X is on a device .*X\.cpu\(\)\.numpy\(\) for torch"):
        model.fit(place.put(X), Y)
    assert not hasattr(model, "n_features_in_")


@law(lambda entry: follows(entry) and entry.one_pass)
def test_chunks_on_a_device_add_up(entry, place):
    X, Y, rows = sample()
    expected = shown(clone(entry.estimator).fit(X, Y), rows)
    model = clone(entry.estimator)
    for part in (slice(0, 1), slice(1, 20), slice(20, None)):
        model.partial_fit(place.put(X[part]), place.put(Y[part]))
    found = shown(model, place.put(rows))
    assert all(place.holds(value) for value in numbers(model).values())
    for name in expected:
        assert place.holds(found[name])
        assert_like(found[name], expected[name], entry.within(1e-8))
    with pytest.raises(ValueError, match="was fitted on"):
        model.partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"finalize\(\) first"):
        ls.to_numpy(model)
    at_home = shown(ls.to_numpy(model.finalize()), rows)
    for name in expected:
        assert_like(at_home[name], expected[name], entry.within(1e-8))


def takes_holes(entry):
    return entry.estimator.__sklearn_tags__().label_tags.takes("device_holes")


@pytest.mark.parametrize("weighted", [False, True], ids=["alike", "weighted"])
@law(lambda entry: follows(entry) and takes_holes(entry))
def test_labels_with_holes_give_what_numpy_gives(entry, place, weighted):
    X, Y, rows = sample()
    Y = np.where(np.arange(Y.size).reshape(Y.shape) % 7 == 0, np.nan, Y)
    weights = {"sample_weight": np.arange(len(X)) % 3.0} if weighted and entry.weights else {}
    expected = shown(clone(entry.estimator).fit(X, Y, **weights), rows)
    for y in (Y, place.put(Y)):
        model = clone(entry.estimator).fit(place.put(X), y, **weights)
        assert all(place.holds(value) for value in numbers(model).values())
        found = shown(model, place.put(rows))
        for name in expected:
            assert_like(found[name], expected[name], entry.within(1e-8))


@law(lambda entry: follows(entry) and entry.supervised and not takes_holes(entry))
def test_labels_that_are_not_observed_are_refused(entry, place):
    X, Y, _ = sample()
    Y = np.where(np.arange(Y.size).reshape(Y.shape) % 7 == 0, np.nan, Y)
    with pytest.raises(ValueError, match="not observed"):
        clone(entry.estimator).fit(place.put(X), Y)


def test_the_tag_and_the_gate_agree():
    for cls in (ls.MVMD, ls.LPP, ls.LaRankSVM, ls.MultiOutputRidge):
        tags = cls().__sklearn_tags__()
        assert tags.array_api_support == tags.label_tags.takes("device")
        assert isinstance(cls(), BaseEstimator)
