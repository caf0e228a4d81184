"""The shared subspace: multi-label classifiers whose labels share a low-dimensional projection."""

from typing import TYPE_CHECKING

from labelspan.registry import door, names_in
from labelspan.subspace._base import SubspaceClassifier
from labelspan.subspace._baselines import PrintedCCA, cca_ridge, cca_svm, one_vs_rest_svm
from labelspan.subspace._coordinates import row_coordinates
from labelspan.subspace._hinge import HingeProblem
from labelspan.subspace._prices import chosen_prices, label_products
from labelspan.subspace._shared_subspace import leading_labels, mix, n_shared, prices_of
from labelspan.subspace._training_times import training_times

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = [*names_in(__name__), "cca_ridge", "cca_svm", "one_vs_rest_svm", "training_times"]
