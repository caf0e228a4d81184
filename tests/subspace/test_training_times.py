"""Training times are those of the requested sizes."""

from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator

from labelspan.subspace import _training_times, training_times


class Counting(BaseEstimator):
    """Takes one second per row, by its own clock."""

    clock = 0.0

    def fit(self, X, Y):
        assert len(X) == len(Y)
        # The first rows, and as many as the size says: X holds their numbers.
        np.testing.assert_array_equal(X[:, 0], np.arange(len(X)))
        Counting.clock += len(X)
        return self


def test_each_size_is_timed_on_as_many_rows(monkeypatch):
    monkeypatch.setattr(
        _training_times, "time", SimpleNamespace(perf_counter=lambda: Counting.clock)
    )
    X, Y = np.arange(300.0)[:, None], np.ones((300, 2))
    times = training_times({"a": Counting(), "b": Counting()}, X, Y, [200, 50, 300])
    np.testing.assert_array_equal(times["size"], [200, 50, 300])
    for name in "ab":
        np.testing.assert_array_equal(times[name], [200, 50, 300])
