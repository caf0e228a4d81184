"""The tables of the CPLST paper: one fit for all numbers of codes, and the expected results."""

import numpy as np
import pytest
from scipy import stats
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold
from sklearn.preprocessing import KernelCenterer

from labelspan.datasets import load_yeast
from labelspan.experiments import Plan, Source, Splits, Step, get_method, run_cell
from labelspan.kernels import KernelCPLST, KernelCPLSTCV, kernel_path
from labelspan.labelspace import CPLST, PLST
from labelspan.papers import Values, find_experiments, printed_values
from tests.papers.reproduced import reproduced, verdicts

FirstCodes = get_method("cplst/first-codes").load()
RIDGES = KernelCPLSTCV().ridges
# Of an RBF kernel, for rows of unit length or longer.
NARROW = 100.0
# Shares of the labels in the tables, and the method that they do not have.
FRACTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
SAME = "PLST of the same kernel"


def widths_of(X):
    """The widths that a search over rows tries: powers of four over the sum of the variances."""
    X = X.toarray() if hasattr(X, "toarray") else X
    return [4.0**i / np.var(X, axis=0).sum() for i in range(-4, 3)]


def experiment(name):
    (found,) = find_experiments([f"cplst/{name}"])
    return found


def leading_codes(Y):
    """Eigenvectors of Z'Z as rows, the leading one first."""
    return np.linalg.eigh(np.cov(Y.T))[1][:, ::-1].T


@pytest.fixture(scope="module")
def rows():
    yeast = load_yeast()
    return yeast.X[:300], yeast.Y[:300], yeast.X[300:400]


@pytest.mark.parametrize("M", [1, 5, 14])
@pytest.mark.parametrize(("codes", "method"), [("plst", PLST), ("cplst", CPLST)])
def test_the_first_codes_of_least_squares_are_the_method(codes, method, M, rows):
    X, Y, X_new = rows
    ours = FirstCodes(codes, "linear", M).fit(X, Y)
    np.testing.assert_array_equal(
        ours.predict(X_new), method(M, ridge=0.0).fit(X, Y).predict(X_new)
    )


@pytest.mark.parametrize("M", [1, 5, 14])
def test_the_first_codes_of_kernel_ridge_are_those_of_the_search(M, rows):
    X, Y, X_new = rows
    search = KernelCPLSTCV(cv=KFold(5)).fit(X, Y)
    ours = FirstCodes("cplst", "kernel", M).fit(X, Y).predict(X_new)
    np.testing.assert_array_equal(ours, search.best_estimator_.truncate(M).predict(X_new))


@pytest.mark.parametrize("M", [1, 5])
def test_plst_with_kernel_ridge_has_the_lowest_loss_of_its_grid(M, rows):
    """Against PLST with scikit-learn's kernel ridge on a centred kernel, point by point."""
    X, Y, X_new = rows
    Z = Y - Y.mean(axis=0)
    losses = {}
    for gamma in widths_of(X):
        K = rbf_kernel(X, gamma=gamma)
        for ridge in RIDGES:
            losses[gamma, ridge] = sum(
                loss_of_plst(K, Y, ridge, train, test) for train, test in KFold(5).split(X)
            )
    gamma, ridge = min(losses, key=losses.get)
    centring = KernelCenterer().fit(rbf_kernel(X, gamma=gamma))
    model = KernelRidge(alpha=ridge, kernel="precomputed")
    model.fit(centring.transform(rbf_kernel(X, gamma=gamma)), Z)
    V = np.linalg.eigh(Z.T @ Z)[1][:, ::-1][:, :M]
    scores = model.predict(centring.transform(rbf_kernel(X_new, X, gamma=gamma))) @ V @ V.T
    ours = FirstCodes("plst", "kernel", M).fit(X, Y)
    expected = scores + Y.mean(axis=0) - 0.5
    np.testing.assert_allclose(ours.decision_function(X_new), expected, atol=1e-8)


def loss_of_plst(K, Y, ridge, train, test):
    """Hamming losses of all numbers of codes on one fold, summed."""
    mean = Y[train].mean(axis=0)
    Z = Y[train] - mean
    centring = KernelCenterer().fit(K[np.ix_(train, train)])
    model = KernelRidge(alpha=ridge, kernel="precomputed")
    model.fit(centring.transform(K[np.ix_(train, train)]), Z)
    predicted = model.predict(centring.transform(K[np.ix_(test, train)]))
    V = np.linalg.eigh(Z.T @ Z)[1][:, ::-1]
    return sum(
        np.mean((predicted @ V[:, :M] @ V[:, :M].T + mean > 0.5) != Y[test])
        for M in range(1, Y.shape[1] + 1)
    )


