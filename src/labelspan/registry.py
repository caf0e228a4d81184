"""The list of all estimators: where each lives, what its ``fit`` takes, its names in plans."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What type checkers read; the import system reads ROWS.
    from labelspan.choice._reducer_cv import ReducerCV
    from labelspan.classifiers._calibrator import ProbabilityCalibrator
    from labelspan.classifiers._mlknn import MLkNN
    from labelspan.classifiers._ridge import MultiOutputRidge
    from labelspan.classifiers._threshold import ThresholdTuner
    from labelspan.classifiers._threshold_function import ThresholdFunction
    from labelspan.extraction._cca import LabelCCA
    from labelspan.extraction._dmlda import DMLDA
    from labelspan.extraction._embedding import EmbeddingReducer
    from labelspan.extraction._hsl import HSL
    from labelspan.extraction._lpp import LPP
    from labelspan.extraction._mddm import MDDM
    from labelspan.extraction._mlda import MLDA
    from labelspan.extraction._mlsi import MLSI
    from labelspan.extraction._mvmd import MVMD
    from labelspan.extraction._opls import OPLS
    from labelspan.kernels._cca import KernelLabelCCA
    from labelspan.kernels._cplst import KernelCPLST
    from labelspan.kernels._cplst_cv import KernelCPLSTCV
    from labelspan.kernels._mddm import KernelMDDM
    from labelspan.kernels._shared_subspace import KernelSharedSubspaceClassifier
    from labelspan.kernels.family._hsl import KernelHSL
    from labelspan.kernels.family._occa import KernelOCCA
    from labelspan.kernels.family._pls import KernelPLS
    from labelspan.labelspace._cca import LabelSpaceCCA
    from labelspan.labelspace._compressed_sensing import CompressedSensing
    from labelspan.labelspace._cplst import CPLST
    from labelspan.labelspace._faie import FaIE
    from labelspan.labelspace._label_subset import LabelSubset
    from labelspan.labelspace._occa import OCCA
    from labelspan.labelspace._pbr import PartialBinaryRelevance
    from labelspan.labelspace._plst import PLST
    from labelspan.labelspace.leml._leml import LEML
    from labelspan.ranking._clarank import CLaRankSVM
    from labelspan.ranking._larank import LaRankSVM
    from labelspan.ridge_cv._ridge_cv import MultilabelRidgeCV
    from labelspan.selection._cmlfs import CMLFS
    from labelspan.selection._fisher_svm import FisherSVM
    from labelspan.selection._information import InformationSelector
    from labelspan.selection._lift import LIFT
    from labelspan.selection._llsf import LLSF
    from labelspan.selection._mlfs import MLFS
    from labelspan.selection._scores import DiscriminativeRatio, MultilabelFisherScore
    from labelspan.selection.embedded._mdfs import MDFS
    from labelspan.selection.embedded._mifs import MIFS
    from labelspan.selection.embedded._multitask import MultiTaskSelector
    from labelspan.selection.embedded._rfs import RFS
    from labelspan.semisupervised._semisupervised import SemiSupervised
    from labelspan.subspace._aso import ASOClassifier
    from labelspan.subspace._pls import LabelPLS
    from labelspan.subspace._shared_subspace import SharedSubspaceClassifier
    from labelspan.subspace._shared_subspace_cv import SharedSubspaceClassifierCV
    from labelspan.subspace._structural_f1 import StructuralF1SVM

#: The classes, for the star imports of type checkers.
__all__ = [
    "CMLFS",
    "CPLST",
    "DMLDA",
    "HSL",
    "LEML",
    "LIFT",
    "LLSF",
    "LPP",
    "MDDM",
    "MDFS",
    "MIFS",
    "MLDA",
    "MLFS",
    "MLSI",
    "MVMD",
    "OCCA",
    "OPLS",
    "PLST",
    "RFS",
    "ASOClassifier",
    "CLaRankSVM",
    "CompressedSensing",
    "DiscriminativeRatio",
    "EmbeddingReducer",
    "FaIE",
    "FisherSVM",
    "InformationSelector",
    "KernelCPLST",
    "KernelCPLSTCV",
    "KernelHSL",
    "KernelLabelCCA",
    "KernelMDDM",
    "KernelOCCA",
    "KernelPLS",
    "KernelSharedSubspaceClassifier",
    "LaRankSVM",
    "LabelCCA",
    "LabelPLS",
    "LabelSpaceCCA",
    "LabelSubset",
    "MLkNN",
    "MultiOutputRidge",
    "MultiTaskSelector",
    "MultilabelFisherScore",
    "MultilabelRidgeCV",
    "PartialBinaryRelevance",
    "ProbabilityCalibrator",
    "ReducerCV",
    "SemiSupervised",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "StructuralF1SVM",
    "ThresholdFunction",
    "ThresholdTuner",
]

#: Reason for refusing Dask arrays: rows are compared pairwise or read repeatedly.
IN_MEMORY = "needs all rows in memory here"
#: Reason for refusing soft labels in searches.
SCORED = "held-out rows are scored by measures of labels that a row has or lacks"
#: Why missing labels are refused if the method has no sums for them.
ALL_LABELS = "its statistics count every row of every label"
#: Why arrays on a device are refused if the work is done on the host.
ON_HOST = "works on the host"
#: Why missing labels are refused in chunks and Dask arrays if each label is learnt separately.
OWN_ROWS = "keeps sums over all rows of these, and each label needs those over its own rows"
#: Why weights are refused where neighbours are counted.
COUNTED = "neighbours are counted: a row of weight 2 is not the same as two rows"
RANKED = "labels that a row has outrank those that it lacks"

#: What ``fit`` refuses unless the row of a class takes it.
REFUSED = MappingProxyType(
    {"missing_labels": ALL_LABELS, "device": ON_HOST, "device_holes": ON_HOST}
)
DEVICE, HOLES = frozenset({"device"}), frozenset({"missing_labels"})
ALL, NOTHING = frozenset(REFUSED), frozenset[str]()


@dataclass(frozen=True)
class Called:
    """A name of an estimator in plans and commands, with its title, paper and parameters.

    A reducer transforms features, a classifier classifies what a reducer returns, a model does
    both.
    """

    name: str
    title: str = ""
    source: str = ""
    kind: str = "reducer"
    parameters: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Candidates:
    """What ``compare --tune`` tries for a parameter, after the value of the plan.

    Good values of most parameters grow with the features, hence the unit: see `labelspan.lab`.
    `only_if`: values of other parameters without which this one has no effect.
    """

    numbers: tuple[float, ...]
    unit: str = ""
    only_if: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return ", ".join(f"{number:g}{self.unit}" for number in self.numbers)


@dataclass(frozen=True)
class Row:
    """An estimator: its name, its package, and what the others need to know of it.

    Attributes
    ----------
    name : str
        Name of the class.
    home : str
        Its module. All packages above it export it.
    takes : frozenset of str
        What is refused otherwise: "missing_labels" (NaN for labels that are not observed),
        "device" (arrays of torch or CuPy), "device_holes" (the first with the second).
    refuses : mapping
        Reasons, by what is accepted otherwise: "dask", "sample_weight", "soft_labels", and
        "streamed_holes", missing labels in chunks and in Dask arrays. A class adds those that
        depend on its parameters in ``_refusals``.
    called : tuple of Called
        Its names in plans; none if plans do not compare it.
    tuned : mapping
        Candidates by parameter.
    """

    name: str
    home: str
    takes: frozenset[str] = NOTHING
    refuses: Mapping[str, str] = field(default_factory=dict)
    called: tuple[Called, ...] = ()
    tuned: Mapping[str, Candidates] = field(default_factory=dict)


_MDDM, _XU, _CPLST = "Zhang and Zhou 2010", "Xu et al. 2016", "Chen and Lin 2012"
_HSL, _CCA = "Sun, Ji and Ye 2008", "Sun, Ji and Ye 2011"
_SUBSPACE, _CMLFS = "Ji, Tang, Yu and Ye 2010", "Gu, Li and Han 2011"
_FEATURE, _ONE = (("constraint", "feature"),), (("min_labels", 1),)
_MEMORY = {"dask": IN_MEMORY}
_FOLDS = {**_MEMORY, "soft_labels": SCORED}
_ORDERED = {**_MEMORY, "soft_labels": RANKED}
_GROUPS = {"soft_labels": "rows with a label are compared with rows without it"}
_COUNTS = {"soft_labels": "the labels of a row are counted"}
_RIDGE = {"ridge": Candidates((1e-3, 0.03, 0.3, 3.0), " s")}
_WEIGHT = {"mu": Candidates((1e-3, 0.03, 0.3, 3.0), " as ridge / s", _FEATURE)}
_GAMMA = {"gamma": Candidates((0.25, 1.0, 4.0), " / V")}
_KERNEL = {**_GAMMA, "ridge": Candidates((1e-3, 1e-2, 1.0))}
_C = {"C": Candidates((0.1, 10.0))}
_PRICES = {"alpha": Candidates((0.1,), " v"), "beta": Candidates((1e-3, 0.03, 0.3, 3.0), " v")}


_CRITERIA = {
    "mrmr": "Peng et al. 2005", "mdmr": "Lin et al. 2015", "scls": "Lee and Kim 2017",
    "d2f": "Lee and Kim 2015", "pmu": "Lee and Kim 2013", "lrfs": "Zhang et al. 2019",
    "fimf": "Lee and Kim 2015", "grro": "Zhang et al. 2020",
}  # fmt: skip


def _model(name: str, title: str, source: str) -> tuple[Called, ...]:
    return (Called(name, title, source, "model"),)


#: Within a kind, the order of the names is that of `labelspan methods`.
# fmt: off
ROWS = (
    Row("MDDM", "extraction._mddm", ALL, {},
        (Called("mddm-p", "MDDM_p", _MDDM),
         Called("mddm-f", "MDDM_f", _MDDM, parameters=_FEATURE)), _WEIGHT),
    Row("MVMD", "extraction._mvmd", ALL, {},
        (Called("mvmd", "", _XU),), {"beta": Candidates((0.1, 0.3, 0.7, 0.9))}),
    Row("LabelCCA", "extraction._cca", ALL, {}, (Called("cca", "CCA", _CCA),), _RIDGE),
    Row("OPLS", "extraction._opls", ALL, {}, (Called("opls", "", _CCA),), _RIDGE),
    Row("LabelPLS", "subspace._pls", HOLES | {"device_holes"}, {},
        (Called("pls", "PLS", "Dayal and MacGregor 1997"),)),
    Row("HSL", "extraction._hsl", DEVICE, {}, (Called("hsl", "", _HSL),), _RIDGE),
    Row("MLSI", "extraction._mlsi", ALL, {}, (Called("mlsi", "", "Yu, Yu and Tresp 2005"),),
        {"beta": Candidates((0.1, 0.9)), "ridge": Candidates((0.03, 1.0), " s")}),
    Row("MLDA", "extraction._mlda", DEVICE, _COUNTS,
        (Called("mlda", "", "Wang et al. 2010"),), _RIDGE),
    Row("DMLDA", "extraction._dmlda", DEVICE, _COUNTS,
        (Called("dmlda", "", "Oikonomou et al. 2013"),), _RIDGE),
    Row("LPP", "extraction._lpp", NOTHING, {**_MEMORY, "sample_weight": COUNTED},
        (Called("lpp", "", "He and Niyogi 2003"),), _RIDGE),
    Row("EmbeddingReducer", "extraction._embedding", ALL, {},
        (Called("embedding", "", "labelspan"),), {"balance": Candidates((0.1, 0.5))}),
    Row("MultilabelFisherScore", "selection._scores", HOLES | {"device_holes"}, _GROUPS,
        (Called("fisher", "Fisher score"),)),
    Row("DiscriminativeRatio", "selection._scores", HOLES | {"device_holes"}, _GROUPS,
        (Called("ratio", "SEL", _MDDM),)),
    Row("InformationSelector", "selection._information", HOLES,
        {"soft_labels": "rows are counted by bins and labels"},
        (Called("mim", "MIM", "Sechidis et al. 2014"),
         *(Called(name, "mRMR" if name == "mrmr" else name.upper(), source,
                  parameters=(("criterion", name),))
           for name, source in _CRITERIA.items()))),
    Row("MultiTaskSelector", "selection.embedded._multitask", NOTHING, {},
        (Called("multitask", "multi-task lasso", "Obozinski et al. 2010"),)),
    Row("RFS", "selection.embedded._rfs", HOLES, _MEMORY,
        (Called("rfs", "", "Nie et al. 2010"),)),
    Row("MIFS", "selection.embedded._mifs", NOTHING, {**_MEMORY, "sample_weight": COUNTED},
        (Called("mifs", "", "Jian et al. 2016"),)),
    Row("MDFS", "selection.embedded._mdfs", NOTHING, {**_MEMORY, "sample_weight": COUNTED},
        (Called("mdfs", "", "Zhang et al. 2019"),)),
    Row("FisherSVM", "selection._fisher_svm", HOLES,
        {**_MEMORY, "soft_labels": "its SVMs separate rows with a label from rows without it"},
        _model("fisher-svm", "Fisher score + SVM", _CMLFS), _C),
    Row("LLSF", "selection._llsf", NOTHING, _MEMORY, _model("llsf", "", "Huang et al. 2016")),
    Row("LIFT", "selection._lift", NOTHING, {
        **_MEMORY,
        "sample_weight": "a group has as many centres as its number of rows says",
        "soft_labels": "the rows with a label are clustered apart from those without it",
    }, (Called("lift", "", "Zhang and Wu 2015"),)),
    Row("KernelMDDM", "kernels._mddm", DEVICE, _MEMORY,
        (Called("kernel-mddm", "kernel MDDM", _MDDM),), _GAMMA),
    Row("KernelLabelCCA", "kernels._cca", DEVICE, _MEMORY,
        (Called("kernel-cca", "kernel CCA", _MDDM),), _KERNEL),
    Row("KernelHSL", "kernels.family._hsl", DEVICE, _MEMORY,
        (Called("kernel-hsl", "kernel HSL", _HSL),), _KERNEL),
    Row("KernelPLS", "kernels.family._pls", NOTHING, _MEMORY,
        (Called("kernel-pls", "kernel PLS", "Rosipal 2001"),), _GAMMA),
    Row("SemiSupervised", "semisupervised._semisupervised", HOLES,
        {**_MEMORY, "sample_weight": COUNTED}),
    Row("ReducerCV", "choice._reducer_cv", HOLES,
        {"soft_labels": SCORED, "streamed_holes": OWN_ROWS}),
    Row("PLST", "labelspace._plst", ALL, {}, _model("plst", "", "Tai and Lin 2012"), _RIDGE),
    Row("CPLST", "labelspace._cplst", ALL, {}, _model("cplst", "", _CPLST), _RIDGE),
    Row("OCCA", "labelspace._occa", ALL, {}, _model("occa", "", _CPLST), _RIDGE),
    Row("LabelSpaceCCA", "labelspace._cca", ALL, {},
        _model("label-space-cca", "CCA of the labels", _CPLST), _RIDGE),
    Row("FaIE", "labelspace._faie", NOTHING, {}, _model("faie", "", "Lin et al. 2014"), _RIDGE),
    Row("LEML", "labelspace.leml._leml", HOLES | {"device_holes"}, {"streamed_holes": OWN_ROWS},
        _model("leml", "", "Yu et al. 2014"), {"ridge": Candidates((0.1, 10.0))}),
    Row("CompressedSensing", "labelspace._compressed_sensing"),
    Row("LabelSubset", "labelspace._label_subset", NOTHING, {},
        _model("cssp", "ML-CSSP", "Bi and Kwok 2013")),
    Row("PartialBinaryRelevance", "labelspace._pbr", NOTHING, {},
        _model("pbr", "PBR", _CPLST), _RIDGE),
    Row("KernelCPLST", "kernels._cplst", DEVICE, _MEMORY,
        _model("kernel-cplst", "kernel CPLST", _CPLST),
        {**_GAMMA, "ridge": Candidates((1e-3, 1e-2, 0.1))}),
    Row("KernelOCCA", "kernels.family._occa", DEVICE, _MEMORY,
        _model("kernel-occa", "kernel OCCA", _CPLST),
        {**_GAMMA, "ridge": Candidates((1e-3, 1e-2, 0.1))}),
    Row("KernelCPLSTCV", "kernels._cplst_cv", DEVICE, _FOLDS),
    Row("SharedSubspaceClassifier", "subspace._shared_subspace", DEVICE | HOLES,
        {"streamed_holes": OWN_ROWS}, tuned=_PRICES),
    Row("SharedSubspaceClassifierCV", "subspace._shared_subspace_cv", DEVICE, _FOLDS),
    # With few labels the shared subspace is small: most weights are penalised with alpha.
    Row("KernelSharedSubspaceClassifier", "kernels._shared_subspace", DEVICE, _MEMORY,
        _model("kernel-shared-subspace", "kernel ML_LS", _SUBSPACE),
        {**_GAMMA, "alpha": Candidates((1e-3,)), "beta": Candidates((1e-4, 1e-3))}),
    Row("ASOClassifier", "subspace._aso", NOTHING,
        {**_MEMORY, "soft_labels": "its SVMs separate rows with a label from rows without it"}),
    Row("StructuralF1SVM", "subspace._structural_f1", NOTHING, {
        **_MEMORY,
        "sample_weight": "F1 is a measure of whole labellings, in which a row of weight 2 can "
        "only be right twice or wrong twice, unlike two rows",
        "soft_labels": "F1 compares sets of labels",
    }),
    Row("LaRankSVM", "ranking._larank", HOLES, _ORDERED, _model("larank", "LaRank", _CMLFS), _C),
    Row("CLaRankSVM", "ranking._clarank", HOLES, _ORDERED,
        _model("clarank", "CLaRank", _CMLFS), _C),
    Row("MLFS", "selection._mlfs", HOLES, _ORDERED, _model("mlfs", "", _CMLFS), _C),
    Row("CMLFS", "selection._cmlfs", HOLES, _ORDERED, _model("cmlfs", "", _CMLFS), _C),
    Row("MLkNN", "classifiers._mlknn", DEVICE | HOLES, {
        **_MEMORY,
        "sample_weight": COUNTED,
        "soft_labels": "neighbours with a label are counted",
    }, (Called("mlknn", "ML-kNN", "Zhang and Zhou 2007", "classifier"),),
        {"n_neighbors": Candidates((5, 20))}),
    Row("MultiOutputRidge", "classifiers._ridge", DEVICE | HOLES, {"streamed_holes": OWN_ROWS},
        (Called("ridge", "ridge", _XU, "classifier", _ONE),), _RIDGE),
    Row("ThresholdTuner", "classifiers._threshold", HOLES),
    Row("ThresholdFunction", "classifiers._threshold_function", HOLES),
    Row("ProbabilityCalibrator", "classifiers._calibrator", HOLES),
    Row("MultilabelRidgeCV", "ridge_cv._ridge_cv", DEVICE | HOLES, {
        "soft_labels": SCORED,
        "streamed_holes": OWN_ROWS,
    }),
)
# fmt: on
BY_NAME = MappingProxyType({row.name: row for row in ROWS})


def names_in(package: str) -> list[str]:
    """Names of the estimators that a package exports."""
    return [row.name for row in ROWS if f"labelspan.{row.home}.".startswith(f"{package}.")]


def door(package: str, more: Mapping[str, str] | None = None) -> tuple[Any, Any]:
    """``__getattr__`` and ``__dir__`` of a package that imports classes, and `more`, when asked."""
    homes = {name: BY_NAME[name].home for name in names_in(package)} | dict(more or {})
    modules = {name: f"labelspan.{home}" for name, home in homes.items()}

    def load(name: str) -> Any:
        if modules.get(name, package) == package:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return load, listed


@cache
def refused_by(kind: type) -> Mapping[str, str]:
    """What the row of a class, or of the nearest parent that has one, refuses, with reasons."""
    own = (p.__name__ for p in kind.__mro__ if p.__module__.startswith("labelspan."))
    row = next((BY_NAME[name] for name in own if name in BY_NAME), Row(kind.__name__, ""))
    kept = {what: reason for what, reason in REFUSED.items() if what not in row.takes}
    return MappingProxyType({**kept, **row.refuses})
