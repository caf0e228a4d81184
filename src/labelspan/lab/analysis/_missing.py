"""Results against the share of labels that were removed."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from labelspan.lab.analysis._analysis import Analysis

#: Means by method and share removed.
Decline = dict[str, dict[float, float]]


def declines(analysis: Analysis, measure: str) -> dict[tuple[str, str], Decline]:
    """Means of a measure by data set with mechanism, classifier, method and share removed."""
    sources = {source.name: source for source in analysis.plan.sources}
    values: dict[tuple[str, str, str], dict[float, list[float]]] = defaultdict(dict)
    for cell in analysis.plain:
        source, value = sources[cell["dataset"]], cell["values"].get(measure)
        if source.missing is not None and cell["status"] == "ok" and value is not None:
            key = (f"{source.of} ({source.mechanism})", cell["classifier"], cell["method"])
            values[key].setdefault(source.missing, []).append(value)
    found: dict[tuple[str, str], Decline] = defaultdict(dict)
    for (dataset, classifier, method), shares in values.items():
        means = {share: float(np.mean(shares[share])) for share in sorted(shares)}
        found[(dataset, classifier)][method] = means
    return dict(found)