def test_an_import_path_can_name_a_model():
    assert get_method("cplst/first-codes").kind == "model"
    assert get_method("model:sklearn.neighbors:KNeighborsClassifier").kind == "model"
    assert get_method("sklearn.decomposition:PCA").kind == "reducer"
    assert get_method("sklearn.decomposition:PCA").title == "PCA"
    assert isinstance(get_method("cplst/first-codes").make({"n_components": 3}), FirstCodes)


def test_a_plan_can_measure_the_errors_of_a_label_space_model():
    measures = ("hamming_loss", "encoding_error", "prediction_error")
    step = Step("cplst", (("n_components", 3), ("ridge", 0.0)))
    plan = Plan("errors", (Source("yeast"),), models=(step,), splits=STANDARD, measures=measures)
    found = dict(run_cell(plan.cells[0]).rows)
    yeast = load_yeast()
    model = CPLST(3, ridge=0.0).fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    errors = model.errors(yeast.X[yeast.test], yeast.Y[yeast.test])
    assert found["encoding_error"] == pytest.approx(errors.encoding / len(yeast.test))
    assert found["prediction_error"] == pytest.approx(errors.prediction / len(yeast.test))
    assert list(found) == list(measures)


STANDARD = Splits("standard")


def test_an_order_is_judged_by_the_means_and_shows_the_paired_error():
    printed, judge = printed_values("cplst"), experiment("table5").judge
    found = {}
    for title in ("PLST", "kernel-CPLST", SAME):
        for place, share in enumerate(("20%", "40%", "60%", "80%", "100%")):
            value = printed["table5"]["mean"]["yeast"][title.split()[0]][place]
            found["yeast", f"{title} {share}", "hamming_loss"] = [value - 0.001, value + 0.001]
    lines = judge(Values(found, ()), printed)
    # Two values and two orders each: PLST with its own width and ridge, and with the same.
    assert [line.verdict for line in lines] == ["reproduced"] * 20
    assert lines[2].ours == "by -0.00120, paired standard error 0.00000"
    found["yeast", "PLST 20%", "hamming_loss"] = [0.199, 0.201]
    lines = judge(Values(found, ()), printed)
    assert [line.verdict for line in lines[2:4]] == ["not reproduced", "reproduced"]
    found["yeast", "kernel-CPLST 20%", "hamming_loss"] = [0.204, 0.206]
    lines = judge(Values(found, ()), printed)
    assert [line.verdict for line in lines[2:4]] == ["not reproduced"] * 2


def test_plst_of_the_same_kernel_is_kernel_cplst_with_all_codes(rows):
    X, Y, X_new = rows
    same, own = (
        FirstCodes(codes, "same kernel", 14).fit(X, Y).decision_function(X_new)
        for codes in ("plst", "cplst")
    )
    np.testing.assert_allclose(same, own, atol=1e-10)
    chosen = KernelCPLSTCV(cv=KFold(5)).fit(X, Y).best_estimator_
    V = np.linalg.eigh(np.cov(Y.T))[1][:, -5:]
    scores = (chosen.decision_function(X_new) + 0.5 - Y.mean(axis=0)) @ V @ V.T
    few = FirstCodes("plst", "same kernel", 5).fit(X, Y).decision_function(X_new)
    np.testing.assert_allclose(few, scores + Y.mean(axis=0) - 0.5, atol=1e-8)


def test_the_statements_about_the_errors_can_fail():
    errors, found = experiment("figure1b-d"), {}
    (plan,) = errors.plans(quick=False)
    places = {"PLST": 1.0, "CPLST": 2.0, "OCCA": 3.0, "PBR": 4.0}
    assert len(plan.models) == 8 * len(places)
    for step in plan.models:
        place = places[step.title.partition(", M=")[0]]
        for name in ("encoding", "prediction"):
            found["yeast", step.title, f"{name}_error"] = [place]
    lines = errors.judge(Values(found, ()), {})
    # PLST is lowest in everything here, and no method has an encoding error of zero.
    assert [line.verdict == "reproduced" for line in lines[:3]] == [False, True, False]
    assert lines[5].verdict == "not reproduced"


