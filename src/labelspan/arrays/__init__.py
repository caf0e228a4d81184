"""Kinds of arrays: dense, sparse, and those of torch and CuPy, which stay on their device."""

from labelspan.arrays._arrays import (
    cast,
    copied,
    detached,
    diagonal,
    empty,
    finite,
    is_device,
    is_followed,
    like,
    namespace,
    precision_of,
    rows_at,
    sums,
    to_host,
)
from labelspan.arrays._kinds import any_varies, both, count_true, dense, values_of
from labelspan.arrays._move import (
    beside,
    converted,
    on_host,
    place_of,
    remember_place,
    settle,
    to_numpy,
)
from labelspan.arrays._operations import (
    KeyFactors,
    add_to_diagonal,
    block_bytes,
    cholesky,
    clipped,
    eigh,
    exponential,
    fill_diagonal,
    free_bytes,
    least,
    less,
    less_multiple,
    scatter,
    set_diagonal,
    smallest,
    solve_triangular,
    sums_of_rows,
    sums_of_squares,
    tally,
    triangle,
    whole_products,
)
from labelspan.arrays._stream import (
    STREAM_BYTES,
    computing,
    config_context,
    in_single,
    is_streamed,
    stream,
)
