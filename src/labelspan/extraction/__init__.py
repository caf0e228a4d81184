"""Feature extraction: linear maps that keep what the labels say about the features."""

from typing import TYPE_CHECKING

from labelspan.extraction._cca import whitened_labels
from labelspan.extraction._hsl import EXPANSIONS, label_factor
from labelspan.extraction._label_kernel import LABEL_KERNELS, MEDIAN, label_rbf, label_targets
from labelspan.extraction._lpp import neighbour_graph
from labelspan.extraction._mddm import TWO_KERNELS, rbf_factor, shared_metric
from labelspan.registry import door, names_in

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = names_in(__name__)
