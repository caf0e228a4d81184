"""HSL by its authors (MLDR), and the weights of MLDA and DMLDA by the author of MVMD (ML-FE)."""

import numpy as np
import pytest

import labelspan as ls
from labelspan.experiments import get_method
from tests.comparison import sine
from tests.oracles import SETS, assert_equal, assert_equal_columns, run
from tests.reference import extraction as reference

# Key of the program's output -> the class and its weights; an array means the program's weights.
WEIGHTED = {
    "mlda_binary": (ls.MLDA, "binary"),
    "mlda_entropy": (ls.MLDA, "entropy"),
    "mlda_fuzzy": (ls.MLDA, None),
    "mlda_dependence": (ls.MLDA, None),
    "dmlda2": (ls.DMLDA, "entropy"),
    "dmlda3": (ls.DMLDA, "correlation"),
}
# The program divides by zero where a label has one row.
FUZZY_SETS = ("emotions", "yeast", "scene")
CASES = [
    (name, key) for name in SETS for key in WEIGHTED if key != "mlda_fuzzy" or name in FUZZY_SETS
]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("expansion", ["clique", "star", "zhou"])
def test_hsl_equals_the_program_of_its_authors(expansion, name):
    sample = run(f"mldr_directions_{name}")
    model = get_method("hsl@0.2.0").make({"n_components": None, "expansion": expansion})
    model.fit(sample.X, sample.Y)
    values = sample[f"hsl_{expansion}_values"]
    directions = sample[f"hsl_{expansion}_directions"]
    kept = min(model.n_components_, directions.shape[1])
    assert_equal(model.eigenvalues_, values[: len(model.eigenvalues_)])
    assert values[len(model.eigenvalues_) :].max(initial=0) <= 1e-12 * values[0]
    assert_equal_columns(model.components_[:kept].T, directions[:, :kept])


@pytest.mark.parametrize(("name", "key"), CASES)
def test_weighted_directions_equal_those_of_the_program(name, key):
    sample = run(f"mlfe_directions_{name}")
    method, weights = WEIGHTED[key]
    if weights is None:
        weights = run(f"mlfe_weights_{name}")[key.partition("_")[2]]
    model = method(None, weights=weights).fit(sample.X, sample.Y)
    kept, directions = int(sample[f"{key}_dim"][0]), sample[f"{key}_directions"]
    values = sample[f"{key}_values"][:kept]
    assert np.abs(model.eigenvalues_[:kept] / values - 1).max() <= 1e-8
    assert_equal_columns(model.components_[: directions.shape[1]].T, directions)
    assert method(weights=weights).fit(sample.X, sample.Y).n_components_ == kept


def test_entropy_weights_of_rows_and_labels_without_entries():
    # The program gives an empty row weight 0, too.
    sample = run("mlfe_empty")
    model = ls.DMLDA(None, weights="entropy").fit(sample.X, sample.Y)
    kept = int(sample["dmlda2_dim"][0])
    assert_equal(model.eigenvalues_[:kept], sample["dmlda2_values"][:kept])


@pytest.mark.parametrize("name", FUZZY_SETS)
def test_fuzzy_weights_are_those_of_the_program_at_convergence(name):
    """The program starts from sums, not means, and ends when the centres move by 0.01."""
    sample = run(f"mlfe_weights_{name}")
    Xc, Y = sample.Xc, sample.Y
    centres = reference.entropy_weights(Y).T @ Xc / len(Xc)
    before = np.inf
    while np.linalg.norm(centres - before) >= 0.01:
        W = reference.memberships(Xc, Y, centres)
        before, centres = centres, reference.fuzzy_centres(Xc, W)
    assert_equal(W, sample["fuzzy"])
    # Starting there, our iteration reaches the same limit.
    for _ in range(200):
        W = reference.memberships(Xc, Y, reference.fuzzy_centres(Xc, W))
    ours = ls.MLDA(None, weights="fuzzy").fit(sample.X, Y)
    limit = ls.MLDA(None, weights=W).fit(sample.X, Y)
    assert_equal(ours.eigenvalues_, limit.eigenvalues_, 1e-5)
    assert sine(ours.components_[:3].T, limit.components_[:3].T) < 1e-4


@pytest.mark.parametrize("name", SETS)
def test_dependence_weights_end_where_those_of_the_program_may(name):
    """Both are local maxima of one dependence: fixed points of the same rule, on a row's labels.

    The program assigns a row whose products are all negative to a label that it lacks, a bug.
    """
    sample = run(f"mlfe_weights_{name}")
    Xc, Y = sample.Xc, sample.Y
    ours, theirs = reference.dependence_weights(sample.X, Y), sample["dependence"]
    named, given = (ls.MLDA(None, weights=W).fit(sample.X, Y) for W in ("dependence", ours))
    assert_equal(named.eigenvalues_, given.eigenvalues_)
    slips = ((theirs > 0) & (Y == 0)).any(axis=1)
    assert slips.sum() == {"emotions": 17, "yeast": 9, "scene": 1, "enron": 16}[name]
    assert movable(Xc, Y, ours).sum() == 0
    # The program leaves one row of emotions at a label that is not its best.
    assert (movable(Xc, Y, theirs) & ~slips).sum() == (name == "emotions")


def movable(Xc, Y, W):
    """Rows with several labels that are not assigned to the one with the largest product."""
    products = Xc @ (Xc.T @ W)
    chosen = np.sum(W * products, axis=1)
    best = np.where(Y > 0, products, -np.inf).max(axis=1)
    return (Y.sum(axis=1) > 1) & (chosen < best - 1e-9 * np.abs(products).max())
