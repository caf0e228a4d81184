"""Every example of the gallery runs without a warning and draws a picture."""

import runpy
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("agg")
from matplotlib import pyplot as plt

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*/plot_*.py"))


def test_the_gallery_has_its_lessons():
    assert len(EXAMPLES) >= 15


# agg has no window to show.
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive:UserWarning")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(example):
    if example.stem == "plot_dask":
        pytest.importorskip("dask")
    try:
        runpy.run_path(str(example))
        assert plt.get_fignums()
    finally:
        plt.close("all")
