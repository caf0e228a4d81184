"""Data of every kind from the command line: the command has every option of the readers."""

import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from labelspan.datasets import load_yeast, read_npz, write_libsvm
from labelspan.experiments import Plan, Source, Splits, Step, Store, analyse, run
from labelspan.lab.plan import cell_from_dict
from tests.lab import test_cli

RANDOM = np.random.default_rng(0)
N = 60
X = RANDOM.normal(size=(N, 4))
SCORES = X @ RANDOM.normal(size=(4, 3)) + 0.3 * RANDOM.normal(size=(N, 3))
Y = (SCORES > 0).astype(int)
WORDS = np.array(["red", "round", "small"])


# The fixture that runs the command in this process.
labelspan = test_cli.labelspan


@pytest.fixture
def data_folder():
    folder = os.environ.get("LABELSPAN_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set LABELSPAN_DATA to the folder of the benchmark data sets")
    return Path(folder).resolve()


def write_csv(path, identifier=False):
    """Four features and a column of tags; perhaps a name of each row."""
    lines = ["name,a,b,c,d,tags" if identifier else "a,b,c,d,tags"]
    for i in range(N):
        start = [f"row{i}"] if identifier else []
        tags = ";".join(WORDS[Y[i] == 1])
        lines.append(",".join([*start, *map(repr, X[i].tolist()), tags]))
    path.write_text("\n".join(lines) + "\n")
    return path


def described(labelspan, *arguments):
    code, out, err = labelspan("describe", *arguments, "--json")
    assert code < 2, err
    return json.loads(out)


