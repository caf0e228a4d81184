"""Turn labels in any accepted form into a matrix of 0 to 1, or refuse them with advice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import type_of_target

from labelspan.arrays import (
    canonical,
    dense,
    has_holes,
    in_memory,
    is_dask_array,
    like,
    namespace,
    sums,
    values_of,
)
from labelspan.compat import is_frame
from labelspan.gate._blocks import as_csr
from labelspan.gate._misread import warn_of_joined_names
from labelspan.gate._soft import (
    SPARSE_LABEL_DENSITY,
    find_holes,
    is_soft,
    refuse_missing_and_mixed,
    soft_labels,
    unmasked,
    with_holes,
)


@dataclass(frozen=True)
class Labels:
    """Validated labels: an indicator matrix (n, q), and what is known of its origin.

    `Y` is float64 in {0, 1} or [0, 1], dense or CSR, whichever is cheaper, or a Dask array; dense
    with NaN if labels are missing. Of two classes its column stands for the second.
    """

    Y: Any
    names: np.ndarray | None = None
    classes: np.ndarray | None = None
    sparse: bool = False
    weights: np.ndarray | None = None
    kept: np.ndarray | None = None
    soft: bool = False
    missing: bool = False
    signed: bool = False

    @property
    def codes(self) -> np.ndarray:
        """Numbers (n,) of the classes of a 1-d y."""
        Y = self.Y
        if sparse.issparse(Y):
            return Y.indices
        return dense(namespace(Y).argmax(Y, axis=1) if Y.shape[1] > 1 else Y[:, 0]).astype(np.int64)

    @property
    def target(self) -> Any:
        """Labels in scikit-learn's form: a 1-d y unchanged, 0/1 integers, NaN where missing."""
        if self.missing:
            return self.Y.copy()
        if self.classes is None:
            as_given = sparse.csr_array if self.sparse else dense
            return as_given(self.Y).astype(np.int64)
        return self.classes[self.codes]

    @property
    def total(self) -> float:
        """Sum of the weights, or the number of rows without them."""
        return float(self.Y.shape[0] if self.weights is None else sums(self.weights))

    def weighted(self, weights: np.ndarray, kept: np.ndarray | None, anew: bool) -> Labels:
        """The labels with weights, of the rows `kept`; `anew` if their classes decide."""
        labels = self
        if kept is not None:
            if anew and self.classes is not None:
                labels = one_label_a_class(self.target[kept], None)
            else:
                labels = replace(self, Y=self.Y[like(self.Y, kept)])
            weights = weights[kept]
        given = None if (weights == 1).all() else weights
        return replace(labels, weights=given, kept=kept)


def check_labels(
    y: Any, classes: np.ndarray | None = None, *, soft: bool = False, missing: bool = False
) -> Labels:
    """Turn any accepted form of the labels into 0/1 indicators (n, q).

    2-d indicators in {0, 1}, bool or {-1, +1}, or 1-d classes, one label each (two share one),
    which `classes` may name. `soft`: numbers between 0 and 1, `missing`: NaN, NA, None are
    accepted.
    """
    plain = plain_indicators(y)
    if plain is not None:
        return Labels(plain)
    if is_dask_array(y):
        raise TypeError(
            "y is a Dask array where labels in memory are needed. Compute them first: y.compute()."
        )
    y = in_memory(y)
    if sparse.issparse(y):
        if y.ndim == 1:
            return one_label_a_class(y.toarray(), classes)
        Y = canonical(y)
        if soft and is_soft(Y.data):
            return Labels(soft_labels(Y), sparse=True, soft=True)
        return Labels(sparse_indicators(Y), sparse=True, signed=is_signed(Y.data))
    names = np.asarray([str(c) for c in y.columns], dtype=object) if is_frame(y) else None
    if names is not None:
        refuse_lists_in_cells(y)
    refuse_sets(y)
    Y = unmasked(y)
    if missing and Y.ndim == 2:
        holes = find_holes(Y)
        if holes.any():
            return labels_with_holes(Y, holes, names, soft=soft)
    if Y.dtype.kind in "US" and isinstance(y, list | tuple):
        # NumPy has converted everything in the list to strings.
        refuse_missing_and_mixed(np.array(y, dtype=object))
    if Y.dtype == object:
        refuse_sets(Y.tolist())
        refuse_missing_and_mixed(Y)
        # Frames of mixed or nullable columns: let NumPy find the type that holds them all.
        Y = np.asarray(Y.tolist())
    if soft and Y.ndim == 2 and is_soft(Y):
        return Labels(soft_labels(Y), names, soft=True)
    if Y.ndim == 2 and Y.shape[1] == 1 and holds_classes(Y):
        Y = Y[:, 0]
    if Y.ndim == 1:
        return one_label_a_class(Y, classes)
    if Y.dtype == object:
        refuse_other_values(Y)
    Y = check_array(Y, dtype=None, ensure_all_finite=True, input_name="y")
    return Labels(dense_indicators(Y), names, signed=is_signed(Y))


