"""All extractors in one list: a new method is tested by being listed."""

from dataclasses import dataclass
from typing import Any

import labelspan as ls
from tests.reference import extraction as reference


@dataclass(frozen=True)
class Method:
    """An extractor with its transcription.

    estimator has n_components=None, so that every direction can be compared; `transcription`
    takes X, Y and returns all eigenvalues and directions.
    """

    name: str
    estimator: Any
    transcription: Any
    one_pass: bool = True
    thin: bool = False
    supervised: bool = True


METHODS = [
    Method("mddm-p", ls.MDDM(None), reference.mddm),
    Method(
        "mddm-f",
        ls.MDDM(None, constraint="feature"),
        lambda X, Y: reference.mddm(X, Y, "feature"),
        thin=True,
    ),
    Method(
        "mddm-p-rbf",
        ls.MDDM(None, label_correlation="rbf", label_width=10.0),
        lambda X, Y: reference.mddm(X, Y, B=reference.label_rbf(Y, 10.0)),
    ),
    Method(
        "mddm-f-rbf",
        ls.MDDM(None, constraint="feature", mu=0.9, label_correlation="rbf", label_width=10.0),
        lambda X, Y: reference.mddm(X, Y, "feature", 0.9, reference.label_rbf(Y, 10.0)),
        thin=True,
    ),
    Method("mvmd", ls.MVMD(None), reference.mvmd),
    Method("mvmd-0.9", ls.MVMD(None, beta=0.9), lambda X, Y: reference.mvmd(X, Y, 0.9)),
    Method("label-cca", ls.LabelCCA(None), reference.label_cca, thin=True),
    Method("opls", ls.OPLS(None), reference.opls, thin=True),
    Method("mlsi", ls.MLSI(None), reference.mlsi),
    Method("mlsi-1", ls.MLSI(None, beta=1.0), lambda X, Y: reference.mlsi(X, Y, 1.0)),
    Method("mlda", ls.MLDA(None), reference.mlda, one_pass=False, thin=True),
    Method("dmlda", ls.DMLDA(None), reference.dmlda, one_pass=False),
]
# Those without an eigenvalue sum to share, or without labels.
LPP = Method(
    "lpp",
    ls.LPP(5, n_neighbors=3),
    lambda X, Y: reference.lpp(X, 3),
    one_pass=False,
    supervised=False,
)
ALL = [*METHODS, LPP]
ONE_PASS = [method for method in METHODS if method.one_pass]
# The parameters that leave no ridge: these go through QR factors.
RIDGE_FREE = [
    Method(
        "mddm-f-1",
        ls.MDDM(None, constraint="feature", mu=1.0),
        lambda X, Y: reference.mddm(X, Y, "feature", 1.0),
        thin=True,
    ),
    Method(
        "label-cca-0",
        ls.LabelCCA(None, ridge=0.0, label_ridge=0.0),
        lambda X, Y: reference.label_cca(X, Y, 0.0, 0.0),
        thin=True,
    ),
    Method("opls-0", ls.OPLS(None, ridge=0.0), lambda X, Y: reference.opls(X, Y, 0.0), thin=True),
]


def name(method):
    return method.name
