"""Figure 1 of Chen and Lin (2012): four errors against the number of codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

# Fixed order and colours (Okabe and Ito, safe for colour-blind readers), with markers for print.
STYLES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"))
PANELS = {
    "hamming_loss": "Hamming loss",
    "encoding": "encoding error",
    "prediction": "prediction error",
    "bound": "bound: encoding + prediction",
}


@dataclass(frozen=True, eq=False)
class ErrorCurves:
    """Errors of one model for several numbers of codes.

    Attributes
    ----------
    M : ndarray of shape (m,)
        Numbers of codes.
    hamming_loss, encoding, prediction, bound : ndarray of shape (m,)
        Panels (a) to (d) of the figure.
    """

    M: np.ndarray
    hamming_loss: np.ndarray
    encoding: np.ndarray
    prediction: np.ndarray
    bound: np.ndarray


def error_curves(model: Any, X: Any, Y: Any, Ms: Iterable[int] | None = None) -> ErrorCurves:
    """Errors of a fitted label-space classifier against the number of codes.

    Parameters
    ----------
    model : label-space classifier
        Fitted, with as many codes as the curve shall reach; it is truncated, not refitted.
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Features of the rows to judge by.
    Y : array-like, sparse matrix or frame of shape (n_samples, n_labels)
        Their labels.
    Ms : iterable of int, default=None
        Numbers of codes; None for 1, 2, ..., ``model.n_components_``.

    Returns
    -------
    ErrorCurves
        One value for each number of codes.

    Examples
    --------
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.labelspace import PLST, error_curves
    >>> yeast = load_yeast()
    >>> curves = error_curves(PLST().fit(yeast.X, yeast.Y), yeast.X, yeast.Y, [1, 7, 14])
    >>> bool(curves.encoding[0] > curves.encoding[1] > 1e-9 > curves.encoding[2])
    True
    """
    numbers = np.array(range(1, model.n_components_ + 1) if Ms is None else list(Ms), dtype=int)
    rows = []
    for M in numbers:
        short = model.truncate(int(M))
        wrong = short.predict(X) != short._check_labels(Y)
        rows.append((wrong.mean(), *short.errors(X, Y)))
    return ErrorCurves(numbers, *np.array(rows, dtype=float).reshape(-1, 4).T)


def plot_error_curves(curves: Mapping[str, ErrorCurves], axes: Any = None) -> Any:
    """Draw Figure 1 of the CPLST paper: four panels, one curve a method.

    Parameters
    ----------
    curves : mapping of str to ErrorCurves
        Names of the methods and their curves, from :func:`error_curves`.
    axes : array of four matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ndarray of matplotlib Axes, of shape (2, 2)
        Hamming loss, encoding error, prediction error and bound (1) against M; in the shape of
        `axes` if it was given.
    """
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    if axes is None:
        axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained", sharex=True)[1]
    panels = np.ravel(axes)
    if len(panels) != len(PANELS):
        raise ValueError(f"axes holds {len(panels)} Axes; expected 4: plt.subplots(2, 2)[1].")
    for i, (name, curve) in enumerate(curves.items()):
        colour, marker = STYLES[i % len(STYLES)]
        style = {"color": colour, "marker": marker, "markersize": 4, "linewidth": 1.5}
        for panel, key in zip(panels, PANELS, strict=True):
            panel.plot(curve.M, getattr(curve, key), label=name, **style)
    for panel, title in zip(panels, PANELS.values(), strict=True):
        panel.set(title=title, xlabel="number of codes M")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].legend(frameon=False)
    return axes
