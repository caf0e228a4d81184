"""Every public estimator inside the tools that people use: arrays, frames, files, scikit-learn."""

import copy
import pickle
import re

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from numpydoc.docscrape import ClassDoc
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import average_precision_score, get_scorer, roc_auc_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

import labelspan as ls
from tests.laws.law import assert_same, fit, law, outputs, plain, sample, takes_holes
from tests.registry import ESTIMATORS

FEATURES, LABELS = [f"x{i}" for i in range(6)], ["red", "green", "blue", "grey"]
COMPUTE = r"X\.compute\(\)|Compute X first"
TAKES_NEW_ROWS = ("transform", "decision_function", "predict_proba", "predict")


def methods(entry):
    return [name for name in TAKES_NEW_ROWS if hasattr(entry.estimator, name)]


def through_skops(model):
    """With the documented trusted types; statistics of chunks need more."""
    stored, trusted = skops.io.dumps(model), ls.interop.trusted_types()
    if "_chunks" in vars(model):
        trusted = skops.io.get_untrusted_types(data=stored)
        assert all(kind.startswith(("labelspan.", "scipy.sparse.")) for kind in trusted)
    return skops.io.loads(stored, trusted=trusted)


def checked():
    return [setting for e in ESTIMATORS for setting in (e.variants or (e.estimator,))]


def expected_failures(estimator):
    """Checks of scikit-learn that a setting cannot pass, each with the reason."""
    reason = ""
    if isinstance(estimator, ls.LabelCCA) and estimator.ridge == 0:
        reason = "more features than rows and no ridge: every correlation is 1, no direction leads"
    if getattr(estimator, "n_landmarks", None) is not None:
        reason = "landmarks are drawn by the number of the row, which copies change"
    if isinstance(estimator, ls.MultilabelRidgeCV):
        reason = "a weighted row is left out as a whole, of its copies one alone"
    stopped = ls.CLaRankSVM | ls.MLFS | ls.CMLFS | ls.ASOClassifier | ls.FisherSVM
    if isinstance(estimator, stopped):
        reason = "the solver stops at its tolerance, and the check asks for seven digits"
    kinds = ("dense", "sparse") if reason else ()
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in kinds}


# One check is for arrays of other libraries, which are not installed here.
@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
# Some checks have fewer rows, features, classes or directions than the parameters require.
@pytest.mark.filterwarnings("ignore:(n_components|n_neighbors|n_landmarks|n_features|k)=")
@pytest.mark.filterwarnings("ignore:Without a ridge the features")
@parametrize_with_checks(checked(), expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@law()
def test_chunks_pool(entry):
    X, Y, X_new = sample()
    model = clone(entry.estimator)
    if not entry.one_pass:
        assert not hasattr(model, "partial_fit")
        assert not hasattr(model, "fit_blocks")
        return
    chunks = [(X[rows], Y[rows]) for rows in (slice(0, 20), slice(20, 23), slice(23, None))]
    for chunk in chunks:
        model.partial_fit(*chunk)
    at_once = clone(entry.estimator).fit(X[:20], Y[:20]).fit_blocks(iter(chunks))
    for found in (model, at_once):
        assert_same(outputs(found, X_new), outputs(plain(entry.name), X_new), entry.tolerance)


@law(lambda entry: entry.one_pass)
def test_a_final_model_has_no_statistics(entry):
    X, Y, X_new = sample()
    with pytest.raises(NotFittedError):
        clone(entry.estimator).finalize()
    model = clone(entry.estimator).partial_fit(X, Y)
    expected = outputs(copy.deepcopy(model), X_new)
    assert len(pickle.dumps(model)) > X.nbytes
    small = pickle.loads(pickle.dumps(model.finalize()))
    assert vars(small).keys() == vars(plain(entry.name)).keys()
    assert_same(outputs(small, X_new), expected, 0)
    assert_same(outputs(fit(entry, X, Y).finalize(), X_new), outputs(plain(entry.name), X_new), 0)
    with pytest.warns(UserWarning, match=r"no statistics to add to.*finalize.*starts a new model"):
        small.partial_fit(X, Y)


@law(lambda entry: entry.one_pass)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_one_by_one_in_any_order(entry, form, limit):
    X, Y, X_new = sample()
    # Rows are added up when there are ten of them, in chunks of several forms.
    limit("chunk bytes", 10 * X[0].nbytes)
    whole = outputs(fit(entry, X, Y), X_new)
    for order in (np.argsort(Y.sum(axis=1)), np.arange(len(X))[::-1]):
        model = clone(entry.estimator)
        for i in order:
            model.partial_fit(form(X[[i]]), Y[[i]])
        assert_same(outputs(model, X_new), whole, entry.within(1e-10))


@law(lambda entry: entry.one_pass)
def test_chunks_are_learnt_from_when_that_is_asked_for(entry):
    X, Y, X_new = sample()
    model = clone(entry.estimator)
    for rows in (slice(0, 20), slice(20, None)):
        model.partial_fit(X[rows], Y[rows])
        check_is_fitted(model)
        assert repr(model) == repr(entry.estimator)
        assert not set(model._learnt) & set(vars(model))
    models = [model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model), through_skops(model)]
    assert not hasattr(clone(model), model._learnt[0])
    found = plain(entry.name)
    for copied in models:
        assert_same(outputs(copied, X_new), outputs(found, X_new), 1e-10)
        # fit sets the learnt attributes, and those that describe X and y.
        assert set(vars(copied)) - {"_chunks"} == set(vars(found))
        assert set(copied._learnt) <= set(vars(found))
    copied.partial_fit(X, Y)
    twice = fit(entry, np.vstack([X, X]), np.vstack([Y, Y]))
    assert_same(outputs(copied, X_new), outputs(twice, X_new), 1e-10)


