"""Fixtures that every family of tests shares."""

import os

import numpy as np
import pytest
from scipy import sparse

from labelspan.datasets import load_dataset, load_yeast
from tests.limits import limit  # noqa: F401
from tests.places import device_blocks, place  # noqa: F401


def pytest_configure(config):
    """If the data must be available, no test may skip because they are missing."""
    folder = os.environ.get("LABELSPAN_DATA", "")
    if os.environ.get("LABELSPAN_REQUIRE_DATA") and not os.path.isdir(folder):
        raise pytest.UsageError(f"LABELSPAN_DATA={folder!r} is not a folder of data sets")


@pytest.fixture(scope="session")
def dataset():
    """Load a benchmark set by name, or skip with a message if its files are missing."""

    def load(name):
        if name == "yeast":
            return load_yeast()
        if not os.environ.get("LABELSPAN_DATA"):
            pytest.skip(f"{name} needs the benchmark files: set LABELSPAN_DATA to their folder")
        return load_dataset(name)

    return load


@pytest.fixture(scope="session")
def training(dataset):
    """The training part of a set, dense: X, Y. human-go is cut to 400 rows and 2000 features."""

    def load(name):
        data = dataset(name)
        X, Y = data.X[data.train], data.Y[data.train]
        Y = Y.toarray() if sparse.issparse(Y) else Y
        if name == "human-go":
            X, Y = X[:400], Y[:400]
            frequent = np.argsort(-X.sum(axis=0), kind="stable")[:2000]
            X = X[:, np.sort(frequent)]
        return (X.toarray() if sparse.issparse(X) else X), Y

    return load


@pytest.fixture
def rng():
    return np.random.default_rng(0)
