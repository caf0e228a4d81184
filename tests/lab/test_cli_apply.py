"""A fitted model on new rows, which have no labels."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.io

from labelspan import MVMD
from labelspan.datasets import (
    read_csv,
    read_features,
    read_npz,
    write_arff,
    write_csv,
    write_npz,
)
from tests.lab.plans import write_toy
from tests.lab.shop import COLUMNS, TOPICS, write_shop
from tests.lab.test_cli import labelspan  # noqa: F401


def arff(path, X):
    columns = "".join(f"@attribute x{i} real\n" for i in range(X.shape[1]))
    rows = "\n".join(",".join(map(repr, row)) for row in X.tolist())
    path.write_text(f"@relation new\n{columns}@data\n{rows}\n")


def svm(path, X):
    rows = (" ".join(f"{i + 1}:{value!r}" for i, value in enumerate(row)) for row in X.tolist())
    path.write_text("\n".join(rows) + "\n")


ORDER = ", so they are matched by their order\n"


WRITERS = {
    "new.npz": lambda path, X: np.savez(path, X=X),
    "new.mat": lambda path, X: scipy.io.savemat(path, {"data": X}),
    "new.arff": arff,
    "new.svm": svm,
    "new.libsvm": svm,
}


@pytest.mark.parametrize("name", WRITERS)
def test_rows_without_labels_are_reduced(labelspan, tmp_path, name):  # noqa: F811
    toy = write_toy(tmp_path)
    model = tmp_path / "m.skops"
    fitted = ("--method", "mvmd", "--n-components", "3", "--model", model)
    assert labelspan("reduce", toy, *fitted, "--out", tmp_path / "reduced.npz")[0] == 0
    data = read_npz(toy)
    new = np.random.default_rng(1).normal(size=(7, 8))
    WRITERS[name](tmp_path / name, new)
    out = tmp_path / "out.npz"
    code, _, err = labelspan("reduce", tmp_path / name, "--apply", model, "--out", out)
    told = "" if name == "new.arff" else f"labelspan: new has no names of features{ORDER}"
    assert (code, err) == (0, told)
    found = read_npz(out)
    expected = MVMD(3).fit(data.X, data.Y).transform(new)
    np.testing.assert_allclose(found.X, expected, rtol=1e-10, atol=1e-12)
    assert found.Y.shape == (7, 0)
    code, _, err = labelspan("reduce", tmp_path / name, "--out", out)
    assert (code, err.count("\n")) == (2, 1)


READ = ("--labels", ",".join(TOPICS), "--ignore", "sku", "--text", "title")
SHUFFLED = ("title", "new", "price", "sku", "colour", "discount")


@pytest.fixture
def shop(labelspan, tmp_path):  # noqa: F811
    """A model of a table, its data set, and a folder."""
    path, model = write_shop(tmp_path / "shop.csv"), tmp_path / "m.skops"
    out = ("--out", tmp_path / "r.npz", "--model", model)
    assert labelspan("reduce", path, *READ, "--n-components", 2, *out)[0] == 0
    return model, read_csv(path, labels=list(TOPICS), ignore=["sku"], text=["title"]), tmp_path


def expected_features(path, data):
    return read_features(path, data.encoder, ignore=["sku", *TOPICS])


def test_columns_are_matched_by_name_and_need_no_labels(labelspan, shop):  # noqa: F811
    model, data, folder = shop
    mvmd = MVMD(2).fit(data.X, data.Y)
    straight = write_shop(folder / "new.csv", 20, COLUMNS, seed=1)
    expected = mvmd.transform(expected_features(straight, data))
    assert np.ptp(expected, axis=0).min() > 0.1
    for columns in (SHUFFLED, SHUFFLED[:3] + SHUFFLED[4:], COLUMNS[::-1]):
        write_shop(folder / "new.csv", 20, columns, seed=1)
        out = folder / "out.npz"
        code, _, err = labelspan("reduce", folder / "new.csv", "--apply", model, "--out", out)
        assert (code, err) == (0, "")
        np.testing.assert_allclose(read_npz(out).X, expected, rtol=1e-10, atol=1e-12)
        assert read_npz(out).Y.shape == (20, 0)


def test_labels_of_new_rows_are_kept_on_request(labelspan, shop):  # noqa: F811
    model, _, folder = shop
    new = write_shop(folder / "new.csv", 20, COLUMNS[::-1], seed=1)
    out = ("--apply", model, "--out", folder / "out.csv", "--labels", "kitchen,garden")
    assert labelspan("reduce", new, *out)[0] == 0
    found = read_csv(folder / "out.csv", labels=["kitchen", "garden"])
    told = read_csv(new, labels=["kitchen", "garden"], ignore=["sku", "office"], text=["title"])
    np.testing.assert_array_equal(found.Y, told.Y)
    assert found.feature_names == ("mvmd0", "mvmd1")


@pytest.mark.parametrize("command", ["reduce", "predict"])
def test_missing_and_unknown_columns_are_refused_by_name(labelspan, shop, command):  # noqa: F811
    model, _, folder = shop
    rows = (folder / "shop.csv").read_text().splitlines()
    rows[0] = rows[0].replace("price", "Price").replace("colour", "color")
    (folder / "new.csv").write_text("\n".join(rows) + "\n")
    out = {"reduce": ("--apply", model), "predict": ("--model", model)}[command]
    code, _, err = labelspan(command, folder / "new.csv", *out, "--out", folder / "new_out.csv")
    assert (code, err.count("\n")) == (2, 1)
    assert "(missing: 'price', 'colour'; unknown: 'Price', 'color')" in err
    assert not (folder / "new_out.csv").exists()


def test_other_formats_are_matched_by_name_too(labelspan, tmp_path):  # noqa: F811
    toy, model, out = write_toy(tmp_path), tmp_path / "m.skops", tmp_path / "out.npz"
    fitted = ("--n-components", "3", "--model", model, "--out", out)
    assert labelspan("reduce", toy, *fitted)[0] == 0
    expected = read_npz(out).X
    data, order = read_npz(toy), np.random.default_rng(0).permutation(8)
    names = tuple(data.feature_names[i] for i in order)
    swapped = replace(data, X=data.X[:, order], feature_names=names)
    write_npz(swapped, tmp_path / "a.npz")
    write_csv(swapped, tmp_path / "a.csv")
    write_arff(swapped, tmp_path / "a.arff")
    bare = replace(swapped, Y=np.zeros((60, 0)), label_names=())
    write_csv(bare, tmp_path / "b.csv")
    for name in ("a.npz", "a.csv", "a.arff", "b.csv"):
        code, _, err = labelspan("reduce", tmp_path / name, "--apply", model, "--out", out)
        assert (code, err) == (0, ""), name
        np.testing.assert_allclose(read_npz(out).X, expected, rtol=1e-10, atol=1e-12)
    write_npz(replace(data, feature_names=("y0", *data.feature_names[1:])), tmp_path / "a.npz")
    code, _, err = labelspan("reduce", tmp_path / "a.npz", "--apply", model, "--out", out)
    assert (code, "(missing: 'x0'; unknown: 'y0')" in err) == (2, True)
    np.savez(tmp_path / "a.npz", X=data.X[:, :7])
    code, _, err = labelspan("reduce", tmp_path / "a.npz", "--apply", model, "--out", out)
    assert (code, "a has 7 features, and the model was fitted on 8" in err) == (2, True)


def test_libsvm_rows_are_numbered_as_those_of_the_model(labelspan, tmp_path):  # noqa: F811
    """Rows that do not name feature 0 were read one column too far left."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 4)).round(3), rng.integers(0, 2, (30, 2))
    rows = (" ".join(f"{j}:{value}" for j, value in enumerate(row)) for row in X.tolist())
    labels = (",".join(map(str, np.flatnonzero(row))) for row in Y)
    text = "\n".join(f"{label} {row}" for label, row in zip(labels, rows, strict=True))
    (tmp_path / "old.svm").write_text(text)
    (tmp_path / "new.svm").write_text("1:2 2:1.5\n1:-1\n")
    model, out = tmp_path / "m.skops", tmp_path / "out.npz"
    fitted = ("--n-components", "2", "--model", model, "--out", out)
    assert labelspan("reduce", tmp_path / "old.svm", *fitted)[0] == 0
    code, _, err = labelspan("reduce", tmp_path / "new.svm", "--apply", model, "--out", out)
    assert (code, err) == (0, "")
    expected = MVMD(2).fit(X, Y).transform([[0, 2, 1.5, 0], [0, -1, 0, 0]])
    np.testing.assert_allclose(read_npz(out).X, expected, rtol=1e-8, atol=1e-10)


