"""Methods that misbehave, named by their import path in plans."""

import ctypes
import os
import signal
import sys
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


class _Faulty(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.asarray(X)[:, :3]


class Raises(_Faulty):
    def fit(self, X, y=None):
        raise FloatingPointError("the matrix <b>is</b> singular")


class ReturnsNaN(_Faulty):
    def transform(self, X):
        return np.full((X.shape[0], 2), np.nan)


class Hangs(_Faulty):
    """Sleeps in C with the interpreter lock held: no signal handler in Python would run."""

    def fit(self, X, y=None):
        ctypes.PyDLL(None).sleep(600)
        return self


class Dies(_Faulty):
    def fit(self, X, y=None):
        os.kill(os.getpid(), signal.SIGKILL)


class Prints(_Faulty):
    def fit(self, X, y=None):
        print('{"kind": "answer"}', flush=True)
        os.write(1, b"noise\n")
        return self


class RaisesHalfACharacter(_Faulty):
    def fit(self, X, y=None):
        raise ValueError("bad \udcff")


class WarnsOfHalfACharacter(_Faulty):
    def fit(self, X, y=None):
        warnings.warn("bad \udcff", stacklevel=2)
        return self


class Exits(_Faulty):
    def fit(self, X, y=None):
        sys.exit(3)


class Interrupts(_Faulty):
    def fit(self, X, y=None):
        raise KeyboardInterrupt


class EndsItsProcess(_Faulty):
    def fit(self, X, y=None):
        os._exit(3)


class CannotBeMade(_Faulty):
    def __init__(self):
        raise TypeError("not today")


class OnlyPredicts(BaseEstimator):
    def fit(self, X, y=None):
        self.labels_ = np.asarray(y).mean(axis=0) > 0.5
        return self

    def predict(self, X):
        return np.tile(self.labels_.astype(int), (X.shape[0], 1))

    def decision_function(self, X):
        return np.tile(self.labels_.astype(float), (X.shape[0], 1))


class PredictsOneLabel(OnlyPredicts):
    def predict(self, X):
        return super().predict(X)[:, :1]


class Slow(_Faulty):
    def fit(self, X, y=None):
        time.sleep(0.02)
        return self


class _FailsUnless(_Faulty):
    """Fails until the file FLAKY_FILE exists, like a problem that a user repairs between two
    runs."""

    error: type[BaseException]

    def fit(self, X, y=None):
        if not os.path.exists(os.environ["FLAKY_FILE"]):
            raise self.error("not yet")
        return self


class NoMemory(_FailsUnless):
    error = MemoryError


class InterruptsARetry(_FailsUnless):
    error = MemoryError

    def fit(self, X, y=None):
        super().fit(X, y)
        raise KeyboardInterrupt


class NoPermission(_FailsUnless):
    error = PermissionError


class NoPackage(_FailsUnless):
    error = ModuleNotFoundError


class WrongValue(_FailsUnless):
    error = ValueError


class DiesUnless(_Faulty):
    def fit(self, X, y=None):
        if not os.path.exists(os.environ["FLAKY_FILE"]):
            os.kill(os.getpid(), signal.SIGKILL)
        return self


def touch():
    """A function without parameters that leaves a trace if it is called."""
    with open(os.environ["FLAKY_FILE"], "w"):
        return OnlyPredicts()
