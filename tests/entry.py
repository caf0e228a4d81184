"""Registry entries of estimators, and excuses that several of them share."""

from dataclasses import dataclass, field
from typing import Any

from sklearn.base import clone


@dataclass(frozen=True)
class Entry:
    """A public estimator, its capabilities, and its oracle.

    Attributes
    ----------
    estimator : estimator
        A setting for samples of 48 rows, 6 features and 4 labels; solvers run to their limits.
    oracle : str
        "module:function" of the transcription, or of a peer, that `tests` compares it with.
    tests : str
        The test file that makes the comparison.
    variants : tuple of estimators
        The settings for scikit-learn's checks, if not `estimator` itself.
    dask : str
        What takes Dask arrays: "fit" (and all else), "predict" or "" for nothing.
    one_pass : bool
        Whether there is a partial_fit.
    empty_rows : bool
        Whether rows without labels count; those that compare the labels of a row skip them.
    weights : str
        The attribute whose last axis is that of the features.
    per_row, per_unit : dict
        The power of t by which a parameter must change to keep the predictions if every row is
        repeated t times, or if X is multiplied by t.
    tolerance : float
        Relative difference of two runs of its solver, as a share of the largest number.
    excuses : dict
        Law -> why it does not hold. The law must fail, or the excuse must be removed.
    """

    estimator: Any
    oracle: str
    tests: str
    variants: tuple = ()
    dask: str = ""
    one_pass: bool = False
    empty_rows: bool = True
    weights: str = ""
    per_row: dict = field(default_factory=dict)
    per_unit: dict = field(default_factory=dict)
    tolerance: float = 1e-8
    excuses: dict = field(default_factory=dict)

    @property
    def name(self):
        return type(self.estimator).__name__

    def within(self, exact):
        """`exact`, or the tolerance of an iterative solver."""
        return exact if self.tolerance <= 1e-8 else self.tolerance

    @property
    def predicts(self):
        return hasattr(self.estimator, "predict")

    @property
    def supervised(self):
        return self.estimator.__sklearn_tags__().target_tags.required


BIAS = dict.fromkeys(
    (
        "a_shift_of_the_features",
        "units_of_the_features",
        "a_constant_feature_counts_for_nothing",
    ),
    "the bias is the weight of a feature that is 1 everywhere, and costs what the others cost",
)
EVIDENCE = dict.fromkeys(
    ("repeated_rows", "the_unit_of_the_weights"),
    "rows that count twice are more evidence, which needs a smaller ridge",
)
PAIRS = {
    "a_label_without_rows_leaves_the_others": "labels are ranked against each other: one that no "
    "row has is outranked by those of every row",
}
FOLDS = {
    "row_order": "the folds are runs of rows",
    "repeated_rows": "the folds are runs of rows: twins fall into different ones",
    "a_weight_is_a_number_of_copies": "the folds are runs of rows: copies make them longer",
    "three_classes_are_three_labels": "the folds of classes are stratified, by check_cv",
}
DRAWN = dict.fromkeys(
    (
        "label_order",
        "twin_labels_are_predicted_alike",
        "a_label_without_rows_leaves_the_others",
        "a_label_of_all_rows_is_always_predicted",
    ),
    "which labels, or which of their sums, are learnt is drawn by the number of the column",
)


def extractor(estimator, transcription, **more):
    settings = {"dask": "fit", "one_pass": True, "weights": "components_", **more}
    oracle = f"tests.reference.extraction:{transcription}"
    return Entry(estimator, oracle, "tests/extraction/test_transcriptions.py", **settings)


def label_space(estimator, oracle, tests, **more):
    settings = {"dask": "fit", "one_pass": True, **more}
    return Entry(estimator, oracle, f"tests/labelspace/{tests}.py", **settings)


def ranking(estimator, oracle, tests, **more):
    oracle = f"tests.reference.ranking:{oracle}"
    more["excuses"] = BIAS | PAIRS | more.get("excuses", {})
    settings = {
        "dask": "predict",
        "weights": "coef_",
        "per_row": {"C": -1},
        "empty_rows": False,
        **more,
    }
    return Entry(estimator, oracle, tests, **settings)


def kernel(estimator, oracle, tests, **more):
    settings = {"dask": "predict", "per_unit": {"gamma": -2}, **more}
    landmarks = clone(estimator).set_params(n_landmarks=5, random_state=0)
    settings["variants"] = (landmarks, *more.get("variants", ()))
    return Entry(estimator, oracle, f"tests/kernels/{tests}.py", **settings)
