"""The parent of all estimators: tags, and results for more rows than memory holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from numbers import Integral
from operator import length_hint
from typing import IO, Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import dense, is_dask_array
from labelspan.gate import Labels, check_features, complete_tags, remember_names
from labelspan.system import replace_file, watched

# Bytes of the header of an npy file; the number of rows is filled in at the end.
HEAD = 128


class RowBlocks:
    """Tags, and ``transform`` and ``predict`` for more rows than memory holds."""

    # Whether ``fit`` needs labels.
    _supervised: ClassVar[bool] = True

    def _refusals(self) -> dict[str, str]:
        """Inputs that ``fit`` refuses because of the parameters, with reasons."""
        return {}

    def _is_pairwise(self) -> bool:
        """Whether X is a matrix of kernel values or distances between rows."""
        return getattr(self, "kernel", None) == "precomputed"

    def _checked_by(self) -> Any:
        """An inner estimator that checks X in place of this one."""
        return None

    def _rows(self, X: Any) -> Any:
        """Checked features."""
        return check_features(self, X)

    def _remember(self, labels: Labels) -> None:
        """Store the form of the labels of ``fit``, or of the first chunk."""
        remember_names(self, labels)

    def _known_classes(self) -> np.ndarray | None:
        """The classes of a 1-d `y`, if they are known."""
        return vars(self).get("classes_")

    def __sklearn_tags__(self) -> Any:
        return complete_tags(self, super().__sklearn_tags__())  # type: ignore[misc]

    @available_if(lambda estimator: hasattr(estimator, "transform"))
    def transform_blocks(
        self, blocks: Any, out: str | os.PathLike[str], *, verbose: bool = False
    ) -> np.ndarray:
        """Transform block by block, into an npy file.

        Parameters
        ----------
        blocks : iterable or Dask array
            Features of each block, as for ``transform``, or tuples that begin with them, as for
            ``fit_blocks``; :func:`labelspan.datasets.blocks_of` creates them from files.
        out : path
            The file, dense. It is written completely or not at all; an existing file is kept until
            the last block is written.
        verbose : bool, default=False
            Whether to show a progress bar over the blocks.

        Returns
        -------
        ndarray
            The rows of `out`, memory-mapped, read-only.
        """
        return write_blocks(self.transform, blocks, out, verbose)  # type: ignore[attr-defined]

    @available_if(lambda estimator: hasattr(estimator, "predict"))
    def predict_blocks(
        self, blocks: Any, out: str | os.PathLike[str], *, verbose: bool = False
    ) -> np.ndarray:
        """Predict block by block, into an npy file.

        Parameters
        ----------
        blocks : iterable or Dask array
            Features of each block, as for ``predict``, or tuples that begin with them.
        out : path
            The file, dense, written completely or not at all.
        verbose : bool, default=False
            Whether to show a progress bar over the blocks.

        Returns
        -------
        ndarray
            The rows of `out`, memory-mapped, read-only.
        """
        return write_blocks(self.predict, blocks, out, verbose)  # type: ignore[attr-defined]


def write_blocks(
    function: Callable[[Any], Any], blocks: Any, out: str | os.PathLike[str], verbose: bool
) -> np.ndarray:
    """Write a function of each block below each other to an npy file; see :class:`RowBlocks`."""
    rows = computed(blocks) if is_dask_array(blocks) else blocks
    count = blocks.npartitions if is_dask_array(blocks) else length_hint(blocks)
    with replace_file(out) as file:
        n_rows, first = 0, None
        for block in watched(rows, count or None, verbose, of="Blocks"):
            found = dense(function(block[0] if isinstance(block, tuple | list) else block))
            if first is None:
                first = found[:0]
                file.write(bytes(HEAD))
            if (found.shape[1:], found.dtype) != (first.shape[1:], first.dtype):
                raise ValueError(
                    f"a block gives rows of shape {found.shape[1:]} and dtype {found.dtype}, the "
                    f"first gave {first.shape[1:]} and {first.dtype}. Pass blocks of one dtype."
                )
            file.write(np.ascontiguousarray(found).data)
            n_rows += len(found)
        if first is None:
            raise ValueError("blocks is empty; expected at least one block of features.")
        write_head(file, first, n_rows)
    return np.load(out, mmap_mode="r")


def write_head(file: IO[bytes], first: np.ndarray, n_rows: int) -> None:
    """Write the header of an npy file of version 1.0 into the reserved space."""
    descr = np.lib.format.dtype_to_descr(first.dtype)
    fields = {"descr": descr, "fortran_order": False, "shape": (n_rows, *first.shape[1:])}
    size = HEAD - 10
    file.seek(0)
    file.write(b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little"))
    file.write(repr(fields).ljust(size - 1).encode() + b"\n")


def computed(X: Any) -> Iterator[Any]:
    """The blocks of a Dask array, one by one."""
    return (block.compute() for block in X.to_delayed().ravel())


def with_fewer(model: Any, n_components: Any, least: int, name: str = "n_components") -> Any:
    """An unfitted copy for fewer components, with fitted attributes that are still to be cut."""
    check_is_fitted(model)
    most = model.n_components_
    if not isinstance(n_components, Integral) or not least <= int(n_components) <= most:
        raise ValueError(
            f"{name}={n_components!r}; expected an integer from {least} to n_components_={most}. "
            "Fit with more components, or with n_components=None for all."
        )
    shorter = clone(model).set_params(n_components=int(n_components))
    kept = {k: v for k, v in vars(model).items() if k not in vars(shorter)}
    # Copy the solution, but not the statistics of the chunks, which stay with the model.
    kept.pop("_chunks", None)
    vars(shorter).update(kept)
    return shorter
