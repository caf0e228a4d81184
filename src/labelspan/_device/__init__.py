"""Arrays of torch and CuPy; fitted arrays stay on the same device."""

from labelspan._device._arrays import (
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
from labelspan._device._gate import refuse_device, refuse_elsewhere
from labelspan._device._move import converted, on_host, place_of, remember_place, settle, to_numpy
from labelspan._device._operations import (
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
from labelspan._device._stream import (
    STREAM_BYTES,
    config_context,
    in_single,
    is_streamed,
    stream,
    sums_of,
)
