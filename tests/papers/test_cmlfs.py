"""The grids of the CMLFS paper, typed a second time from its Sec. 4.3 and Table 1."""

from itertools import product

import pytest

from labelspan.papers import find_experiments

# Without the 1000 of the paper.
COSTS = [10.0**t for t in range(-3, 3)]
RIDGES = [10.0**t for t in range(-5, 0)]
MUS = [10.0**t for t in range(-2, 3)]


@pytest.mark.parametrize(
    ("name", "n_features", "step", "masks"),
    [
        ("scene", 294, 10, range(10, 21)),
        ("yeast", 103, 10, range(10, 21)),
        ("yahoo-mulan-arts", 17973, 1000, range(1000, 10001, 1000)),
        ("yahoo-mulan-business", 16621, 1000, range(1000, 10001, 1000)),
        ("yahoo-mulan-education", 20782, 1000, range(1000, 10001, 1000)),
        ("yahoo-mulan-health", 18430, 1000, range(1000, 10001, 1000)),
    ],
)
def test_the_grids_are_those_of_the_paper(name, n_features, step, masks):
    expected = {
        "SVM": {"C": COSTS},
        "LaRank": {"C": COSTS},
        "CCA+SVM": {"C": COSTS, "ridge": RIDGES},
        "ML_LS": {"alpha": RIDGES, "beta": RIDGES},
        "FS+SVM": {"C": COSTS, "k": list(range(step, n_features + 1, step))},
        "CLaRank": {"C": COSTS, "mu": MUS},
        "MLFS": {"C": COSTS, "n_features": list(masks)},
        "CMLFS": {"C": COSTS, "mu": MUS, "n_features": list(masks)},
    }
    found = points_of(name)
    assert list(found) == list(expected)
    for title, grid in expected.items():
        points = [tuple(map(rounded, point)) for point in product(*grid.values())]
        tried = [tuple(rounded(point[key]) for key in grid) for point in found[title]]
        assert sorted(tried) == sorted(points)


def points_of(name):
    """The parameters that the search over a data set tries, by method."""
    (experiment,) = find_experiments(["cmlfs/table2"])
    (plan,) = (plan for plan in experiment.plans(False) if plan.sources[0].name == name)
    found = {}
    for step in plan.models:
        found.setdefault(step.title.partition(": ")[0], []).append(dict(step.parameters))
    return found


def rounded(value):
    """Powers of ten differ in their last bit from what is typed."""
    return float(f"{value:.9g}")
