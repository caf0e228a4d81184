"""Export to ONNX by skl2onnx."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils.validation import check_is_fitted

from labelspan.interop._maps import (
    Affine,
    Columns,
    Maps,
    Rule,
    UnitRows,
    projection,
    rule,
    scoring,
)
from labelspan.interop._skops import public_estimators
from labelspan.system import require

PURPOSE = "the export to ONNX"
OUTPUTS = ["predict", "transform"]


def to_onnx(model: Any, X: Any, *, output: str = "predict", **options: Any) -> Any:
    """Export a fitted linear reducer or classifier, or a pipeline with it, to ONNX.

    It registers converters of the estimators of labelspan with skl2onnx, and calls
    ``skl2onnx.to_onnx``.

    Parameters
    ----------
    model : estimator
        A fitted estimator of labelspan whose projections or scores are linear in the features, or
        a Pipeline, FeatureUnion or ColumnTransformer with it.
    X : array or frame of shape (n_samples, n_features)
        Some rows: the model of float32 rows computes in float32, that of float64 rows in float64.
        A frame gives an input per column.
    output : {"predict", "transform"}, default="predict"
        What a model that does both computes. Inside a pipeline it is always its ``transform``.
    **options : dict
        Further arguments of ``skl2onnx.to_onnx``, for example ``target_opset``.

    Returns
    -------
    onnx.ModelProto
        Its outputs are "variable", the projections, for ``transform``. For ``predict`` they are
        "label", the indicators (n_samples, n_labels) or the classes of a 1-d `y`, and "scores",
        what ``decision_function`` returns, if there is one.

    Notes
    -----
    Rows are dense. Kernel methods, MLkNN, ProbabilityCalibrator, CompressedSensing and label-space
    classifiers with a nonlinear regressor are refused, because they are not linear maps.

    Examples
    --------
    >>> import numpy as np
    >>> import pytest
    >>> runtime = pytest.importorskip("onnxruntime")
    >>> _ = pytest.importorskip("skl2onnx")
    >>> from labelspan import MDDM
    >>> from labelspan.datasets import load_yeast
    >>> from labelspan.interop import to_onnx
    >>> yeast = load_yeast()
    >>> model = MDDM(5).fit(yeast.X, yeast.Y)
    >>> session = runtime.InferenceSession(to_onnx(model, yeast.X).SerializeToString())
    >>> (Z,) = session.run(None, {"X": yeast.X})
    >>> bool(np.allclose(Z, model.transform(yeast.X)))
    True
    """
    if output not in OUTPUTS:
        raise ValueError(f"output={output!r}; expected one of {OUTPUTS}.")
    check_is_fitted(model)
    skl2onnx = require("skl2onnx", "onnx", PURPOSE)
    register(skl2onnx)
    given = dict(options.pop("options", None) or {})
    for step, asked in steps(model, output):
        given.setdefault(id(step), {"output": asked})
    return skl2onnx.to_onnx(model, X, options=given, **options)


def steps(model: Any, output: str) -> Iterator[tuple[Any, str]]:
    """Estimators inside a model that both transform and predict, and the requested output."""
    if isinstance(model, Pipeline):
        *before, last = (step for _, step in model.steps)
        yield from (found for step in before for found in steps(step, "transform"))
        yield from steps(last, output)
    elif isinstance(model, FeatureUnion):
        yield from (
            found for _, step in model.transformer_list for found in steps(step, "transform")
        )
    elif isinstance(model, ColumnTransformer):
        yield from (
            found for _, step, _ in model.transformers_ for found in steps(step, "transform")
        )
    elif type(model) in public_estimators() and has_choice(model):
        yield model, output


def has_choice(model: Any) -> bool:
    """Whether a model both transforms and predicts."""
    return hasattr(model, "transform") and hasattr(model, "predict")


def register(skl2onnx: Any) -> None:
    """Register the estimators of labelspan with skl2onnx; repeated calls are harmless."""
    for cls in public_estimators():
        skl2onnx.update_registered_converter(
            cls,
            f"Labelspan{cls.__name__}",
            lambda operator: None,
            convert,
            parser=parse,
            # A pipeline passes "zipmap" to every classifier, but scores are not probabilities here.
            options={"output": OUTPUTS, "zipmap": [True, False]},
        )


def asked_of(model: Any, options: Any) -> str:
    if not has_choice(model):
        return "predict" if hasattr(model, "predict") else "transform"
    if options is None or options.get("output") not in OUTPUTS:
        raise ValueError(
            f"{type(model).__name__} transforms and predicts, and nothing says which is to be "
            "exported. Call labelspan.interop.to_onnx instead of skl2onnx.to_onnx."
        )
    return str(options["output"])


def parse(scope: Any, model: Any, inputs: list[Any], custom_parsers: Any = None) -> list[Any]:
    """Declare the outputs of an estimator; those that cannot be exported are refused here."""
    types = require("skl2onnx.common.data_types", "onnx", PURPOSE)
    number = types.guess_tensor_type(inputs[0].type)
    if len(inputs) > 1:
        joined = scope.declare_local_operator("SklearnConcat")
        joined.inputs = inputs
        inputs = [scope.declare_local_variable("merged", number.__class__())]
        joined.outputs.extend(inputs)
    operator = scope.declare_local_operator(f"Labelspan{type(model).__name__}", model)
    operator.inputs = inputs
    asked = asked_of(model, scope.get_options(model, fail=False))
    if asked == "transform":
        operator.maps, operator.rule = projection(model), None
        width = n_outputs(operator.maps)
        names = [("variable", number.__class__([None, width]))]
    else:
        operator.maps, operator.rule = scoring(model), rule(model)
        shape = [None] if model._one_dimensional else [None, model._n_labels]
        kind = types.StringTensorType if in_words(model) else types.Int64TensorType
        names = [("label", kind(shape))]
        if hasattr(model, "decision_function"):
            shape = [None] if model._binary() else [None, n_outputs(operator.maps)]
            names.append(("scores", number.__class__(shape)))
    for name, kind in names:
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return list(operator.outputs)


def n_outputs(maps: Maps) -> int:
    """Columns that a chain of maps gives."""
    last = maps[-1]
    if isinstance(last, UnitRows):
        return len(last.low)
    return len(last.kept) if isinstance(last, Columns) else len(last.level)


def in_words(model: Any) -> bool:
    """Whether the classes of a 1-d y are strings."""
    return isinstance(model.classes_.flat[0], str)


def convert(scope: Any, operator: Any, container: Any) -> None:
    """Write the nodes of an estimator."""
    types = require("skl2onnx.common.data_types", "onnx", PURPOSE)
    dtype = types.guess_numpy_type(operator.inputs[0].type)
    dtype = dtype if dtype == np.float64 else np.float32
    graph = Graph(container.target_opset, np.dtype(dtype))
    X = graph.floats(operator.inputs[0])
    names = [variable.onnx_name for variable in operator.outputs]
    if operator.rule is None:
        results = [graph.chained(X, operator.maps)]
    else:
        model = operator.raw_operator
        scores = graph.chained(X, operator.maps)
        results = [graph.decided(X, scores, operator.rule, model)]
        results.append(graph.first_column(scores) if model._binary() else scores)
    for name, result in zip(names, results, strict=False):
        graph.node("Identity", result, output_names=[name]).add_to(scope, container)


class Graph:
    """Nodes of one version of ONNX in one precision."""

    def __init__(self, opset: int, dtype: np.dtype):
        self.opset, self.dtype = opset, dtype
        self.operators = require("skl2onnx.algebra.onnx_ops", "onnx", PURPOSE)
        self.kinds = require("onnx", "onnx", PURPOSE).TensorProto

    def node(self, kind: str, *inputs: Any, **settings: Any) -> Any:
        """Return a node; arrays among its inputs become constants."""
        return getattr(self.operators, f"Onnx{kind}")(*inputs, op_version=self.opset, **settings)

    def floats(self, X: Any) -> Any:
        to = self.kinds.DOUBLE if self.dtype == np.float64 else self.kinds.FLOAT
        return self.node("Cast", X, to=to)

    def chained(self, X: Any, maps: Maps) -> Any:
        """Apply one map after the other."""
        for step in maps:
            if isinstance(step, UnitRows):
                X = self.unit_rows(X, step.low)
            else:
                X = self.affine(X, step) if isinstance(step, Affine) else self.columns(X, step.kept)
        return X

    def unit_rows(self, X: Any, low: np.ndarray) -> Any:
        """Subtract the smallest values, and divide by the lengths of the rows."""
        Z = self.node("Sub", X, low.astype(self.dtype))
        axis = np.array([1], dtype=np.int64)
        lengths = self.node("Sqrt", self.node("ReduceSum", self.node("Mul", Z, Z), axis))
        positive = self.node("Greater", lengths, np.zeros(1, self.dtype))
        return self.node("Div", Z, self.node("Where", positive, lengths, np.ones(1, self.dtype)))

    def affine(self, X: Any, step: Affine) -> Any:
        """Centre first, as labelspan does, because a large mean would cost digits afterwards."""
        mean = step.mean.astype(self.dtype)
        # The rounding error of the mean is added to the level.
        lost = step.coef.astype(np.float64) @ (mean.astype(np.float64) - step.mean)
        level = (step.level + lost).astype(self.dtype)
        projected = self.node("MatMul", self.node("Sub", X, mean), step.coef.T.astype(self.dtype))
        return self.node("Add", projected, level)

    def columns(self, X: Any, kept: np.ndarray) -> Any:
        """Keep some columns."""
        return self.node("Gather", X, kept.astype(np.int64), axis=1)

    def first_column(self, scores: Any) -> Any:
        return self.node("Squeeze", scores, np.array([1], dtype=np.int64))

    def decided(self, X: Any, scores: Any, rule: Rule, model: Any) -> Any:
        """Return the decisions of :func:`labelspan.base._classifier.decide`."""
        if rule.never is not None:
            scores = self.node("Where", rule.never, np.array([-np.inf], self.dtype), scores)
        limit: Any = np.zeros(1, self.dtype)
        if rule.limits is not None:
            limit = rule.limits.astype(self.dtype)
        if rule.threshold is not None:
            limit = self.affine(X, rule.threshold)
        if not model._one_dimensional:
            predicted = self.node("Greater", scores, limit)
            n_least = min(rule.min_labels, model._n_labels)
            if n_least > 0:
                predicted = self.at_least(n_least, predicted, scores, model._n_labels)
            return self.node("Cast", predicted, to=self.kinds.INT64)
        if model._n_labels > 1:
            chosen = self.node("ArgMax", scores, axis=1, keepdims=0)
        else:
            # One class leaves no choice.
            limit = limit if len(model.classes_) > 1 else np.array([np.inf], self.dtype)
            chosen = self.first_column(self.node("Greater", scores, limit))
            chosen = self.node("Cast", chosen, to=self.kinds.INT64)
        kind = str if in_words(model) else np.int64
        return self.node("Gather", model.classes_.astype(kind), chosen)

    def at_least(self, n_least: int, predicted: Any, scores: Any, n_labels: int) -> Any:
        """Give rows with too few labels those with the highest scores; the first on ties."""
        axis = np.array([1], dtype=np.int64)
        count = self.node("ReduceSum", self.node("Cast", predicted, to=self.kinds.INT64), axis)
        few = self.node("Less", count, np.array([n_least], dtype=np.int64))
        best = self.node("TopK", scores, np.array([n_least], dtype=np.int64), axis=1)[1]
        marks = self.node("OneHot", best, np.array([n_labels]), np.array([0, 1]), axis=-1)
        best = self.node(
            "Cast", self.node("ReduceSum", marks, axis, keepdims=0), to=self.kinds.BOOL
        )
        return self.node("Or", predicted, self.node("And", few, best))
