"""Label-space reduction: classifiers that learn short codes of many labels."""

from typing import TYPE_CHECKING

from labelspan.labelspace._base import (
    CODE_THRESHOLD,
    COMMON,
    COUNT_OR_SHARE,
    Errors,
    LabelSpaceClassifier,
)
from labelspan.labelspace._codes import (
    Codes,
    Encoding,
    FirstCodes,
    LinearCodes,
    at_most,
    no_direction,
)
from labelspan.labelspace._cplst import by_products
from labelspan.labelspace._error_curves import ErrorCurves, error_curves
from labelspan.labelspace._label_subset import ClassifierCodes
from labelspan.labelspace._training import codes_first
from labelspan.registry import door, names_in

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [*names_in(__name__), "ErrorCurves", "Errors", "error_curves"]
