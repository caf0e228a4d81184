"""Data files: results belong to their content, names distinguish them, options suit some."""

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest

from labelspan.experiments import Plan, Source, Splits, Step, Store, analyse, load_plan, run
from labelspan.lab.plan import sources_of
from labelspan.lab.report import render
from tests.lab.plans import toy_plan, write_toy

ROWS = "0.5,1,0\n1.5,0,1\n-1,1,1\n2,0,0\n"
XML = '<labels xmlns="http://mulan.sourceforge.net/labels">{}</labels>'


def write_arff(path, rows=ROWS, header="mine: -C -2"):
    names = ("x numeric", "a {0,1}", "b {0,1}")
    attributes = "\n".join(f"@attribute {name}" for name in names)
    path.write_text(f"@relation '{header}'\n{attributes}\n@data\n{rows}")
    return path


def write_xml(path, *names):
    path.write_text(XML.format("".join(f'<label name="{name}"/>' for name in names)))
    return path


def test_hashes_of_plans_of_named_data_and_of_single_files_stay_as_they_are():
    # These hashes identify stored results that took hours.
    plan = Plan(
        "two methods",
        sources=(Source("yeast"), Source("scene")),
        reducers=(Step("none"), Step("mvmd", (("beta", 0.9),))),
        classifiers=(Step("ridge@0.2.0"),),
        models=(
            Step("cplst@0.2.0", (("n_components", 3),)),
            Step("cmlfs/svm", (("C", 1.0),)),
        ),
        splits=Splits("folds", n_folds=2, n_repeats=5),
        directions=(1, 2),
    )
    assert plan.hash == "51e39cf1f7b8e37e"
    assert plan.cells[0].id == "b64989be577deffd"
    assert plan.cells[-1].id == "dde5706ad9fd6900"
    source = Source("x", path="/data/x.npz", sha256="0" * 64)
    plan = Plan("file", (source,), reducers=(Step("none"),), classifiers=(Step("ridge@0.2.0"),))
    assert (plan.hash, plan.cells[0].id) == ("1c3dd529b160cc90", "6731d60206192862")


def test_a_single_file_is_known_by_its_own_hash(tmp_path):
    path = write_arff(tmp_path / "x.arff")
    source = Source.from_any({"path": str(path), "label_count": -2})
    assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_other_content_of_the_test_file_or_the_label_file_is_another_data_set(tmp_path):
    first, second = write_arff(tmp_path / "tr.arff", header="r"), tmp_path / "te.arff"
    write_arff(second, header="r")
    named = {"path": str(first), "test": str(second), "xml": str(tmp_path / "l.xml")}
    beside = {"path": str(first)}
    found = []
    for rows, labels in ((ROWS, "ab"), (ROWS[8:], "ab"), (ROWS[8:], "b")):
        write_arff(second, rows, header="r")
        write_xml(tmp_path / "l.xml", *labels)
        write_xml(tmp_path / "tr.xml", *labels)
        found.append((Source.from_any(named).sha256, Source.from_any(beside).sha256))
    assert len({both[0] for both in found}) == 3
    assert found[0][1] == found[1][1] != found[2][1]


def test_a_changed_test_file_is_run_again(tmp_path):
    first, second = write_arff(tmp_path / "tr.arff", ROWS * 10), tmp_path / "te.arff"

    def compared():
        source = Source.from_any({"path": str(first), "test": str(second)})
        plan = toy_plan(tmp_path, sources=(source,), splits=Splits("standard"))
        with Store(tmp_path / "out") as store:
            return run(plan, store, n_jobs=0)

    write_arff(second, ROWS * 3)
    assert compared().n_resumed == 0
    assert compared().n_resumed == 2
    write_arff(second, ROWS * 2)
    assert compared().n_resumed == 0