def refused(labelspan, *arguments):
    """Give the one line of an error."""
    code, out, err = labelspan(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    return err


QUICK = ("--methods", "none,mvmd", "--classifiers", "ridge", "--splits", "2", "--directions", "",
         "--jobs", "0")  # fmt: skip


def test_compare_a_csv_file_by_its_tags(labelspan, tmp_path):
    path = write_csv(tmp_path / "my.csv")
    code, out, _ = labelspan("compare", path, "--labels", "tags", *QUICK, "--out", tmp_path / "o")
    assert code == 0
    assert out.startswith("my: means over 1 x 2-fold")
    with Store(tmp_path / "o") as store:
        plan = analyse(store).plan
    (source,) = plan.sources
    assert source.labels == ("tags",)
    np.testing.assert_array_equal(source.load().Y, Y)
    # The option says the same as the argument, and several sets are one after the other.
    again = labelspan(
        "compare", "--data", path, "--labels", "tags", *QUICK, "--out", tmp_path / "o"
    )
    assert "stored already" in again[2]


def test_describe_and_reduce_a_csv_file(labelspan, tmp_path):
    path = write_csv(tmp_path / "my.csv")
    found = described(labelspan, path, "--labels", "tags")
    assert (found["n_samples"], found["n_features"], found["n_labels"]) == (N, 4, 3)
    assert found["cardinality"] == pytest.approx(Y.sum() / N)
    out = tmp_path / "r.npz"
    code, _, _ = labelspan("reduce", path, "--labels", "tags", "--out", out, "--n-components", "2")
    assert code == 0
    assert read_npz(out).label_names == ("red", "round", "small")
    np.testing.assert_array_equal(read_npz(out).Y, Y)


def test_columns_of_zero_and_one_and_a_name_of_each_row(labelspan, tmp_path):
    path = write_csv(tmp_path / "my.csv", identifier=True)
    line = refused(labelspan, "describe", path, "--labels", "tags")
    assert "column 'name' has 60 different values in 60 rows" in line
    assert "(--ignore 'name')" in line
    found = described(labelspan, path, "--labels", "tags", "--ignore", "name,d")
    assert found["n_features"] == 3
    lines = path.read_text().splitlines()
    lines = [f"{lines[0]},u,v"] + [f"{line},{i % 2},1" for i, line in enumerate(lines[1:])]
    path.write_text("\n".join(lines))
    found = described(labelspan, path, "--labels", "u,v", "--ignore", "name", "--ignore", "tags")
    assert (found["n_labels"], found["cardinality"]) == (2, 1.5)


def test_medical_has_its_labels(labelspan, data_folder):
    path = data_folder / "mulan/medical/medical-train.arff"
    found = described(labelspan, path)
    assert (found["n_samples"], found["n_features"], found["n_labels"]) == (333, 1449, 45)
    line = refused(labelspan, "compare", path, "--label-count", "45", *QUICK)
    assert "label_count=45 means 45 columns ('-', '/', '0', ...), but medical.xml means" in line


def test_genbase_is_refused_until_its_identifier_is_left_out(labelspan, data_folder):
    paths = [data_folder / f"mulan/genbase/genbase-{part}.arff.gz" for part in ("train", "test")]
    line = refused(labelspan, "compare", paths[0], "--test", paths[1], *QUICK)
    assert "leave it out by ignore=['protein'] (--ignore 'protein')" in line
    found = described(labelspan, paths[0], "--test", paths[1], "--ignore", "protein")
    assert (found["n_features"], found["n_duplicate_rows"]) == (1185, 457)


def test_a_stale_option_is_refused_and_named(labelspan, tmp_path):
    path = tmp_path / "x.arff"
    columns = "".join(f"@attribute {name} {{0,1}}\n" for name in "abcd")
    relation = "x: -C 2-weka.filters.unsupervised.attribute.Remove-R1"
    path.write_text(f"@relation '{relation}'\n{columns}@data\n" + "0,1,1,0\n1,0,1,1\n" * 20)
    line = refused(labelspan, "compare", path, "--out", tmp_path / "out")
    assert "-C 2 in the relation name is not used, because a filter" in line
    assert not (tmp_path / "out").exists()
    assert described(labelspan, path, "--labels", "c,d")["n_labels"] == 2
    assert described(labelspan, path, "--label-count", "-1")["n_labels"] == 1


def test_numbers_of_libsvm_text(labelspan, tmp_path):
    path = tmp_path / "x.svm"
    path.write_text("1,2 0:1 3:2\n2 1:1\n" * 3)
    assert described(labelspan, path)["n_labels"] == 3
    found = described(labelspan, path, "--first-label", "1", "--n-features", "9", "--n-labels", "5")
    assert (found["n_features"], found["n_labels"]) == (9, 5)
    assert "number is below the first one" in refused(
        labelspan, "describe", path, "--first-feature", "1"
    )
    yeast = load_yeast()
    write_libsvm(yeast, tmp_path / "train.svmlight", rows=yeast.train)
    write_libsvm(yeast, tmp_path / "test.svmlight", rows=yeast.test)
    found = described(labelspan, tmp_path / "train.svmlight", "--test", tmp_path / "test.svmlight")
    assert (found["n_samples"], found["n_features"], found["n_leaked_rows"]) == (2417, 103, 0)


def test_variables_of_a_mat_file(labelspan, tmp_path):
    path = tmp_path / "x.mat"
    scipy.io.savemat(path, {"X": X, "Y": Y, "data": X[:, :2], "L": Y[:, :2]})
    assert "are both there; say which by data= (--variables X,Y)" in refused(
        labelspan, "describe", path
    )
    found = described(labelspan, path, "--variables", "X,L")
    assert (found["n_features"], found["n_labels"]) == (4, 2)
    assert described(labelspan, path, "--variables", "data,Y")["n_features"] == 2


def test_ignore_goes_with_every_kind_of_data(labelspan, tmp_path):
    assert described(labelspan, "yeast", "--ignore", "Att1,Class14")["n_features"] == 102
    assert described(labelspan, "yeast", "--ignore", "Att1,Class14")["n_labels"] == 13
    np.savez(tmp_path / "x.npz", X=X, Y=Y)
    assert described(labelspan, tmp_path / "x.npz", "--ignore", "feature2")["n_features"] == 3
    line = refused(labelspan, "describe", tmp_path / "x.npz", "--ignore", "feature9")
    assert "ignore names 'feature9', which is not a column; did you mean" in line


def test_describe_names_the_columns_that_stand_out(labelspan, tmp_path):
    numbers = np.column_stack([1000 * RANDOM.permutation(N) // 1000, X])
    np.savez(tmp_path / "x.npz", X=numbers, Y=Y, feature_names=np.array(["row", *"abcd"]))
    code, out, _ = labelspan("describe", tmp_path / "x.npz")
    assert code == 1
    assert "1 feature numbers the rows: 'row'; leave it out by ignore= (--ignore)" in out
    assert "feature 'row' has 9" in out
    code, out, _ = labelspan("describe", tmp_path / "x.npz", "--ignore", "row")
    assert "number the rows" not in out
    assert "of the variance" not in out


REFUSED = [
    (("describe", "{csv}"), "my.csv needs labels: columns of 0 and 1, or one column that lists"),
    (
        ("describe", "{csv}", "--labels", "tag"),
        "labels names 'tag', which is not a column; did you",
    ),
    (("describe", "{csv}", "--labels", "tags", "--xml", "x"), "my.csv takes no xml, which is for"),
    (("describe", "yeast", "--labels", "a"), "yeast takes no labels, which is for files that end"),
    (("describe", "yeast", "--first-label", "1"), "yeast takes no first_label, which is for files"),
    (("describe", "x.mat", "--variables", "X"), "variables of x is ['X']; give two names, those"),
    (("describe", "x.svm", "--n-labels", "-1"), "n_labels of x is -1; give a whole number of at l"),
    (("compare", "yeast", "scene", "--ignore", "a"), "--ignore needs exactly one --data"),
    (
        ("compare", "yeast", "--plan", "p.toml"),
        "yeast cannot be combined with --plan, which names its",
    ),
    (("compare", "--ignore", "a", "--plan", "p.toml"), "--ignore cannot be combined with --plan"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_wrong_use_is_one_line(arguments, message, labelspan, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_csv(tmp_path / "my.csv")
    line = refused(labelspan, *(text.format(csv=path) for text in arguments))
    assert message in line


def test_what_is_told_is_part_of_a_plan_and_its_hash(tmp_path):
    path = write_csv(tmp_path / "my.csv", identifier=True)
    fields = {"path": str(path), "labels": "tags", "ignore": ["name"], "separator": ";"}
    source = Source.from_any(fields)
    plan = Plan(
        "p",
        (source,),
        reducers=(Step("none"),),
        classifiers=(Step("ridge"),),
        splits=Splits("folds"),
    )
    again = Plan.from_dict(json.loads(json.dumps(asdict(plan))))
    assert again == plan
    assert again.hash == plan.hash
    assert cell_from_dict(json.loads(json.dumps(asdict(plan.cells[0])))) == plan.cells[0]
    other = replace(plan, sources=(replace(source, ignore=("name", "a")),))
    assert other.cells[0].id != plan.cells[0].id
    with Store(tmp_path / "out") as store:
        assert set(run(plan, store, n_jobs=1).statuses) == {"ok"}


def test_describe_realigns_labels_that_stand_off(labelspan, tmp_path):
    yeast = load_yeast()
    X, Y = yeast.X.copy(), yeast.Y.copy()
    X[:1500, -3:], Y[:1500] = Y[:1500, :3], np.pad(Y[:1500, 3:], ((0, 0), (0, 3)))
    np.savez(tmp_path / "off.npz", X=X, Y=Y)
    code, out, _ = labelspan("describe", tmp_path / "off.npz")
    assert code == 1
    assert "the rows before 1500 are misaligned: their labels are 3 columns too far left" in out
    assert "features 100 to 102 hold labels there; repair it by" in out
    repaired = tmp_path / "on.npz"
    code, out, err = labelspan("describe", tmp_path / "off.npz", "--realign", repaired)
    assert "misaligned" not in out
    assert f"labels of the rows before 1500 moved back by 3 columns; written to {repaired}" in err
    np.testing.assert_array_equal(read_npz(repaired).Y, yeast.Y)
    line = refused(labelspan, "describe", repaired, "--realign", tmp_path / "again.npz")
    assert "--realign: no misaligned rows in on; nothing was written" in line
    assert not (tmp_path / "again.npz").exists()
    line = refused(labelspan, "describe", repaired, "--realign", tmp_path / "again.csv")
    assert "give a name that ends with .npz" in line


def test_decimal_signs_are_told(labelspan, tmp_path):
    path = tmp_path / "my.csv"
    path.write_text('x,y,l\n"1,234",2,0\n"5,678",3,1\n"9,000",5,1\n')
    line = refused(labelspan, "describe", path, "--labels", "l")
    assert "'1,234' is 1234 with decimal='.' (--decimal .), and 1.234 with decimal=','" in line
    for decimal, first in ((".", 1234), (",", 1.234)):
        source = Source.from_any({"path": path, "labels": "l", "decimal": decimal})
        assert source.load().X[0, 0] == first
        found = described(labelspan, path, "--labels", "l", "--decimal", decimal)
        assert (found["n_samples"], found["n_features"]) == (3, 2)
    line = refused(labelspan, "describe", path, "--labels", "l", "--decimal", "x")
    assert "decimal is 'x'; give '.' or ','" in line
    told = replace(source, decimal="")
    assert asdict(told)["decimal"] == ""


@pytest.mark.parametrize("suffix", ["csv", "arff"])
def test_a_column_cannot_be_a_label_and_ignored(suffix, labelspan, tmp_path):
    path = tmp_path / f"my.{suffix}"
    names = {"csv": "x,a,b", "arff": "@relation r\n@attribute x real\n@attribute a {0,1}\n"
             "@attribute b {0,1}\n@data"}  # fmt: skip
    path.write_text(f"{names[suffix]}\n1,0,1\n2,1,1\n")
    line = refused(labelspan, "describe", path, "--labels", "a,b", "--ignore", "a")
    assert "labels and ignore both name 'a' (--labels, --ignore); leave it out of one" in line


@pytest.mark.parametrize("suffix", ["csv", "arff"])
def test_a_latin_1_file_names_the_option(suffix, labelspan, tmp_path):
    path = tmp_path / f"my.{suffix}"
    names = {"csv": "größe,c,b", "arff": "@relation r\n@attribute größe real\n@attribute c {é,u}\n"
             "@attribute b {0,1}\n@data"}  # fmt: skip
    path.write_bytes(f"{names[suffix]}\n1,é,1\n2,u,0\n".encode("latin-1"))
    assert "--encoding" in refused(labelspan, "describe", path, "--labels", "b")
    found = described(labelspan, path, "--labels", "b", "--encoding", "latin-1")
    assert found["n_features"] == 2
