"""Plans are data: from TOML or Python, frozen, hashed, checked."""

import dataclasses
import json

import pytest

from labelspan.experiments import METHODS, Plan, Source, Splits, Step, get_method, load_plan
from labelspan.lab.plan import cell_from_dict
from tests.lab.plans import toy_plan

TOML = """
name = "a plan"
seed = 3
measures = ["micro_f1", "coverage"]
sources = ["yeast", {name = "mine", path = "toy.npz"}]
splits = {kind = "random", n_repeats = 3, train = 0.5}
classifiers = ["mlknn"]
models = ["shared-subspace"]
directions = [1, 2]
[[reducers]]
method = "mvmd"
parameters = {n_components = 3}
grid = {beta = [0.25, 0.75]}
[[reducers]]
method = "none"
"""


def test_toml_gives_the_plan_that_python_gives(tmp_path):
    toy_plan(tmp_path)
    path = tmp_path / "plan.toml"
    path.write_text(TOML)
    plan = load_plan(path)
    expected = Plan(
        "a plan",
        sources=(
            Source("yeast"),
            Source.from_any({"name": "mine", "path": str(tmp_path / "toy.npz")}),
        ),
        reducers=(
            Step("mvmd", (("n_components", 3), ("beta", 0.25))),
            Step("mvmd", (("n_components", 3), ("beta", 0.75))),
            Step("none"),
        ),
        classifiers=(Step("mlknn"),),
        models=(Step("shared-subspace"),),
        splits=Splits("random", n_repeats=3, train=0.5),
        measures=("micro_f1", "coverage"),
        seed=3,
        directions=(1, 2),
    )
    assert plan == expected
    assert plan.hash == expected.hash
    # 2 sets x 3 splits x (3 reducers x 1 classifier + 1 model), 2 x 2 x 2 reducers x 2 points
    assert len(plan.cells) == 2 * 3 * 4 + 2 * 2 * 2 * 2


def test_a_plan_is_frozen_and_its_hash_follows_its_content(tmp_path):
    plan = toy_plan(tmp_path)
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.seed = 1
    assert dataclasses.replace(plan, seed=1).hash != plan.hash
    again = Plan.from_dict(json.loads(json.dumps(dataclasses.asdict(plan))))
    assert again.hash == plan.hash


def test_cells_keep_their_hash_through_json_and_between_plans(tmp_path):
    plan = toy_plan(tmp_path)
    wider = toy_plan(tmp_path, name="another", reducers=("none", "mddm-p", "mvmd"))
    assert {cell.id for cell in plan.cells} < {cell.id for cell in wider.cells}
    for cell in plan.cells:
        assert cell_from_dict(json.loads(json.dumps(dataclasses.asdict(cell)))).id == cell.id


def test_other_content_of_a_file_is_another_data_set(tmp_path):
    before = toy_plan(tmp_path)
    (tmp_path / "toy.npz").write_bytes((tmp_path / "toy.npz").read_bytes() + b" ")
    after = Source.from_any({"name": "toy", "path": str(tmp_path / "toy.npz")})
    assert after != before.sources[0]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"measures": ("f2",)}, "no measure 'f2'"),
        ({"reducers": ()}, "the plan has no cells"),
        ({"reducers": ("mvmd", "mvmd")}, "two reducers are called 'MVMD'"),
    ],
)
def test_bad_plans_are_refused(tmp_path, fields, message):
    with pytest.raises(ValueError, match=message):
        toy_plan(tmp_path, **fields)


def test_bad_files_are_refused(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("name = ")
    with pytest.raises(ValueError, match="not a TOML file"):
        load_plan(path)
    path.write_text('name = "x"\nmethods = []')
    with pytest.raises(ValueError, match="no field 'methods'; it has name, sources"):
        load_plan(path)


@pytest.mark.parametrize(
    ("text", "splits"),
    [
        ("standard", Splits("standard")),
        ("5x2", Splits("folds", n_folds=2, n_repeats=5)),
        ("10", Splits("folds", n_folds=10, n_repeats=1)),
        ("30x0.8", Splits("random", n_repeats=30, train=0.8)),
        ("30x1000", Splits("random", n_repeats=30, train=1000)),
    ],
)
def test_splits_from_a_word(text, splits):
    assert Splits.from_any(text) == splits


def test_random_splits_take_so_many_rows():
    dataset = Source("yeast").load()
    splits = Splits.from_any("2x1000").indices(dataset, 0)
    for train, test in splits:
        assert (len(train), len(test)) == (1000, 1417)
        assert sorted([*train, *test]) == list(range(2417))
    assert set(splits[0][0]) != set(splits[1][0])


@pytest.mark.parametrize(("text", "message"), [("5y2", "not understood"), ("3x1", "at least 1")])
def test_bad_splits_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Splits.from_any(text)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_of_the_list_can_be_made(method):
    estimator = method.make()
    assert (estimator is None) == (method.name == "none")
    if method.kind != "reducer":
        assert hasattr(estimator, "predict")
    elif estimator is not None:
        assert hasattr(estimator, "transform")


def test_unknown_methods_and_parameters_are_named():
    with pytest.raises(ValueError, match="no method 'mddm'; did you mean mddm-p or mddm-f"):
        get_method("mddm")
    with pytest.raises(ValueError, match="mvmd has no parameter 'gamma'; it has n_components, be"):
        get_method("mvmd").make({"gamma": 1})
