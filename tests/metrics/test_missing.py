"""Missing labels are left out of every measure and change nothing else."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.dummy import DummyClassifier

from labelspan import metrics
from labelspan.metrics import MEASURES
from tests.metrics import brute

BY_LABEL = ("macro_f1", "macro_auc")
ON_SETS = ("instance_accuracy", "instance_precision", "instance_recall")


def psp(Y, S, k=2, **more):
    weights = np.linspace(0.2, 0.9, np.shape(S)[1])
    return metrics.propensity_scored_precision_at_k(Y, S, k, propensities=weights, **more)


EVERY = [*MEASURES.values(), metrics.Measure("psp", psp, "max", "scores", "PSP")]
every = pytest.mark.parametrize("measure", EVERY, ids=lambda measure: measure.name)


def holed(seed=0, n=40, q=7):
    """True labels with a third missing, scores with ties, and their predictions."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, q)) < 0.4).astype(float)
    S = rng.integers(-3, 4, Y.shape) / 4
    Y[rng.random(Y.shape) < 0.3] = np.nan
    return Y, {"scores": S, "labels": S > 0.2}


@st.composite
def with_holes(draw):
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    Y, seen = draw(arrays(bool, shape)), draw(arrays(bool, shape))
    S = draw(arrays(float, shape, elements=st.sampled_from([-1.5, 0.0, 0.25, 2.0])))
    assume(seen.any())
    return Y, S, seen


def mean_of_rows(function, Y, S, seen):
    """Mean over the rows with an observed label, each restricted to these labels."""
    rows = zip(Y, S, seen, strict=True)
    return np.mean([function(y[known], s[known]) for y, s, known in rows if known.any()])


def by_rows(Y, S, seen):
    """The definitions that are means over rows."""
    P = S > 0.2
    place = np.arange(Y.shape[1]) < 2
    gain = place / np.log2(np.arange(Y.shape[1]) + 2)
    names = ("subset_accuracy", "samples_f1", *ON_SETS)
    sets = {
        name: mean_of_rows(
            lambda y, p, name=name: brute.set_measures(y[None], p[None], 0.0)[name], Y, P, seen
        )
        for name in names
    }
    rows = {
        "ranking_loss": lambda y, s: brute.ranking_loss_row(y, s, 1.0),
        "one_error": lambda y, s: brute.one_error_row(y, s, "first"),
        "coverage": lambda y, s: brute.coverage_row(y, s, "worst"),
        "average_precision": lambda y, s: brute.average_precision_row(y, s, "worst"),
        "precision_at_k": lambda y, s: brute.gain_row(y, s, place, "average") / 2,
        "recall_at_k": lambda y, s: brute.ratio(
            brute.gain_row(y, s, place, "average"), y.sum(), 0.0
        ),
        "ndcg_at_k": lambda y, s: brute.ratio(
            brute.gain_row(y, s, gain, "average"), gain[: y.sum()].sum(), 0.0
        ),
    }
    return sets | {name: mean_of_rows(f, Y, S, seen) for name, f in rows.items()}


def by_labels(Y, S, seen):
    """The definitions that are means over labels, or take all pairs together."""
    P = S > 0.2
    columns = [(Y[m, k], S[m, k], P[m, k]) for k, m in enumerate(seen.T) if m.any()]
    areas = np.array([brute.auc(y, s) for y, s, _ in columns])
    f1 = [brute.set_measures(y[:, None], p[:, None], 0.0)["macro_f1"] for y, _, p in columns]
    pairs = brute.set_measures(Y[seen][None], P[seen][None], 0.0)
    known = areas[~np.isnan(areas)]
    return {
        "macro_f1": np.mean(f1),
        "macro_auc": np.mean(known) if len(known) else np.nan,
        "micro_auc": brute.auc(Y[seen], S[seen]),
        "hamming_loss": pairs["hamming_loss"],
        "micro_f1": pairs["micro_f1"],
        "squared_error": np.mean((S[seen] - np.where(Y[seen], 1, -1)) ** 2),
    }


