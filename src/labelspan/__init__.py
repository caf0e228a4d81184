"""Multi-label dimensionality reduction for the scikit-learn ecosystem."""

from labelspan.classifiers import MLkNN, MultiOutputRidge, ThresholdTuner
from labelspan.extraction import DMLDA, LPP, MDDM, MLDA, MLSI, MVMD, OPLS, LabelCCA
from labelspan.labelspace import CPLST, OCCA, PLST, CompressedSensing, PartialBinaryRelevance
from labelspan.subspace import SharedSubspaceClassifier, SharedSubspaceClassifierCV

__version__ = "0.1.0.dev0"

__all__ = [
    "CPLST",
    "DMLDA",
    "LPP",
    "MDDM",
    "MLDA",
    "MLSI",
    "MVMD",
    "OCCA",
    "OPLS",
    "PLST",
    "CompressedSensing",
    "LabelCCA",
    "MLkNN",
    "MultiOutputRidge",
    "PartialBinaryRelevance",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "ThresholdTuner",
    "__version__",
]
