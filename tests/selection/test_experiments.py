"""The experiments of the CMLFS paper: the search, its follow-up, and the baselines."""

from dataclasses import replace

import numpy as np

from labelspan.datasets import load_yeast
from labelspan.experiments import Source, Splits, Store, get_method
from labelspan.papers import Experiment, Values, find_experiments, reproduce
from tests.lab.plans import toy_plan


def test_the_search_sees_only_the_training_rows_of_the_first_split():
    dataset = Source("yeast").load()
    outer = Splits("plain", n_repeats=10, train=1000).indices(dataset, 0)
    inner = Splits("inner", n_folds=5, n_repeats=1, train=1000).indices(dataset, 0)
    assert len(inner) == Splits("inner", n_folds=5).n_splits == 5
    train = set(outer[0][0])
    for some, rest in inner:
        assert set(some) | set(rest) == train
        assert not set(some) & set(rest)
    assert sorted(np.concatenate([rest for _, rest in inner])) == sorted(train)


def values_of_search(search, best):
    """Every point scores 0.5, the chosen one of each method 0.6."""
    found = {}
    for step in search.models:
        title = step.title.partition(": ")[0]
        value = 0.6 if step.title == best.get(title) else 0.5
        for measure in search.measures:
            found["yeast", step.title, measure] = [value, value]
    return Values(found, ())


def test_the_best_point_of_the_search_is_used_on_the_ten_splits():
    (experiment,) = find_experiments(["cmlfs/table2"])
    (search,) = experiment.plans(True)
    best = {"LaRank": "LaRank: C=10", "MLFS": "MLFS: C=10, n_features=20"}
    (plan,) = experiment.follow_up(values_of_search(search, best), True)
    steps = {step.label: dict(step.parameters) for step in plan.models}
    assert steps["LaRank"]["C"] == 10.0
    assert steps["MLFS"]["C"] == 10.0
    assert steps["CMLFS"]["C"] == 1.0
    assert steps["LaRank with tuned thresholds"]["C"] == 10.0
    assert plan.splits.train == 1000


def test_every_row_gets_a_label_from_the_baselines():
    yeast = load_yeast()
    X, Y = yeast.X[:200], yeast.Y[:200]
    for name, parameters in (
        ("cmlfs/svm", {"C": 1.0}),
        ("cmlfs/svm", {"C": 1.0, "k": 10}),
        ("cmlfs/cca-svm", {"C": 1.0, "ridge": 0.1, "n_components": 5}),
    ):
        model = get_method(name).make(parameters)
        predicted = model.fit(X, Y).predict(yeast.X[200:300])
        assert predicted.sum(axis=1).min() >= 1


def test_what_follows_a_search_is_run_with_its_values(tmp_path):
    first = toy_plan(tmp_path)
    seen = []

    def follow_up(values, quick):
        seen.append((values.mean("toy", "MDDM_p", "micro_f1"), quick))
        return (replace(first, name="after it", seed=1),)

    def judge(values, printed):
        seen.append(len(values.found[("toy", "MDDM_p", "micro_f1")]))
        return []

    experiment = Experiment(
        "cmlfs/toy", "a toy", (), 1, 1, lambda quick: (first,), judge, follow_up=follow_up
    )
    with Store(tmp_path / "out") as store:
        (outcome,) = reproduce([experiment], store, n_jobs=0)
        assert [row["name"] for row in store.plans()] == ["after it", first.name]
    assert seen[0][0] is not None
    assert seen == [(seen[0][0], False), 2 * first.splits.n_splits]
    assert outcome.failed == ()
