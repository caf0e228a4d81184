"""Fixtures of the label-space tests."""

import pytest


@pytest.fixture
def iterated(monkeypatch):
    """Directions of more than 50 labels and rows are found by iterations."""
    monkeypatch.setattr("labelspan.labelspace._training.EXACT_SIDE", 50)
