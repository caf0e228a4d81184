"""Columns of words and of text on the command line."""

import json

import numpy as np

from labelspan.datasets import read_csv, read_npz
from labelspan.experiments import Source
from tests.lab.shop import TOPICS, write_shop
from tests.lab.test_cli import labelspan  # noqa: F401

READ = ("--labels", ",".join(TOPICS), "--ignore", "sku", "--text", "title")
TOLD = (
    "labelspan: shop: words became 0/1 columns: 'colour' (blue, green, red), 'new' (no, yes); "
    "text became weights of words: 'title' (22); percentages became shares: 'discount'\n"
)


def test_text_of_a_csv_file_is_described_and_reduced(labelspan, tmp_path):  # noqa: F811
    path, out = write_shop(tmp_path / "shop.csv"), tmp_path / "r.npz"
    data = read_csv(path, labels=list(TOPICS), ignore=["sku"], text=["title"])
    code, text, err = labelspan("describe", path, *READ)
    first, second, _ = text.split("\n", 2)
    assert first.startswith("shop: labels depend on features: p = ")
    assert second == f"60 samples, {data.X.shape[1]} features, 3 labels"
    assert err == TOLD
    assert code == 1
    code, _, err = labelspan("reduce", path, *READ, "--n-components", 2, "--out", out)
    assert (code, err) == (0, TOLD)
    assert read_npz(out).X.shape == (60, 2)
    code, text, err = labelspan("choose", path, *READ, "--folds", 2, "--json")
    assert (code, err) == (0, TOLD)
    assert json.loads(text)["score"] > 0.8


def test_text_of_a_csv_file_is_compared(labelspan, tmp_path):  # noqa: F811
    path = write_shop(tmp_path / "shop.csv")
    common = ("--methods", "mddm-p", "--classifiers", "ridge", "--splits", "2", "--jobs", 0)
    out = ("--directions", "", "--out", tmp_path / "out", "--json")
    code, text, err = labelspan("compare", path, *READ, *common, *out)
    assert code == 0
    assert TOLD in err
    (found,) = json.loads(text)["classifiers"][0]["methods"]
    assert found["means"]["micro_f1"] > 0.7


def test_a_source_with_text_is_another_data_set(tmp_path):
    path = write_shop(tmp_path / "shop.csv")
    source = Source.from_any(
        {"path": path, "labels": list(TOPICS), "ignore": "sku", "text": ["title"]}
    )
    assert source.text == ("title",)
    assert any(name == "title=spoon" for name in source.load().feature_names)


def test_text_is_refused_where_it_cannot_be_read(labelspan, tmp_path):  # noqa: F811
    path = write_shop(tmp_path / "shop.csv")
    code, _, err = labelspan("describe", path, "--labels", "garden", "--ignore", "sku")
    assert code == 2
    assert "'title' holds text; pass text=['title'] (--text 'title')" in err
    assert "sklearn.feature_extraction.text.TfidfVectorizer" in err
    np.savez(tmp_path / "x.npz", X=np.eye(3), Y=np.eye(3, dtype=int))
    code, _, err = labelspan("reduce", tmp_path / "x.npz", "--text", "title")
    assert (code, "x.npz takes no text, which is for files that end with .csv, .tsv" in err) == (
        2,
        True,
    )
