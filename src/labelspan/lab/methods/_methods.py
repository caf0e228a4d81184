"""The list of methods that a plan can name."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal

from sklearn.base import clone

from labelspan.registry import ROWS

Kind = Literal["reducer", "classifier", "model", "scaler"]

#: Prefix of an import path whose class is compared as a whole.
MODEL = "model:"


@dataclass(frozen=True)
class Method:
    """A method under the name that plans, commands and reports use.

    Parameters
    ----------
    name : str
        Short name, such as ``"mddm-f"``.
    title : str
        Name in tables.
    kind : {"reducer", "classifier", "model", "scaler"}
        It transforms features; classifies the output of a reducer; is compared as a whole (a
        classifier that does its own reduction); or scales features for all methods.
    path : str
        ``"package.module:Class"``; empty for no reduction.
    parameters : tuple of (str, value)
        Arguments of the constructor that are not its defaults.
    source : str
        Paper.
    stored : str
        Its name in the hashes of stored results, if it had a longer name before.

    Examples
    --------
    >>> from labelspan.lab import get_method
    >>> get_method("mddm-f").make({"mu": 0.9})
    MDDM(constraint='feature', mu=0.9)
    """

    name: str
    title: str
    kind: Kind
    path: str
    parameters: tuple[tuple[str, Any], ...] = ()
    source: str = ""
    stored: str = ""

    def load(self) -> Callable[..., Any] | None:
        """Import the class, or the function that makes the estimator; None for no reduction.

        Returns
        -------
        callable or None
        """
        if not self.path:
            return None
        module, _, name = self.path.partition(":")
        found = getattr(import_module(module), name, None)
        if found is None:
            raise ImportError(
                f"{module} has no {name!r}; give the path of a class, as package.module:Class"
            )
        if not _makes_estimators(found):
            # Never called to find out, because os:system is callable, too.
            raise ValueError(
                f"{self.path} is not an estimator class, which has fit and get_params; give the "
                "path of one, as package.module:Class."
            )
        return found

    def make(self, parameters: Mapping[str, Any] | None = None) -> Any:
        """The estimator, with `parameters` over those of the method; None for no reduction."""
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
        needed = [name for name, parameter in known.items() if _is_needed(parameter)]
        lacking = [name for name in needed if name not in given]
        if lacking:
            raise ValueError(f"{self.name} requires parameter {lacking[0]!r}.")
        estimator = cls(**given)
        return clone(estimator, safe=False)


def _makes_estimators(found: Any) -> bool:
    """Whether it is an estimator class, or one of our functions that returns an estimator."""
    if not isinstance(found, type):
        return inspect.isfunction(found) and found.__module__.split(".")[0] == "labelspan"
    return all(callable(getattr(found, name, None)) for name in ("fit", "get_params"))


def _is_needed(parameter: inspect.Parameter) -> bool:
    """Whether a call must give it: it has no default and is not variadic."""
    many = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.default is parameter.empty and parameter.kind not in many


_TUNED = "labelspan.lab.methods._tuned"
_JI = "Ji, Tang, Yu and Ye 2010"
_CALLED = [(row, called) for row in ROWS for called in row.called]


#: Parameters whose defaults were numbers in 0.2.0, those of the papers, and are "auto" since.
NUMBERS: dict[str, tuple[tuple[str, float], ...]] = {
    "mddm-f": (("mu", 0.5),),
    "cca": (("ridge", 0.1), ("label_ridge", 0.1)),
    "opls": (("ridge", 0.1),),
    "hsl": (("ridge", 0.1),),
    "ridge": (("ridge", 0.01),),
    "plst": (("ridge", 0.0),),
    "cplst": (("ridge", 0.0),),
    "occa": (("ridge", 0.0),),
    "pbr": (("ridge", 0.0),),
    "faie": (("ridge", 0.1),),
    "kernel-mddm": (("mu", 0.5),),
    "kernel-cca": (("ridge", 0.1), ("label_ridge", 0.1)),
    "kernel-hsl": (("ridge", 0.1),),
    "kernel-cplst": (("ridge", 1.0),),
    "kernel-shared-subspace": (("alpha", 0.1), ("beta", 0.01)),
}
AUTO = "auto"
#: Classes whose directions were shorter in 0.2.0, and are in the papers, by the name of theirs.
PRINTED = {
    "mddm-f": "PrintedMDDM",
    "cca": "PrintedCCA",
    "opls": "PrintedOPLS",
    "hsl": "PrintedHSL",
    "kernel-mddm": "PrintedKernelMDDM",
    "kernel-cca": "PrintedKernelCCA",
    "kernel-hsl": "PrintedKernelHSL",
}


def with_number(name: str) -> str:
    """The name of the method with the number that was its default in 0.2.0."""
    return f"{name}@0.2.0" if name in NUMBERS else name


def with_auto(name: str) -> str:
    """Its name in stored results with the default of today."""
    return f"{name} {AUTO}" if name in NUMBERS else ""


def _called(kind: Kind) -> Iterator[Method]:
    for row, it in _CALLED:
        if it.kind == kind:
            path = f"labelspan.{row.home}:{row.name}"
            title, stored = it.title or row.name, with_auto(it.name)
            yield Method(it.name, title, kind, path, it.parameters, it.source, stored)


#: Every method by its short name: the rows of `labelspan.registry`, and some made of them.
METHODS: tuple[Method, ...] = (
    Method("none", "no reduction", "reducer", ""),
    Method("pca", "PCA", "reducer", "labelspan.extraction:MVMD", (("beta", 0.0),), "Pearson 1901"),
    *_called("reducer"),
    *_called("classifier"),
    Method("tuned-ridge", "tuned ridge", "classifier", f"{_TUNED}:tuned_ridge", (), _JI),
    Method("tuned-svm", "tuned SVM", "classifier", f"{_TUNED}:tuned_svm", (), _JI),
    Method("shared-subspace", "ML_LS", "model", f"{_TUNED}:tuned_subspace", (), _JI),
    *_called("model"),
)

#: Scalers by their short names; "auto" chooses one of the others, or none, from the features.
SCALERS: tuple[Method, ...] = (
    Method("standard", "standard", "scaler", "sklearn.preprocessing:StandardScaler"),
    Method("maxabs", "maxabs", "scaler", "sklearn.preprocessing:MaxAbsScaler"),
    Method("tfidf", "tfidf", "scaler", "sklearn.feature_extraction.text:TfidfTransformer"),
    Method("auto", "auto", "scaler", ""),
)


def _of_paper(name: str, kind: Kind, target: str, elsewhere: str = "") -> Method:
    """A method used only by the experiments of one paper, such as its own search."""
    paper, _, title = name.partition("/")
    folder = paper.replace("-", "_")
    path = elsewhere or f"labelspan.papers.{folder}._methods:{target}"
    # Its name in plans before it had a short name.
    old = elsewhere or f"labelspan.experiments._{folder}_methods:{target}"
    return Method(name, title, kind, path, stored=(MODEL if kind == "model" else "") + old)


#: Methods of the papers' own experiments, not offered for comparison.
PAPER_METHODS: tuple[Method, ...] = (
    _of_paper("mddm/svm", "classifier", "ChosenSVM"),
    _of_paper("mddm/label-width", "reducer", "LabelWidthMDDM"),
    _of_paper("cmlfs/svm", "model", "svm"),
    _of_paper("cmlfs/sign-svm", "model", "sign_svm"),
    _of_paper("cmlfs/cca-svm", "model", "cca_svm"),
    _of_paper("cmlfs/tuned-larank", "model", "tuned_larank"),
    _of_paper("cplst/first-codes", "model", "FirstCodes"),
    _of_paper("shared-subspace/baseline", "model", "SearchedBaseline"),
    _of_paper("shared-subspace/searched", "model", "searched_subspace"),
    _of_paper("shared-subspace/kernels", "model", "OnKernels"),
    _of_paper("shared-subspace/searched-blindly", "model", "searched_blindly"),
    _of_paper("shared-subspace/svm-perf", "model", "", "labelspan.subspace:StructuralF1SVM"),
    _of_paper("xc/ranked", "model", "Ranked"),
)


def _printed(method: Method) -> str:
    """The path of the class with the directions of the papers."""
    printed = PRINTED.get(method.name)
    return method.path if printed is None else f"labelspan.papers._printed:{printed}"


#: Methods with the numbers of 0.2.0, under the names that results stored by it have.
NUMBERED = tuple(
    replace(
        method,
        name=with_number(method.name),
        path=_printed(method),
        parameters=(*method.parameters, *NUMBERS[method.name]),
        stored=method.name,
    )
    for method in METHODS
    if method.name in NUMBERS
)

_LISTED = (*METHODS, *SCALERS, *PAPER_METHODS, *NUMBERED)
_BY_NAME = {method.name: method for method in _LISTED}
# A stored plan may use the former name of a method.
_BY_STORED_NAME = {method.stored: method for method in _LISTED if method.stored}


def get_method(name: str) -> Method:
    """Return the method of a name, or of an import path ``package.module:Class``.

    Parameters
    ----------
    name : str
        A name of `METHODS`; or the path of any class with scikit-learn's interface, after
        ``model:`` if it is compared as a whole.

    Returns
    -------
    Method

    Examples
    --------
    >>> from labelspan.lab import get_method
    >>> get_method("mvmd").title
    'MVMD'
    """
    listed = _BY_NAME.get(name) or _BY_STORED_NAME.get(name)
    if listed is not None:
        return listed
    if ":" in name:
        path = name.removeprefix(MODEL)
        title = path.partition(":")[2]
        return Method(name, title, "reducer" if path == name else "model", path)
    near = difflib.get_close_matches(name, _BY_NAME, n=3, cutoff=0.5)
    # Variants of papers and of earlier versions are for stored plans.
    usual = [known for known in _BY_NAME if not re.search("[/@]", known)]
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(usual)}"
    raise ValueError(f"there is no method {name!r}; {hint}")