def plain_indicators(y: Any, few: int = 0) -> Any:
    """0/1 values of a plain matrix, None for other forms; of `few`, no sparse matrix."""
    y = np.asarray(y) if type(y) is np.memmap else y
    if type(y) is not np.ndarray or y.ndim != 2 or y.shape[1] < 2 or y.dtype.kind not in "biuf":
        return None
    ones = y if y.dtype == bool else y == 1
    n_ones = int(np.count_nonzero(ones))
    if y.size == 0 or n_ones != np.count_nonzero(y):
        return None
    few_zeros = y.size <= few or n_ones >= SPARSE_LABEL_DENSITY * y.size
    return ones.astype(np.float64) if few_zeros else as_csr(ones)


def labels_with_holes(
    Y: np.ndarray, holes: np.ndarray, names: np.ndarray | None, *, soft: bool
) -> Labels:
    """Labels with missing entries; the others are checked as usual."""
    if Y.dtype.kind == "f" and (holes | (Y == 0) | (Y == 1)).all():
        # The same result as below, at a tenth of the cost.
        return Labels(np.array(Y, dtype=np.float64), names, missing=True)
    # A label that a row has: 1 in every coding.
    labels = check_labels(np.where(holes, 1, Y), soft=soft)
    if labels.classes is not None:
        raise ValueError("Input y contains NaN; classes must be known for each row.")
    return replace(labels, Y=with_holes(labels.Y, holes), names=names, missing=True)


def label_matrix(X: Any, y: Any) -> sparse.csr_array:
    """Boolean labels (observed to have) for a splitter, of any form; X only has a length."""
    if y is None:
        raise ValueError("y is None; a stratified split needs the labels: split(X, Y).")
    if X is not None:
        check_consistent_length(X, y)
    labels = check_labels(y, missing=True)
    if labels.missing:
        return sparse.csr_array(labels.Y > 0)
    if labels.classes is not None:
        return one_hot(labels.codes, len(labels.classes)).astype(bool)
    return sparse.csr_array(labels.Y, dtype=bool)


def check_label_block(Y: Any) -> Any:
    """Labels of one block, on its worker; one column never holds classes here."""
    if not sparse.issparse(Y) and has_holes(Y):
        return with_holes(check_label_block(np.where(np.isnan(Y), 1, Y)), np.isnan(Y))
    Y = canonical(Y)
    if is_soft(values_of(Y)):
        return soft_labels(Y)
    if sparse.issparse(Y):
        return sparse_indicators(Y)
    return dense_indicators(check_array(Y, dtype=None, ensure_min_samples=0, input_name="y"))


def holds_classes(column: np.ndarray) -> bool:
    """Whether a single column (n, 1) names one class per row: strings, or more than two numbers."""
    kind = column.dtype.kind
    return kind in "US" or (kind not in "bO" and len(np.unique(column)) > 2)


def refuse_lists_in_cells(frame: Any) -> None:
    """Raise for a column whose cells list the labels of the rows."""
    for name in frame.columns:
        column = frame[name]
        first = column[:1].to_numpy() if hasattr(column, "to_numpy") else np.asarray(column[:1])
        if len(first) and isinstance(first[0], list | tuple | set | frozenset | np.ndarray):
            raise ValueError(
                f"y is not a matrix: the cells of its column {str(name)!r} are "
                f"{type(first[0]).__name__}s. Each row needs one 0/1 entry per label; pass "
                "sklearn.preprocessing.MultiLabelBinarizer().fit_transform"
                f"(y[{str(name)!r}])."
            )


def refuse_sets(y: Any) -> None:
    """Raise for a list of sets, or of lists of different lengths, which list the labels of rows."""
    if not isinstance(y, list | tuple):
        return
    lengths = [len(row) if isinstance(row, list | tuple | set | frozenset) else -1 for row in y]
    is_set = [isinstance(row, set | frozenset) for row in y]
    if len(set(lengths)) < 2 and not any(is_set):
        return
    if any(is_set):
        what = f"row {is_set.index(True)} is a set"
    else:
        i = next(i for i, length in enumerate(lengths) if length != lengths[0])
        what = f"row 0 has {max(lengths[0], 1)} entries and row {i} has {max(lengths[i], 1)}"
    raise ValueError(
        f"y is not a matrix: {what}. Each row needs one 0/1 entry per label; convert lists of "
        "labels with sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y)."
    )


