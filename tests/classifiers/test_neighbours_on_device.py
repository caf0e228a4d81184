"""The search on a device finds the same rows as that of the host, ties in their order."""

import numpy as np
import pytest

from labelspan._device import to_host
from labelspan.classifiers import _on_device as on_device
from labelspan.classifiers._neighbours import nearest_rows

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
def test_the_nearest_rows_are_those_of_the_host(place, name, alone, monkeypatch):
    T = SAMPLES[name]
    queries = None if alone else T[::3]
    expected = nearest_rows(T, queries, 7)
    # Several blocks, the last of them shorter.
    monkeypatch.setattr(on_device, "block_bytes", lambda array: 8 * 4 * 64 * len(T))
    found = nearest_rows(place.put(T), None if alone else place.put(queries), 7)
    np.testing.assert_array_equal(to_host(found), expected)
