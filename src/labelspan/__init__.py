"""Multi-label dimensionality reduction for the scikit-learn ecosystem."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from labelspan.registry import ROWS

if TYPE_CHECKING:
    from labelspan import (
        datasets,
        experiments,
        interop,
        metrics,
        model_selection,
        plotting,
        stats,
    )
    from labelspan.arrays import config_context, to_numpy
    from labelspan.choice import ReducerCV
    from labelspan.classifiers import (
        MLkNN,
        MultiOutputRidge,
        ProbabilityCalibrator,
        ThresholdTuner,
    )
    from labelspan.costs import cost
    from labelspan.extraction import (
        DMLDA,
        HSL,
        LPP,
        MDDM,
        MLDA,
        MLSI,
        MVMD,
        OPLS,
        EmbeddingReducer,
        LabelCCA,
    )
    from labelspan.kernels import (
        KernelCPLST,
        KernelCPLSTCV,
        KernelHSL,
        KernelLabelCCA,
        KernelMDDM,
        KernelPLS,
        KernelSharedSubspaceClassifier,
    )
    from labelspan.labelspace import (
        CPLST,
        LEML,
        OCCA,
        PLST,
        CompressedSensing,
        FaIE,
        LabelSubset,
        PartialBinaryRelevance,
    )
    from labelspan.ranking import CLaRankSVM, LaRankSVM
    from labelspan.ridge_cv import MultilabelRidgeCV
    from labelspan.selection import CMLFS, MLFS, DiscriminativeRatio, MultilabelFisherScore
    from labelspan.semisupervised import SemiSupervised
    from labelspan.subspace import (
        ASOClassifier,
        LabelPLS,
        SharedSubspaceClassifier,
        SharedSubspaceClassifierCV,
        StructuralF1SVM,
    )

__version__ = "0.2.0"

#: The module of each name, which is imported on first access (PEP 562).
_HOMES = {row.name: row.home for row in ROWS}
_HOMES |= {"config_context": "arrays", "cost": "costs", "to_numpy": "arrays"}
_SUBPACKAGES = (
    *{row.home for row in ROWS},
    "datasets",
    "experiments",
    "interop",
    "lab",
    "linalg",
    "metrics",
    "model_selection",
    "plotting",
    "stats",
)

__all__ = [
    "CMLFS",
    "CPLST",
    "DMLDA",
    "HSL",
    "LEML",
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
    "EmbeddingReducer",
    "FaIE",
    "KernelCPLST",
    "KernelCPLSTCV",
    "KernelHSL",
    "KernelLabelCCA",
    "KernelMDDM",
    "KernelPLS",
    "KernelSharedSubspaceClassifier",
    "LaRankSVM",
    "LabelCCA",
    "LabelPLS",
    "LabelSubset",
    "MLkNN",
    "MultiOutputRidge",
    "MultilabelFisherScore",
    "MultilabelRidgeCV",
    "PartialBinaryRelevance",
    "ProbabilityCalibrator",
    "ReducerCV",
    "SemiSupervised",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "StructuralF1SVM",
    "ThresholdTuner",
    "__version__",
    "config_context",
    "cost",
    "datasets",
    "experiments",
    "interop",
    "metrics",
    "model_selection",
    "plotting",
    "stats",
    "to_numpy",
]


if not TYPE_CHECKING:
    # Otherwise a type checker would accept any name.
    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            value = getattr(import_module(f"labelspan.{_HOMES[name]}"), name)
            globals()[name] = value
            return value
        if name in _SUBPACKAGES:
            # The import system binds the subpackage here.
            return import_module(f"labelspan.{name}")
        raise AttributeError(f"module 'labelspan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES})
