"""Figures 1-3 of the shared-subspace paper."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone


def training_times(
    estimators: Mapping[str, Any], X: Any, Y: Any, sizes: Sequence[int]
) -> dict[str, np.ndarray]:
    """Seconds that each estimator takes to fit the first rows, for growing numbers of rows.

    Parameters
    ----------
    estimators : mapping of str to estimator
        What to time, by name; clones are fitted.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Features, in an order without meaning.
    Y : array-like of shape (n_samples, n_labels)
        Labels.
    sizes : sequence of int
        Numbers of rows.

    Returns
    -------
    dict of str to ndarray of shape (n_sizes,)
        Seconds; "size" holds the sizes.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import SharedSubspaceClassifier, training_times
    >>> yeast = load_yeast()
    >>> estimators = {"ML_LS": SharedSubspaceClassifier()}
    >>> times = training_times(estimators, yeast.X, yeast.Y, [100, 200])
    >>> sorted(times)
    ['ML_LS', 'size']
    """
    times: dict[str, np.ndarray] = {"size": np.asarray(sizes)}
    for name, estimator in estimators.items():
        # Once before the clock runs: the first fit of a process loads or compiles its loops.
        clone(estimator).fit(X[: min(sizes)], Y[: min(sizes)])
        seconds = []
        for size in sizes:
            start = time.perf_counter()
            clone(estimator).fit(X[:size], Y[:size])
            seconds.append(time.perf_counter() - start)
        times[name] = np.array(seconds)
    return times


def plot_training_times(times: Mapping[str, Any], ax: Any = None) -> Any:
    """Training time against the number of rows, one line a method (Figures 1 and 2).

    Parameters
    ----------
    times : mapping of str to ndarray
        As :func:`training_times` gives it.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib Axes
        The drawing, both scales logarithmic.

    Examples
    --------
    >>> from labelspan.subspace import plot_training_times
    >>> ax = plot_training_times({"size": [100, 200], "ML_LS": [0.1, 0.3]})
    >>> ax.get_xlabel()
    'training rows'
    """
    ax = axes(ax)
    for marker, name in zip(
        "os^vDPX*" * len(times), [n for n in times if n != "size"], strict=False
    ):
        ax.plot(times["size"], times[name], marker=marker, label=name)
    ax.set(xscale="log", yscale="log", xlabel="training rows", ylabel="seconds")
    ax.set_xticks(times["size"], [f"{size}" for size in times["size"]])
    ax.set_xticks([], minor=True)
    ax.grid(True, which="both", alpha=0.3)
    ax.legend()
    return ax


def plot_sensitivity(search: Any, scorer: str | None = None, ax: Any = None) -> Any:
    """Cross-validated score against alpha and beta as a heat map (Figure 3).

    Parameters
    ----------
    search : SharedSubspaceClassifierCV
        Fitted; of several n_components the one that was picked is shown.
    scorer : str or None, default=None
        Name of the scorer; None is the first.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib Axes
        The drawing, best point marked by a ring.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.subspace import SharedSubspaceClassifierCV, plot_sensitivity
    >>> yeast = load_yeast()
    >>> search = SharedSubspaceClassifierCV([0.1, 1], [0.1, 1], scoring="f1_micro", cv=3)
    >>> plot_sensitivity(search.fit(yeast.X[:300], yeast.Y[:300])).get_xlabel()
    'beta'
    """
    results = search.cv_results_
    name = scorer or next(key for key in results if key.startswith("mean_test_"))[10:]
    shown = [p["n_components"] == search.best_params_["n_components"] for p in results["params"]]
    alpha = np.asarray(results["param_alpha"], dtype=float)[shown]
    beta = np.asarray(results["param_beta"], dtype=float)[shown]
    rows, i = np.unique(alpha, return_inverse=True)
    columns, j = np.unique(beta, return_inverse=True)
    heat = np.full((len(rows), len(columns)), np.nan)
    heat[i, j] = results[f"mean_test_{name}"][shown]
    ax = axes(ax)
    image = ax.imshow(heat, origin="lower", cmap="viridis", aspect="auto")
    best = np.unravel_index(np.nanargmax(heat), heat.shape)
    ax.plot(best[1], best[0], "o", markersize=14, markerfacecolor="none", markeredgecolor="red")
    ax.set_xticks(range(len(columns)), [f"{c:g}" for c in columns], rotation=45)
    ax.set_yticks(range(len(rows)), [f"{r:g}" for r in rows])
    ax.set(xlabel="beta", ylabel="alpha")
    # A single scorer is called "score" in the results.
    shown_name = search.scoring if name == "score" and isinstance(search.scoring, str) else name
    ax.figure.colorbar(image, ax=ax, label=f"mean {shown_name}")
    return ax


def axes(ax: Any) -> Any:
    """The axes given, or those of a new figure that no window holds on to."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(layout="constrained").add_subplot()
