"""The command: tables, files, exit codes and messages."""

import json
import os
import re
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest

from labelspan import MDDM, MVMD, __version__
from labelspan.datasets import load_yeast, read_csv, read_npz, write_npz
from labelspan.experiments import Store
from labelspan.lab.cli import _compare, main
from tests.lab.plans import HOSTILE, write_toy


@pytest.fixture
def labelspan(monkeypatch, capsys):
    """Run the command in this process: exit code, output, errors."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["labelspan", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call


def assert_refused(outcome, message, folder):
    """One line, the exit code of wrong use, and nothing left behind."""
    code, out, err = outcome
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(folder.iterdir()) == []


def compare(labelspan, tmp_path, *more, label_names=None):
    data = write_toy(tmp_path, label_names=label_names)
    common = ("--data", data, "--splits", "2x2", "--directions", "1,2", "--jobs", "0")
    return labelspan("compare", *common, "--out", tmp_path / "out", *more)


def test_compare_ends_with_table_verdict_recommendation_and_report(labelspan, tmp_path):
    code, out, err = compare(
        labelspan, tmp_path, "--methods", "none,mvmd,dmlda,shared-subspace", label_names=HOSTILE
    )
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "toy, ML-kNN: means over 2 x 2-fold stratified cross-validation"
    assert lines[1].split()[:3] == ["method", "rank", "Micro-F1"]
    ranks = [float(line[14:].split()[0]) for line in lines[2:6]]
    assert ranks == sorted(ranks)
    assert lines[7] == "toy, ridge: means over 2 x 2-fold stratified cross-validation"
    assert "Micro-F1: no verdict from 4 data sets or splits: below 6" in out
    assert "Friedman chi-square(3) = " in out
    assert "No recommendation from 4 data sets or splits" in out
    assert lines[-1] == f"report: {tmp_path / 'out' / 'report.html'}"
    assert "cells" in err
    again = compare(labelspan, tmp_path, "--methods", "none,mvmd,dmlda,shared-subspace",
                    label_names=HOSTILE)  # fmt: skip
    assert again[1] == out
    assert "stored already" in again[2]


def test_compare_says_where_labels_do_not_depend_on_features(labelspan, tmp_path):
    """The labels of other rows; with labels of their own, no such line."""
    given = ("--methods", "none,mvmd", "--classifiers", "ridge")
    assert "noise" not in compare(labelspan, tmp_path, *given)[1]
    toy = read_npz(tmp_path / "toy.npz")
    path = tmp_path / "mixed.npz"
    write_npz(replace(toy, name="mixed", Y=np.roll(toy.Y, 7, axis=0)), path)
    common = ("--data", path, "--splits", "2x2", "--directions", "1", "--out", tmp_path / "mixed")
    out = labelspan("compare", *common, "--jobs", "0", *given)[1]
    said = "On mixed labels are not shown to depend on features (p = "
    assert said in out
    assert "): differences between methods are noise." in out
    page = (tmp_path / "mixed" / "report.html").read_text(encoding="utf-8")
    assert f'<p class="warn">{said}' in page
    assert "<p>labels are not shown to depend on features: p = " in page
    labelspan("report", tmp_path / "mixed", "--format", "md")
    assert said.partition(" (")[0] in (tmp_path / "mixed" / "report.md").read_text(encoding="utf-8")
    found = json.loads(labelspan("compare", *common, "--jobs", "0", *given, "--json")[1])
    assert found["noise"][0].startswith(said)


def test_compare_prints_json_and_its_exit_code_tells_of_failures(labelspan, tmp_path):
    faulty = "tests.lab.faulty:Raises"
    code, out, _ = compare(labelspan, tmp_path, "--methods", f"none,mvmd,{faulty}", "--json")
    content = json.loads(out)
    assert code == 1
    assert content["statuses"] == {"ok": 24, "failed": 16}
    assert set(content["excluded"]) == {"Raises"}
    assert [item["classifier"] for item in content["classifiers"]] == ["ML-kNN", "ridge"]
    for found in content["classifiers"]:
        assert [item["method"] for item in found["methods"]][2] == "Raises"
        assert found["methods"][0]["means"]["micro_f1"] > 0


def test_interrupted_the_command_says_how_to_go_on(labelspan, tmp_path):
    # In this process, as the keyboard would.
    code, out, err = compare(labelspan, tmp_path, "--methods", "none,tests.lab.faulty:Interrupts")
    assert (code, out) == (130, "")
    assert "labelspan: interrupted; finished results are stored" in err
    with Store(tmp_path / "out", read_only=True) as store:
        assert store.query("SELECT DISTINCT method FROM cells") == [{"method": "no reduction"}]


def test_compare_reads_a_plan(labelspan, tmp_path):
    write_toy(tmp_path)
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'name = "p"\nsources = [{path = "toy.npz"}]\nclassifiers = ["ridge"]\nsplits = "2"\n'
        'reducers = [{method = "mvmd", grid = {beta = [0.1, 0.9]}}]'
    )
    code, out, _ = labelspan("compare", "--plan", plan, "--out", tmp_path / "o", "--jobs", "0")
    assert code == 0
    assert "MVMD beta=0.1" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "--methods", "mdm"), "there is no method 'mdm'; did you mean"),
        (("compare", "--splits", "x"), "splits='x' is not understood"),
        (("compare", "--classifiers", "mvmd"), "mvmd is a reducer, not a classifier; give it"),
        (("compare", "yeast", "--label-count", "6"), "yeast takes no label_count, which is for"),
        (("compare", "--measures", "f9"), "There is no measure 'f9'"),
        (("compare", "--data", "no/such.arff"), "no/such.arff"),
        (("report", "nowhere"), "there is no store in nowhere"),
        (("report", "nowhere", "--format", "pdf"), "there is no format 'pdf'"),
        (("describe", "toy.xlsx"), "toy.xlsx"),
        (("reduce", "yeast", "--method", "ridge"), "ridge does not reduce features"),
        (("reduce", "yeast", "--rows", "some"), "--rows is 'some'; give train or all"),
        (("reduce", "yeast", "--set", "beta"), "--set beta is not understood"),
        (("reduce", "yeast", "--apply", "no.skops"), "there is no model no.skops"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(
    labelspan, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    code, out, err = labelspan(*arguments)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert message in err


def test_a_file_that_cannot_be_read_is_refused_before_any_cell(labelspan, tmp_path):
    file = tmp_path / "three.arff"
    file.write_text("@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n1,0\n2,1\n")
    code, out, err = labelspan(
        "compare", "--data", file, "--label-count", "9", "--out", tmp_path / "out"
    )
    assert (code, out) == (2, "")
    assert "label_count=9; allowed is 1 to 1" in err
    assert not (tmp_path / "out").exists()


def test_describe_finds_defects_and_says_so_by_its_exit_code(labelspan, tmp_path):
    code, out, _ = labelspan("describe", "yeast")
    assert code == 0
    assert "2417 samples, 103 features, 14 labels" in out
    data = write_toy(tmp_path)
    arrays = dict(np.load(data))
    arrays["X"][:, 0] = 1
    np.savez(data, **arrays)
    code, out, _ = labelspan("describe", data, "--json")
    assert code == 1
    assert json.loads(out)["problems"] == ["1 feature is constant"]


def test_reduce_fits_on_the_training_rows_and_applies_the_saved_model(labelspan, tmp_path):
    reduced, model = tmp_path / "reduced.npz", tmp_path / "model.skops"
    arguments = ("--method", "mvmd", "--n-components", ".999", "--set", "beta=0.25")
    code, out, _ = labelspan("reduce", "yeast", *arguments, "--out", reduced, "--model", model)
    assert code == 0
    assert "fitted on 1500 rows" in out
    yeast = load_yeast()
    expected = MVMD(0.999, beta=0.25).fit(yeast.X[yeast.train], yeast.Y[yeast.train])
    found = read_npz(reduced)
    np.testing.assert_allclose(found.X, expected.transform(yeast.X), rtol=1e-10, atol=1e-12)
    assert np.array_equal(found.Y, yeast.Y)
    assert np.array_equal(found.train, yeast.train)
    again = tmp_path / "again.npz"
    code, _, _ = labelspan("reduce", "yeast", "--apply", model, "--out", again)
    assert code == 0
    assert np.array_equal(read_npz(again).X, found.X)


def test_a_csv_file_with_a_column_of_labels_is_reduced_to_a_csv_file(labelspan, tmp_path):
    """The path of a newcomer: look, follow the advice, reduce."""
    rng = np.random.default_rng(0)
    X, names = rng.standard_normal((60, 3)).round(3), np.array(["red", "round", "large"])
    lists = [", ".join(names[row]) for row in X + rng.standard_normal((60, 3)) > 0.3]
    rows = [f'item{i},{",".join(map(str, X[i]))},"{lists[i]}"' for i in range(60)]
    source, out = tmp_path / "my.csv", tmp_path / "reduced.csv"
    source.write_text("\n".join(["id,price,weight,width,tags", *rows]) + "\n")
    code, _, err = labelspan("describe", source, "--labels", "tags")
    assert code != 0
    assert "leave it out by ignore=['id'] (--ignore 'id')" in err
    read = source, "--labels", "tags", "--ignore", "id"
    code, text, _ = labelspan("describe", *read)
    assert "60 samples, 3 features, 3 labels" in text
    code, _, _ = labelspan("reduce", *read, "--method", "mddm-p", "--n-components", 2, "--out", out)
    assert code == 0
    found, data = (
        read_csv(out, labels=sorted(names)),
        read_csv(source, labels="tags", ignore=["id"]),
    )
    np.testing.assert_array_equal(found.Y, data.Y)
    expected = MDDM(2).fit(data.X, data.Y).transform(data.X)
    np.testing.assert_allclose(found.X, expected, rtol=1e-10, atol=1e-12)
    assert found.feature_names == ("mddm0", "mddm1")
    code, _, err = labelspan("reduce", *read, "--out", tmp_path / "reduced.xls")
    assert (code, "give a name that ends with .npz or .csv" in err) == (2, True)


def test_reduce_reads_and_writes_npy_and_parquet_by_blocks(labelspan, tmp_path):
    import pandas as pd

    yeast = load_yeast()
    expected = MVMD(5).fit(yeast.X, yeast.Y).transform(yeast.X)
    np.save(tmp_path / "X.npy", yeast.X)
    np.save(tmp_path / "Y.npy", yeast.Y)
    out, model = tmp_path / "Z.npy", tmp_path / "model.skops"
    made = "--n-components", "5", "--out", out
    arguments = "reduce", tmp_path / "X.npy", "--labels", tmp_path / "Y.npy", *made
    code, text, _ = labelspan(*arguments, "--model", model)
    assert (code, "fitted on 2417 rows: 2417 rows, 103 features to 5" in text) == (0, True)
    np.testing.assert_allclose(np.load(out), expected, atol=1e-9)
    out.unlink()
    assert labelspan("reduce", tmp_path / "X.npy", "--apply", model, "--out", out)[0] == 0
    # Labels in a CSV file: 0/1 columns, or one column that lists them.
    plain = np.load(out)
    columns = pd.DataFrame(np.load(tmp_path / "Y.npy")).add_prefix("t")
    columns.to_csv(tmp_path / "tags.csv", index=False)
    lists = columns.apply(lambda row: ";".join(columns.columns[row == 1]), axis=1)
    lists.rename("tags").to_csv(tmp_path / "lists.csv", index=False)
    for tags in ("tags.csv", "lists.csv"):
        again = (*made[:2], "--labels", tmp_path / tags, "--out", tmp_path / "again.npy")
        assert labelspan("reduce", tmp_path / "X.npy", *again)[0] == 0
        np.testing.assert_allclose(np.load(tmp_path / "again.npy"), plain, atol=1e-9)
    np.testing.assert_allclose(np.load(out), expected, atol=1e-9)
    for extra, message in (
        (
            ("--scale", "standard"),
            "--scale cannot be combined with --out, which is written by blocks",
        ),
        (("--out", "Z.npz"), "npy and Parquet files are reduced to .npy"),
        (("--method", "lpp"), "lpp does not learn from blocks of rows"),
    ):
        code, _, err = labelspan(*arguments, *extra)
        assert (code, message in err) == (2, True), err
    code, _, err = labelspan("reduce", tmp_path / "X.npy", *made)
    assert (code, "--labels is missing" in err) == (2, True)
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = [f"x{i}" for i in range(103)] + [f"y{i}" for i in range(14)]
    frame = pd.DataFrame(np.column_stack([yeast.X, yeast.Y]), columns=columns)
    # A block is a row group.
    frame.to_parquet(tmp_path / "data.parquet", row_group_size=500)
    names = ",".join(columns[103:])
    assert labelspan("reduce", tmp_path / "data.parquet", "--labels", names, *made)[0] == 0
    np.testing.assert_allclose(np.load(out), expected, atol=1e-9)


def test_a_model_file_of_other_types_is_not_loaded(labelspan, tmp_path):
    skops = pytest.importorskip("skops.io")
    from sklearn.decomposition import PCA

    from tests.lab.faulty import Prints

    for estimator, message in (
        (Prints(), "Prints, which is not of labelspan: it is not loaded"),
        (PCA(), "holds a PCA, not a reducer of labelspan"),
    ):
        skops.dump(estimator, tmp_path / "model.skops")
        code, _, err = labelspan("reduce", "yeast", "--apply", tmp_path / "model.skops")
        assert code == 2
        assert message in err
    (tmp_path / "model.skops").write_bytes(b"PK not a zip")
    code, _, err = labelspan("reduce", "yeast", "--apply", tmp_path / "model.skops")
    assert code == 2
    assert "is not a model" in err


def test_methods_lists_every_method(labelspan):
    code, out, _ = labelspan("methods", "--json")
    assert code == 0
    names = {item["name"]: item for item in json.loads(out)}
    assert names["mddm-f"]["parameters"]["constraint"] == "feature"
    code, out, _ = labelspan("methods")
    table, legend = out.split("\n\n")
    assert [line.split()[0] for line in table.splitlines()[1:]] == list(names)
    assert "s is the mean eigenvalue of the scatter matrix" in legend


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "labelspan", "--help"], capture_output=True, text=True, check=True
    )
    for name in ("compare", "reproduce", "report", "reduce", "describe", "methods"):
        assert name in done.stdout
    assert "--install-completion" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "--data", "yeest"), "no data set 'yeest'; did you mean yeast?"),
        (("compare", "--directions", "1,a"), "--directions holds 'a'; give numbers"),
        (("compare", "--directions", "0"), "--directions holds '0'; give numbers"),
        (("compare", "--data", "nowhere/x.arff"), "there is no file "),
        (("report", "nowhere"), "there is no store in nowhere; run `labelspan compare"),
        (("report", "nowhere", "--format", "pdf"), "there is no format 'pdf'; use html"),
        (("reduce", "yeast", "--out", "x.txt"), "--out is 'x.txt'; give a name that ends with"),
        (("reproduce", "mvmd/figur1"), "mvmd, cmlfs, xc and all."),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing_behind(
    labelspan, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    assert_refused(labelspan(*arguments), message, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "--methods", "none,mvmd,ridge"), "ridge is a classifier, not a model; give"),
        (("compare", "--classifiers", "cplst"), "cplst is a model, not a classifier; give it with"),
        (
            ("compare", "--methods", "sklearn.neighbors:KNeighborsClassifier"),
            "write model:sklearn.neighbors:KNeighborsClassifier to compare it as a whole",
        ),
        (("compare", "--measures", "micro_f1,micro_f1"), "the measure 'micro_f1' is given twice"),
        (("compare", "--measures", ""), "measures are empty; give at least one"),
        (("compare", "--seed", "-1"), "seed is -1; give a whole number of at least 0"),
        (("compare", "--timeout", "0"), "timeout is 0; give seconds above 0"),
        (("compare", "--timeout", "1e300"), "timeout is 1e+300; give seconds above 0, at most"),
        (("compare", "--timeout", "nan"), "timeout is nan; give seconds above 0"),
        (
            ("compare", "--plan", "p.toml", "--methods", "mvmd"),
            "--methods cannot be combined with --plan, which sets it; leave one out.",
        ),
        (
            ("compare", "--data", "a.npz", "--test", "b.npz"),
            "a.npz takes no test, which is for files that end with .arff, .svm, .libsvm",
        ),
        (
            ("compare", "--data", "a.npz", "--label-count", "2"),
            "a.npz takes no label_count, which is for files that end with .arff; leave it out.",
        ),
        (("describe", "a.npz", "--test", "nope.npz"), "a.npz takes no test, which is for files"),
        (("describe", "f.svm", "--xml", "nope.xml"), "f.svm takes no xml, which is for files"),
        (("describe", "yeast", "--label-count", "3"), "yeast takes no label_count, which is for"),
        (
            ("reduce", "yeast", "--apply", "m.skops", "--method", "pca"),
            "--method cannot be combined with --apply, which fits nothing; leave one out.",
        ),
        (("reduce", "yeast", "--readout", "svm"), "--readout is 'svm'; give ridge or mlknn."),
        (("reduce", "yeast", "--readout", "mlknn"), "--readout needs --model; give both, or leave"),
        (
            ("reduce", "yeast", "--apply", "m.skops", "--n-components", "1"),
            "--n-components cannot be combined with --apply",
        ),
        (
            ("reduce", "yeast", "--method", "sklearn.decomposition:Nope"),
            "sklearn.decomposition has no 'Nope'; give the path of a class",
        ),
        (("reduce", "yeast", "--method", "json:loads"), "json:loads is not an estimator class"),
        (
            ("reduce", "yeast", "--method", "sklearn.neighbors:KNeighborsClassifier"),
            "KNeighborsClassifier has no transform; `labelspan methods` lists reducers.",
        ),
        (
            ("reduce", "yeast", "--out", "nowhere/red.npz"),
            "--out is 'nowhere/red.npz', but there is no folder ",
        ),
        (
            ("reduce", "yeast", "--model", "nowhere/m.skops"),
            "--model is 'nowhere/m.skops', but there is no folder ",
        ),
        (
            ("reproduce", "mvmd/figure3", "--document", "nowhere/x.md"),
            "--document is 'nowhere/x.md', but there is no folder ",
        ),
    ],
)
def test_what_could_not_count_is_refused_before_the_work(
    labelspan, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    assert_refused(labelspan(*arguments), message, tmp_path)


def test_two_files_whose_names_begin_alike_can_be_compared(labelspan, tmp_path):
    files = [write_toy(tmp_path, name=name) for name in ("x.v1", "x.v2")]
    data = [word for path in files for word in ("--data", path)]
    code, out, _ = labelspan(
        "compare", *data, "--methods", "mvmd,none", "--classifiers", "ridge", "--splits", "1x2",
        "--directions", "", "--jobs", "0", "--out", tmp_path / "out",
    )  # fmt: skip
    assert code == 0
    assert out.startswith("x.v1, x.v2: means over")


def test_names_and_errors_cannot_steer_the_terminal(labelspan, tmp_path):
    steering = "e\x1b]0;PWN\x07\x1b[31m"
    data = write_toy(tmp_path, name=steering)
    faulty = "tests.lab.faulty:Raises"
    code, out, err = labelspan(
        "compare", "--data", data, "--methods", f"none,{faulty}", "--splits", "1x2",
        "--directions", "", "--jobs", "0", "--out", tmp_path / "out",
    )  # fmt: skip
    assert code == 1
    assert out.startswith("e ]0;PWN  [31m, ML-kNN: means over")
    assert "failed: e ]0;PWN [31m / Raises" in err
    code, more, missing = labelspan("describe", f"{tmp_path}/nowhere/{steering}.npz")
    assert code == 2
    assert "e ]0;PWN  [31m.npz" in missing
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", out + err + more + missing)


def test_a_name_with_markup_is_text_on_a_terminal(tmp_path):
    pty = pytest.importorskip("pty")
    data = write_toy(tmp_path)
    outer, inner = pty.openpty()
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'name = "p"\nsources = [{{name = "b [/x]", path = {str(data)!r}}}]\nsplits = "1x2"\n'
        'reducers = ["none", "mvmd"]\nclassifiers = ["ridge"]'
    )
    command = ("compare", "--plan", plan, "--jobs", "0", "--out", tmp_path / "out")
    done = subprocess.run(
        [sys.executable, "-m", "labelspan", *command], stdout=inner, stderr=subprocess.PIPE,
        text=True, check=False,
    )  # fmt: skip
    os.close(inner)
    shown = os.read(outer, 10**5).decode()
    os.close(outer)
    assert done.returncode == 0, done.stderr
    assert "b [/x]: means over" in shown


def test_without_typer_the_command_says_how_to_install_it():
    code = "import sys; sys.modules['typer'] = None\nfrom labelspan.lab.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "install the extra 'cli' (in a clone of labelspan: pip install '.[cli]')" in done.stderr
    assert done.stderr.count("\n") == 1


# Interrupts itself, as the keyboard would, while the commands are imported.
INTERRUPTED = """
import os, signal, sys
from labelspan.lab.cli import main

