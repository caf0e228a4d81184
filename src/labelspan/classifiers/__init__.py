"""Multi-label classifiers."""

from typing import TYPE_CHECKING

from labelspan.classifiers._calibrator import sigmoid_link
from labelspan.classifiers._label_counts import look_up, neighbour_histogram
from labelspan.classifiers._mlknn import posterior
from labelspan.classifiers._neighbours import nearest_of_distances
from labelspan.classifiers._observed import Reference
from labelspan.classifiers._probabilities import normalised
from labelspan.registry import door, names_in

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = names_in(__name__)
