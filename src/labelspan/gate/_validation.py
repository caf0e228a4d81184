"""Input validation: all checks of X are here, those of Y in `_labels`, before any work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from labelspan.arrays import (
    SETTING,
    canonical,
    cast,
    is_dask,
    is_dask_array,
    is_dask_frame,
    namespace,
    precision_of,
    values_of,
)
from labelspan.gate._blocks import (
    check_dask,
    check_dask_rows,
    dask_rows,
    from_frames,
    lazily,
    refuse_dask,
    set_n_features,
)
from labelspan.gate._labels import Labels, plain_indicators
from labelspan.gate._misread import warn_if_swapped
from labelspan.gate._places import (
    labels_on_device,
    place_rows,
    refuse_device,
    refuse_elsewhere,
    summed_elsewhere,
)
from labelspan.gate._tags import label_tags
from labelspan.gate._target import REFUSALS, check_target
from labelspan.gate._weights import check_weights, weighing
from labelspan.registry import IN_MEMORY
from labelspan.system import one_blas_thread

# A dense square array beyond this size is refused with advice, not attempted.
MAX_SQUARE_BYTES = 8 * 2**30
# Largest sum of squares of X whose products with counts of rows and labels do not overflow.
LARGEST_SQUARES = 1e-12 * np.finfo(np.float64).max
# Row weights from which products may overflow.
HEAVY = 1e6

# Dense arrays of at least this size skip the separate finiteness check and use compiled loops.
LARGE = 2**26

FLOATS = {np.dtype(np.float64), np.dtype(np.float32)}
# Types of rows that are neither lazy nor on a device.
HOST = {np.ndarray, sparse.csr_array}
# Attributes of estimators whose rows need more checks: names, and a device.
BOUND = {"feature_names_in_", "_place"}


class NoDirectionError(ValueError):
    """Every eigenvalue is zero."""

    def __init__(self) -> None:
        super().__init__(
            "There is no direction to keep: every eigenvalue is zero, because every label or "
            "every feature is constant on the training rows (or label_correlation is zero, or MLDA "
            "has several labels that are all the same). Check y for labels without rows and X for "
            "constant columns."
        )


class Terms(NamedTuple):
    """What :func:`check_fit` is told: whether it is a first call, or a chunk; the fewest rows."""

    reset: bool
    classes: np.ndarray | None
    min_samples: int
    chunk: bool


def check_fit(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    reset: bool = True,
    classes: np.ndarray | None = None,
    min_samples: int = 2,
    chunk: bool = False,
) -> tuple[Any, Labels]:
    """Features and labels of ``fit`` or of a `chunk`, checked before any state changes.

    X returns as finite float32 or float64, without rows of weight 0 unless they are columns, too.
    `reset`: a first call; `classes`: those of a 1-d `y`, if known; `min_samples`: of a whole
    sample.
    """
    least = 1 if chunk else min_samples
    if type(X) in HOST and sample_weight is None and estimator._supervised:
        Y = plain_indicators(y)
        if Y is not None and Y.shape[0] == X.shape[0] and passes(estimator, X, reset, least, chunk):
            if reset and X.shape[1] < Y.shape[1]:
                warn_if_swapped(X, Y)
            return X, Labels(Y)
    check = check_fit_dask if any(map(is_dask, (X, y, sample_weight))) else check_fit_in_memory
    return check(estimator, X, y, sample_weight, Terms(reset, classes, least, chunk))


def check_fit_in_memory(
    estimator: Any, X: Any, y: Any, sample_weight: Any, terms: Terms
) -> tuple[Any, Labels]:
    """The same for rows in any form but Dask's, on the host or on a device."""
    reset, classes, least, chunk = terms
    on_device = refuse_device(estimator, X)
    weights = check_weights(estimator, X, sample_weight, least)
    # Check labels first: a later error must not leave n_features_in_ set.
    labels = check_target(estimator, X, y, classes, chunk) if estimator._supervised else None
    X = check_features(estimator, X, reset=reset, ensure_min_samples=least, chunk=chunk)
    labels = Labels(np.empty((X.shape[0], 0))) if labels is None else labels
    if weights is not None:
        pairwise = estimator._is_pairwise()
        X, labels = weighing(X, labels, weights, anew=classes is None, all_rows=pairwise)
        if weights.max() > HEAVY:
            refuse_overflow(X, heaviest=float(weights.max()))
    if on_device:
        labels = labels_on_device(estimator, X, labels, chunk)
    certain = labels.classes is None and not labels.missing
    if reset and certain and X.shape[1] < labels.Y.shape[1]:
        warn_if_swapped(X, labels.Y, labels.soft)
    return X, labels


