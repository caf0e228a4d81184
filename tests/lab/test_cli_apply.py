"""A fitted model on new rows, which have no labels."""

import numpy as np
import pytest
import scipy.io

from labelspan import MVMD
from labelspan.datasets import read_npz
from tests.lab.plans import write_toy
from tests.lab.test_cli import labelspan  # noqa: F401


def arff(path, X):
    columns = "".join(f"@attribute x{i} real\n" for i in range(X.shape[1]))
    rows = "\n".join(",".join(map(repr, row)) for row in X.tolist())
    path.write_text(f"@relation new\n{columns}@data\n{rows}\n")


def svm(path, X):
    rows = (" ".join(f"{i + 1}:{value!r}" for i, value in enumerate(row)) for row in X.tolist())
    path.write_text("\n".join(rows) + "\n")


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
    assert (code, err) == (0, "")
    found = read_npz(out)
    expected = MVMD(3).fit(data.X, data.Y).transform(new)
    np.testing.assert_allclose(found.X, expected, rtol=1e-10, atol=1e-12)
    assert found.Y.shape == (7, 0)
    code, _, err = labelspan("reduce", tmp_path / name, "--out", out)
    assert (code, err.count("\n")) == (2, 1)
