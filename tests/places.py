"""Array libraries and devices besides NumPy that are available on this computer."""

import numpy as np
import pytest
import sklearn

from labelspan import arrays


class Strict:
    """array-api-strict's second device: NumPy cannot read it, and only the standard works."""

    def __init__(self):
        self.library = pytest.importorskip("array_api_strict")
        self.device = self.library.Device("device1")

    def put(self, array):
        return self.library.asarray(np.ascontiguousarray(array), device=self.device)

    def holds(self, array):
        return type(array).__module__.startswith("array_api_strict") and array.device == self.device


class Torch:
    def __init__(self, device):
        self.library = pytest.importorskip("torch")
        if device == "cuda" and not self.library.cuda.is_available():
            pytest.skip("torch sees no CUDA device")
        self.device = device

    def put(self, array):
        return self.library.asarray(np.ascontiguousarray(array), device=self.device)

    def holds(self, array):
        return isinstance(array, self.library.Tensor) and array.device.type == self.device


class CuPy:
    def __init__(self):
        self.library = pytest.importorskip("cupy")

    def put(self, array):
        return self.library.asarray(array)

    def holds(self, array):
        return isinstance(array, self.library.ndarray)


PLACES = [
    pytest.param(Strict, id="array_api_strict"),
    pytest.param(lambda: Torch("cpu"), id="torch"),
    pytest.param(lambda: Torch("cuda"), id="cuda", marks=pytest.mark.device),
    pytest.param(CuPy, id="cupy", marks=pytest.mark.device),
]


@pytest.fixture(params=PLACES)
def place(request, monkeypatch):
    """A place, with array dispatch of scikit-learn enabled; `moved`: shapes copied to the host."""
    found = request.param()
    found.moved, copy = [], arrays._arrays.move_to_host
    record = found.moved.append
    monkeypatch.setattr(arrays._arrays, "move_to_host", lambda A: record(A.shape) or copy(A))
    # scikit-learn requires it, although no tested code uses that part of SciPy.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        yield found


@pytest.fixture
def device_blocks(monkeypatch, limit):
    """Let a block on a device take so many bytes, however much memory is free."""

    def take(n_bytes):
        limit("device block bytes", n_bytes)
        monkeypatch.setattr(arrays._operations, "free_bytes", lambda array: None)

    return take
