"""From any array to sufficient statistics; the only place that knows array types."""

from labelspan.moments._available import Available, completed, of_observed, warn_of_unobserved
from labelspan.moments._checkpoint import (
    described,
    has_checkpoint,
    height_of,
    not_before,
    read_checkpoint,
    write_checkpoint,
)
from labelspan.moments._collect import BLOCK_BYTES, Sample, collect, row_blocks
from labelspan.moments._digits import EPS, warn_of_lost_digits
from labelspan.moments._moments import Moments, anchored, centred, scaled, sums_of_squares
from labelspan.moments._on_device import Block
from labelspan.moments._parts import collect_parts, dask_blocks
from labelspan.moments._pool import Pool
from labelspan.moments._products import Products
from labelspan.moments._root import Root, dense, triangle
from labelspan.moments._rows import CentredRows, Rows, small_indices
from labelspan.moments._summary import (
    Poolable,
    Statistics,
    available,
    checked,
    collect_moments,
    root_of,
    summarise,
)
