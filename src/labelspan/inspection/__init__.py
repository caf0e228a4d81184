"""Which features a linear reducer uses, and for which labels."""

from labelspan.inspection._bootstrap import BootstrapResult, bootstrap
from labelspan.inspection._stability import stability
from labelspan.inspection._top import top_features
from labelspan.inspection._weights import (
    dependence_shares,
    label_weights,
    structure_correlations,
    vip,
)

__all__ = [
    "BootstrapResult",
    "bootstrap",
    "dependence_shares",
    "label_weights",
    "stability",
    "structure_correlations",
    "top_features",
    "vip",
]
