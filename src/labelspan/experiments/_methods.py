"""The list of methods that a plan can name."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from sklearn.base import clone

Kind = Literal["reducer", "classifier", "model"]


@dataclass(frozen=True)
class Method:
    """A method under the name that plans, commands and reports use.

    Parameters
    ----------
    name : str
        Short name, such as ``"mddm-f"``.
    title : str
        Name in tables.
    kind : {"reducer", "classifier", "model"}
        Whether it transforms features, classifies what a reducer made of them, or is compared
        as a whole (a classifier that does its own reduction).
    path : str
        ``"package.module:Class"``; empty for no reduction.
    parameters : tuple of (str, value)
        Arguments of the constructor that are not its defaults.
    source : str
        Paper.

    Examples
    --------
    >>> from labelspan.experiments import get_method
    >>> get_method("mddm-f").make({"mu": 0.9})
    MDDM(constraint='feature', mu=0.9)
    """

    name: str
    title: str
    kind: Kind
    path: str
    parameters: tuple[tuple[str, Any], ...] = ()
    source: str = ""

    def load(self) -> type | None:
        """Import the class; None for no reduction.

        Returns
        -------
        type or None
        """
        if not self.path:
            return None
        module, _, name = self.path.partition(":")
        return getattr(import_module(module), name)

    def make(self, parameters: Mapping[str, Any] | None = None) -> Any:
        """Build the estimator.

        Parameters
        ----------
        parameters : mapping, optional
            Arguments of the constructor, over those of the method.

        Returns
        -------
        estimator or None
        """
        cls = self.load()
        if cls is None:
            return None
        given = {**dict(self.parameters), **dict(parameters or {})}
        known = inspect.signature(cls).parameters
        unknown = [name for name in given if name not in known]
        if unknown:
            raise ValueError(
                f"{self.name} has no parameter {unknown[0]!r}; it has {', '.join(known) or 'none'}."
            )
        return clone(cls(**given), safe=False)


MDDM, MVMD = "Zhang and Zhou 2010", "Xu, Liu, Yin and Sun 2016"
_RIDGE = (("ridge", 0.01), ("min_labels", 1))

#: Every method by its short name; to add one, add a line.
METHODS: tuple[Method, ...] = (
    Method("none", "no reduction", "reducer", ""),
    Method("pca", "PCA", "reducer", "labelspan.extraction:MVMD", (("beta", 0.0),), MVMD),
    Method("mddm-p", "MDDM_p", "reducer", "labelspan.extraction:MDDM", (), MDDM),
    Method(
        "mddm-f",
        "MDDM_f",
        "reducer",
        "labelspan.extraction:MDDM",
        (("constraint", "feature"),),
        MDDM,
    ),
    Method("mvmd", "MVMD", "reducer", "labelspan.extraction:MVMD", (), MVMD),
    Method("cca", "CCA", "reducer", "labelspan.extraction:LabelCCA", (), "Sun, Ji and Ye 2011"),
    Method("opls", "OPLS", "reducer", "labelspan.extraction:OPLS", (), "Sun, Ji and Ye 2011"),
    Method("mlsi", "MLSI", "reducer", "labelspan.extraction:MLSI", (), "Yu, Yu and Tresp 2005"),
    Method("mlda", "MLDA", "reducer", "labelspan.extraction:MLDA", (), "Wang et al. 2010"),
    Method("dmlda", "DMLDA", "reducer", "labelspan.extraction:DMLDA", (), "Oikonomou 2013"),
    Method("lpp", "LPP", "reducer", "labelspan.extraction:LPP", (), "He and Niyogi 2003"),
    Method(
        "mlknn", "ML-kNN", "classifier", "labelspan.classifiers:MLkNN", (), "Zhang and Zhou 2007"
    ),
    Method("ridge", "ridge", "classifier", "labelspan.classifiers:MultiOutputRidge", _RIDGE, MVMD),
    Method(
        "shared-subspace",
        "ML_LS",
        "model",
        "labelspan.subspace:SharedSubspaceClassifier",
        (),
        "Ji, Tang, Yu and Ye 2010",
    ),
)
_BY_NAME = {method.name: method for method in METHODS}


def get_method(name: str) -> Method:
    """Give the method of a name, or of an import path ``package.module:Class``.

    Parameters
    ----------
    name : str
        A name of `METHODS`; or the path of any class with scikit-learn's interface.

    Returns
    -------
    Method

    Examples
    --------
    >>> from labelspan.experiments import get_method
    >>> get_method("mvmd").title
    'MVMD'
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    if ":" in name:
        title = name.partition(":")[2]
        return Method(name, title, "reducer", name)
    near = difflib.get_close_matches(name, _BY_NAME, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(_BY_NAME)}"
    raise ValueError(f"there is no method {name!r}; {hint}")
