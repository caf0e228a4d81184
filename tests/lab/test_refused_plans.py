"""A mistake in a plan is reported before the first cell, in one line with its repair."""

import pytest

from labelspan.experiments import Plan, Step, Store, load_plan, run
from labelspan.lab.plan import check_methods
from tests.lab.plans import toy_plan, write_toy

FAULTY = "tests.lab.faulty:"
WHOLE = {
    "name": '"a plan"',
    "sources": '["toy.npz"]',
    "reducers": '["mvmd"]',
    "classifiers": '["ridge"]',
    "splits": '"1x2"',
}


def written(folder, **fields):
    """A complete plan file with these fields changed; None leaves one out."""
    write_toy(folder)
    lines = [f"{key} = {value}" for key, value in {**WHOLE, **fields}.items() if value is not None]
    path = folder / "plan.toml"
    path.write_text("\n".join(lines))
    return path


def test_the_plan_that_the_others_differ_from_is_whole(tmp_path):
    assert len(load_plan(written(tmp_path)).cells) == 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": None}, 'a plan has no name; add name = "..."'),
        ({"name": "3"}, "name is 3; give a string"),
        ({"sources": '"yeast"'}, r"sources is 'yeast'; give a list, such as \['yeast'\]"),
        ({"sources": "[3]"}, "a data set is 3; give a name, a path or a table"),
        ({"sources": "[{}]"}, "a data set has neither name nor path"),
        ({"sources": "[{path = 3}]"}, "path of a data set is 3; give a string"),
        (
            {"sources": '[{path = "toy.npz", labelcount = 3}]'},
            "a data set has no field 'labelcount'; it has name, path, test, xml, label_count",
        ),
        (
            {"sources": '[{path = "toy.arff", label_count = "3"}]'},
            "label_count of toy is '3'; give a whole number",
        ),
        (
            {"sources": '[{path = "toy.npz", prepare = "foo"}]'},
            "prepare of toy is 'foo'; give frequent-tfidf or frequent-tf or frequent-topics or "
            "trained-labels",
        ),
        (
            {"sources": '[{path = "toy.npz", label_count = 3}]'},
            r"toy.npz takes no label_count, which is for files that end with .arff; leave it out",
        ),
        (
            {"sources": '[{path = "toy.mat", test = "other.mat"}]'},
            r"toy.mat takes no test, which is for files that end with .arff, .svm, .libsvm",
        ),
        ({"sources": '[{name = "yeast", xml = "y.xml"}]'}, "yeast takes no xml"),
        ({"splits": "{folds = 2}"}, "splits has no field 'folds'; it has kind, n_folds"),
        ({"splits": '{n_folds = "2"}'}, "n_folds of the splits is '2'; give a whole number"),
        ({"splits": "{n_folds = 2.5}"}, "n_folds of the splits is 2.5; give a whole number"),
        ({"splits": "{n_repeats = true}"}, "n_repeats of the splits is True"),
        ({"splits": "{kind = 3}"}, "kind of the splits is 3; give a string"),
        (
            {"splits": '{kind = "random", train = -5}'},
            "train of the splits is -5; give a share between 0 and 1, or a whole number",
        ),
        ({"splits": '{kind = "random", train = 1.5}'}, "train of the splits is 1.5"),
        ({"directions": "3"}, r"directions is 3; give a list, such as \[3\]"),
        ({"directions": '["a"]'}, "a number of directions is 'a'; give a whole number of at l"),
        ({"directions": "[2.5]"}, "a number of directions is 2.5; give a whole number of at"),
        ({"directions": "[0]"}, "a number of directions is 0; give a whole number of at least 1"),
        ({"curve_splits": '"a"'}, "curve_splits is 'a'; give a whole number of at least 0"),
        ({"seed": '"abc"'}, "seed is 'abc'; give a whole number of at least 0 and at most 42949"),
        ({"seed": "-1"}, "seed is -1; give a whole number of at least 0"),
        ({"seed": "4294967296"}, "seed is 4294967296; .* at most 4294967295"),
        ({"convention": "3"}, "convention is 3; give a string"),
        ({"measures": '"micro_f1"'}, r"measures is 'micro_f1'; give a list, such as \['micro"),
        ({"measures": "[]"}, "measures are empty; give at least one"),
        ({"measures": "[3]"}, "a measure is 3; give a string"),
        ({"measures": '["micro_f1", "micro_f1"]'}, "the measure 'micro_f1' is given twice"),
        ({"classifiers": '"ridge"'}, "classifiers is 'ridge'; give a list"),
        ({"reducers": "[3]"}, "reducers hold 3; give a name of a method or a table"),
        ({"reducers": "[{label = 'x'}]"}, 'a step of reducers has no method; add method = "mvmd"'),
        ({"reducers": "[{method = 3}]"}, "method of reducers is 3; give a string"),
        ({"reducers": '[{method = "mvmd", label = 3}]'}, "label of mvmd is 3; give a string"),
        (
            {"reducers": '[{method = "mvmd", params = {beta = 0.123}}]'},
            "a step of reducers has no field 'params'; it has method, parameters, label, grid",
        ),
        (
            {"reducers": '[{method = "mvmd", parameters = 3}]'},
            r"parameters of mvmd is 3; give a table, such as \{ beta = 0.5 \}",
        ),
        (
            {"reducers": '[{method = "mvmd", parameters = {beta = 2020-01-01}}]'},
            r"beta of mvmd is datetime.date\(2020, 1, 1\); give a number, a string",
        ),
        (
            {"reducers": '[{method = "mvmd", grid = {beta = 0.1}}]'},
            r"beta in the grid of mvmd is 0.1; give a list, such as \[0.1\]",
        ),
        (
            {"reducers": '[{method = "mddm-p", grid = {constraint = "feature"}}]'},
            r"constraint in the grid of mddm-p is 'feature'; give a list",
        ),
        ({"reducers": '[{method = "mvmd", grid = {beta = []}}]'}, "beta in the grid .* is empty"),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_what_is_allowed(tmp_path, fields, message):
    with pytest.raises(ValueError, match=message) as raised:
        load_plan(written(tmp_path, **fields))
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_text_is_no_plan_and_a_mark_of_byte_order_does_not_matter(tmp_path):
    path = written(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + whole)
    assert len(load_plan(path).cells) == 2
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(ValueError, match="is not a TOML file"):
        load_plan(path)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"reducers": (Step("mvmd", (), "OURS"),), "models": (Step("cplst", (), "OURS"),)},
            "a reducer and a model are called 'OURS'; give one another label",
        ),
        (
            {"reducers": (Step("mvmd", (), "ridge"),)},
            "a reducer and a classifier are called 'ridge'",
        ),
        ({"models": (Step("ridge"),)}, "ridge is a classifier, not a model; give it with the clas"),
        ({"models": (Step("mvmd"),)}, r"mvmd is a reducer, not a model; .* \(--methods, or red"),
        ({"classifiers": (Step("cplst"),)}, r"cplst is a model, not a classifier; .*models in a"),
        ({"classifiers": (Step("mvmd"),)}, "mvmd is a reducer, not a classifier"),
        ({"reducers": (Step("ridge"),)}, "ridge is a classifier, not a reducer"),
        ({"reducers": (Step(f"model:{FAULTY}OnlyPredicts"),)}, "is a model, not a reducer"),
        (
            {"reducers": (Step("mvmd", (), "bad \udcff"),)},
            r"the name .*udcff' contains characters UTF-8",
        ),
    ],
)
def test_methods_that_the_report_could_not_tell_apart_are_refused(tmp_path, fields, message):
    with pytest.raises(ValueError, match=message):
        toy_plan(tmp_path, **fields)


