"""MultilabelRidgeCV: left-out scores are those of n refits, and what is chosen from them."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import RidgeCV
from sklearn.metrics import make_scorer

import labelspan as ls
from labelspan.arrays import to_host
from labelspan.metrics import (
    average_precision,
    macro_f1,
    micro_f1,
    ranking_loss,
    samples_f1,
)
from tests.laws.law import sample
from tests.reference import ridge_cv as reference

FORMS = {"dense": np.asarray, "sparse": sparse.csr_array}


def problem(wide=False, seed=0):
    X, Y, _ = sample(seed)
    X = np.where(np.abs(X) < 0.3, 0.0, X)
    if wide:
        X = np.hstack([X, np.random.default_rng(seed + 1).standard_normal((len(X), 60))])
    return X, Y


def weights_of(weighted):
    return np.random.default_rng(5).uniform(0.2, 3.0, 48) if weighted else np.ones(48)


def scaled(model, X):
    """Rows as the model compares them."""
    if model.scaling_ != "rows":
        return X / model.scale_
    lengths = np.linalg.norm(X - model.low_, axis=1, keepdims=True)
    return (X - model.low_) / np.where(lengths == 0, 1.0, lengths)


def refits(model, X, Y, weights):
    """The left-out decision function by n refits with the settings of the model."""
    rows, settings = scaled(model, X), {"ridge": model.ridge_}
    fit = reference.linear
    if model.kernel_ == "rbf":
        fit, settings["width"] = reference.kernel, model.width_
    if hasattr(model, "landmark_indices_"):
        fit, settings["marks"] = reference.landmarks, rows[model.landmark_indices_]
    scores = reference.left_out(partial(fit, **settings), rows, 2.0 * Y - 1, weights)
    return scores - model.threshold_


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("scale", ["range", "standard", "rows", None])
@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "linear", "ridges": [0.3]},
        {"kernel": "rbf", "ridges": [0.05]},
        {"kernel": "rbf", "ridges": [0.05], "n_landmarks": 7},
    ],
    ids=["linear", "kernel", "landmarks"],
)
def test_left_out_scores_are_those_of_n_refits(settings, scale, wide, form, weighted):
    X, Y = problem(wide)
    weights = weights_of(weighted)
    model = ls.MultilabelRidgeCV(scale=scale, **settings)
    model.fit(FORMS[form](X), Y, sample_weight=weights if weighted else None)
    expected = refits(model, X, Y, weights)
    np.testing.assert_allclose(model.loo_scores_, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_chosen_settings_leave_out_exactly(kernel, wide):
    X, Y = problem(wide)
    model = ls.MultilabelRidgeCV(kernel=kernel).fit(X, Y)
    expected = refits(model, X, Y, np.ones(48))
    np.testing.assert_allclose(model.loo_scores_, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_tiny_ridges_leave_out_exactly(weighted):
    """Where 1 less the leverage would be rounding."""
    X, Y = problem()
    weights = weights_of(weighted)
    model = ls.MultilabelRidgeCV(kernel="rbf", scale="standard", ridges=[1e-8])
    model.fit(X, Y, sample_weight=weights if weighted else None)
    expected = refits(model, X, Y, weights)
    np.testing.assert_allclose(model.loo_scores_, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("scale", ["auto", "rows"])
@pytest.mark.parametrize(("kernel", "n_landmarks"), [("linear", None), ("rbf", None), ("rbf", 7)])
@pytest.mark.parametrize("wide", [False, True])
def test_new_rows_get_the_score_of_the_fit_of_all_rows(kernel, n_landmarks, wide, scale):
    """Which is that of a row left out, if a row that is not there is added to the training rows."""
    X, Y = problem(wide)
    model = ls.MultilabelRidgeCV(kernel=kernel, n_landmarks=n_landmarks, scale=scale).fit(X, Y)
    new = problem(wide, seed=3)[0]
    rows, settings = scaled(model, X), {"ridge": model.ridge_}
    fit = reference.linear
    if model.kernel_ == "rbf":
        fit, settings["width"] = reference.kernel, model.width_
    if hasattr(model, "landmark_indices_"):
        fit, settings["marks"] = reference.landmarks, rows[model.landmark_indices_]
    T, moved = 2.0 * Y - 1, scaled(model, new)
    expected = [fit(rows, T, np.ones(48), row, **settings) - model.threshold_ for row in moved]
    found = model.decision_function(new)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_linear_landmarks_that_span_all_rows_change_nothing():
    X, Y = problem(wide=True)
    settings = {"kernel": "linear", "ridges": [0.5], "scale": "range"}
    exact = ls.MultilabelRidgeCV(**settings).fit(X, Y)
    spanned = ls.MultilabelRidgeCV(n_landmarks=48, **settings).fit(X, Y)
    np.testing.assert_allclose(spanned.loo_scores_, exact.loo_scores_, atol=1e-8)
    np.testing.assert_allclose(spanned.decision_function(X), exact.decision_function(X), atol=1e-8)


def test_ridges_are_judged_as_by_scikit_learn():
    """RidgeCV leaves out by the same formula; its criterion is the squared error."""
    X, Y = problem()
    ridges = np.geomspace(1e-2, 1e3, 12)
    peer = RidgeCV(ridges, store_cv_results=True).fit(X, 2.0 * Y - 1)
    model = ls.MultilabelRidgeCV(
        kernel="linear", scale=None, ridges=ridges, threshold=0.0, scoring=minus_squared_error
    ).fit(X, Y)
    errors = peer.cv_results_.mean(axis=(0, 1))
    np.testing.assert_allclose(model.ridge_, peer.alpha_)
    np.testing.assert_allclose(model.cv_results_["param_ridge"].astype(float), ridges)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-8)
    chosen = list(ridges).index(model.ridge_)
    left_out = np.mean((model.loo_scores_ - (2.0 * Y - 1)) ** 2)
    np.testing.assert_allclose(left_out, errors[chosen], rtol=1e-10)


def minus_squared_error(estimator, X, y):
    """Of scores that are shifted by a cut; the shift is undone by their mean, which it keeps."""
    scores = estimator.decision_function(X)
    T = 2.0 * y - 1
    return -np.mean((scores - scores.mean() - T + T.mean()) ** 2)


def test_the_criterion_is_the_measure_of_the_left_out_scores():
    X, Y = problem()
    model = ls.MultilabelRidgeCV().fit(X, Y)
    has = Y.any(axis=1) & ~Y.all(axis=1)
    expected = average_precision(Y[has], model.loo_scores_[has])
    np.testing.assert_allclose(model.best_score_, expected, rtol=1e-12)
    scores = model.cv_results_["mean_test_score"]
    assert len(scores) == 2 * 4 * 28
    assert model.best_score_ == scores.max()
    best = model.cv_results_["params"][int(np.argmax(scores))]
    assert model.cv_results_["rank_test_score"][int(np.argmax(scores))] == 1
    assert best["kernel"] in ("linear", "rbf")


@pytest.mark.parametrize(
    ("name", "measure"),
    [("f1_micro", micro_f1), ("f1_samples", samples_f1), ("macro_f1", macro_f1)],
)
def test_the_threshold_maximises_its_measure_on_the_left_out_scores(name, measure):
    X, Y = problem()
    model = ls.MultilabelRidgeCV(kernel="linear", threshold=name).fit(X, Y)

    def value(cut):
        predicted = cut < model.loo_scores_
        if model.min_labels_:
            predicted[np.arange(48), model.loo_scores_.argmax(axis=1)] = True
        return measure(Y, predicted)

    cuts = np.sort(model.loo_scores_, axis=None) + 1e-9
    loss = max(map(value, cuts)) - value(0.0)
    assert loss <= (1e-12 if name == "f1_micro" else 0.01)


def test_labels_with_many_rows_have_thresholds_near_their_own():
    """Those without rows are never predicted; scores keep their order within a row."""
    X, Y = large(n=1000)
    Y = np.column_stack([Y, X @ np.ones(5) > 6.0, np.zeros(1000, dtype=int)])
    model = ls.MultilabelRidgeCV(kernel="linear").fit(X, Y)
    assert np.isinf(model.thresholds_[4])
    moved = abs(model.thresholds_[:4] - model.threshold_)
    assert moved[:3].min() > 0.01
    scores = model.decision_function(X) + model.threshold_
    np.testing.assert_array_equal(model.predict(X), scores > model.thresholds_)
    left_out = model.loo_scores_ + model.threshold_
    tuned = micro_f1(Y, left_out > model.thresholds_)
    assert tuned > micro_f1(Y, left_out > model.threshold_)
    fixed = clone(model).set_params(threshold=0.25).fit(X, Y)
    np.testing.assert_array_equal(fixed.thresholds_, np.full(5, 0.25))


def test_a_row_takes_its_best_label_where_that_is_better():
    """Every row has one label of three: the best score is right where none passes the cut."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 4))
    Y = np.eye(3, dtype=int)[(X[:, :3] + rng.standard_normal((150, 3))).argmax(axis=1)]
    model = ls.MultilabelRidgeCV().fit(X, Y)
    assert model.min_labels_ == 1
    assert model.predict(X).any(axis=1).all()
    fixed = clone(model).set_params(threshold=0.0).fit(X, Y)
    assert fixed.min_labels_ == 0
    assert fixed.threshold_ == 0
    assert not fixed.predict(X).any(axis=1).all()


