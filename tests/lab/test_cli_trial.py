"""A first trial: a table as an office exports it through describe, choose, reduce and predict."""

import numpy as np
import pytest

from labelspan.datasets import read_csv
from tests.lab.shop import COLUMNS, FEATURES, TOPICS, write_shop
from tests.lab.test_cli import labelspan  # noqa: F401

pytest.importorskip("skops.io")
READ = ("--labels", ",".join(TOPICS), "--ignore", "sku", "--text", "title")


def exported(path, **options):
    """The table with semicolons and decimal commas, as spreadsheets write it in much of Europe."""
    text = write_shop(path, **options).read_text(encoding="utf-8")
    path.write_text(text.replace(",", ";").replace(".", ","), encoding="utf-8")
    return path


def test_from_describing_a_table_to_predicting_new_rows(labelspan, tmp_path):  # noqa: F811
    old = exported(tmp_path / "old.csv", n_rows=120)
    new = exported(tmp_path / "new.csv", n_rows=30, columns=FEATURES[::-1], seed=1)
    true = exported(tmp_path / "true.csv", n_rows=30, columns=COLUMNS, seed=1)
    code, out, err = labelspan("describe", old, *READ)
    assert code == 1  # The labels that are missing.
    assert "% of the labels are not observed" in out
    assert "percentages became shares: 'discount'; commas are decimal signs: 'price'" in err
    chosen, reducer = tmp_path / "chosen.skops", tmp_path / "reducer.skops"
    common = ("--scale", "standard", "--model")
    assert labelspan("choose", old, *READ, "--n-components", "2,3", *common, chosen)[0] == 0
    before, after = tmp_path / "before.npz", tmp_path / "after.csv"
    assert labelspan("reduce", old, *READ, *common, reducer, "--out", before)[0] == 0
    assert labelspan("reduce", new, "--apply", reducer, "--out", after)[0] == 0
    assert len(after.read_text(encoding="utf-8").splitlines()) == 31
    dataset = read_csv(true, labels=list(TOPICS), ignore=["sku"], text=["title"])
    for model in (chosen, reducer):
        out = tmp_path / "predicted.csv"
        assert labelspan("predict", new, "--model", model, "--out", out)[0] == 0
        predicted = np.loadtxt(out, delimiter=",", skiprows=1)
        known = ~np.isnan(dataset.Y)
        assert np.mean(predicted[known] == dataset.Y[known]) > 0.85


def test_labels_that_are_missing_beside_decimal_commas_are_read(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_text("x;y;a;b\n0,5;1;1;0\n1,5;2;;1\n2,5;;0;1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="'y' has 1 missing"):
        read_csv(path, labels=["a", "b"])
    toy = read_csv(path, labels=["a", "b"], ignore=["y"])
    np.testing.assert_array_equal(toy.X, [[0.5], [1.5], [2.5]])
    np.testing.assert_array_equal(toy.Y, [[1, 0], [np.nan, 1], [0, 1]])
