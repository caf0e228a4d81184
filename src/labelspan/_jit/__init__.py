"""Compiled loops: which are compiled when, and where the results are kept."""

from labelspan._jit._kernels import (
    INTERPRETED_STEPS,
    ZERO,
    Kernel,
    inner_kernel,
    is_loaded,
    kernel,
    read_only,
)