@law()
def test_dask_arrays_are_fitted_or_refused(entry):
    X, Y, X_new = sample()
    lazy = da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=(20, -1))
    if entry.dask != "fit":
        with pytest.raises(TypeError, match=COMPUTE):
            fit(entry, *lazy)
        return
    model = fit(entry, *lazy)
    assert_same(outputs(model, X_new), outputs(plain(entry.name), X_new), entry.tolerance)


@law()
def test_dask_arrays_stay_lazy_or_are_refused(entry):
    *_, X_new = sample()
    model, lazy = plain(entry.name), da.from_array(X_new, chunks=(7, -1))
    for method in methods(entry):
        if not entry.dask:
            with pytest.raises(TypeError, match=COMPUTE):
                getattr(model, method)(lazy)
            continue
        result = getattr(model, method)(lazy)
        assert isinstance(result, da.Array)
        expected = getattr(model, method)(X_new)
        np.testing.assert_allclose(result.compute(), expected, atol=1e-10)


@law()
def test_frames_in_names_out(entry):
    X, Y, X_new = sample()
    expected = outputs(plain(entry.name), X_new)
    for library, kind in ((pd.DataFrame, "pandas"), (pl.DataFrame, "polars")):
        X_frame, Y_frame, new = (
            library(dict(zip(names, A.T, strict=True)))
            for names, A in ((FEATURES, X), (LABELS, Y), (FEATURES, X_new))
        )
        model = fit(entry, X_frame, Y_frame)
        assert model.feature_names_in_.tolist() == FEATURES
        if entry.supervised:
            assert model.label_names_.tolist() == LABELS
        assert_same(outputs(model, new), expected, entry.tolerance)
        with pytest.raises(ValueError, match="feature names should match"):
            getattr(model, methods(entry)[0])(new[FEATURES[::-1]])
        if hasattr(model, "transform"):
            framed = model.set_output(transform=kind).transform(new)
            assert isinstance(framed, library)
            assert list(framed.columns) == model.get_feature_names_out().tolist()
            assert list(framed.columns) == names_out(model, framed.shape[1])


def names_out(model, width):
    if hasattr(model, "get_support"):
        return [name for name, kept in zip(FEATURES, model.get_support(), strict=True) if kept]
    return [f"{type(model).__name__.lower()}{i}" for i in range(width)]


# A setting may request more directions than the sample has.
@pytest.mark.filterwarnings("ignore:(n_components|n_neighbors)=")
@law()
def test_pickle_and_skops_keep_every_digit(entry):
    X, Y, X_new = sample()
    for model in (plain(entry.name), *(clone(setting).fit(X, Y) for setting in entry.variants)):
        expected = outputs(model, X_new)
        assert_same(outputs(pickle.loads(pickle.dumps(model)), X_new), expected, 0.0)
        assert_same(outputs(through_skops(model), X_new), expected, 0.0)
    if hasattr(model, "truncate") and model.n_components_ > 1:
        shorter = model.truncate(1)
        assert_same(outputs(through_skops(shorter), X_new), outputs(shorter, X_new), 0.0)