def test_scorers_of_scikit_learn_and_callables():
    X, Y = problem()
    for scoring in ("f1_micro", "neg_log_loss_of_nobody"):
        model = ls.MultilabelRidgeCV(kernel="linear", scoring=scoring)
        if scoring == "f1_micro":
            by_name = model.fit(X, Y)
        else:
            with pytest.raises(ValueError, match="neg_log_loss_of_nobody"):
                model.fit(X, Y)
    scorer = make_scorer(micro_f1)
    by_callable = ls.MultilabelRidgeCV(kernel="linear", scoring=scorer).fit(X, Y)
    assert by_callable.ridge_ == by_name.ridge_
    np.testing.assert_allclose(by_callable.best_score_, by_name.best_score_)
    roc = ls.MultilabelRidgeCV(kernel="linear", scoring="roc_auc").fit(X, Y)
    assert 0.5 < roc.best_score_ <= 1


def test_classes_and_scorers_of_classes():
    X, Y = problem()
    y = np.array(["ant", "bee", "cat"])[Y[:, 0] + Y[:, 1]]
    for scoring in ("average_precision", "accuracy"):
        model = ls.MultilabelRidgeCV(kernel="linear", scoring=scoring).fit(X, y)
        assert (model.predict(X) == y).mean() > 0.5
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_one_label_is_judged_over_its_rows():
    """Within a row it has nothing to be ranked against, and every ridge would be as good."""
    X, Y = problem()
    model = ls.MultilabelRidgeCV(kernel="linear").fit(X, Y[:, :1])
    scores = model.cv_results_["mean_test_score"]
    assert scores.min() < scores.max() < 1


