"""The list of all estimators: where each lives, and which inputs its ``fit`` takes or refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

#: Why Dask arrays are refused, where rows are compared with rows or read again and again.
IN_MEMORY = "needs all rows in memory here"
#: Why searches refuse soft labels.
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
ALL = frozenset(REFUSED)


@dataclass(frozen=True)
class Row:
    """An estimator: its name, its package, and what its ``fit`` takes or refuses.

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
    """

    name: str
    home: str
    takes: frozenset[str] = frozenset()
    refuses: Mapping[str, str] = field(default_factory=dict)


ROWS = (
    Row("MDDM", "extraction", ALL),
    Row("MVMD", "extraction", ALL),
    Row("LabelCCA", "extraction", ALL),
    Row("OPLS", "extraction", ALL),
    Row("HSL", "extraction", DEVICE),
    Row("MLSI", "extraction", ALL),
    Row("MLDA", "extraction", DEVICE, {"soft_labels": "the labels of a row are counted"}),
    Row("DMLDA", "extraction", DEVICE, {"soft_labels": "the labels of a row are counted"}),
    Row("LPP", "extraction", refuses={"dask": IN_MEMORY, "sample_weight": COUNTED}),
    Row("KernelMDDM", "kernels", DEVICE, {"dask": IN_MEMORY}),
    Row("KernelLabelCCA", "kernels", DEVICE, {"dask": IN_MEMORY}),
    Row("KernelHSL", "kernels", DEVICE, {"dask": IN_MEMORY}),
    Row("KernelPLS", "kernels", refuses={"dask": IN_MEMORY}),
    Row("KernelSharedSubspaceClassifier", "kernels", DEVICE, {"dask": IN_MEMORY}),
    Row("KernelCPLST", "kernels", DEVICE, {"dask": IN_MEMORY}),
    Row("KernelCPLSTCV", "kernels", DEVICE, {"dask": IN_MEMORY, "soft_labels": SCORED}),
    Row("PLST", "labelspace", ALL),
    Row("CPLST", "labelspace", ALL),
    Row("OCCA", "labelspace", ALL),
    Row("FaIE", "labelspace"),
    Row("LEML", "labelspace", HOLES | {"device_holes"}, {"streamed_holes": OWN_ROWS}),
    Row("CompressedSensing", "labelspace"),
    Row("PartialBinaryRelevance", "labelspace"),
    Row("LabelSubset", "labelspace"),
    Row("SharedSubspaceClassifier", "subspace", DEVICE | HOLES, {"streamed_holes": OWN_ROWS}),
    Row(
        "SharedSubspaceClassifierCV",
        "subspace",
        DEVICE,
        {"dask": IN_MEMORY, "soft_labels": SCORED},
    ),
    Row("LabelPLS", "subspace", HOLES | {"device_holes"}),
    Row(
        "ASOClassifier",
        "subspace",
        refuses={
            "dask": IN_MEMORY,
            "soft_labels": "its SVMs separate rows with a label from rows without it",
        },
    ),
    Row(
        "StructuralF1SVM",
        "subspace",
        refuses={
            "dask": IN_MEMORY,
            "sample_weight": "F1 is a measure of whole labellings, in which a row of weight 2 can "
            "only be right twice or wrong twice, unlike two rows",
            "soft_labels": "F1 compares sets of labels",
        },
    ),
    Row("LaRankSVM", "ranking", HOLES, {"dask": IN_MEMORY, "soft_labels": RANKED}),
    Row("CLaRankSVM", "ranking", HOLES, {"dask": IN_MEMORY, "soft_labels": RANKED}),
    Row("MLFS", "selection", HOLES, {"dask": IN_MEMORY, "soft_labels": RANKED}),
    Row("CMLFS", "selection", HOLES, {"dask": IN_MEMORY, "soft_labels": RANKED}),
    Row(
        "MultilabelFisherScore",
        "selection",
        HOLES | {"device_holes"},
        {"soft_labels": "rows with a label are compared with rows without it"},
    ),
    Row(
        "DiscriminativeRatio",
        "selection",
        HOLES | {"device_holes"},
        {"soft_labels": "rows with a label are compared with rows without it"},
    ),
    Row(
        "MLkNN",
        "classifiers",
        DEVICE | HOLES,
        {
            "dask": IN_MEMORY,
            "sample_weight": COUNTED,
            "soft_labels": "neighbours with a label are counted",
        },
    ),
    Row("MultiOutputRidge", "classifiers", DEVICE | HOLES, {"streamed_holes": OWN_ROWS}),
    Row("ThresholdTuner", "classifiers", HOLES),
    Row("ProbabilityCalibrator", "classifiers", HOLES),
    Row("ReducerCV", "choice", HOLES, {"soft_labels": SCORED, "streamed_holes": OWN_ROWS}),
    Row(
        "MultilabelRidgeCV",
        "ridge_cv",
        refuses={
            "missing_labels": "each label would need a decomposition of the rows where it is "
            "observed",
            "soft_labels": SCORED,
        },
    ),
    Row("SemiSupervised", "semisupervised", HOLES, {"dask": IN_MEMORY, "sample_weight": COUNTED}),
)
BY_NAME = MappingProxyType({row.name: row for row in ROWS})


@cache
def refused_by(kind: type) -> Mapping[str, str]:
    """What the row of a class, or of the nearest parent that has one, refuses, with reasons."""
    own = (p.__name__ for p in kind.__mro__ if p.__module__.startswith("labelspan."))
    row = next((BY_NAME[name] for name in own if name in BY_NAME), Row(kind.__name__, ""))
    kept = {what: reason for what, reason in REFUSED.items() if what not in row.takes}
    return MappingProxyType({**kept, **row.refuses})