def check_fit_dask(
    estimator: Any, X: Any, y: Any, sample_weight: Any, terms: Terms
) -> tuple[Any, Labels]:
    """The same for Dask arrays: shapes now, values by ``moments.collect``, block by block."""
    reset, classes, least, _ = terms
    given = terms._asdict()
    if any(map(is_dask_frame, (X, y, sample_weight))):
        arrays = from_frames(X, y, sample_weight)
        found, labels = check_fit(estimator, *arrays, **given)
        if is_dask_frame(X):
            validate_data(estimator, X._meta, reset=reset, skip_check_array=True)
        names = np.asarray([str(c) for c in y.columns], dtype=object) if is_dask_frame(y) else None
        return found, labels if names is None else replace(labels, names=names)
    if not (is_dask_array(X) or is_dask_array(y)):
        return check_fit(estimator, X, y, sample_weight.compute(), **given)
    tags = label_tags(estimator)
    if not tags.takes("dask"):
        refuse_dask(estimator, tags.refused["dask"], X=X, y=y)
    if not is_dask_array(X):
        raise TypeError(
            f"y is a Dask array but X is {type(X).__name__}. Pass both as Dask arrays "
            "with the same row chunks, or compute y first: y.compute()."
        )
    if is_dask_array(y):
        for what, refuse in REFUSALS.items():
            if not tags.takes(what):
                why = type(estimator).__name__, tags.refused[what]
                y = y.map_blocks(refuse, *why, dtype=y.dtype, meta=y._meta)
        labels = Labels(
            y, sparse=not isinstance(y._meta, np.ndarray), soft=tags.takes("soft_labels")
        )
    else:
        labels = check_target(estimator, X, y, classes, chunk=True)
    check_dask(X, labels.Y, least)
    weights = check_weights(estimator, X, sample_weight, least)
    set_n_features(estimator, X.shape[1], reset)
    return X, labels if weights is None else labels.weighted(weights, None, anew=False)


@contextmanager
def fitting(estimator: Any, *forgotten: str, chunk: bool = False) -> Iterator[None]:
    """Context of learning: an error restores the estimator; `forgotten` are of an earlier fit.

    A `chunk` is only kept here.
    """
    known = vars(estimator)
    before, now = dict(known), SETTING.get()
    for name in forgotten:
        known.pop(name, None)
    token = None
    try:
        active = now.device is not None and label_tags(estimator).takes("device")
        if active != now.active:
            token = SETTING.set(now._replace(active=active))
        with one_blas_thread() if now.reproducible and not chunk else nullcontext():
            yield
    except BaseException:
        known.clear()
        known.update(before)
        raise
    finally:
        if token is not None:
            SETTING.reset(token)


def check_features(
    estimator: Any,
    X: Any,
    *,
    reset: bool = False,
    ensure_min_samples: int = 1,
    chunk: bool = False,
) -> Any:
    """Check X for ``fit`` (`reset`), for a `chunk` or ``transform``: 2-d, finite, float32 or 64."""
    if passes(estimator, X, reset, ensure_min_samples, chunk):
        return X
    if not reset:
        refuse_elsewhere(estimator, X)
    refuse_dask(estimator, IN_MEMORY, X=X)
    refuse_device(estimator, X)
    X, xp = place_rows(X)
    # Rows summed on a device are checked through these sums; a separate check is one more pass.
    later = reset and not chunk and (summed_elsewhere(X) or checked_by_sums(X))
    later = later and learns_from_sums(estimator)
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=[xp.float64, xp.float32],
        ensure_all_finite=not later,
        ensure_min_samples=ensure_min_samples,
    )
    X = canonical(X)
    if (reset or chunk) and not later:
        refuse_overflow(X, whole=not chunk)
    return X


def of_rows(
    estimator: Any,
    X: Any,
    function: Callable[[Any], Any],
    width: Callable[[], int],
    dtype: Any = None,
) -> Any:
    """A function of checked rows with so many columns, lazily for a Dask array."""
    check_is_fitted(estimator)
    X = dask_rows(estimator, X)
    if is_dask_array(X):
        return lazily(estimator, X, function, width(), dtype)
    return function(estimator._rows(X))


def check_projections(X: Any, n_columns: int) -> Any:
    """What ``transform`` returned, to be mapped back; a Dask array as it is."""
    if is_dask_array(X):
        check_dask_rows(X, "X")
    else:
        X, xp = place_rows(X)
        X = check_array(X, dtype=[xp.float64, xp.float32])
    if X.shape[1] != n_columns:
        raise ValueError(
            f"X has {X.shape[1]} columns; expected {n_columns}, the number of directions. Pass "
            "what transform returned."
        )
    return X


def learns_from_sums(estimator: Any) -> bool:
    """Whether an estimator learns through one call of :func:`labelspan.moments.collect`."""
    return hasattr(estimator, "_needs_rows") and not estimator._needs_rows()


