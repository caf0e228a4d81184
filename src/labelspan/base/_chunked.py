"""Learning from chunks: they add statistics, and the solution is computed on demand."""

from __future__ import annotations

import os
import warnings
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import length_hint, methodcaller
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from labelspan.arrays import is_reproducible, place_fitted, remember_place
from labelspan.base._blocks import RowBlocks
from labelspan.base._threshold import why_no_chunks
from labelspan.gate import (
    Labels,
    NoDirectionError,
    check_fit,
    check_size,
    fitting,
    mask_unobserved,
    passes,
    plain_indicators,
    refuse_other_names,
    warn_of_signs,
    weighs_nothing,
)
from labelspan.linalg import chunk_statistics, solver_that_fits
from labelspan.moments import (
    Pool,
    Sample,
    alike,
    described,
    has_checkpoint,
    height_of,
    not_before,
    read_checkpoint,
    write_checkpoint,
)
from labelspan.system import watched

# Attributes that input validation sets at the first chunk.
REMEMBERED = (
    "n_features_in_", "feature_names_in_", "label_names_", "classes_", "_one_dimensional",
    "_sparse", "_n_labels",
)  # fmt: skip

# Advice for when the D x D scatter matrix does not fit in memory.
ADVICE = (
    "Fit X in memory, or as a Dask array, which may be read more than once, or select features "
    "first."
)
# Values of labels that are collected in a dense array until more chunks arrive.
HELD_LABELS = 2**13


class NotYetError(NoDirectionError, NotFittedError):
    """The chunks so far leave nothing to learn from."""

    def __init__(self, reason: object) -> None:
        Exception.__init__(self, reason)


@dataclass(frozen=True)
class Chunks:
    """The state of the chunks in an estimator; a copy of the estimator may share it."""

    pool: Pool
    kind: tuple[Any, ...]
    # Those that determined the statistics.
    parameters: dict[str, Any]
    # Whether the solution has been computed.
    solved: bool = False


