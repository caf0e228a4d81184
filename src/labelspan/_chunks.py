"""Learning from chunks: they add statistics, and what is learnt is found when it is asked for."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from labelspan._labels import Labels, refuse_other_names, remember_names
from labelspan._validation import NoDirectionError, check_chunk, unchanged_if_refused
from labelspan.moments import Pool, Sample


class NotYetError(NoDirectionError, NotFittedError):
    """The chunks so far leave nothing to learn from."""

    def __init__(self, reason: object) -> None:
        Exception.__init__(self, reason)


def _has_partial_fit(estimator: Chunked) -> bool:
    reason = estimator._needs_rows()
    if reason:
        raise AttributeError(f"{type(estimator).__name__} has no partial_fit: {reason}")
    return True


class Chunked:
    """``partial_fit`` for estimators that learn from statistics that add up.

    A method says what it keeps of rows (``_summarise``, along the route ``_chunk_solver``) and how
    it learns from that (``_learn_pooled``). A chunk only adds to the pool, and what an earlier one
    has led to is dropped; the first look at an attribute of ``_learnt`` finds them all. The pool
    is copied and pickled as it is.
    """

    # What is learnt: attributes that ``fit`` sets, but for what the gate remembers of X and y.
    _learnt: ClassVar[tuple[str, ...]]
    # Fewest rows to learn from.
    _min_rows: ClassVar[int] = 2
    # Whether the statistics have an ``x_mean``, which is pooled about the first row.
    _about_first: ClassVar[bool] = True
    _pool: Pool
    # Parameters of the last chunk, the kind of its statistics, and whether all is learnt.
    _pooled_with: dict[str, Any]
    _pooled_kind: tuple[Any, ...]
    _settled: bool
    label_names_: np.ndarray

    def _needs_rows(self) -> str:
        """Why there is no ``partial_fit``, and what to do instead; empty if there is one."""
        return ""

    @abstractmethod
    def _chunk_solver(self, n_features: int, n_labels: int) -> str:
        """Route of rows that come in chunks, or the refusal of so many features."""

    @abstractmethod
    def _summarise(self, sample: Sample) -> Any:
        """Statistics of the sample; they add up, and have a ``kind``."""

    @abstractmethod
    def _learn_pooled(self, statistics: Any, rest: np.ndarray, dtype: np.dtype) -> None:
        """Set the attributes of ``_learnt``; `rest` is the mean of X less its rounding, (D,)."""

    def _remember(self, labels: Labels) -> None:
        """Store what the labels of the first chunk were."""
        remember_names(self, labels)

    @available_if(_has_partial_fit)
    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Any:
        """Add a chunk of rows to those seen so far.

        The result is that of ``fit`` on all chunks together, whatever their sizes and order. A
        chunk only adds to statistics; the solution is found when it is first asked for, by a
        fitted attribute or by a method that needs one, with the parameters of that time. The
        statistics are kept in the estimator, and pickled with it, until ``fit`` is called. While
        the chunks leave nothing to learn, because no label has occurred yet, asking raises
        ``NotFittedError``.

        Parameters
        ----------
        X : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_features)
            Features of the chunk; one row will do.
        y : array-like, sparse matrix, frame or Dask array of shape (n_samples, n_labels)
            Labels of the chunk, as in ``fit``, the columns in the same order.
        classes : array-like or None
            All classes, for the first call with a 1-d `y`; None takes those of the first chunk.
        sample_weight : array-like of shape (n_samples,), number or None, default=None
            Weights of the rows of the chunk, as in ``fit``.

        Returns
        -------
        object
            The estimator itself.
        """
        first = "_pool" not in vars(self)
        if first:
            self._warn_after_fit()
        with unchanged_if_refused(self):
            X, labels = self._gate_chunk(X, y, sample_weight, classes, first)
            if first or self._parameters_changed():
                self._plan((X.shape[1], labels.Y.shape[1]), first)
            chunk = Sample(X, labels.Y, self._pool.solver, labels.weights, part=True)
            self._pool.add(chunk, self._summarise)
            self._settled = False
            self._drop(*self._learnt)
        return self

    def _gate_chunk(
        self, X: Any, y: Any, sample_weight: Any, classes: Any, first: bool
    ) -> tuple[Any, Labels]:
        if first:
            known = None if classes is None else np.unique(classes)
            X, labels = check_chunk(self, X, y, sample_weight, first=True, classes=known)
            self._remember(labels)
            return X, labels
        known = self._known_classes()
        if known is None and np.ndim(y) == 1:
            y = np.asarray(y)[:, None]
        X, labels = check_chunk(self, X, y, sample_weight, first=False, classes=known)
        n_labels = self._pool.shape[1]
        if labels.Y.shape[1] != n_labels:
            raise ValueError(
                f"y has {labels.Y.shape[1]} labels, but the first chunk had "
                f"{n_labels}; pass the same label columns in every chunk."
            )
        refuse_other_names(vars(self).get("label_names_"), labels.names)
        if labels.names is not None:
            self.label_names_ = labels.names
        return X, labels

    def _known_classes(self) -> np.ndarray | None:
        """Classes of a 1-d `y` of the first chunk."""
        return vars(self).get("classes_")

    def _parameters_changed(self) -> bool:
        return any(getattr(self, name) is not value for name, value in self._pooled_with.items())

    def _plan(self, shape: tuple[int, int], first: bool) -> None:
        """Decide what to keep of the rows, or refuse to keep something else than before."""
        self._validate_params()
        reason = self._needs_rows()
        if reason:
            raise ValueError(f"{type(self).__name__} cannot learn from chunks any more: {reason}")
        solver = self._chunk_solver(*shape)
        nothing = Sample(np.zeros((1, shape[0])), np.zeros((1, shape[1])), solver, part=True)
        kind = self._summarise(nothing).kind
        if first:
            self._pool = Pool(solver, shape, about_first=self._about_first)
            self._pooled_kind = kind
        elif (solver, kind) != (self._pool.solver, self._pooled_kind):
            raise ValueError(
                f"The parameters of {type(self).__name__} changed between chunks so that it "
                "needs other statistics than those it has kept. Call fit, or start a new "
                "estimator."
            )
        self._pooled_with = self.get_params(deep=False)

    def _settle(self) -> None:
        """Learn from all chunks so far."""
        pool = self._pool
        with unchanged_if_refused(self):
            if self._parameters_changed():
                self._plan(pool.shape, first=False)
            statistics, rest = pool.total(self._summarise)
            if pool.n_rows < self._min_rows:
                raise NotYetError(
                    f"The chunks so far have {pool.n_rows} row(s); {type(self).__name__} "
                    f"needs at least {self._min_rows}. Call partial_fit with more."
                )
            try:
                self._learn_pooled(statistics, rest, pool.dtype)
            except NoDirectionError as error:
                raise NotYetError(
                    "The chunks so far leave nothing to learn: no label has occurred yet, or no "
                    "feature has varied. Call partial_fit with more rows."
                ) from error
        self._settled = True

    def __getattr__(self, name: str) -> Any:
        # Asked only for what is not there. Threads that ask at the same time all solve.
        if name in type(self)._learnt and "_pool" in vars(self) and not self._settled:
            self._settle()
        # Again, for the error that brought us here.
        return super().__getattribute__(name)

    def __sklearn_is_fitted__(self) -> bool:
        return "_pool" in vars(self) or self._learnt[0] in vars(self)

    def _forget(self) -> None:
        """Drop the chunks, and what was learnt from them or from an earlier fit."""
        self._drop("_pool", "_pooled_with", "_pooled_kind", "_settled", *self._learnt)

    def _drop(self, *names: str) -> None:
        for name in names:
            vars(self).pop(name, None)

    def _warn_after_fit(self) -> None:
        if self._learnt[0] in vars(self):
            warnings.warn(
                f"This {type(self).__name__} was fitted by fit, which keeps no statistics to add "
                "to: partial_fit starts anew, and the rows that fit saw no longer count. "
                "Pass them to partial_fit as the first chunk.",
                UserWarning,
                stacklevel=3,
            )