def dense_indicators(Y: np.ndarray) -> Any:
    """0/1 values of a dense indicator matrix, as CSR if that is cheaper."""
    refuse_other_values(Y)
    ones = Y > 0 if Y.dtype != bool else Y
    few_zeros = np.count_nonzero(ones) >= SPARSE_LABEL_DENSITY * Y.size
    return ones.astype(np.float64) if few_zeros else as_csr(ones)


def is_signed(values: np.ndarray) -> bool:
    """Whether checked indicators are coded as -1 and +1."""
    return values.dtype.kind in "if" and bool(values.min(initial=0) < 0)


def sparse_indicators(Y: sparse.csr_array, name: str = "y") -> sparse.csr_array:
    """0/1 values of a sparse indicator matrix; stored zeros are dropped, duplicates refused."""
    Y = Y.astype(np.float64)
    Y.sum_duplicates()
    Y.eliminate_zeros()
    if not np.isfinite(Y.data).all():
        raise ValueError(
            f"Input {name} contains NaN or infinity; a sparse {name} holds 0 and 1. Labels not "
            f"observed are NaN in a dense array, {name}.toarray(), or False in `observed`."
        )
    if Y.nnz < np.prod(Y.shape):
        wrong = Y.data[Y.data != 1]
        if len(wrong):
            raise ValueError(
                f"Sparse {name} holds the value {wrong[0]:g}; allowed are 0 and 1, and soft labels "
                f"between them. Binarise it first, e.g. {name} = ({name} > 0)."
            )
        return Y
    return sparse.csr_array(dense_indicators(Y.toarray()))


def refuse_other_values(Y: np.ndarray, name: str = "y") -> None:
    """Raise unless every value is in {0, 1} or every value is in {-1, +1}."""
    if Y.dtype == bool:
        return
    if Y.dtype.kind not in "iuf":
        raise ValueError(
            f"{name} holds values of dtype {Y.dtype}; an indicator matrix holds 0 and 1 "
            "(or -1 and +1). Use one 0/1 column per label name: "
            "sklearn.preprocessing.MultiLabelBinarizer for lists of names, "
            f"pandas.get_dummies(pandas.DataFrame({name})) for columns of names."
        )
    if Y.dtype.kind == "u" and Y.max(initial=0) <= 1:
        return
    zero_one = (Y == 0) | (Y == 1)
    if zero_one.all() or (np.abs(Y) == 1).all():
        return
    row, column = np.argwhere(~zero_one)[0]
    raise ValueError(
        f"{name}[{row}, {column}] is {Y[row, column]}; an indicator matrix holds only 0 and 1, "
        "or only -1 and +1, and soft labels lie between 0 and 1. For classes in one column pass y "
        "as a 1-d array."
    )


def one_label_a_class(y: np.ndarray, classes: np.ndarray | None) -> Labels:
    """One-hot columns of a 1-d `y`; two classes share one column, that of the second."""
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("Input y contains NaN or infinity; classes must be known for each row.")
    if not type_of_target(y, input_name="y").startswith(("binary", "multiclass")):
        raise ValueError(
            "Unknown label type: y is 1-d and continuous. Pass classes, or an (n, q) "
            "indicator matrix of 0 and 1."
        )
    if classes is None:
        classes = np.unique(y)
        warn_of_joined_names(classes)
    elif not np.isin(y, classes).all():
        unknown = str(y[~np.isin(y, classes)][0])
        raise ValueError(
            f"y holds the class {unknown!r}, which was not in the first call; "
            "pass classes= with all of them to the first call of partial_fit."
        )
    codes = np.searchsorted(classes, y)
    if len(classes) <= 2:
        return Labels((codes == 1).astype(np.float64)[:, None], classes=classes)
    return Labels(one_hot(codes, len(classes)), classes=classes)


def one_hot(codes: np.ndarray, n_classes: int) -> sparse.csr_array:
    """One column per class, from its numbers (n,)."""
    starts = np.arange(len(codes) + 1)
    return sparse.csr_array((np.ones(len(codes)), codes, starts), shape=(len(codes), n_classes))


def remember_names(estimator: Any, labels: Labels) -> None:
    """Store label names and classes, and drop those of an earlier fit."""
    for name, value in (("label_names_", labels.names), ("classes_", labels.classes)):
        vars(estimator).pop(name, None)
        if value is not None:
            setattr(estimator, name, value)


def refuse_other_names(known: np.ndarray | None, given: np.ndarray | None) -> None:
    """Raise if label names, given now and in ``fit``, differ or have another order."""
    if known is None or given is None or list(known) == list(given):
        return
    i = next((i for i in range(min(len(known), len(given))) if known[i] != given[i]), 0)
    raise ValueError(
        f"Column {i} of y is {given[i]!r}, but in fit it was {known[i]!r}; pass the same columns "
        "in the same order, that of label_names_."
    )