def test_every_table_has_a_quick_form():
    for experiment in find_experiments(["cplst"]):
        quick, full = ([plan.cells for plan in experiment.plans(flag)] for flag in (True, False))
        assert 0 < sum(map(len, quick)) < sum(map(len, full))


@pytest.mark.reproduce
def test_table_3():
    found = verdicts(reproduced("cplst/table3"))
    orders = {what: verdict for what, verdict in found.items() if "better" in what}
    assert set(orders.values()) == {"reproduced"}
    lines = {line.what: line for line in reproduced("cplst/table3").judged}
    for name in ("yeast", "scene"):
        for what, line in lines.items():
            if what.startswith(f"Hamming loss, {name}"):
                assert abs(line.difference) <= 0.005, line
        # "provably equivalent ... with M = K".
        last = [lines[f"Hamming loss, {name}, {method} 100%"].ours for method in ("PLST", "CPLST")]
        assert last[0] == pytest.approx(last[1], abs=1e-12)


@pytest.mark.reproduce
def test_what_the_text_says_of_the_errors_comes_out():
    assert "not reproduced" not in verdicts(reproduced("cplst/figure1b-d")).values()


@pytest.mark.reproduce
def test_model_trees_keep_the_order_of_emotions_and_scene():
    """That of yeast is not reproduced, with other model trees."""
    found = verdicts(reproduced("cplst/table4"))
    for name in ("emotions", "scene"):
        what = f"{name}, mean over the five M: CPLST better than PLST"
        assert found[what] == "reproduced"


@pytest.mark.reproduce
@pytest.mark.parametrize("name", ["table5", "table5-90"])
def test_kernel_cplst_is_not_worse_where_the_paper_has_it_better(name):
    """The page of reproductions judges the exact order; here it may fail by chance alone.

    Of the codes, with the same width and ridge, to two paired standard errors; with widths and
    ridges of their own, whose choice is noise too, to the three of the other rules.
    """
    plans = experiment(name).plans(quick=False)
    repeats = {plan.sources[0].name: plan.splits.n_splits for plan in plans}
    for line in reproduced(f"cplst/{name}").judged:
        if "not above" in line.what:
            gap, error = (float(part.split()[-1]) for part in str(line.ours).split(","))
            n_splits = repeats[line.what.partition(",")[0]]
            chance = stats.norm.cdf(2 if line.what.endswith(SAME) else 3)
            # With two splits, a standard error is itself nearly unknown.
            assert gap <= stats.t.ppf(chance, n_splits - 1) * error, line
            if line.what.endswith(f"100%: kernel-CPLST not above {SAME}"):
                assert gap == 0, line


def losses_of_codes(model, V, test, fractions):
    """Hamming losses of a kernel ridge regression, with shares of the codes V."""
    X, Y = test
    scores = model.regressor_.predict(X) @ model.components_
    numbers = [int(fraction * Y.shape[1]) for fraction in fractions]
    return np.array(
        [np.mean((scores @ V[:M].T @ V[:M] + model.label_mean_ > 0.5) != Y) for M in numbers]
    )


def splits_of(data, seed, n_splits, share):
    """Training and test rows."""
    Y = (data.Y.toarray() if hasattr(data.Y, "toarray") else data.Y) > 0
    for number in range(n_splits):
        order = np.random.default_rng((seed, number)).permutation(len(Y))
        train, test = np.split(order, [int(share * len(Y))])
        yield (data.X[train], Y[train]), (data.X[test], Y[test])


@pytest.mark.reproduce
@pytest.mark.parametrize("name", ["yeast", "enron"])
def test_with_most_labels_kept_the_codes_tie(name, dataset):
    """Where 20 splits put kernel-CPLST above PLST of the same kernel, 200 others do not.

    At the width and ridge that the searches choose most often on these sets.
    """
    gaps = []
    for train, test in splits_of(dataset(name), 5, 200, 0.8):
        gamma = widths_of(train[0])[4]
        model = KernelCPLST(gamma=gamma, ridge=1.0).fit(*train)
        ours, theirs = (
            losses_of_codes(model, V, test, [0.8])
            for V in (model.components_, leading_codes(train[1].astype(float)))
        )
        gaps.append(float(ours[0] - theirs[0]))
    error = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    print(f"{name}, 80%: by {np.mean(gaps):+.6f}, paired standard error {error:.6f}")
    assert np.mean(gaps) <= 2 * error
    assert abs(np.mean(gaps)) < 5e-5


