"""Smoke test of a fresh installation; run outside the checkout, with the version as argument."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline

import labelspan as ls

# The plan of the papers, cut down: enough to run every part of the command.
COMPARE = ["compare", "--methods", "mvmd,mddm-p", "--splits", "1x2"]


def main(version: str) -> None:
    """Import every public name, fit on the built-in data, run the installed command."""
    where = Path(ls.__file__).resolve()
    assert Path(sys.prefix).resolve() in where.parents, f"labelspan was imported from {where}"
    assert ls.__version__ == version, ls.__version__
    for name in ls.__all__:
        getattr(ls, name)
    yeast = ls.datasets.load_yeast()
    model = make_pipeline(ls.MVMD(0.999), ls.MLkNN(10)).fit(
        yeast.X[yeast.train], yeast.Y[yeast.train]
    )
    score = ls.metrics.micro_f1(yeast.Y[yeast.test], model.predict(yeast.X[yeast.test]))
    assert abs(score - 0.632) < 5e-4, score
    command = Path(sys.executable).with_name("labelspan")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, *COMPARE, "--out", f"{folder}/results"], check=True)
        assert list(Path(folder, "results").glob("*.html")), "compare wrote no report"
        reduced = f"{folder}/reduced.csv"
        subprocess.run([command, "reduce", "yeast", "--out", reduced], check=True)
        found = ls.datasets.read_csv(reduced, labels=yeast.label_names)
    np.testing.assert_array_equal(found.Y, yeast.Y)
    print(f"labelspan {version} on Python {sys.version.split()[0]}: micro-F1 {score:.3f}")


if __name__ == "__main__":
    main(sys.argv[1])
