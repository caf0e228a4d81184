"""Plans that no cell could run are refused before the first cell, in one line."""

import numpy as np
import pytest

from labelspan.datasets import write_npz
from labelspan.experiments import Source, Splits, Step, Store, run
from tests.lab.plans import toy_plan, write_toy
from tests.lab.test_cli import labelspan  # noqa: F401


def with_nan(path):
    dataset = Source.from_any(str(path)).load()
    dataset.X[3, 1] = np.nan
    dataset.X[4, 0] = np.inf
    write_npz(dataset, path)
    return path


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ("standard", "toy has no standard split; use splits such as 5x2 or 10x0.6."),
        ("1x40", "toy has 30 rows to split, fewer than 40 folds; use fewer folds."),
        ("3x1000", "toy has 30 rows; a training part of 1000 leaves no row for one of the parts."),
        ("3x0.01", "toy has 30 rows; a training part of 0.01 leaves no row for one of the parts."),
    ],
)
def test_splits_that_the_rows_do_not_allow_are_refused(labelspan, tmp_path, splits, message):  # noqa: F811
    data = write_toy(tmp_path, n_samples=30)
    code, out, err = labelspan(
        "compare", "--data", data, "--methods", "none,pca", "--splits", splits,
        "--out", tmp_path / "out",
    )  # fmt: skip
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_folds_of_a_training_part_need_its_rows(tmp_path):
    splits = Splits("inner", n_folds=5, train=4)
    plan = toy_plan(tmp_path, splits=splits)
    with (
        Store(tmp_path / "out") as store,
        pytest.raises(ValueError, match="toy has 4 rows to split, fewer than 5 folds"),
    ):
        run(plan, store, n_jobs=0)


def test_values_that_are_not_finite_are_refused(labelspan, tmp_path):  # noqa: F811
    data = with_nan(write_toy(tmp_path))
    code, out, err = labelspan(
        "compare", "--data", data, "--methods", "none,pca", "--out", tmp_path / "out"
    )
    assert (code, out) == (2, "")
    assert "X of toy has 2 values that are NaN or infinite" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_method_that_takes_nan_is_not_kept_from_them(tmp_path):
    with_nan(write_toy(tmp_path))
    data = Source.from_any(str(tmp_path / "toy.npz")).load()
    data.X[~np.isfinite(data.X)] = np.nan
    write_npz(data, tmp_path / "holes.npz")
    source = Source.from_any(str(tmp_path / "holes.npz"))
    plan = toy_plan(
        tmp_path,
        sources=(source,),
        reducers=("sklearn.impute:SimpleImputer",),
        classifiers=(Step("ridge"),),
    )
    with Store(tmp_path / "out") as store:
        assert run(plan, store, n_jobs=0).statuses == {"ok": 4}