@pytest.mark.filterwarnings("default::UserWarning")
def test_words_that_the_model_has_not_seen_get_the_stated_value(labelspan, shop):  # noqa: F811
    model, data, folder = shop
    new = write_shop(folder / "new.csv", 20, SHUFFLED, seed=1)
    text = new.read_text().replace(",yes,", ",maybe,").replace(",red,", ",white,")
    new.write_text(text)
    out = folder / "out.npz"
    code, _, err = labelspan("reduce", new, "--apply", model, "--out", out)
    assert code == 0
    assert "'new' has values that were not there when it was learned: 'maybe'; it is 0.5" in err
    assert "'colour' has values that were not there when it was learned: 'white'; all its" in err
    with pytest.warns(UserWarning, match="were not there"):
        X = expected_features(new, data).toarray()
    assert set(X[:, data.feature_names.index("new")]) == {0, 0.5}
    expected = MVMD(2).fit(data.X, data.Y).transform(X)
    np.testing.assert_allclose(read_npz(out).X, expected, rtol=1e-10, atol=1e-12)


def nominal(path, words, rows):
    """An ARFF file of a number and a column of words, with labels a and b."""
    declared = "@attribute x real\n@attribute colour " + words
    labels = "@attribute a {0,1}\n@attribute b {0,1}"
    data = "\n".join(f"{x},{word},{i % 2},{i % 3 % 2}" for i, (x, word) in enumerate(rows))
    path.write_text(f"@relation 'r: -C -2'\n{declared}\n{labels}\n@data\n{data}\n")
    return path


