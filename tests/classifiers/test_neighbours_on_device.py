"""The search on a device finds the same rows as that of the host, ties in their order."""

import numpy as np
import pytest

from labelspan.arrays import KeyFactors, to_host
from labelspan.classifiers import _on_device as on_device
from tests.reference.mlknn import ordered, squared_distances

RNG = np.random.default_rng(0)
SAMPLES = {
    "binary rows with many ties": (RNG.random((200, 12)) < 0.2).astype(float),
    "numbers far from the origin": RNG.standard_normal((200, 12)) + 1e4,
    "whole numbers beyond single precision": RNG.integers(0, 3000, (200, 6)).astype(float),
    "twins": np.repeat(RNG.standard_normal((100, 5)), 2, axis=0),
    "single precision": RNG.standard_normal((200, 12)).astype(np.float32),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("alone", [True, False], ids=["among themselves", "of others"])
def test_the_nearest_rows_are_those_of_the_host(place, name, alone, device_blocks):
    T = SAMPLES[name]
    queries = None if alone else T[::3]
    distances = squared_distances(*(A.astype(float) for A in (T if alone else queries, T)))
    expected = [ordered(row, 7, i if alone else None) for i, row in enumerate(distances)]
    # Several blocks, the last of them shorter.
    device_blocks(8 * 64 * len(T))
    found = on_device.nearest(place.put(T), None if alone else place.put(queries), 7)
    np.testing.assert_array_equal(to_host(found), expected)


@pytest.mark.parametrize("n", [3, 40, 32768])
def test_keys_of_whole_numbers_are_exact_in_half_precision(n):
    torch = pytest.importorskip("torch")
    T = torch.asarray(np.random.default_rng(0).integers(0, 3, (n, 9)), dtype=torch.float32)
    largest = float((T**2).sum(dim=1).max())
    assert KeyFactors.fit(n, largest)
    factors, queries = KeyFactors(T), T[-3:]
    # Half precision holds every factor, single precision every sum of their products.
    keys = (factors.left(queries).float() @ factors.right.float().T)[:, :n]
    exact = (T**2).sum(dim=1) - 2 * queries @ T.T
    assert factors.modulus >= n
    expected = exact.double() * factors.modulus + torch.arange(n)
    np.testing.assert_array_equal(keys.double(), expected)


@pytest.mark.parametrize(("n", "largest"), [(32768, 171), (32769, 1), (16000, 400), (2, np.inf)])
def test_keys_that_would_round_are_not_taken(n, largest):
    assert not KeyFactors.fit(n, largest)
