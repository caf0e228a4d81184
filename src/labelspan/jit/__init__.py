"""Compiled loops, and the cache of their compiled code."""

from labelspan.jit._kernels import (
    INTERPRETED_STEPS,
    ZERO,
    Kernel,
    inner_kernel,
    is_loaded,
    kernel,
    read_only,
)
