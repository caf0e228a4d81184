"""What the parent of the extractors asks of the statistics of a method."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Statistics(Protocol):
    """A summary of a sample."""

    @property
    def x_mean(self) -> np.ndarray:
        """Mean of X, (D,)."""

    @property
    def spread(self) -> np.ndarray:
        """Numbers that overflow if any sum of squares of X does."""


class Poolable(Statistics, Protocol):
    """Statistics of chunks that add up to those of all rows, for ``partial_fit``."""

    @property
    def t_mean(self) -> np.ndarray:
        """Mean of the labels, (q,)."""

    @property
    def kind(self) -> tuple[Any, ...]:
        """What is in it: only statistics of one kind add up."""

    def __add__(self, other: Any) -> Any:
        """Statistics of both samples together."""
