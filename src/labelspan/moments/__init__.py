"""From any array to sufficient statistics; the only place that knows array types."""

from labelspan.moments._about_mean import (
    level_at,
    longest_row,
    mean_of,
    project,
    score_at,
    scores_about,
    total_scatter,
    total_variance,
)
from labelspan.moments._available import (
    Available,
    completed,
    label_moments,
    nearest_psd,
    of_observed,
    warn_of_unobserved,
    zero_constant,
)
from labelspan.moments._checkpoint import (
    alike,
    described,
    has_checkpoint,
    height_of,
    not_before,
    read_checkpoint,
    write_checkpoint,
)
from labelspan.moments._collect import (
    BLOCK_BYTES,
    Sample,
    collect,
    equal_blocks,
    row_blocks,
    warn_of_lost_digits,
)
from labelspan.moments._large import indicators, labelled_rows
from labelspan.moments._moments import (
    EPS,
    Moments,
    add_pooled,
    anchored,
    centred,
    scaled,
    sums_of_squares,
)
from labelspan.moments._on_device import Block, ColumnSpreads
from labelspan.moments._parts import blocks_of, collect_parts, dask_blocks
from labelspan.moments._pool import Pool, n_bytes, parts_of, stacked, taken_off
from labelspan.moments._products import Products
from labelspan.moments._root import Root
from labelspan.moments._rows import CentredRows, Rows, small_indices
from labelspan.moments._sparse import row_edges, times_block
from labelspan.moments._summary import (
    Statistics,
    available,
    checked,
    collect_moments,
    root_of,
    summarise,
)