def test_words_that_an_arff_file_numbers_otherwise_are_refused(labelspan, tmp_path):  # noqa: F811
    rows = [(0.5, "blue"), (1, "red"), (3, "red"), (2, "blue"), (4, "red"), (1, "blue")]
    old = nominal(tmp_path / "old.arff", "{blue,red}", rows)
    model, out = tmp_path / "m.skops", tmp_path / "out.npz"
    kept = ("--n-components", 1, "--out", out)
    assert labelspan("reduce", old, *kept, "--model", model)[0] == 0
    expected = read_npz(out).X
    same = nominal(tmp_path / "same.arff", "{blue,red}", rows)
    assert labelspan("reduce", same, "--apply", model, "--out", out)[0] == 0
    np.testing.assert_array_equal(read_npz(out).X, expected)
    (tmp_path / "new.csv").write_text("colour,x\n" + "".join(f"{word},{x}\n" for x, word in rows))
    assert labelspan("reduce", tmp_path / "new.csv", "--apply", model, "--out", out)[0] == 0
    np.testing.assert_allclose(read_npz(out).X, expected, rtol=1e-12, atol=1e-14)
    for words in ("{red,blue}", "{red,blue,white}", "{blue,white}"):
        kept_rows = [(x, "blue") for x, _ in rows]
        other = nominal(tmp_path / "other.arff", words, kept_rows)
        code, _, err = labelspan("reduce", other, "--apply", model, "--out", out)
        assert code == 2, words
        assert "colour" in err
