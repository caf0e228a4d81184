"""Area under the ROC curve against the number of features (Figure 2 of the CMLFS paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelspan.arrays import dense
from labelspan.gate import check_features, check_labels
from labelspan.metrics import macro_auc
from labelspan.selection._cmlfs import CMLFS
from labelspan.selection._fisher_svm import FisherSVM
from labelspan.selection._mlfs import MLFS


@dataclass(frozen=True)
class SelectionPath:
    """Result of :func:`selection_path`; each array has one entry for each m.

    Attributes
    ----------
    n_features : ndarray of int
        Requested values of m.
    n_selected : dict of str to ndarray of int
        Features that each method kept: m for the Fisher score (for each label its own), the
        size of the support for MLFS and CMLFS.
    auc : dict of str to ndarray
        Mean area under the ROC curve over the labels of the test rows.
    """

    n_features: np.ndarray
    n_selected: dict[str, np.ndarray]
    auc: dict[str, np.ndarray]


def selection_path(
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    n_features: Sequence[int] = (10, 20, 50, 100),
    *,
    C: float = 1.0,
    mu: float = 1.0,
    tol: float = 1e-3,
    max_iter: int = 5000,
    random_state: Any = None,
) -> SelectionPath:
    """Compare MLFS, CMLFS and the Fisher score with an SVM, for many numbers of features.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Training features.
    y : array-like or sparse matrix of shape (n_samples, n_labels)
        Training labels.
    X_test : array-like or sparse matrix of shape (n_test, n_features)
        Test features.
    y_test : array-like or sparse matrix of shape (n_test, n_labels)
        Test labels.
    n_features : sequence of int
        Values of m, each at most the number of features.
    C : float, default=1.0
        Weight of the loss, for all methods.
    mu : float, default=1.0
        Weight of the label correlation, for CMLFS.
    tol : float, default=1e-3
        Relative duality gap to reach.
    max_iter : int, default=5000
        Largest number of sweeps per fit.
    random_state : int, RandomState instance or None, default=None
        Order of the instances.

    Returns
    -------
    SelectionPath
        Features kept and AUC, for each method and each m;
        :class:`labelspan.plotting.SelectionPathDisplay` draws Figure 2.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.selection import selection_path
    >>> a = load_yeast()
    >>> path = selection_path(a.X[:200], a.Y[:200], a.X[200:], a.Y[200:], [5], random_state=0)
    >>> sorted(path.auc)
    ['CMLFS', 'Fisher score + SVM', 'MLFS']
    """
    X = check_features(MLFS(), X, reset=True)
    X_test = check_features(MLFS(), X_test, reset=True)
    Y, Y_test = (dense(check_labels(labels).Y) for labels in (y, y_test))
    common = {"C": C, "tol": tol, "max_iter": max_iter, "random_state": random_state}
    n_selected: dict[str, list[int]] = {"Fisher score + SVM": [], "MLFS": [], "CMLFS": []}
    auc: dict[str, list[float]] = {name: [] for name in n_selected}
    for m in n_features:
        baseline = FisherSVM(m, C=C, random_state=random_state).fit(X, Y)
        n_selected["Fisher score + SVM"].append(m)
        auc["Fisher score + SVM"].append(macro_auc(Y_test, baseline.decision_function(X_test)))
        for model in (MLFS(m, **common), CMLFS(m, mu=mu, **common)):
            name = type(model).__name__
            model.fit(X, Y)
            n_selected[name].append(int(model.support_.sum()))
            auc[name].append(macro_auc(Y_test, model.decision_function(X_test)))
    return SelectionPath(
        np.asarray(n_features),
        {name: np.array(values) for name, values in n_selected.items()},
        {name: np.array(values) for name, values in auc.items()},
    )
