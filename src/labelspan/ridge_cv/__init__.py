"""Ridge regression whose settings exact leave-one-out scores choose."""

from labelspan.ridge_cv._ridge_cv import MultilabelRidgeCV
from labelspan.ridge_cv._scaling import Scaling

__all__ = ["MultilabelRidgeCV"]
