"""Multi-label dimensionality reduction for the scikit-learn ecosystem."""

from labelspan.classifiers import MLkNN, MultiOutputRidge, ThresholdTuner
from labelspan.extraction import DMLDA, LPP, MDDM, MLDA, MLSI, MVMD, OPLS, LabelCCA
from labelspan.kernels import (
    KernelCPLST,
    KernelCPLSTCV,
    KernelLabelCCA,
    KernelMDDM,
    KernelSharedSubspaceClassifier,
)
from labelspan.labelspace import CPLST, OCCA, PLST, CompressedSensing, PartialBinaryRelevance
from labelspan.ranking import CLaRankSVM, LaRankSVM
from labelspan.selection import CMLFS, MLFS, DiscriminativeRatio, MultilabelFisherScore
from labelspan.subspace import (
    ASOClassifier,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    StructuralF1SVM,
)

__version__ = "0.1.0.dev0"

__all__ = [
    "CMLFS",
    "CPLST",
    "DMLDA",
    "LPP",
    "MDDM",
    "MLDA",
    "MLFS",
    "MLSI",
    "MVMD",
    "OCCA",
    "OPLS",
    "PLST",
    "ASOClassifier",
    "CLaRankSVM",
    "CompressedSensing",
    "DiscriminativeRatio",
    "KernelCPLST",
    "KernelCPLSTCV",
    "KernelLabelCCA",
    "KernelMDDM",
    "KernelSharedSubspaceClassifier",
    "LaRankSVM",
    "LabelCCA",
    "MLkNN",
    "MultiOutputRidge",
    "MultilabelFisherScore",
    "PartialBinaryRelevance",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "StructuralF1SVM",
    "ThresholdTuner",
    "__version__",
]
