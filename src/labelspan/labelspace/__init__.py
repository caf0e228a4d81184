"""Label-space reduction: classifiers that learn short codes of many labels."""

from labelspan.labelspace._base import (
    CODE_THRESHOLD,
    COMMON,
    COUNT_OR_SHARE,
    Errors,
    LabelSpaceClassifier,
    linear_scores,
)
from labelspan.labelspace._codes import (
    Codes,
    Encoding,
    FirstCodes,
    LinearCodes,
    no_direction,
)
from labelspan.labelspace._compressed_sensing import CompressedSensing
from labelspan.labelspace._cplst import CPLST, by_products
from labelspan.labelspace._error_curves import ErrorCurves, error_curves
from labelspan.labelspace._faie import FaIE
from labelspan.labelspace._label_subset import ClassifierCodes, LabelSubset
from labelspan.labelspace._occa import OCCA
from labelspan.labelspace._pbr import PartialBinaryRelevance
from labelspan.labelspace._plst import PLST
from labelspan.labelspace._training import codes_first
from labelspan.labelspace.leml import LEML

__all__ = [
    "CPLST",
    "LEML",
    "OCCA",
    "PLST",
    "CompressedSensing",
    "ErrorCurves",
    "Errors",
    "FaIE",
    "LabelSubset",
    "PartialBinaryRelevance",
    "error_curves",
]
