"""Private names of scikit-learn and what differs between versions of SciPy and pandas."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

from sklearn import get_config
from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils._array_api import _convert_to_numpy, array_api_compat
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads as n_threads
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _num_samples as n_rows_of

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "array_namespace",
    "dispatches",
    "exact_floats",
    "fit_context",
    "is_frame",
    "load_mat",
    "move_to_host",
    "n_rows_of",
    "n_threads",
    "take_rows",
]


array_namespace = array_api_compat.array_namespace


def dispatches() -> bool:
    """Whether scikit-learn keeps arrays of other libraries instead of converting them."""
    return bool(get_config()["array_api_dispatch"])


def move_to_host(array: Any) -> Any:
    """Convert an array of another library, on any device, to NumPy."""
    return _convert_to_numpy(array, array_namespace(array))


def is_frame(table: Any) -> bool:
    """Whether `table` is a pandas or polars frame: an array with named columns."""
    return hasattr(table, "columns") and hasattr(table, "__array__")


def load_mat(path: Path, names: list[str]) -> dict[str, Any]:
    """Read variables of a MATLAB file: sparse ones as arrays, where SciPy leaves the choice.

    Matrices, the default, are deprecated since SciPy 1.18; the oldest has no such argument.
    """
    from scipy.io import loadmat

    has_choice = "spmatrix" in signature(loadmat).parameters
    return loadmat(path, variable_names=names, **({"spmatrix": False} if has_choice else {}))


def exact_floats(pandas: Any) -> dict[str, str]:
    """Options of ``read_csv`` for the floats nearest to their texts.

    They are the default since pandas 3.1, which deprecates the option. The older default is off by
    one unit in the last place for a quarter of all numbers.
    """
    version = tuple(int(part) for part in pandas.__version__.split(".")[:2])
    return {} if version >= (3, 1) else {"float_precision": "round_trip"}
