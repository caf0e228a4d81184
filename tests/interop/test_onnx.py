"""ONNX models compute what the estimators do: over the registry, in pipelines, for odd labels."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

import labelspan as ls
from labelspan.interop import to_onnx
from tests.laws.law import plain, sample
from tests.registry import ESTIMATORS

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")

# Kernels, neighbours, distances, sigmoids, pursuit, regressors; any other refusal is a defect.
NOT_LINEAR = {
    "CompressedSensing", "KernelCPLST", "KernelCPLSTCV", "KernelHSL", "KernelLabelCCA",
    "KernelMDDM", "KernelPLS", "KernelSharedSubspaceClassifier", "LIFT", "MLkNN",
    "ProbabilityCalibrator", "ThresholdFunction",
}  # fmt: skip
SETTINGS = [setting for e in ESTIMATORS for setting in (e.estimator, *e.variants)]
LINEAR = [s for s in SETTINGS if type(s).__name__ not in NOT_LINEAR]
LINEAR = [s for s in LINEAR if getattr(s, "classifier", None) is None]
LINEAR = [s for s in LINEAR if getattr(s, "kernel", "linear") == "linear"]
TOLERANCE = {np.float64: 1e-12, np.float32: 3e-6}


def run(proto, X):
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    inputs = [given.name for given in session.get_inputs()]
    given = {inputs[0]: X} if len(inputs) == 1 else {n: X[n].to_numpy()[:, None] for n in inputs}
    names = [found.name for found in session.get_outputs()]
    return dict(zip(names, session.run(None, given), strict=True))


def expected(model, X, output):
    if output == "transform" or not hasattr(model, "predict"):
        return {"variable": model.transform(X)}
    found = {"label": model.predict(X)}
    if hasattr(model, "decision_function"):
        found["scores"] = model.decision_function(X)
    return found


def assert_exported(model, X, output="predict", dtype=np.float64):
    X = X.astype(dtype)
    ours, theirs = run(to_onnx(model, X, output=output), X), expected(model, X, output)
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        assert ours[name].shape == value.shape
        if name == "label":
            np.testing.assert_array_equal(ours[name], value)
        else:
            assert ours[name].dtype == dtype
            atol = TOLERANCE[dtype] * np.abs(value).max()
            np.testing.assert_allclose(ours[name], value, rtol=0, atol=atol, err_msg=name)


@pytest.mark.filterwarnings("ignore:(n_components|n_neighbors)=")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("estimator", LINEAR, ids=lambda e: str(e)[:60])
def test_every_linear_estimator(estimator, dtype):
    X, Y, X_new = sample()
    model = clone(estimator).fit(X.astype(dtype), Y)
    for output in {"predict", "transform"} & set(dir(model)):
        assert_exported(model, X_new, output, dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_unit_length(dtype):
    X, Y, X_new = sample()
    model = ls.MultilabelRidgeCV(kernel="linear", scale="rows").fit(X.astype(dtype), Y)
    X_new[3] = model.low_
    assert_exported(model, X_new, dtype=dtype)


@pytest.mark.parametrize("name", sorted(NOT_LINEAR))
def test_what_is_not_linear_is_refused_with_the_reason(name):
    X, _, _ = sample()
    with pytest.raises(TypeError, match=rf"{name} cannot be exported.*(linear|pursuit)"):
        to_onnx(plain(name), X)


@pytest.mark.parametrize(
    "model",
    [
        ls.CPLST(2, regressor=RandomForestRegressor(2, random_state=0), ridge=0.0),
        ls.ThresholdTuner(make_pipeline(StandardScaler(), LogisticRegression()), "fixed"),
        ls.MultilabelRidgeCV(kernel="rbf"),
    ],
    ids=["regressor", "foreign", "kernel"],
)
def test_linear_classes_with_other_parts_are_refused(model):
    X, Y, _ = sample()
    Y = Y if isinstance(model, ls.CPLST) else Y[:, 0]
    with pytest.raises(TypeError, match="cannot be exported: "):
        to_onnx(model.fit(X, Y), X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "last", [None, ls.MultiOutputRidge(), ls.CPLST(2, ridge=0.0), ls.LaRankSVM()], ids=str
)
@pytest.mark.parametrize(
    "reducer", [ls.MDDM(2), ls.SharedSubspaceClassifier(2), ls.MLFS(3)], ids=str
)
def test_pipelines(reducer, last, dtype):
    X, Y, X_new = sample()
    steps = [StandardScaler(), clone(reducer), *([] if last is None else [clone(last)])]
    model = make_pipeline(*steps).fit(X.astype(dtype), Y)
    assert_exported(model, X_new, "transform" if last is None else "predict", dtype)


def test_a_union_of_reducers_before_a_classifier():
    X, Y, X_new = sample()
    union = FeatureUnion([("a", ls.MDDM(2)), ("b", ls.LabelPLS(2))])
    assert_exported(make_pipeline(union, ls.MultiOutputRidge()).fit(X, Y), X_new)


def test_reducers_of_some_columns_before_a_classifier():
    X, Y, X_new = sample()
    some = ColumnTransformer(
        [("a", ls.LabelPLS(2), [0, 1, 2]), ("b", ls.MDDM(1), [3, 4]), ("c", "passthrough", [5])]
    )
    assert_exported(make_pipeline(some, ls.MultiOutputRidge()).fit(X, Y), X_new)


def test_a_frame_gives_an_input_per_column():
    X, Y, X_new = sample()
    names = [f"x{i}" for i in range(X.shape[1])]
    model = ls.MultiOutputRidge().fit(pd.DataFrame(X, columns=names), Y)
    new = pd.DataFrame(X_new, columns=names)
    found = run(to_onnx(model, new), new)
    np.testing.assert_allclose(found["scores"], model.decision_function(new), atol=1e-12)


@pytest.mark.parametrize(
    "y",
    [
        np.array(list("abc")),
        np.array([7, 3, 5]),
        np.array(["no", "yes", "yes"]),
        np.array([2, 2, 2]),
    ],
    ids=["three", "integers", "two", "one"],
)
@pytest.mark.parametrize(
    "model", [ls.MultiOutputRidge(), ls.PLST(ridge=0.0), ls.LaRankSVM()], ids=str
)
@pytest.mark.filterwarnings("ignore:n_components=")
def test_classes_of_one_column(model, y):
    X, Y, X_new = sample()
    assert_exported(clone(model).fit(X, y[Y[:, 0] + Y[:, 1]]), X_new)


@pytest.mark.parametrize("min_labels", [2, 3])
def test_rows_get_their_least_number_of_labels(min_labels):
    X, Y, X_new = sample()
    model = ls.MultiOutputRidge(min_labels=min_labels).fit(X, Y)
    assert (model.decision_function(X_new) > 0).sum(axis=1).min() < min_labels
    assert_exported(model, X_new)


def test_of_equal_scores_the_first_label_is_given():
    X, Y, X_new = sample()
    twins = np.column_stack([Y[:, 3], Y[:, 3], Y[:, 0]])
    model = ls.MultiOutputRidge(10.0, min_labels=1).fit(X, twins)
    model.coef_[1], model._level[1] = model.coef_[0], model._level[0]
    scores = model.decision_function(X_new)
    assert ((scores <= 0).all(axis=1) & (scores[:, 1] > scores[:, 2])).any()
    assert_exported(model, X_new)


@pytest.mark.filterwarnings("ignore:1 label.*observed in no row:UserWarning")
def test_a_label_that_was_never_observed_is_not_predicted():
    X, Y, X_new = sample()
    holes = Y.astype(float)
    holes[:, 1] = np.nan
    model = ls.LaRankSVM(min_labels=4, random_state=0).fit(X, holes)
    assert (model._scores(X_new)[:, 1] == 0).all()
    assert_exported(model, X_new)


def test_one_label_of_a_ranking_svm_and_one_label_without_rows():
    X, Y, X_new = sample()
    assert_exported(ls.LaRankSVM(random_state=0).fit(X, Y[:, :1]), X_new)
    Y = np.column_stack([Y, np.zeros(len(Y), dtype=int)])
    tuned = ls.ThresholdTuner(ls.MultiOutputRidge()).fit(X, Y)
    assert np.isinf(tuned.thresholds_[-1])
    for dtype in (np.float64, np.float32):
        found = run(to_onnx(tuned, X_new.astype(dtype)), X_new.astype(dtype))["label"]
        np.testing.assert_array_equal(found, tuned.predict(X_new))


def test_digits_far_from_the_origin():
    X, Y, X_new = sample()
    for dtype, atol in ((np.float64, 1e-9), (np.float32, 1e-5)):
        # In float32 the mean itself is rounded by 0.1; the level compensates for it.
        model = ls.MultiOutputRidge().fit((X + 1e6).astype(dtype), Y)
        new = (X_new + 1e6).astype(dtype)
        scores = run(to_onnx(model, new), new)["scores"]
        np.testing.assert_allclose(scores, model.decision_function(new), atol=atol)


def test_what_to_export_must_be_said():
    X, Y, _ = sample()
    with pytest.raises(ValueError, match=r"output='both'; expected one of"):
        to_onnx(ls.MDDM(2).fit(X, Y), X, output="both")
    with pytest.raises(NotFittedError):
        to_onnx(ls.MDDM(2), X)
    model = make_pipeline(ls.SharedSubspaceClassifier(2), ls.MultiOutputRidge()).fit(X, Y)
    # Without visiting the steps, it is unknown that the first one transforms.
    with pytest.raises(ValueError, match=r"transforms and predicts.*labelspan.interop.to_onnx"):
        skl2onnx.to_onnx(model, X)


def test_skl2onnx_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    X, Y, _ = sample()
    with pytest.raises(ImportError, match=r"needs skl2onnx: .* pip install '\.\[onnx\]'"):
        to_onnx(ls.MDDM(2).fit(X, Y), X)


@pytest.mark.parametrize("scale", [None, "standard", "rows"])
@pytest.mark.parametrize("reducers", [["none"], [ls.OPLS(ridge=1.0)]], ids=["none", "opls"])
def test_the_choice_of_a_search_with_its_scale_and_threshold(scale, reducers):
    X, Y, X_new = sample()
    search = ls.ReducerCV(reducers, [2], scale=scale, cv=3).fit(X, Y)
    assert_exported(search, X_new)
    with pytest.raises(TypeError, match="ReducerCV cannot be exported"):
        to_onnx(ls.ReducerCV(reducers, [2], kernel="rbf", cv=3).fit(X, Y), X_new)


@pytest.mark.parametrize("threshold", ["auto", 0.2])
def test_thresholds_that_a_parameter_chose(threshold):
    X, Y, X_new = sample()
    for model in (ls.MultiOutputRidge(1.0), ls.CPLST(2), ls.LaRankSVM(random_state=0)):
        assert_exported(model.set_params(threshold=threshold).fit(X, Y), X_new)
