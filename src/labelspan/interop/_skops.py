"""The types that skops files may hold."""

from __future__ import annotations

from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

import labelspan
from labelspan.choice import AllFeatures, Space
from labelspan.classifiers import Reference
from labelspan.kernels import KernelCodes, KernelMap, WeightedMap
from labelspan.labelspace import ClassifierCodes, FirstCodes, LinearCodes
from labelspan.ranking import Threshold
from labelspan.ridge_cv import Scaling

#: Types in fitted estimators besides arrays, numbers and estimators.
PARTS = (
    AllFeatures,
    ClassifierCodes,
    FirstCodes,
    KernelCodes,
    KernelMap,
    LinearCodes,
    Reference,
    Scaling,
    Space,
    Threshold,
    WeightedMap,
    csr_array,
)


def trusted_types() -> list[str]:
    """Return the types that a fitted estimator of labelspan may hold in a skops file.

    skops loads only types that you trust, so a file cannot run any code. These
    are the estimators themselves and their parts. A model that still holds the statistics of
    chunks needs ``finalize()`` before it is saved.

    Returns
    -------
    list of str
        Full names, for the `trusted` argument of ``skops.io.load``.

    Examples
    --------
    >>> import pytest
    >>> skops = pytest.importorskip("skops.io")
    >>> from labelspan import CPLST
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.interop import trusted_types
    >>> yeast = load_yeast()
    >>> stored = skops.dumps(CPLST(5).fit(yeast.X, yeast.Y))
    >>> skops.loads(stored, trusted=trusted_types()).predict(yeast.X).shape
    (2417, 14)
    """
    kinds = (*public_estimators(), *PARTS)
    return sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in kinds)


def public_estimators() -> list[type]:
    found = (getattr(labelspan, name) for name in labelspan.__all__)
    return [cls for cls in found if isinstance(cls, type) and issubclass(cls, BaseEstimator)]
