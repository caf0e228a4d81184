"""Compare eigenpairs: relative values, and subspaces between gaps instead of vectors."""

import numpy as np
from scipy import linalg


def assert_same_values(ours, theirs, share=0.999, tolerance=1e-8):
    """Values agree to `tolerance` of the largest; those that make up `share`, relative to
    themselves."""
    error = np.abs(ours - theirs[: len(ours)])
    assert error.max() <= tolerance * theirs[0]
    main = np.cumsum(ours) <= share * ours.sum()
    assert (error[main] <= tolerance * theirs[: len(ours)][main]).all()
    # The rank cut removed only rounding.
    assert np.abs(theirs[len(ours) :]).max(initial=0) <= 1e-9 * theirs[0]


def assert_same_subspaces(ours, theirs, values, gap=1e-5, tolerance=1e-6):
    """Columns of `ours` and `theirs` span the same spaces wherever the values leave a gap."""
    cuts = [
        k
        for k in range(1, min(ours.shape[1], len(values) - 1) + 1)
        if values[k - 1] - values[k] > gap * values[0]
    ]
    assert cuts or len(values) == 1
    for k in cuts[:: max(1, len(cuts) // 12)] + cuts[-1:]:
        assert sine(ours[:, :k], theirs[:, :k]) <= tolerance


def sine(A, B):
    """Sine of the largest angle between two column spaces of the same dimension."""
    A, B = linalg.qr(A, mode="economic")[0], linalg.qr(B, mode="economic")[0]
    return np.linalg.norm(A - B @ (B.T @ A), 2)