@pytest.mark.filterwarnings("ignore:(n_components|n_neighbors)=")
@law(takes_holes)
def test_skops_keeps_models_of_missing_labels(entry):
    """They may hold more types than models of complete labels."""
    X, Y, X_new = sample()
    Y = np.where(np.random.default_rng(1).random(Y.shape) < 0.1, np.nan, Y)
    model = fit(entry, X, Y)
    assert_same(outputs(through_skops(model), X_new), outputs(model, X_new), 0.0)


@law()
def test_notebooks_show_parameters_and_fitted_attributes(entry):
    """Those of scikit-learn's HTML; it has a table of fitted attributes from 1.9 on."""
    X, Y, _ = sample()
    fitted = {"fit": plain(entry.name)}
    if entry.one_pass:
        fitted["chunks"] = clone(entry.estimator).partial_fit(X, Y)
    before = clone(entry.estimator)._repr_html_()
    assert "<span>Not fitted</span>" in before
    assert "Fitted attributes" not in before
    for model in fitted.values():
        shown = model._repr_html_()
        assert "<span>Fitted</span>" in shown
        for name in model.get_params(deep=False):
            assert re.search(rf"{name}\b", shown), name
        found = [name for name in vars(model) if public(name)]
        assert found
        if hasattr(model, "_get_fitted_attr_html"):
            table = shown.partition("Fitted attributes")[2]
            assert [name for name in found if f">{name}<" not in table] == []


@law()
def test_a_clone_is_not_fitted(entry):
    X, _, _ = sample()
    copy = clone(plain(entry.name))
    assert repr(copy) == repr(entry.estimator)
    for method in methods(entry):
        with pytest.raises(NotFittedError):
            getattr(copy, method)(X)


@pytest.mark.parametrize("form", [np.array, sparse.csr_array], ids=["dense", "sparse"])
@law()
def test_the_callers_arrays_stay_his_own(entry, form):
    """Arguments are unchanged, and later changes to them do not affect the model."""
    X, Y, X_new = sample()
    given = form(X), form(Y)
    expected = outputs(fit(entry, form(X), form(Y)), X_new)
    model = fit(entry, *given)
    new = form(X_new)
    outputs(model, new)
    for ours, before in zip((*given, new), (X, Y, X_new), strict=True):
        np.testing.assert_array_equal(ours.toarray() if sparse.issparse(ours) else ours, before)
    for A in given:
        values = A.data if sparse.issparse(A) else A
        values[...] = 77
    assert_same(outputs(model, X_new), expected, 0.0)


@law()
def test_read_only_memory_maps(entry, tmp_path):
    X, Y, X_new = sample()
    for name, A in (("X", X), ("Y", Y), ("new", X_new)):
        np.save(tmp_path / f"{name}.npy", A)
    X, Y, new = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("X", "Y", "new"))
    assert_same(outputs(fit(entry, X, Y), new), outputs(plain(entry.name), X_new), entry.tolerance)


@law()
def test_float32_in_float32_out(entry):
    X, Y, X_new = sample()
    model = fit(entry, X.astype(np.float32), Y)
    single, double = outputs(model, X_new.astype(np.float32)), outputs(plain(entry.name), X_new)
    for name in set(single) - {"mean_test_score", "scores", "support"}:
        assert single[name].dtype in (np.float32, np.int64, bool), name
        error = np.abs(single[name].astype(float) - double[name]).max()
        assert error <= max(1e-3, entry.tolerance) * np.abs(double[name]).max(), name


@pytest.mark.parametrize("value", [np.nan, np.inf])
@law()
def test_missing_and_infinite_values_are_refused(entry, value):
    X, Y, X_new = sample()
    bad, bad_new = X.copy(), X_new.copy()
    bad[3, 2] = bad_new[3, 2] = value
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            fit(entry, form(bad), Y)
        for method in methods(entry):
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                getattr(plain(entry.name), method)(form(bad_new))
    if entry.supervised and not (np.isnan(value) and takes_holes(entry)):
        bad = Y.astype(float)
        bad[3, 2] = value
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            fit(entry, X, bad)


@law(lambda entry: entry.supervised)
def test_labels_of_two_values_only(entry):
    X, Y, _ = sample()
    bad = Y.copy()
    bad[3, 2] = 2
    with pytest.raises(ValueError, match=r"y\[3, 2\] is 2"):
        fit(entry, X, bad)
    with pytest.raises(ValueError, match=r"value 2; allowed are 0 and 1"):
        fit(entry, X, sparse.csr_array(bad))
    with pytest.raises(ValueError, match=r"48.*47"):
        fit(entry, X, Y[1:])
    with pytest.raises(ValueError, match="requires y to be passed"):
        clone(entry.estimator).fit(X, None)


