"""Measures of search by name: "shared_label_at_10"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.metrics import _retrieval

STEMS: dict[str, tuple[Callable[..., float], str]] = {
    "shared_label": (_retrieval.shared_label_at_k, "Shared label"),
    "retrieval_precision": (_retrieval.retrieval_precision_at_k, "Retrieval precision"),
    "retrieval_recall": (_retrieval.retrieval_recall_at_k, "Retrieval recall"),
    "retrieval_map": (_retrieval.retrieval_map_at_k, "Retrieval MAP"),
    "retrieval_ndcg": (_retrieval.retrieval_ndcg_at_k, "Retrieval nDCG"),
}


@dataclass(frozen=True)
class SearchMeasure:
    """A measure of the k nearest rows; larger is better."""

    stem: str
    k: int

    @property
    def title(self) -> str:
        """Its name in a table."""
        return f"{STEMS[self.stem][1]}@{self.k}"

    def __call__(self, Y_query: Any, Y_index: Any, neighbours: np.ndarray) -> float:
        """Evaluate neighbours, row numbers of the index."""
        return STEMS[self.stem][0](Y_query, Y_index, neighbours, self.k)


def search_measure(name: Any) -> SearchMeasure | None:
    """The measure of search of this name, with a number for k; None for other names."""
    if isinstance(name, SearchMeasure):
        return name
    found = re.fullmatch(r"(\w+)_at_([1-9]\d*)", name) if isinstance(name, str) else None
    return SearchMeasure(found[1], int(found[2])) if found and found[1] in STEMS else None
