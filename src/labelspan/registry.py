"""The list of all estimators: where each lives, what its ``fit`` takes, its names in plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

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
        The package that exports it.
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


def _model(name: str, title: str, source: str) -> tuple[Called, ...]:
    return (Called(name, title, source, "model"),)


#: Within a kind, the order of the names is that of `labelspan methods`.
# fmt: off
ROWS = (
    Row("MDDM", "extraction", ALL, {},
        (Called("mddm-p", "MDDM_p", _MDDM),
         Called("mddm-f", "MDDM_f", _MDDM, parameters=_FEATURE)), _WEIGHT),
    Row("MVMD", "extraction", ALL, {},
        (Called("mvmd", "", _XU),), {"beta": Candidates((0.1, 0.3, 0.7, 0.9))}),
    Row("LabelCCA", "extraction", ALL, {}, (Called("cca", "CCA", _CCA),), _RIDGE),
    Row("OPLS", "extraction", ALL, {}, (Called("opls", "", _CCA),), _RIDGE),
    Row("LabelPLS", "subspace", HOLES | {"device_holes"}, {},
        (Called("pls", "PLS", "Dayal and MacGregor 1997"),)),
    Row("HSL", "extraction", DEVICE, {}, (Called("hsl", "", _HSL),), _RIDGE),
    Row("MLSI", "extraction", ALL, {}, (Called("mlsi", "", "Yu, Yu and Tresp 2005"),),
        {"beta": Candidates((0.1, 0.9)), "ridge": Candidates((0.03, 1.0), " s")}),
    Row("MLDA", "extraction", DEVICE, _COUNTS, (Called("mlda", "", "Wang et al. 2010"),), _RIDGE),
    Row("DMLDA", "extraction", DEVICE, _COUNTS,
        (Called("dmlda", "", "Oikonomou et al. 2013"),), _RIDGE),
    Row("LPP", "extraction", NOTHING, {**_MEMORY, "sample_weight": COUNTED},
        (Called("lpp", "", "He and Niyogi 2003"),), _RIDGE),
    Row("EmbeddingReducer", "extraction", ALL, {},
        (Called("embedding", "", "labelspan"),), {"balance": Candidates((0.1, 0.5))}),
    Row("MultilabelFisherScore", "selection", HOLES | {"device_holes"}, _GROUPS,
        (Called("fisher", "Fisher score"),)),
    Row("DiscriminativeRatio", "selection", HOLES | {"device_holes"}, _GROUPS,
        (Called("ratio", "SEL", _MDDM),)),
    Row("KernelMDDM", "kernels", DEVICE, _MEMORY,
        (Called("kernel-mddm", "kernel MDDM", _MDDM),), _GAMMA),
    Row("KernelLabelCCA", "kernels", DEVICE, _MEMORY,
        (Called("kernel-cca", "kernel CCA", _MDDM),), _KERNEL),
    Row("KernelHSL", "kernels", DEVICE, _MEMORY,
        (Called("kernel-hsl", "kernel HSL", _HSL),), _KERNEL),
    Row("KernelPLS", "kernels", NOTHING, _MEMORY,
        (Called("kernel-pls", "kernel PLS", "Rosipal 2001"),), _GAMMA),
    Row("SemiSupervised", "semisupervised", HOLES, {**_MEMORY, "sample_weight": COUNTED}),
    Row("ReducerCV", "choice", HOLES, {"soft_labels": SCORED, "streamed_holes": OWN_ROWS}),
    Row("PLST", "labelspace", ALL, {}, _model("plst", "", "Tai and Lin 2012"), _RIDGE),
    Row("CPLST", "labelspace", ALL, {}, _model("cplst", "", _CPLST), _RIDGE),
    Row("OCCA", "labelspace", ALL, {}, _model("occa", "", _CPLST), _RIDGE),
    Row("FaIE", "labelspace", NOTHING, {}, _model("faie", "", "Lin et al. 2014"), _RIDGE),
    Row("LEML", "labelspace", HOLES | {"device_holes"}, {"streamed_holes": OWN_ROWS},
        _model("leml", "", "Yu et al. 2014"), {"ridge": Candidates((0.1, 10.0))}),
    Row("CompressedSensing", "labelspace"),
    Row("LabelSubset", "labelspace", NOTHING, {}, _model("cssp", "ML-CSSP", "Bi and Kwok 2013")),
    Row("PartialBinaryRelevance", "labelspace", NOTHING, {}, _model("pbr", "PBR", _CPLST), _RIDGE),
    Row("KernelCPLST", "kernels", DEVICE, _MEMORY,
        _model("kernel-cplst", "kernel CPLST", _CPLST),
        {**_GAMMA, "ridge": Candidates((1e-3, 1e-2, 0.1))}),
    Row("KernelCPLSTCV", "kernels", DEVICE, _FOLDS),
    Row("SharedSubspaceClassifier", "subspace", DEVICE | HOLES, {"streamed_holes": OWN_ROWS},
        tuned=_PRICES),
    Row("SharedSubspaceClassifierCV", "subspace", DEVICE, _FOLDS),
    # With few labels the shared subspace is small: most weights are penalised with alpha.
    Row("KernelSharedSubspaceClassifier", "kernels", DEVICE, _MEMORY,
        _model("kernel-shared-subspace", "kernel ML_LS", _SUBSPACE),
        {**_GAMMA, "alpha": Candidates((1e-3,)), "beta": Candidates((1e-4, 1e-3))}),
    Row("ASOClassifier", "subspace", NOTHING,
        {**_MEMORY, "soft_labels": "its SVMs separate rows with a label from rows without it"}),
    Row("StructuralF1SVM", "subspace", NOTHING, {
        **_MEMORY,
        "sample_weight": "F1 is a measure of whole labellings, in which a row of weight 2 can "
        "only be right twice or wrong twice, unlike two rows",
        "soft_labels": "F1 compares sets of labels",
    }),
    Row("LaRankSVM", "ranking", HOLES, _ORDERED, _model("larank", "LaRank", _CMLFS), _C),
    Row("CLaRankSVM", "ranking", HOLES, _ORDERED, _model("clarank", "CLaRank", _CMLFS), _C),
    Row("MLFS", "selection", HOLES, _ORDERED, _model("mlfs", "", _CMLFS), _C),
    Row("CMLFS", "selection", HOLES, _ORDERED, _model("cmlfs", "", _CMLFS), _C),
    Row("MLkNN", "classifiers", DEVICE | HOLES, {
        **_MEMORY,
        "sample_weight": COUNTED,
        "soft_labels": "neighbours with a label are counted",
    }, (Called("mlknn", "ML-kNN", "Zhang and Zhou 2007", "classifier"),),
        {"n_neighbors": Candidates((5, 20))}),
    Row("MultiOutputRidge", "classifiers", DEVICE | HOLES, {"streamed_holes": OWN_ROWS},
        (Called("ridge", "ridge", _XU, "classifier", _ONE),), _RIDGE),
    Row("ThresholdTuner", "classifiers", HOLES),
    Row("ProbabilityCalibrator", "classifiers", HOLES),
    Row("MultilabelRidgeCV", "ridge_cv", DEVICE | HOLES, {
        "soft_labels": SCORED,
        "streamed_holes": OWN_ROWS,
    }),
)
# fmt: on
BY_NAME = MappingProxyType({row.name: row for row in ROWS})


@cache
def refused_by(kind: type) -> Mapping[str, str]:
    """What the row of a class, or of the nearest parent that has one, refuses, with reasons."""
    own = (p.__name__ for p in kind.__mro__ if p.__module__.startswith("labelspan."))
    row = next((BY_NAME[name] for name in own if name in BY_NAME), Row(kind.__name__, ""))
    kept = {what: reason for what, reason in REFUSED.items() if what not in row.takes}
    return MappingProxyType({**kept, **row.refuses})