@law()
def test_another_number_of_features_is_refused(entry):
    *_, X_new = sample()
    for method in methods(entry):
        for form in (np.asarray, sparse.csr_array):
            with pytest.raises(ValueError, match=r"5 features, but \w+ is expecting 6 features"):
                getattr(plain(entry.name), method)(form(X_new[:, 1:]))


@law()
def test_the_docstring_names_what_fit_sets(entry):
    X, Y, _ = sample()
    frames = pd.DataFrame(X, columns=FEATURES), pd.DataFrame(Y, columns=LABELS)
    models = [clone(estimator).fit(*frames) for estimator in (entry.estimator, *entry.variants)]
    models.append(fit(entry, X, np.array(list("abc"))[Y[:, 0] + Y[:, 1]]))
    found = {name for model in models for name in vars(model) if public(name)}
    found |= {name for name in dir(type(entry.estimator)) if public(name)}
    documented = ClassDoc(type(entry.estimator))["Attributes"]
    if any(item.name == "p_values_" for item in documented):
        found |= vars(
            clone(entry.estimator).set_params(n_components="significant").fit(X, Y)
        ).keys()
        found = set(filter(public, found))
    assert found == {name for item in documented for name in item.name.split(", ")}


def public(name):
    return name.endswith("_") and not name.startswith("_")


@law(lambda entry: entry.predicts)
def test_predictions_are_sparse_where_the_labels_were(entry):
    X, Y, X_new = sample()
    for form in (sparse.csr_array, sparse.csc_array, sparse.csr_matrix):
        predicted = fit(entry, X, form(Y)).predict(X_new)
        assert isinstance(predicted, sparse.csr_array)
    dense = plain(entry.name).predict(X_new)
    assert isinstance(dense, np.ndarray)
    np.testing.assert_array_equal(predicted.toarray(), dense)
    assert predicted.dtype == dense.dtype == np.int64


@pytest.mark.filterwarnings("ignore:n_components=:UserWarning")
@law(lambda entry: entry.predicts)
def test_classes_are_those_of_one_column_or_a_pair_per_label(entry):
    X, Y, _ = sample()
    np.testing.assert_array_equal(plain(entry.name).classes_, [[0, 1]] * 4)
    for y in (np.array(list("bca"))[Y[:, 0] + Y[:, 1]], 3 - Y[:, 0]):
        np.testing.assert_array_equal(fit(entry, X, y).classes_, np.unique(y))


# One and two labels leave fewer directions than the entries request.
@pytest.mark.filterwarnings("ignore:n_components=:UserWarning")
# A fold may slightly miss a tight tolerance.
@pytest.mark.filterwarnings("ignore:Stopped after:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_labels", [1, 2, 3])
@law(lambda entry: entry.predicts)
def test_scorers_of_scikit_learn_see_labels_not_classes(entry, n_labels):
    """They infer the columns of the scores from classes_."""
    X, Y, _ = sample()
    Y = Y[:, :n_labels]
    model = fit(entry, X, Y)
    shown = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    scores = getattr(model, shown)(X)
    for name, measure in (
        ("roc_auc", roc_auc_score),
        ("average_precision", average_precision_score),
    ):
        assert get_scorer(name)(model, X, Y) == pytest.approx(measure(Y, scores))
    folds = KFold(3)
    found = cross_val_predict(clone(entry.estimator), X, Y, cv=folds, method=shown)
    for train, test in folds.split(X):
        expected = getattr(fit(entry, X[train], Y[train]), shown)(X[test])
        np.testing.assert_allclose(found[test], expected, atol=1e-10)


@law(lambda entry: entry.predicts and entry.dask)
def test_blocks_of_predictions_are_sparse_where_the_labels_were(entry):
    X, Y, X_new = sample()
    model = fit(entry, X, sparse.csr_array(Y))
    lazy = da.from_array(X_new, chunks=(7, -1))
    predicted = model.predict(lazy)
    assert isinstance(predicted._meta, sparse.csr_array)
    found = predicted.compute()
    assert isinstance(found, sparse.csr_array)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found.toarray(), model.predict(X_new).toarray())
