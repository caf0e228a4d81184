"""Problems in which each label has its own rows, because labels are missing."""

from labelspan.linalg.masked._cg import column_steps, conjugate_gradients
from labelspan.linalg.masked._ridge import (
    MaskedRegression,
    MaskedSystem,
    patterns,
    regress_masked,
)