class Finder:
    def find_spec(self, name, *ignored):
        if name == "labelspan.lab.methods":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
main()
"""


def test_interrupted_while_it_is_imported_the_command_ends_with_a_word():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "methods"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stdout == ""
    assert done.stderr.startswith("labelspan: interrupted;")
    assert done.stderr.count("\n") == 1


def test_what_reproduce_leaves_out_does_not_stand_before_its_json(labelspan, tmp_path, monkeypatch):
    monkeypatch.setenv("LABELSPAN_DATA", str(tmp_path / "empty"))
    code, out, err = labelspan("reproduce", "mddm/table5", "--json", "--out", tmp_path / "out")
    assert code == 1
    assert json.loads(out) == []
    assert "mddm/table5 is left out: it needs the data set" in err


def test_the_version(labelspan):
    assert labelspan("--version") == (0, f"labelspan {__version__}\n", "")


def test_the_same_failure_of_many_cells_is_counted_not_repeated(labelspan, tmp_path):
    faulty = "tests.lab.faulty:Raises"
    code, _, err = compare(labelspan, tmp_path, "--methods", f"none,{faulty}")
    assert code == 1
    shown = [line for line in err.splitlines() if line.startswith("failed: ")]
    assert len(shown) == 4
    assert re.match(r"failed: \d+ more cells: ", shown[-1])
    n_failed = 3 + int(shown[-1].split()[1])
    with Store(tmp_path / "out", read_only=True) as store:
        assert n_failed == store.query("SELECT count(*) n FROM cells WHERE status != 'ok'")[0]["n"]


def test_no_caution_about_tests_that_were_not_made(labelspan, tmp_path):
    _, out, _ = compare(labelspan, tmp_path, "--methods", "mvmd")
    assert "nothing to test" in out
    assert "p-values" not in out
    _, out, _ = compare(labelspan, tmp_path, "--methods", "mvmd,none,pca")
    assert "p-values are too small" in out


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line_and_said_once(labelspan, tmp_path, monkeypatch):
    assert "of other code" not in compare(labelspan, tmp_path, "--methods", "mvmd,pca")[2]
    once = _compare.run

    def twice(*arguments, **options):
        once(*arguments, **options)
        with warnings.catch_warnings():
            # This makes Python repeat warnings.
            warnings.simplefilter("always")
            return once(*arguments, **options)

    monkeypatch.setattr(_compare, "run", twice)
    monkeypatch.setenv("LABELSPAN_CODE", "of tomorrow")
    code, _, err = compare(labelspan, tmp_path, "--methods", "mvmd,pca")
    lines = [line for line in err.splitlines() if "of other code" in line]
    assert code == 0
    assert len(lines) == 1
    assert lines[0].startswith(f"labelspan: {tmp_path / 'out'} holds results of other code")