@settings(max_examples=80, deadline=None)
@given(with_holes())
def test_every_measure_equals_its_definition_on_the_observed_labels(data):
    Y, S, seen = data
    expected = by_rows(Y, S, seen) | by_labels(Y, S, seen)
    assert expected.keys() == MEASURES.keys()
    top = [
        metrics.get_measure(name, k=2) for name in ("precision_at_k", "recall_at_k", "ndcg_at_k")
    ]
    rest = [name for name in MEASURES if not name.endswith("_k")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dense = metrics.evaluate(np.where(seen, Y, np.nan), S > 0.2, S, measures=rest + top)
        # Masked entries of sparse labels do not count.
        forms = sparse.csr_array(Y), sparse.csr_array(S > 0.2), sparse.csr_array(S)
        masked = metrics.evaluate(*forms, measures=rest + top, observed=seen)
    assert dense == pytest.approx(expected, nan_ok=True)
    assert masked == pytest.approx(expected, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(with_holes())
def test_propensity_scored_precision_among_observed_labels(data):
    Y, S, seen = data
    p, place = np.linspace(0.2, 0.9, Y.shape[1]), np.arange(Y.shape[1]) < 2
    rows = [(y[m] / p[m], s[m]) for y, s, m in zip(Y, S, seen, strict=True) if m.any()]
    gained = sum(brute.gain_row(w, s, place, "average") for w, s in rows)
    best = sum(brute.gain_row(w, w, place, "average") for w, _ in rows)
    actual = psp(np.where(seen, Y, np.nan), S)
    assert actual == pytest.approx(gained / best if best else np.nan, nan_ok=True)
    raw = psp(np.where(seen, Y, np.nan), S, normalize=False)
    assert raw == pytest.approx(gained / (2 * len(rows)))


@every
def test_a_label_that_is_never_observed_is_absent(measure):
    Y, outputs = holed()
    output = outputs[measure.needs]
    for gone in (0, 3, 6):
        Y_gone = Y.copy()
        Y_gone[:, gone] = np.nan
        kept = np.delete(np.arange(7), gone)
        if measure.name == "psp":
            weights = np.linspace(0.2, 0.9, 7)[kept]
            expected = metrics.propensity_scored_precision_at_k(
                Y[:, kept], output[:, kept], 2, propensities=weights
            )
        else:
            expected = measure(Y[:, kept], output[:, kept])
        if measure.name in BY_LABEL:
            with pytest.warns(UserWarning, match=rf"1 label\(s\) \({gone}\) of Y_true are obs.*no"):
                assert measure(Y_gone, output) == expected
        else:
            assert measure(Y_gone, output) == expected


@every
def test_rows_without_an_observed_label_leave(measure):
    Y, outputs = holed(1)
    Y[[0, 7, 39]] = np.nan
    output, kept = outputs[measure.needs], np.setdiff1d(np.arange(40), [0, 7, 39])
    assert measure(Y, output) == measure(Y[kept], output[kept])


@every
def test_labels_without_holes_are_as_ever(measure):
    """To the last bit, in forms that could have missing labels."""
    Y, outputs = holed(2)
    Y, output = np.nan_to_num(Y).astype(int), outputs[measure.needs]
    expected = measure(Y, output)
    for form in (np.ma.array(Y), pd.DataFrame(Y).astype("Int64"), Y.astype(object), Y * 1.0):
        assert measure(form, output) == expected
    everywhere = np.ones(Y.shape, dtype=bool)
    stored = sparse.csr_array(Y)
    assert measure(stored, output, everywhere) == measure(stored, output)


@every
def test_holes_in_every_form(measure):
    Y, outputs = holed(3)
    output, seen = outputs[measure.needs], ~np.isnan(Y)
    expected = measure(Y, output)
    frame = pd.DataFrame(Y).astype("Int64")
    assert frame.isna().to_numpy().any()
    nothing = np.where(seen, Y, None).tolist()
    for form in (frame, nothing, np.ma.masked_invalid(Y), 2 * Y - 1):
        assert measure(form, output) == expected
    stored = sparse.csr_array(np.nan_to_num(Y))
    assert measure(stored, sparse.csr_array(output), seen) == expected


@every
def test_wrong_uses_are_refused(measure):
    Y, outputs = holed(4)
    output, seen = outputs[measure.needs], ~np.isnan(Y)
    with pytest.raises(ValueError, match="Y_true has no observed label"):
        measure(np.full(Y.shape, np.nan), output)
    stored = sparse.csr_array(np.nan_to_num(Y))
    with pytest.raises(ValueError, match=r"expected booleans of shape \(40, 7\)"):
        measure(stored, output, seen[:, :3])
    with pytest.raises(TypeError, match=r"observed is for a sparse y.*numpy.where"):
        measure(Y, output, seen)
    with pytest.raises(ValueError, match=r"a sparse Y_true holds 0 and 1.*NaN in a dense array"):
        measure(sparse.csr_array(Y), output)
    with pytest.raises(ValueError, match="both must be"):
        measure(Y[1:], output)
    if measure.needs == "labels":
        with pytest.raises(ValueError, match="Y_pred"):
            measure(Y, Y)


def test_propensities_count_the_observed_rows_of_each_label():
    Y, _ = holed(5)
    each = [metrics.propensities(y[~np.isnan(y)][:, None])[0] for y in Y.T]
    np.testing.assert_allclose(metrics.propensities(Y), each, rtol=1e-14)
    masked = metrics.propensities(sparse.csr_array(np.nan_to_num(Y)), observed=~np.isnan(Y))
    np.testing.assert_array_equal(masked, metrics.propensities(Y))
    Y[:, 2] = np.nan
    with pytest.raises(ValueError, match="Label 2 of Y_train is observed in no row"):
        metrics.propensities(Y)


@pytest.mark.parametrize("name", ["macro_f1", "one_error"])
def test_scorers_skip_them(name):
    Y, _ = holed(6)
    X = np.zeros((40, 1))
    model = DummyClassifier().fit(X, np.nan_to_num(Y))
    scorer = metrics.get_scorer(name)
    output = {"macro_f1": model.predict(X)}.get(
        name, np.column_stack([p[:, 1] for p in model.predict_proba(X)])
    )
    value = scorer.measure(Y, output)
    assert scorer(model, X, Y) == (value if name == "macro_f1" else -value)
    masked = scorer(model, X, sparse.csr_array(np.nan_to_num(Y)), observed=~np.isnan(Y))
    assert masked == scorer(model, X, Y)