def test_a_report_needs_no_data_file_and_not_the_content_it_had(tmp_path):
    plan = toy_plan(tmp_path)
    with Store(tmp_path / "out") as store:
        run(plan, store, n_jobs=0)
        before = render(store, "md")
        path = tmp_path / "toy.npz"
        path.write_bytes(path.read_bytes() + b" ")
        assert render(store, "md") == before
        assert "The data sets are not described" not in render(store)
        path.unlink()
        assert render(store, "md") == before
        assert analyse(store).plan == plan


def test_a_plan_that_knows_other_content_is_not_run_on_this_one(tmp_path):
    plan = toy_plan(tmp_path)
    again = Plan.from_dict(json.loads(json.dumps(asdict(plan))))
    (tmp_path / "toy.npz").write_bytes(write_toy(tmp_path, n_samples=50).read_bytes())
    with pytest.raises(ValueError, match=r"the files of toy have changed since the plan was made"):
        again.sources[0].load()


def test_files_whose_names_begin_alike_have_names_of_their_own(tmp_path):
    paths = [write_arff(tmp_path / name) for name in ("x.v1.arff", "x.v2.arff", "y.v1.arff")]
    assert [s.name for s in sources_of([str(path) for path in paths])] == ["x.v1", "x.v2", "y"]
    # What a plan names keeps its name.
    items = [{"path": str(paths[0])}, {"name": "x", "path": str(paths[1])}]
    assert [source.name for source in sources_of(items)] == ["x.v1", "x"]
    (tmp_path / "plan.toml").write_text(
        'name = "p"\nsources = ["x.v1.arff", "x.v2.arff"]\nmodels = ["cplst"]'
    )
    plan = load_plan(tmp_path / "plan.toml")
    assert [source.name for source in plan.sources] == ["x.v1", "x.v2"]


def test_files_of_one_name_in_two_folders_are_to_be_named(tmp_path):
    (tmp_path / "other").mkdir()
    paths = [write_arff(folder / "x.arff") for folder in (tmp_path, tmp_path / "other")]
    with pytest.raises(ValueError, match=r"two data sets are called 'x'; rename one in a plan"):
        Plan("p", sources_of([str(path) for path in paths]), models=(Step("cplst"),))


def test_a_file_name_that_is_not_text_is_shown_by_its_codes(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.arff")
    try:
        with open(path, "w") as stream:
            stream.write(write_arff(tmp_path / "x.arff", ROWS * 10).read_text())
    except OSError:
        pytest.skip("this file system takes no such name")
    source = Source.from_any(path)
    assert source.name == r"caf\udce9"
    plan = toy_plan(tmp_path, sources=(source,), splits=Splits("random", n_repeats=1))
    with Store(tmp_path / "out") as store:
        assert run(plan, store, n_jobs=1, command=f"labelspan {path}").statuses == {"ok": 2}
        for name in ("html", "md", "csv", "latex"):
            assert "caf" in render(store, name).encode().decode()


def test_a_changed_file_ends_the_run_before_a_result_is_final(tmp_path):
    plan = toy_plan(tmp_path)
    (source,) = plan.sources
    before = Path(source.path).read_bytes()
    Path(source.path).write_bytes(before + b" ")
    with Store(tmp_path / "out") as store:
        with pytest.raises(ValueError, match="have changed since the plan was made"):
            run(plan, store, n_jobs=0)
        assert store.n_cells == 0
        Path(source.path).write_bytes(before)
        assert run(plan, store, n_jobs=0).statuses == {"ok": len(plan.cells)}


def test_python_values_that_say_the_same(tmp_path):
    plain = toy_plan(tmp_path)
    (source,) = plain.sources
    fields = {"name": source.name, "path": Path(source.path), "xml": None}
    assert Source.from_any(fields) == source
    content = {**asdict(plain), "directions": range(1, 3)}
    assert Plan.from_dict(content).directions == (1, 2)
    for wrong in ("ab", 3, {"a": 1}):
        with pytest.raises(ValueError, match="give a list, such as"):
            Plan.from_dict({**content, "directions": wrong})
