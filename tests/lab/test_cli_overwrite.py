"""No command writes over a file that it reads, whatever the file is called."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from labelspan.datasets import load_yeast
from labelspan.experiments import Store
from tests.lab.plans import write_toy
from tests.lab.test_cli import labelspan  # noqa: F401

TOY_CSV = "a,b,tags\n" + "".join(f"{i},{i * i % 7},{'xy'[i % 2]}\n" for i in range(30))
TOY_ARFF = "@relation r\n@attribute a numeric\n@attribute u {0,1}\n@data\n" + "1,0\n2,1\n" * 20
TOY_XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="u"/></labels>'


def relative(path):
    return os.path.relpath(path)


def roundabout(path):
    (path.parent / "sub").mkdir()
    return path.parent / "sub" / ".." / path.name


def link(path):
    path.with_name(f"link{path.suffix}").symlink_to(path)
    return path.with_name(f"link{path.suffix}")


def hard_link(path):
    path.with_name(f"hard{path.suffix}").hardlink_to(path)
    return path.with_name(f"hard{path.suffix}")


def linked_folder(path):
    (path.parent / "folder").symlink_to(path.parent, target_is_directory=True)
    return path.parent / "folder" / path.name


SPELLINGS = (str, relative, roundabout, link, hard_link, linked_folder)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with one input of each kind; all of them must stay as they are."""
    monkeypatch.chdir(tmp_path)
    write_toy(tmp_path)
    for name, text in (("t.csv", TOY_CSV), ("u.csv", TOY_CSV), ("r.arff", TOY_ARFF)):
        (tmp_path / name).write_text(text)
    (tmp_path / "r.xml").write_text(TOY_XML)
    (tmp_path / "parts").mkdir()
    random = np.random.default_rng(0)
    for name in ("x.npy", "parts/0.npy"):
        np.save(tmp_path / name, random.normal(size=(30, 4)))
    np.save(tmp_path / "y.npy", random.integers(0, 2, (30, 3)))
    (tmp_path / "plan.toml").write_text(
        'name = "p"\nsources = ["toy.npz"]\nsplits = "1x2"\nreducers = ["none"]\n'
        'classifiers = ["ridge"]\n'
    )
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_kept(labelspan, files, arguments, option, output):  # noqa: F811
    before = contents(files)
    code, out, err = labelspan(*arguments)
    assert (code, out) == (2, ""), err
    assert err.count("\n") == 1
    assert f"--{option} is {str(output)!r}, which is the same file as " in err
    assert "it would be overwritten; choose another place" in err
    assert contents(files) == before


@pytest.mark.parametrize("spelled", SPELLINGS, ids=lambda spelling: spelling.__name__)
@pytest.mark.parametrize(
    ("arguments", "name", "option"),
    [
        (("reduce", "t.csv", "--labels", "tags"), "t.csv", "out"),
        (("reduce", "t.csv", "--labels", "tags", "--test", "u.csv"), "u.csv", "out"),
        (("reduce", "toy.npz"), "toy.npz", "out"),
        (("reduce", "toy.npz"), "toy.npz", "model"),
        (("reduce", "r.arff"), "r.xml", "model"),
        (("reduce", "x.npy", "--labels", "y.npy"), "x.npy", "out"),
        (("reduce", "x.npy", "--labels", "y.npy"), "y.npy", "out"),
        (("reduce", "parts", "--labels", "y.npy"), "parts/0.npy", "out"),
        (("choose", "toy.npz"), "toy.npz", "model"),
        (("describe", "toy.npz"), "toy.npz", "realign"),
    ],
    ids=str,
)
def test_an_input_is_not_overwritten(labelspan, files, arguments, name, option, spelled):  # noqa: F811
    output = spelled(files / name)
    assert_kept(labelspan, files, (*arguments, f"--{option}", output), option, output)


def test_the_applied_model_is_not_overwritten(labelspan, files):  # noqa: F811
    model = files / "m.npz"
    made = ("reduce", "toy.npz", "--method", "mvmd", "--out", "reduced.npz", "--model", model)
    assert labelspan(*made)[0] == 0
    arguments = ("reduce", "toy.npz", "--apply", model, "--out", model)
    assert_kept(labelspan, files, arguments, "out", model)


def test_two_outputs_are_two_files(labelspan, files):  # noqa: F811
    output = linked_folder(files / "new.svg")
    arguments = ("choose", "toy.npz", "--model", files / "new.svg", "--picture", output)
    code, _, err = labelspan(*arguments)
    assert code == 2
    assert f"--picture is {str(output)!r}, which is the same file as --model" in err
    assert not (files / "new.svg").exists()


def test_a_file_of_the_catalogue_is_not_overwritten(labelspan, files, monkeypatch):  # noqa: F811
    folder = files / "data" / "yeast"
    folder.mkdir(parents=True)
    yeast = load_yeast()
    rows = "".join(
        f"{','.join(map(str, x))},{','.join(map(str, y))}\n"
        for x, y in zip(yeast.X[:20].tolist(), yeast.Y[:20].tolist(), strict=True)
    )
    names = [*(f"@attribute {n} numeric\n" for n in yeast.feature_names)]
    names += [f"@attribute {n} {{0,1}}\n" for n in yeast.label_names]
    for part in ("train", "test"):
        (folder / f"yeast-{part}.arff").write_text(f"@relation y\n{''.join(names)}@data\n{rows}")
    labels = "".join(f'<label name="{n}"/>' for n in yeast.label_names)
    (folder / "yeast.xml").write_text(TOY_XML.replace('<label name="u"/>', labels))
    monkeypatch.setenv("LABELSPAN_DATA", str(files / "data"))
    output = folder / "yeast-test.arff"
    assert_kept(labelspan, files, ("reduce", "yeast", "--model", output), "model", output)


@pytest.mark.parametrize("spelled", [link, hard_link])
@pytest.mark.parametrize("arguments", [("toy.npz",), ("--plan", "plan.toml")], ids=str)
def test_the_report_of_a_comparison_is_no_input(labelspan, files, arguments, spelled):  # noqa: F811
    (files / "out").mkdir()
    shutil.move(spelled(files / arguments[-1]), files / "out" / "report.html")
    options = ("--methods", "none", "--splits", "2") if len(arguments) == 1 else ()
    output = files / "out" / "report.html"
    arguments = ("compare", *arguments, *options, "--jobs", "0", "--out", files / "out")
    assert_kept(labelspan, files, arguments, "out", output)


@pytest.mark.parametrize("spelled", [link, hard_link])
def test_a_store_is_not_overwritten(labelspan, files, spelled):  # noqa: F811
    with Store(files / "out") as store:
        stored = store.path
    linked = spelled(stored)
    shutil.move(linked, files / "out" / "report.csv")
    output = Path("out", "report.csv")
    assert_kept(labelspan, files, ("report", "out", "--format", "csv"), "out", output)
    page = ("reproduce", "mvmd/figure3", "--out", "out", "--stored", "--document", output)
    assert_kept(labelspan, files, page, "document", output)


def test_a_copy_may_be_overwritten(labelspan, files):  # noqa: F811
    shutil.copy("toy.npz", "copy.npz")
    arguments = ("reduce", "toy.npz", "--method", "mvmd", "--n-components", "2")
    assert labelspan(*arguments, "--out", "copy.npz")[0] == 0
    assert np.load("copy.npz")["X"].shape == (60, 2)
