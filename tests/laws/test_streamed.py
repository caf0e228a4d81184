"""Host rows summed on a device give the same model, on the host."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone

import labelspan as ls
from labelspan import arrays
from labelspan.arrays import is_device
from tests.laws.law import law, sample
from tests.laws.test_device import assert_like, follows, numbers, shown


def sums_up(entry):
    return follows(entry) and (entry.dask == "fit" or entry.name == "SharedSubspaceClassifierCV")


@pytest.fixture
def blocks(monkeypatch, limit):
    """The blocks that were sent, of 40 rows or so."""
    sent = []
    stream = arrays._stream.stream

    def counted(arrays, rows):
        for block in stream(arrays, rows):
            assert all(is_device(array) for array in block)
            sent.append(block[0].shape)
            yield block

    monkeypatch.setattr("labelspan.moments._collect.stream", counted)
    limit("stream bytes", 8 * 6 * 40)
    return sent


@law(sums_up)
def test_sums_on_a_device_give_the_model_of_the_host(entry, place, blocks, tmp_path):
    X, Y, rows = sample(n=150)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    expected = shown(clone(entry.estimator).fit(X, Y), rows)
    with sklearn.config_context(array_api_dispatch=False):
        with ls.config_context(device=place.put(X[:1])):
            model = clone(entry.estimator).fit(mapped, Y)
        assert len(blocks) > 2
        assert all(isinstance(value, np.ndarray) for value in numbers(model).values())
        found = shown(model, rows)
    for name in expected:
        assert_like(found[name], expected[name], entry.within(1e-8))


@law(lambda entry: sums_up(entry) and entry.weights)
def test_weights_and_sparse_labels_go_along(entry, place, blocks):
    X, Y, rows = sample(n=150)
    weights = np.arange(len(X)) % 3.0
    expected = shown(clone(entry.estimator).fit(X, Y, sample_weight=weights), rows)
    with ls.config_context(device=place.put(X[:1])):
        model = clone(entry.estimator).fit(X, Y, sample_weight=weights)
    assert blocks
    found = shown(model, rows)
    for name in expected:
        assert_like(found[name], expected[name], entry.within(1e-8))


def test_what_is_no_number_is_refused_by_its_rows(place, blocks):
    X, Y, _ = sample(n=150)
    X[100, 2] = np.nan
    with (
        ls.config_context(device=place.put(Y)),
        pytest.raises(ValueError, match="contains NaN or infinity, in rows 75 to 111"),
    ):
        ls.MVMD(2).fit(X, Y)


@law(lambda entry: not sums_up(entry))
def test_others_are_not_affected(entry, place, blocks):
    X, Y, rows = sample()
    expected = shown(clone(entry.estimator).fit(X, Y), rows)
    with ls.config_context(device=place.put(X[:1])):
        found = shown(clone(entry.estimator).fit(X, Y), rows)
        with pytest.raises(ValueError, match="Input X contains NaN"):
            clone(entry.estimator).fit(np.where(X > 1, np.nan, X), Y)
    parts = entry.estimator.get_params(deep=False).values()
    # Wrappers fit another estimator, which may compute its sums on the device.
    if not any(isinstance(part, BaseEstimator) for part in parts):
        assert blocks == []
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name])


def test_a_device_that_nobody_knows_is_refused():
    refused = pytest.raises(TypeError, match="device is int; allowed are a name that torch knows")
    with refused, ls.config_context(device=3):
        pass


def test_a_device_of_torch_without_torch_is_refused(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    refused = pytest.raises(ImportError, match="Install torch, or pass an array of CuPy")
    with refused, ls.config_context(device="cuda"):
        pass
