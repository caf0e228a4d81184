"""Problems in which every label has its own rows, because some of it is not observed."""

from labelspan.linalg.masked._cg import column_steps, conjugate_gradients
from labelspan.linalg.masked._ridge import MaskedRegression, MaskedSystem, regress_masked
