"""Feature extraction: linear maps that keep what the labels say about the features."""

from labelspan.extraction._cca import LabelCCA
from labelspan.extraction._dmlda import DMLDA
from labelspan.extraction._embedding import EmbeddingReducer
from labelspan.extraction._hsl import EXPANSIONS, HSL, label_factor
from labelspan.extraction._lpp import LPP, neighbour_graph
from labelspan.extraction._mddm import MDDM, label_rbf
from labelspan.extraction._mlda import MLDA
from labelspan.extraction._mlsi import MLSI
from labelspan.extraction._mvmd import MVMD
from labelspan.extraction._opls import OPLS

__all__ = [
    "DMLDA",
    "HSL",
    "LPP",
    "MDDM",
    "MLDA",
    "MLSI",
    "MVMD",
    "OPLS",
    "EmbeddingReducer",
    "LabelCCA",
]