def checked_by_sums(X: Any) -> bool:
    """Whether X is float32, and so large that it is read once and its sums find NaN."""
    plain = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype == np.float32
    return plain and X.shape[0] >= X.shape[1] and X.size >= LARGE


def passes(estimator: Any, X: Any, reset: bool, min_samples: int, chunk: bool = False) -> bool:
    """Whether X is plain, of the right width, without names to compare, with finite squares."""
    known = vars(estimator)
    shape: tuple[int, ...] = X.shape if type(X) in HOST else ()
    if len(shape) != 2 or X.dtype not in FLOATS or shape[0] < min_samples or shape[1] == 0:
        return False
    if type(X) is sparse.csr_array and not X.has_canonical_format:
        return False
    if not reset and (shape[1] != known.get("n_features_in_") or BOUND & known.keys()):
        return False
    # Rows that are read only once are checked through their sums.
    once = reset and not chunk and X.size >= LARGE and checked_by_sums(X)
    if not (once and learns_from_sums(estimator)):
        squares = sum_of_squares(X if type(X) is np.ndarray else X.data)
        # Only the whole sample may be refused for squares that vanish.
        if not squares <= LARGEST_SQUARES or (reset and squares == 0):
            return False
    if reset:
        known.pop("feature_names_in_", None)
        estimator.n_features_in_ = shape[1]
    return True


def refuse_overflow(X: Any, *, whole: bool = True, heaviest: float = 1.0) -> None:
    """Raise if squares of X, or their products with the `heaviest` weight, do not fit into float64.

    Squares of float32 fit. Those of a block that is not the `whole` sample may vanish, because
    others may be larger.
    """
    values = values_of(X)
    if precision_of(values) != np.float64:
        return
    squares, xp = sum_of_squares(values), namespace(values)
    vanished = squares == 0 and whole and bool(xp.any(values != 0))
    if squares <= LARGEST_SQUARES / max(heaviest, 1.0) and not vanished:
        return
    largest = max(float(xp.max(values)), -float(xp.min(values)))
    trouble = "vanish" if squares == 0 else "overflow"
    weighted = "" if heaviest <= 1 else f" and the largest weight of a row {heaviest:.3g}"
    raise ValueError(
        f"The sums of squares of X {trouble}: its largest value is {largest:.3g}"
        f"{weighted}. Scale X first, e.g. by sklearn.preprocessing.StandardScaler."
    )


def sum_of_squares(values: Any) -> float:
    """Sum of squares, infinite on overflow; no array of squares is made."""
    if not isinstance(values, np.ndarray):
        norm = float(namespace(values).linalg.vector_norm(values))
        return norm * norm
    in_one_piece = values.flags.c_contiguous or values.flags.f_contiguous
    height = len(values) if in_one_piece else max(2**20 // max(values[:1].size, 1), 1)
    squares = 0.0
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for start in range(0, len(values), max(height, 1)):
            part = values[start : start + height].ravel(order="K")
            squares += float(np.dot(part, part))
    return squares


def in_dtype(array: Any, dtype: Any, what: str) -> Any:
    """Fitted numbers, C-contiguous, in the dtype of X; raises if they do not fit into it."""
    xp, largest = namespace(array), 0.0
    if 0 not in array.shape:
        # Two reductions, because absolute values would need another array.
        largest = max(float(xp.max(array)), -float(xp.min(array)))
    limit = float(np.finfo(dtype).max)
    if not largest <= limit:
        raise ValueError(
            f"{what} would reach {largest:.3g}; {np.dtype(dtype)} ends at {limit:.3g}. The values "
            "of X are too small, or differ too little, for its precision. Scale X first, e.g. by "
            "sklearn.preprocessing.StandardScaler, or pass X.astype(numpy.float64)."
        )
    if xp is not np:
        return xp.asarray(cast(array, dtype), copy=True)
    return np.require(array, dtype, ["C", "OWNDATA"])


def check_size(shape: tuple[int, int], what: str, advice: str) -> None:
    """Refuse a dense array that would not fit, before it is allocated."""
    size = 8 * shape[0] * shape[1]
    if size > MAX_SQUARE_BYTES:
        raise MemoryError(
            f"{what} would be {shape[0]} x {shape[1]} ({size / 2**30:.1f} GiB; "
            f"the limit is {MAX_SQUARE_BYTES / 2**30:.0f} GiB). {advice}"
        )


def is_large(X: Any) -> bool:
    """Whether X (in memory, mapped or Dask) is dense and large enough for compiled loops."""
    block = X._meta if is_dask_array(X) else X
    return isinstance(block, np.ndarray) and X.shape[0] * X.shape[1] >= LARGE
