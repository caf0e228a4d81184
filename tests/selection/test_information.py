"""InformationSelector against literal counts, over forms of the data, weights and bins."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import KBinsDiscretizer

from labelspan import InformationSelector
from tests.reference import information as reference

CRITERIA = ("mim", "mrmr", "mdmr", "scls", "d2f", "pmu", "lrfs", "fimf")


def problem(seed=0, n=70, D=9, q=5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D)) * np.linspace(0.5, 2, D) + 0.3
    X[rng.random(X.shape) < 0.4] = 0.0
    Y = (X @ rng.standard_normal((D, q)) + rng.standard_normal((n, q)) > 0.5).astype(int)
    return X, Y


@pytest.mark.parametrize("labels", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_each_criterion_is_its_formula(criterion, form, labels):
    X, Y = problem()
    B = reference.equal_widths(X, 3)
    path, scores = reference.select(criterion, B, Y, 6, n_entropic=3)
    ours = InformationSelector(6, criterion=criterion, n_entropic=3).fit(form(X), labels(Y))
    np.testing.assert_array_equal(ours.selection_path_, path)
    np.testing.assert_allclose(ours.scores_[path], scores, atol=1e-10)
    np.testing.assert_array_equal(ours.get_support(indices=True), np.sort(path))
    rest = [f for f in range(X.shape[1]) if f not in path]
    chosen = [] if criterion in ("mim", "fimf") else path
    expected = [reference.score(criterion, B, Y, f, chosen, n_entropic=3) for f in rest]
    np.testing.assert_allclose(ours.scores_[rest], expected, atol=1e-10)
    table = [[reference.mutual(x, y) for y in Y.T] for x in B.T]
    np.testing.assert_allclose(ours.label_scores_, table, atol=1e-10)
    assert ours.ranking_[path[0]] == 1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_grro_solves_its_equation(form):
    X, Y = problem()
    expected = reference.grro(reference.equal_widths(X, 2), Y, 10.0, 0.5)
    ours = InformationSelector(4, criterion="grro", bins=2, alpha=10.0, beta=0.5)
    np.testing.assert_allclose(ours.fit(form(X), Y).scores_, expected, atol=1e-10)


def test_a_singular_equation_is_refused_with_the_repair():
    X, Y = problem()
    y = np.column_stack([Y[:, 0], 1 - Y[:, 0]])
    # Distances 0, 1 have the eigenvalues 1 and -1; alpha = 0 leaves the identity.
    with pytest.raises(ValueError, match=r"alpha=0 and beta=1 give a singular .* Change alpha"):
        InformationSelector(4, criterion="grro", alpha=0.0, beta=1.0).fit(X, y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("bins", [2, 5])
def test_bins_of_equal_width_are_those_of_scikit_learn(bins, form):
    X, Y = problem(1)
    tool = KBinsDiscretizer(bins, encode="ordinal", strategy="uniform")
    B = tool.fit_transform(X).astype(int)
    expected = [sum(reference.mutual(x, y) for y in Y.T) for x in B.T]
    ours = InformationSelector(2, bins=bins).fit(form(X), Y)
    np.testing.assert_allclose(ours.scores_, expected, atol=1e-10)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_quantiles_and_presence(form):
    X, Y = problem(2)
    cuts = np.quantile(X, [0.25, 0.5, 0.75], axis=0, method="inverted_cdf")
    quarters = (X[None] > cuts[:, None]).sum(axis=0)
    for B, binning in ((quarters, "quantile"), (X != 0, "presence")):
        expected = [sum(reference.mutual(x, y) for y in Y.T) for x in B.T]
        ours = InformationSelector(2, bins=4, binning=binning).fit(form(X), Y)
        np.testing.assert_allclose(ours.scores_, expected, atol=1e-10)


@pytest.mark.parametrize("binning", ["width", "quantile", "presence"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("criterion", [*CRITERIA, "grro"])
def test_a_weight_is_a_number_of_copies(criterion, form, binning):
    X, Y = problem(3)
    counts = np.random.default_rng(1).integers(0, 4, len(X))
    copies = np.repeat(X, counts, axis=0), np.repeat(Y, counts, axis=0)
    model = InformationSelector(4, criterion=criterion, binning=binning)
    expected = model.fit(form(copies[0]), copies[1]).scores_
    for unit in (1, 0.3):
        found = model.fit(form(X), Y, sample_weight=unit * counts)
        np.testing.assert_allclose(found.scores_, expected, atol=1e-10)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("criterion", ["mim", "mrmr", "scls"])
def test_a_label_counts_where_it_is_observed(criterion, form):
    X, Y = problem(4)
    Y = Y.astype(float)
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    B = reference.equal_widths(X, 3)
    ours = InformationSelector(4, criterion=criterion).fit(form(X), Y)
    seen = [~np.isnan(y) for y in Y.T]
    table = [[reference.mutual(x[m], y[m]) for y, m in zip(Y.T, seen, strict=True)] for x in B.T]
    np.testing.assert_allclose(ours.label_scores_, table, atol=1e-10)
    first, second = ours.selection_path_[:2]
    assert first == np.argmax(np.sum(table, axis=1))
    share = reference.mutual(B[:, first], B[:, second])
    factor = {"mim": 0.0, "mrmr": 1.0}.get(criterion)
    if factor is None:
        factor = np.sum(table, axis=1)[second] / reference.entropy(B[:, second])
    assert ours.redundancy_[second] == pytest.approx(factor * share)


def test_missing_labels_are_refused_where_rows_are_counted_by_two():
    X, Y = problem()
    Y = np.where(np.arange(len(Y))[:, None] == 3, np.nan, Y)
    for criterion, reason in (("pmu", "by two labels"), ("d2f", "two features and a label")):
        with pytest.raises(ValueError, match=reason):
            InformationSelector(2, criterion=criterion).fit(X, Y)


def test_chunks_of_present_words():
    X, Y = problem(5)
    whole = InformationSelector(3, binning="presence").fit(X, Y)
    model = InformationSelector(3, binning="presence")
    holes = np.where(np.random.default_rng(0).random(Y.shape) < 0.2, np.nan, Y)
    with_holes = InformationSelector(3, binning="presence").fit(X, np.vstack([Y[:30], holes[30:]]))
    for rows in (slice(0, 30), slice(30, None)):
        model.partial_fit(sparse.csr_array(X[rows]), Y[rows])
    np.testing.assert_allclose(model.scores_, whole.scores_, atol=1e-12)
    np.testing.assert_array_equal(model.selection_path_, whole.selection_path_)
    model = InformationSelector(3, binning="presence")
    model.partial_fit(X[:30], Y[:30]).partial_fit(X[30:], holes[30:])
    np.testing.assert_allclose(model.scores_, with_holes.scores_, atol=1e-12)
    for other, reason in (({}, "range of the features"), ({"criterion": "scls"}, "reads the rows")):
        with pytest.raises(AttributeError) as refused:
            InformationSelector(3, **other).partial_fit(X, Y)
        assert reason in str(refused.value.__cause__)


def test_a_constant_feature_comes_last():
    X, Y = problem(6)
    X = np.column_stack([np.full(len(X), 3.0), X])
    for criterion in CRITERIA:
        ours = InformationSelector(9, criterion=criterion).fit(X, Y)
        assert not ours.get_support()[0]
        assert ours.ranking_[0] == 10
        assert ours.scores_[0] == pytest.approx(0.0, abs=1e-12)


def pyit_pmu(B, Y):
    """PMU as PyIT-MLFS has it: all ordered pairs of labels, a label with itself included."""
    D, labels = B.shape[1], list(Y.T)
    own = [
        sum(reference.mutual(x, y) for y in labels)
        - sum(reference.interaction(x, y, z) for y in labels for z in labels)
        for x in B.T
    ]
    taken, path = np.zeros(D), []
    for _ in range(4):
        J = np.where(np.isin(np.arange(D), path), -np.inf, own - taken)
        path.append(int(np.argmax(J)))
        s = B[:, path[-1]]
        taken += [sum(reference.interaction(x, s, y) for y in labels) for x in B.T]
    return path


def test_rankings_of_emotions_are_those_of_pyit_mlfs(dataset):
    """Its formulas with pyitlib 0.3.1; its MDMR is D2F, and its PMU is not that of the paper."""
    data = dataset("emotions")
    X, Y = data.X[data.train], sparse.csr_array(data.Y[data.train]).toarray()
    theirs = json.loads(Path(__file__).with_name("pyit_mlfs.json").read_text(encoding="utf-8"))
    for criterion in ("scls", "lrfs", "d2f"):
        ours = InformationSelector(72, criterion=criterion).fit(X, Y)
        np.testing.assert_array_equal(ours.selection_path_, theirs[criterion])
    assert pyit_pmu(reference.equal_widths(X, 3), Y) == theirs["pmu"][:4]
    ours = InformationSelector(4, criterion="pmu").fit(X, Y)
    assert ours.selection_path_.tolist() != theirs["pmu"][:4]
