"""Compiled loops, and the cache of their compiled code."""

from labelspan._jit._kernels import (
    INTERPRETED_STEPS,
    ZERO,
    Kernel,
    inner_kernel,
    is_loaded,
    kernel,
    read_only,
)