def test_a_path_is_what_the_list_it_stands_in_is_for(tmp_path):
    plan = toy_plan(tmp_path, reducers=("none", "mvmd"), models=(Step(f"{FAULTY}OnlyPredicts"),))
    with Store(tmp_path / "out") as store:
        assert set(run(plan, store, n_jobs=0).statuses) == {"ok"}
        rows = store.query("SELECT DISTINCT method, classifier FROM cells ORDER BY method")
    assert [(row["method"], row["classifier"]) for row in rows] == [
        ("MVMD", "ridge"),
        ("OnlyPredicts", "OnlyPredicts"),
        ("no reduction", "ridge"),
    ]
    marked = toy_plan(
        tmp_path, reducers=("none", "mvmd"), models=(Step(f"model:{FAULTY}OnlyPredicts"),)
    )
    assert [cell.id for cell in marked.cells] == [cell.id for cell in plan.cells]


@pytest.mark.parametrize(
    ("reducer", "message"),
    [
        (Step("mvmd", (("bta", 1),)), "mvmd has no parameter 'bta'; it has n_components, beta"),
        (Step(f"{FAULTY}Nope"), "cannot be imported: tests.lab.faulty has no 'Nope'"),
        (Step("no_such_module:Nope"), "cannot be imported: No module named 'no_such_module'"),
        (Step("math:pi"), "math:pi is not an estimator class, which has fit and get_params"),
        (Step("json:loads"), "json:loads is not an estimator class"),
        (Step("sklearn.feature_selection:SelectFromModel"), "requires parameter 'estimator'"),
        (Step("fractions:Fraction"), "fractions:Fraction is not an estimator class"),
        (Step(f"{FAULTY}CannotBeMade"), "CannotBeMade cannot be made: TypeError: not today"),
        (
            Step(f"{FAULTY}OnlyPredicts"),
            f"has no transform, so it is not a reducer; write model:{FAULTY}OnlyPredicts to",
        ),
    ],
)
def test_what_would_fail_in_every_cell_is_refused_before_the_first(tmp_path, reducer, message):
    plan = toy_plan(tmp_path, reducers=("none", reducer))
    with Store(tmp_path / "out") as store:
        with pytest.raises((ValueError, ImportError), match=message):
            run(plan, store, n_jobs=0)
        assert (store.n_cells, store.plans()) == (0, [])


def test_a_module_that_only_a_cluster_has_is_not_refused(tmp_path):
    plan = toy_plan(tmp_path, reducers=("none", Step("no_such_module:Nope")))
    check_methods(plan, elsewhere=True)
    with pytest.raises(ImportError, match="no_such_module:Nope cannot be imported"):
        check_methods(plan)


def test_a_classifier_that_cannot_predict_is_refused_before_the_first_cell(tmp_path):
    plan = toy_plan(tmp_path, classifiers=(Step(f"{FAULTY}Slow"),))
    with (
        Store(tmp_path / "out") as store,
        pytest.raises(ValueError, match=r"Slow has no predict, .* give it with the reducers"),
    ):
        run(plan, store, n_jobs=0)


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf"), 1e300])
def test_a_time_limit_that_no_cell_could_keep_or_break_is_refused(tmp_path, timeout):
    with (
        Store(tmp_path / "out") as store,
        pytest.raises(ValueError, match=r"timeout is .*; give seconds above 0, at most"),
    ):
        run(toy_plan(tmp_path), store, n_jobs=1, timeout=timeout)


def test_fields_that_a_plan_does_not_have_are_refused():
    with pytest.raises(ValueError, match="a plan has no field 'methods'; it has name, sources"):
        Plan.from_dict({"name": "x", "methods": []})
