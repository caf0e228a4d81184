"""Fixtures of the label-space tests."""

import pytest


@pytest.fixture
def iterated(limit):
    """Directions of more than 50 labels and rows are found by iterations."""
    limit("exact label side", 50)