class Chunked(RowBlocks):
    """``partial_fit`` and ``fit_blocks`` for estimators that learn from statistics that add up.

    A method defines ``_learn_pooled``, and ``_summarise`` with ``_chunk_solver`` if it learns not
    from a regression of all labels. The first access to an attribute of ``_learnt`` computes all of
    them.
    """

    # Learnt attributes: those that ``fit`` sets, except the ones that input validation sets.
    _learnt: ClassVar[tuple[str, ...]]
    # Fewest rows to learn from.
    _min_samples: ClassVar[int] = 2
    # Whether the statistics have an ``x_mean``, which is pooled relative to the first row.
    _about_first: ClassVar[bool] = True
    # Whether a regression needs the eigenvectors that labels share, and the label scatter.
    _shared: ClassVar[bool] = False
    _scatter: ClassVar[bool] = False
    _chunks: Chunks
    label_names_: np.ndarray

    def _needs_rows(self) -> str:
        """Why chunks are not supported, and what to do instead; empty if they are."""
        return ""

    def _learns_from_chunks(self) -> bool:
        """True, or an AttributeError with the reason; for scikit-learn's ``available_if``."""
        reason = self._needs_rows() or why_no_chunks(self)
        if reason:
            raise AttributeError(f"{type(self).__name__} cannot learn from chunks: {reason}")
        return True

    def _chunk_ridges(self) -> tuple[float | str, ...]:
        """Ridges up to a constant factor; a zero selects QR factors."""
        raise NotImplementedError

    def _chunk_solver(self, n_features: int, n_labels: int) -> str:
        """Solver for rows that come in chunks; refuses too many features."""
        if self._scatter:
            shape = n_labels, n_labels
            check_size(shape, "The label scatter matrix", "Fit X and y in memory instead.")
        needs = {"sparse": False, "streamed": True, "ridge_free": 0 in self._chunk_ridges()}
        return solver_that_fits(0, n_features, n_labels, advice=ADVICE, **needs)

    def _summarise(self, sample: Sample) -> Any:
        """Statistics of the sample; they add up, and have a ``kind``."""
        return chunk_statistics(sample, shared=self._shared, tt=self._scatter)

    @abstractmethod
    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        """Set the attributes of ``_learnt``; `rest` is the mean of X minus the stored one, (D,)."""

    @available_if(methodcaller("_learns_from_chunks"))
    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: Any = None,
        sample_weight: Any = None,
        observed: Any = None,
    ) -> Any:
        """Add a chunk of rows to those seen so far.

        The result is that of ``fit`` on all chunks together, for any sizes and order. The solution
        is computed when a fitted attribute is first needed, with the parameters at that time. The
        statistics are kept, and pickled, until ``fit`` or ``finalize`` is called. Asking raises
        ``NotFittedError`` while no label has occurred yet.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features of the chunk; one row is enough.
        y : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_labels)
            Labels of the chunk, as in ``fit``, the columns in the same order.
        classes : array-like or None
            All classes, for the first call with a 1-d `y`; None means those of the first chunk.
        sample_weight : array-like of shape (n_samples,), number or None, default=None
            Weights of the rows of the chunk, as in ``fit``; a chunk of weight 0 has no rows.
        observed : array-like or sparse matrix of bool, (n_samples, n_labels), or None, default=None
            Which labels of a sparse `y` are observed, as in ``fit``.

        Returns
        -------
        object
            The estimator itself.
        """
        y = y if observed is None else mask_unobserved(y, observed)
        if weighs_nothing(self, X, sample_weight):
            return self
        first = "_chunks" not in vars(self)
        if first:
            self._warn_after_fit()
        elif sample_weight is None and not self._parameters_changed() and self._add_plain(X, y):
            return self
        with fitting(self, chunk=True):
            X, labels = self._gate_chunk(X, y, sample_weight, classes, first)
            if first or self._parameters_changed():
                self._plan((X.shape[1], labels.Y.shape[1]), first)
            self._pool_rows(X, labels.Y, labels.weights)
        return self

    def _add_plain(self, X: Any, y: Any) -> bool:
        """Add a later chunk if a check of its numbers is all it needs; otherwise change nothing."""
        n_labels = self._chunks.pool.shape[1]
        if type(y) is not np.ndarray or y.ndim != 2 or y.shape[1] != n_labels:
            return False
        if self._known_classes() is not None or not passes(self, X, False, 1):
            return False
        Y = plain_indicators(y, HELD_LABELS) if len(y) == X.shape[0] else None
        if Y is None:
            return False
        self._pool_rows(X, Y, None)
        return True

    def _pool_rows(self, X: Any, Y: Any, weights: np.ndarray | None) -> None:
        """Add rows to the pool, and drop the solution without them."""
        chunks = self._chunks
        chunk = Sample(X, Y, chunks.pool.solver, weights, part=True)
        pool = chunks.pool.plus(chunk, self._summarise)
        if chunks.solved or self._learnt[0] in vars(self):
            self._drop(*self._learnt)
        self._chunks = Chunks(pool, chunks.kind, chunks.parameters)

    @available_if(methodcaller("_learns_from_chunks"))
    def fit_blocks(
        self,
        blocks: Iterable[tuple[Any, ...]],
        classes: Any = None,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        verbose: bool = False,
    ) -> Any:
        """Learn from blocks of rows that need not be in memory together, in one pass.

        The result is that of ``fit`` on all blocks; ``partial_fit`` adds to it. If a block is
        refused, or `blocks` raises, the estimator is unchanged.

        Parameters
        ----------
        blocks : iterable of (X, y) or (X, y, sample_weight)
            Features, labels and weights of each block, as for ``partial_fit``;
            :func:`labelspan.datasets.blocks_of` creates them from files.
        classes : array-like or None
            All classes of a 1-d `y`; None means those of the first block.
        checkpoint : path or None, default=None
            A file that stores the pooled statistics after each block. If it exists, the call
            resumes after its last block, with the same bits. The blocks must be the same. Finished
            ones of a sequence, such as :func:`labelspan.datasets.blocks_of` returns, are not read;
            an iterator is advanced past them. Delete the file to start again.
        verbose : bool, default=False
            Whether to show a progress bar over the blocks.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        with fitting(self, "_chunks", *self._learnt, chunk=True):
            n_kept, n_rows, *forms = self._load(checkpoint, classes)
            n_done, count = n_kept, length_hint(blocks) - n_kept
            rest = alike(checkpoint, forms, not_before(n_kept, n_rows, blocks))
            for X, y, *weights in watched(rest, max(count, 0) or None, verbose, of="Blocks"):
                self.partial_fit(X, y, classes, *weights)
                n_done, n_rows = n_done + 1, n_rows + height_of(X)
                self._save(checkpoint, classes, (n_done, n_rows, *forms))
            if "_chunks" not in vars(self):
                raise ValueError("blocks is empty; expected at least one pair (X, y), weight > 0.")
            if n_done == n_kept:
                file = os.fspath(checkpoint or "")
                again = f"has all {n_done}. Delete the file to read them again."
                warnings.warn(f"No block was read: the checkpoint {file!r} {again}", stacklevel=2)
            # A fit without anything to learn raises at once.
            self._solve_chunks()
        return self

    @available_if(methodcaller("_learns_from_chunks"))
    def finalize(self) -> Any:
        """Find the solution and drop the statistics, which make copies and pickles large.

        A later ``partial_fit`` starts a new model, with a warning. After ``fit``, nothing happens.

        Returns
        -------
        object
            The fitted estimator itself.
        """
        check_is_fitted(self)
        if "_chunks" in vars(self):
            if not self._chunks.solved:
                self._solve_chunks()
            self._drop("_chunks")
        return self

    def _owner(self, classes: Any) -> dict[str, str]:
        """What identifies the statistics in a checkpoint."""
        given = {**self.get_params(deep=False), "classes": classes}
        return {"the class": type(self).__name__} | {k: described(v) for k, v in given.items()}

    def _save(self, checkpoint: Any, classes: Any, done: tuple[Any, ...]) -> None:
        if checkpoint is None or "_chunks" not in vars(self):
            return
        if "_place" in vars(self):
            raise TypeError(
                "X is on a device, and a checkpoint keeps sums of the host. Leave checkpoint "
                "out, or move X first: X.cpu().numpy() for torch, X.get() for CuPy."
            )
        gate = {name: value for name, value in vars(self).items() if name in REMEMBERED}
        chunks = self._chunks
        state = {"done": done, "gate": gate, "kind": chunks.kind, "pool": chunks.pool.state()}
        write_checkpoint(checkpoint, self._owner(classes), state)

    def _load(self, checkpoint: Any, classes: Any) -> tuple[Any, ...]:
        """Load the chunks of a checkpoint; return its numbers of blocks and rows, and forms."""
        if checkpoint is None or not has_checkpoint(checkpoint):
            return 0, 0
        defaults = type(self)()._owner(None)
        kept = read_checkpoint(checkpoint, self._owner(classes), defaults)
        self._drop(*REMEMBERED)
        vars(self).update(kept["gate"])
        parameters = self.get_params(deep=False)
        self._chunks = Chunks(Pool.of_state(kept["pool"]), kept["kind"], parameters)
        return kept["done"]

    def _gate_chunk(
        self, X: Any, y: Any, sample_weight: Any, classes: Any, first: bool
    ) -> tuple[Any, Labels]:
        if first:
            known = None if classes is None else np.unique(classes)
            X, labels = check_fit(self, X, y, sample_weight, classes=known, chunk=True)
            if labels.signed:
                warn_of_signs(self)
            self._remember(labels)
            remember_place(self, X)
            return X, labels
        known = self._known_classes()
        if known is None and np.ndim(y) == 1:
            y = np.asarray(y)[:, None]
        X, labels = check_fit(self, X, y, sample_weight, reset=False, classes=known, chunk=True)
        n_labels = self._chunks.pool.shape[1]
        if labels.Y.shape[1] != n_labels:
            raise ValueError(
                f"y has {labels.Y.shape[1]} labels, but the first chunk had {n_labels}; pass the "
                "same label columns in every chunk."
            )
        refuse_other_names(vars(self).get("label_names_"), labels.names)
        if labels.names is not None:
            self.label_names_ = labels.names
        return X, labels

    def _parameters_changed(self) -> bool:
        now = vars(self)
        return any(now[name] is not value for name, value in self._chunks.parameters.items())

    def _plan(self, shape: tuple[int, int], first: bool) -> None:
        """Choose the statistics of the rows; refuse if they differ from earlier chunks."""
        self._validate_params()
        reason = self._needs_rows() or why_no_chunks(self)
        if reason:
            raise ValueError(f"{type(self).__name__} cannot learn from chunks any more: {reason}")
        solver = self._chunk_solver(*shape)
        nothing = Sample(np.zeros((1, shape[0])), np.zeros((1, shape[1])), solver, part=True)
        kind = self._summarise(nothing).kind
        parameters = self.get_params(deep=False)
        if first:
            pool = Pool(solver, shape, about_first=self._about_first, fixed=is_reproducible())
            self._chunks = Chunks(pool, kind, parameters)
        elif (solver, kind) != (self._chunks.pool.solver, self._chunks.kind):
            raise ValueError(
                f"The parameters of {type(self).__name__} changed between chunks so that it "
                "needs other statistics than those it has kept. Call fit, or start a new "
                "estimator."
            )
        self._chunks = replace(self._chunks, parameters=parameters)

    def _solve_chunks(self) -> None:
        """Learn from all chunks so far."""
        pool = self._chunks.pool
        with fitting(self), pool.threads():
            if self._parameters_changed():
                self._plan(pool.shape, first=False)
            statistics, rest = pool.total(self._summarise)
            if pool.n_rows < self._min_samples:
                raise NotYetError(
                    f"The chunks so far have {pool.n_rows} row(s); {type(self).__name__} "
                    f"needs at least {self._min_samples}. Call partial_fit with more."
                )
            try:
                self._learn_pooled(statistics, rest, pool.dtype)
                place_fitted(self, vars(self).get("_place"))
            except NoDirectionError as error:
                raise NotYetError(
                    "The chunks so far leave nothing to learn: no label has occurred yet, or no "
                    "feature has varied. Call partial_fit with more rows."
                ) from error
        self._chunks = replace(self._chunks, solved=True)

    def __getattr__(self, name: str) -> Any:
        # Called for missing attributes. Threads that ask at the same time all solve.
        if name in type(self)._learnt and "_chunks" in vars(self) and not self._chunks.solved:
            self._solve_chunks()
        # Access it again, for the original error.
        return super().__getattribute__(name)

    def __sklearn_is_fitted__(self) -> bool:
        return "_chunks" in vars(self) or self._learnt[0] in vars(self)

    def _drop(self, *names: str) -> None:
        for name in names:
            vars(self).pop(name, None)

    def _warn_after_fit(self) -> None:
        if self._learnt[0] in vars(self):
            warnings.warn(
                f"This {type(self).__name__} has no statistics to add to, because fit keeps none "
                "and finalize drops them: partial_fit starts a new model, and the rows seen "
                "before no longer count. Pass them to partial_fit as the first chunk.",
                stacklevel=4,
            )