def test_probabilities_are_calibrated_on_rows_left_out():
    yeast = ls.datasets.load_yeast()
    model = ls.MultilabelRidgeCV(kernel="linear").fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    P, Y = model.predict_proba(yeast.X[yeast.test]), yeast.Y[yeast.test]
    for low, high in ((0.1, 0.3), (0.3, 0.6), (0.6, 1.0)):
        inside = (low < P) & (high >= P)
        assert abs(P[inside].mean() - Y[inside].mean()) < 0.05


def counts(n=150, seed=0):
    """Rows of counts whose lengths say nothing, labels by their shares, and what to shift by."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(30, 0.1), size=4)
    shares = rng.dirichlet(np.full(4, 0.4), size=n)
    X = rng.poisson(np.exp(2.0 * rng.standard_normal((n, 1)) + 1.5) * (shares @ topics))
    return X.astype(float), (shares > 0.3).astype(int)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_rows_of_counts_are_also_compared_at_unit_length(kernel):
    """Whether they are shifted, sparse or multiplied: the smallest value of a column is its 0."""
    X, Y = counts()
    model = ls.MultilabelRidgeCV(kernel=kernel).fit(X, Y)
    assert set(model.cv_results_["param_scale"]) == {"range", "standard", "rows"}
    assert model.scaling_ == "rows"
    columns = clone(model).set_params(scale="range").fit(X, Y)
    assert model.best_score_ > columns.best_score_ + 0.01
    expected = model.decision_function(X)
    lengthened = X * np.arange(1.0, 151.0)[:, None]
    np.testing.assert_allclose(model.decision_function(lengthened), expected, atol=1e-8)
    for moved in (X + np.arange(30.0), sparse.csr_array(X), 1000.0 * X):
        found = clone(model).fit(moved, Y)
        np.testing.assert_allclose(found.loo_scores_, model.loo_scores_, atol=1e-8)
        np.testing.assert_allclose(found.decision_function(moved), expected, atol=1e-8)
    plain = ls.MultilabelRidgeCV(kernel=kernel).fit(*problem())
    assert set(plain.cv_results_["param_scale"]) == {"range", "standard"}
    assert not plain.low_.any()


def test_a_row_that_is_the_smallest_of_all_columns_has_length_zero():
    X, Y = counts()
    X[3] = 0.0
    for form in FORMS.values():
        model = ls.MultilabelRidgeCV(kernel="linear", scale="rows").fit(form(X), Y)
        mean = scaled(model, X).mean(axis=0)
        expected = (2.0 * Y - 1).mean(axis=0) - mean @ model.coef_.T - model.threshold_
        np.testing.assert_allclose(model.decision_function(form(X[[3]]))[0], expected, atol=1e-9)


def test_scale_of_x_changes_nothing():
    X, Y = problem()
    for kernel in ("linear", "rbf"):
        model = ls.MultilabelRidgeCV(kernel=kernel).fit(X, Y)
        scaled = clone(model).fit(1000.0 * X, Y)
        expected = model.decision_function(X)
        np.testing.assert_allclose(scaled.decision_function(1000.0 * X), expected, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "auto"])
def test_order_of_rows_and_features_does_not_matter(kernel):
    X, Y = problem()
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(48), rng.permutation(X.shape[1])
    model = ls.MultilabelRidgeCV(kernel=kernel).fit(X, Y)
    moved = clone(model).fit(X[rows][:, columns], Y[rows])
    expected = model.decision_function(X)
    np.testing.assert_allclose(moved.decision_function(X[:, columns]), expected, atol=1e-8)
    np.testing.assert_allclose(moved.loo_scores_, model.loo_scores_[rows], atol=1e-8)


def large(seed=0, n=2600):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5)) * (rng.random((n, 5)) < 0.7)
    scores = X @ rng.standard_normal((5, 3)) + rng.standard_normal((n, 3))
    return X, (scores > 0.8).astype(int)


@pytest.mark.parametrize(
    ("n", "settings"),
    [
        (2600, {"kernel": "linear"}),
        (150, {"kernel": "rbf", "n_landmarks": 20}),
        (150, {"kernel": "linear", "n_landmarks": 4}),
    ],
    ids=["compared", "landmarks", "linear landmarks"],
)
@pytest.mark.parametrize("binary", [False, True])
def test_the_content_of_rows_selects_those_compared_and_the_landmarks(n, settings, binary):
    """Not the order of rows, features or labels, the units of X, or whether it is sparse."""
    X, Y = large(n=n)
    X = (X > 0).astype(float) + 0.25 * (X > 1) if binary else X
    rng = np.random.default_rng(1)
    rows, columns, labels = rng.permutation(n), rng.permutation(5), rng.permutation(3)
    model = ls.MultilabelRidgeCV(**settings).fit(X, Y)
    assert np.isnan(model.cv_results_["mean_test_score"]).any() == (n > 2000)
    assert len(model.loo_scores_) == n
    moved = [
        (X[rows], Y[rows], model.loo_scores_[rows]),
        (sparse.csr_array(X[rows]), Y[rows], model.loo_scores_[rows]),
        (X[:, columns], Y, model.loo_scores_),
        (X, Y[:, labels], model.loo_scores_[:, labels]),
        (1000.0 * X, Y, model.loo_scores_),
    ]
    for features, truth, expected in moved:
        found = clone(model).fit(features, truth)
        np.testing.assert_allclose(found.best_score_, model.best_score_, rtol=1e-10)
        np.testing.assert_allclose(found.loo_scores_, expected, atol=1e-8)


@pytest.mark.parametrize("n", [150, 2600])
def test_without_scores_the_model_is_the_same(n):
    """Up to 2000 rows the thresholds, too; beyond, they are those of the compared rows."""
    X, Y = large(n=n)
    model = ls.MultilabelRidgeCV(kernel="linear").fit(X, Y)
    found = clone(model).set_params(store_scores=False).fit(X, Y)
    assert not hasattr(found, "loo_scores_")
    assert found.ridge_ == model.ridge_
    expected = model.decision_function(X) + model.threshold_
    np.testing.assert_allclose(found.decision_function(X) + found.threshold_, expected, atol=1e-12)
    np.testing.assert_allclose(found.thresholds_, model.thresholds_, atol=0.2 * (n > 2000))
    assert hasattr(found.set_params(store_scores=True).fit(X, Y), "loo_scores_")


def test_a_choice_from_2000_rows_is_that_of_all():
    X, Y = large()
    model = ls.MultilabelRidgeCV(kernel="linear", scale="range").fit(X, Y)
    scores = []
    for ridge in model.cv_results_["param_ridge"]:
        one = clone(model).set_params(ridges=[ridge]).fit(X, Y)
        has = Y.any(axis=1)
        scores.append(average_precision(Y[has], one.loo_scores_[has]))
    assert max(scores) - scores[list(model.cv_results_["param_ridge"]).index(model.ridge_)] < 0.003


@pytest.mark.parametrize("n", [300, 2600])
@pytest.mark.parametrize("of_counts", [False, True])
def test_dask_gives_the_fit_of_all_rows(n, of_counts):
    da = pytest.importorskip("dask.array")
    X, Y = counts(n) if of_counts else large(n=n)
    weights = np.random.default_rng(2).uniform(0.2, 3.0, n)
    weights[:110] = weights[150] = 0.0
    for given in (None, weights):
        model = ls.MultilabelRidgeCV(kernel="linear").fit(X, Y, sample_weight=given)
        lazy = [None if A is None else da.from_array(A, chunks=(100, *A.shape[1:]))
                for A in (X, Y, given)]  # fmt: skip
        streamed = ls.MultilabelRidgeCV().fit(*lazy[:2], sample_weight=lazy[2])
        np.testing.assert_allclose(streamed.ridge_, model.ridge_, rtol=1e-10)
        np.testing.assert_allclose(streamed.threshold_, model.threshold_, atol=1e-10)
        np.testing.assert_allclose(streamed.loo_scores_, model.loo_scores_, atol=1e-10)
        np.testing.assert_allclose(
            streamed.decision_function(lazy[0]).compute(), model.decision_function(X), atol=1e-10
        )


def test_kernels_refuse_dask():
    da = pytest.importorskip("dask.array")
    X, Y = problem()
    lazy = da.from_array(X, chunks=(20, 6))
    with pytest.raises(TypeError, match=r"kernel='rbf'.*X.compute\(\)"):
        ls.MultilabelRidgeCV(kernel="rbf").fit(lazy, Y)


@pytest.mark.parametrize("settings", [{}, {"kernel": "linear"}, {"n_landmarks": 20}], ids=str)
@pytest.mark.parametrize("scoring", ["average_precision", "f1_micro", "roc_auc"])
def test_counts_on_a_device(place, settings, scoring):
    X, Y = counts()
    model = ls.MultilabelRidgeCV(scoring=scoring, **settings).fit(X, Y)
    found = clone(model).fit(place.put(X), place.put(Y))
    assert found.scaling_ == model.scaling_
    np.testing.assert_allclose(found.ridge_, model.ridge_, rtol=1e-9)
    for name in ("loo_scores_", "thresholds_"):
        np.testing.assert_allclose(to_host(getattr(found, name)), getattr(model, name), atol=1e-8)
    shown = found.predict_proba(place.put(X))
    assert place.holds(shown)
    np.testing.assert_allclose(to_host(shown), model.predict_proba(X), atol=1e-8)


def test_memory_maps(tmp_path):
    X, Y = problem()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for kernel in ("linear", "rbf"):
        model = ls.MultilabelRidgeCV(kernel=kernel).fit(X, Y)
        np.testing.assert_array_equal(clone(model).fit(mapped, Y).loo_scores_, model.loo_scores_)


def with_holes(Y, share=0.2):
    rng = np.random.default_rng(0)
    holed = np.where(rng.random(Y.shape) < share, np.nan, Y)
    # Two labels that are missing in the same rows.
    holed[:, 1] = np.where(np.isnan(holed[:, 0]), np.nan, Y[:, 1])
    return holed


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("scale", ["range", "rows"])
def test_labels_with_holes_are_left_out_exactly(scale, wide, form, weighted):
    """Each label as if there were only the rows where it is observed, at the scales of all rows."""
    X, Y = problem(wide)
    holed, weights = with_holes(Y), weights_of(weighted)
    model = ls.MultilabelRidgeCV(ridges=[0.3], scale=scale)
    model.fit(FORMS[form](X), holed, sample_weight=weights if weighted else None)
    rows, new = scaled(model, X), scaled(model, problem(wide, seed=3)[0][:5])
    for k, y in enumerate(holed.T):
        seen = np.flatnonzero(~np.isnan(y))
        own = rows[seen], 2.0 * y[seen, None] - 1, weights[seen]
        expected = reference.left_out(partial(reference.linear, ridge=0.3), *own)[:, 0]
        found = model.loo_scores_[:, k] + model.threshold_
        np.testing.assert_allclose(found[seen], expected, rtol=0, atol=1e-10)
        assert np.isnan(np.delete(found, seen)).all()
        of_new = [reference.linear(*own, row, ridge=0.3)[0] for row in new]
        scores = model.decision_function(problem(wide, seed=3)[0][:5])[:, k] + model.threshold_
        np.testing.assert_allclose(scores, of_new, rtol=0, atol=1e-10)


@pytest.mark.parametrize("scoring", ["average_precision", "micro_f1", "f1_macro", "ranking_loss"])
def test_what_is_not_observed_counts_nowhere(scoring):
    X, Y = problem()
    holed = with_holes(Y)
    model = ls.MultilabelRidgeCV(scoring=scoring).fit(X, holed)
    seen = ~np.isnan(holed)
    measure = {"f1_macro": macro_f1, "micro_f1": micro_f1}.get(scoring)
    if measure is None:
        measure = {"average_precision": partial(average_precision, undefined_rows="skip"),
                   "ranking_loss": ranking_loss}[scoring]  # fmt: skip
        sign = -1 if scoring == "ranking_loss" else 1
        found = sign * measure(holed, np.where(seen, model.loo_scores_, 0.0))
        np.testing.assert_allclose(model.best_score_, found, rtol=1e-12)
    assert model.kernel_ == "linear"
    assert 0 < model.best_score_ < 1 or scoring == "ranking_loss"
    P = model.predict_proba(X)
    assert abs(P[seen].mean() - holed[seen].mean()) < 0.05


def test_holes_have_a_reason_where_they_are_refused():
    X, Y = problem()
    with pytest.raises(ValueError, match="each label would need the kernel of its own rows"):
        ls.MultilabelRidgeCV(kernel="rbf").fit(X, with_holes(Y))
    with pytest.raises(ValueError, match="scoring='roc_auc' cannot leave out labels"):
        ls.MultilabelRidgeCV(scoring="roc_auc").fit(X, with_holes(Y))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ridges": [1.0, 0.0]}, "ridges holds 0; allowed"),
        ({"ridges": []}, r"ridges has shape \(0,\); allowed"),
        (
            {"threshold": "roc_auc"},
            "'roc_auc', which does not depend on thresholds; allowed are f1",
        ),
        ({"threshold": "coverage"}, "threshold is 'coverage', which does not depend on thresholds"),
        ({"threshold": "nonsense"}, "threshold is 'nonsense', which names no measure; allowed are"),
        ({"scoring": "nonsense"}, "scoring='nonsense' names no measure; allowed are hamming_loss"),
        ({"scoring": "neg_log_loss"}, "scoring needs probabilities, but the classifier gives"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    X, Y = problem()
    with pytest.raises(ValueError, match=message):
        ls.MultilabelRidgeCV(**parameters).fit(X, Y)


def test_landmarks_are_numbered_among_the_rows_of_positive_weight():
    X, Y = problem()
    weights = np.where(np.arange(48) % 3 == 0, 0.0, 1.0)
    settings = {"kernel": "rbf", "n_landmarks": 7}
    model = ls.MultilabelRidgeCV(**settings).fit(X, Y, sample_weight=weights)
    dropped = ls.MultilabelRidgeCV(**settings).fit(X[weights > 0], Y[weights > 0])
    np.testing.assert_array_equal(model.landmark_indices_, dropped.landmark_indices_)


def test_constant_features_and_labels_without_rows():
    X, Y = problem()
    model = ls.MultilabelRidgeCV().fit(np.ones((48, 3)), Y)
    assert np.isfinite(model.loo_scores_).all()
    assert np.isfinite(model.decision_function(np.ones((2, 3)))).all()
    nothing = ls.MultilabelRidgeCV().fit(X, np.zeros_like(Y))
    assert not nothing.predict(X).any()