@pytest.mark.reproduce
@pytest.mark.parametrize("name", ["yeast", "enron"])
def test_no_width_and_ridge_parts_the_codes_as_printed(name, dataset):
    """So the printed order at 80 % is one of two choices of width and ridge, not of the codes."""
    printed = printed_values("cplst")["table5"]["mean"][name]
    gains = []
    for train, test in splits_of(dataset(name), 6, 10, 0.8):
        V = leading_codes(train[1].astype(float))
        for gamma in widths_of(train[0]):
            path = kernel_path(KernelCPLST(gamma=gamma), *train, {"ridge": list(RIDGES)})
            for model in path.estimators:
                ours, theirs = (
                    losses_of_codes(model, codes, test, [0.8])[0]
                    for codes in (model.components_, V)
                )
                gains.append(theirs - ours)
    largest = np.reshape(gains, (10, -1)).mean(axis=0).max()
    print(f"{name}, 80%: largest mean gain over the grid {largest:.5f}")
    assert largest < 0.5 * (printed["PLST"][3] - printed["kernel-CPLST"][3])


@pytest.mark.reproduce
def test_the_printed_rows_of_enron_have_two_different_ridge_regressions(dataset):
    """Neither of them the best one of the grid; over 90 % of the rows, see cplst/table3-90."""
    printed = printed_values("cplst")["table5"]
    found = {"PLST": [], "kernel-CPLST": [], "best": []}
    for train, test in splits_of(dataset("enron"), 7, 20, 0.9):
        for title, gamma, ridge in (
            ("PLST", 2.0**-6, 2.0**-2),
            ("kernel-CPLST", 2.0**-8, 2.0**-2),
            ("best", 2.0**-6, 1.0),
        ):
            model = KernelCPLST(gamma=gamma, ridge=ridge).fit(*train)
            V = leading_codes(train[1].astype(float)) if title == "PLST" else model.components_
            found[title].append(losses_of_codes(model, V, test, FRACTIONS))
    means = {title: np.mean(rows, axis=0) for title, rows in found.items()}
    print({title: row.round(4) for title, row in means.items()})
    for title in ("PLST", "kernel-CPLST"):
        errors = np.std(found[title], axis=0, ddof=1) / np.sqrt(20)
        allowed = 3 * np.hypot(errors, printed["error"]["enron"][title])
        assert np.all(np.abs(means[title] - printed["mean"]["enron"][title]) <= allowed)
    assert means["best"].mean() < means["kernel-CPLST"].mean() < means["PLST"].mean()


@pytest.mark.reproduce
def test_the_printed_plst_of_medical_is_that_of_a_small_ridge(dataset):
    """A point of the grid, found on 20 other splits; the best ridges are larger."""
    printed = printed_values("cplst")["table5"]
    found = []
    for train, test in splits_of(dataset("medical"), 9, 20, 0.9):
        model = KernelCPLST(gamma=widths_of(train[0])[2], ridge=RIDGES[2]).fit(*train)
        V = leading_codes(train[1].astype(float))
        found.append(losses_of_codes(model, V, test, FRACTIONS))
    errors = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    gaps = np.mean(found, axis=0) - printed["mean"]["medical"]["PLST"]
    print(np.mean(found, axis=0).round(4), gaps.round(5), errors.round(5))
    assert np.all(np.abs(gaps) <= 3 * np.hypot(errors, printed["error"]["medical"]["PLST"]))


@pytest.mark.reproduce
@pytest.mark.parametrize("name", ["bibtex", "corel5k"])
def test_the_printed_plst_of_two_sets_predicts_no_label(name, dataset):
    """As a kernel so narrow does that no two rows are alike: at every M, on 1000 rows here."""
    data = dataset(name)
    printed = printed_values("cplst")["table5"]["mean"][name]["PLST"]
    density = float((data.Y > 0).mean())
    assert printed == [round(density, 4)] * len(FRACTIONS)
    ((X, Y), test), *_ = splits_of(data, 8, 1, 0.9)
    model = KernelCPLST(gamma=NARROW, ridge=1.0).fit(X[:1000], Y[:1000])
    V = leading_codes(Y[:1000].astype(float))
    nothing = float(np.mean(test[1]))
    found = losses_of_codes(model, V, test, FRACTIONS)
    print(name, density, nothing, found)
    np.testing.assert_allclose(found, nothing, atol=1e-12)
