"""What comes in: labels, weights, splits, blocks, tags, and what is refused."""

from labelspan.arrays import has_holes
from labelspan.gate._blocks import (
    as_csr,
    by_blocks,
    check_block,
    columns_of,
    dask_rows,
    lazily,
    refuse_dask,
    with_complement,
)
from labelspan.gate._labels import (
    Labels,
    check_label_block,
    check_labels,
    holds_classes,
    label_matrix,
    one_hot,
    plain_indicators,
    refuse_other_names,
    refuse_other_values,
    refuse_sets,
    remember_names,
)
from labelspan.gate._misread import warn_if_swapped, warn_of_signs
from labelspan.gate._places import refuse_device, refuse_undivided
from labelspan.gate._soft import (
    SPARSE_LABEL_DENSITY,
    find_holes,
    is_soft,
    mask_unobserved,
    refuse_holes,
    unmasked,
)
from labelspan.gate._splits import check_splits
from labelspan.gate._tags import (
    complete_tags,
    label_tags,
    unweighted,
    with_label_tags,
)
from labelspan.gate._target import check_target
from labelspan.gate._truth import check_indicators, check_truth, scored, two_dimensional
from labelspan.gate._validation import (
    LARGE,
    MAX_SQUARE_BYTES,
    NoDirectionError,
    check_features,
    check_fit,
    check_projections,
    check_size,
    checked_by_sums,
    fitting,
    in_dtype,
    is_large,
    of_rows,
    passes,
    refuse_overflow,
)
from labelspan.gate._weights import check_weights, weighs_nothing
