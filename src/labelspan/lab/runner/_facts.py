"""Facts about a data set for the report: its description and label correlations."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from typing import Any

import numpy as np
from scipy import sparse

from labelspan.datasets import describe
from labelspan.lab.plan import Source, loaded
from labelspan.system import escaped

# A heat map of more labels is not readable; the most frequent ones are shown.
MOST_LABELS = 40


def facts_of(source: Source) -> dict[str, Any]:
    """Plain data that describe a data set and its labels; "error" alone if it cannot be read."""
    try:
        dataset = loaded(source)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            description = describe(
                dataset.X,
                dataset.Y,
                train=dataset.train,
                test=dataset.test,
                feature_names=dataset.feature_names,
                label_names=dataset.label_names,
            )
    except Exception as error:
        return {"error": escaped(f"{type(error).__name__}: {error}")}
    Y = sparse.csr_array(dataset.Y) > 0
    counts = np.asarray(Y.sum(axis=0)).ravel()
    shown = np.sort(np.argsort(-counts, kind="stable")[:MOST_LABELS])
    plain = asdict(description)
    plain.pop("block_shift")
    plain.pop("dependence")
    depends = description.dependence
    return {
        "description": plain,
        "problems": list(description.problems),
        "dependence": {
            "sentence": escaped(depends.sentence) if depends else "",
            "noise": depends.noise if depends else "",
        },
        "source": escaped(dataset.source),
        "has_split": dataset.train is not None,
        "label_names": [escaped(name) for name in dataset.label_names],
        "label_counts": counts.tolist(),
        "correlation": correlation(Y[:, shown].toarray()),
        "correlation_labels": shown.tolist(),
    }


def correlation(Y: np.ndarray) -> list[list[float]]:
    centred = Y - Y.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where(lengths > 0, lengths, 1.0)
    return np.round(scaled.T @ scaled, 4).tolist()
