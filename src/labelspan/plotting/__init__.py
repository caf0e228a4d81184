"""Pictures of reduced data, in the manner of scikit-learn's displays (matplotlib is optional)."""

from labelspan.plotting._label_map import LabelMapDisplay

__all__ = ["LabelMapDisplay"]
