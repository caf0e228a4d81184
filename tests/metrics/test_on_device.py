"""Measures of labels and scores on a device are those of the host, and nothing large leaves it."""

import inspect

import numpy as np
import pytest

from labelspan.metrics import MEASURES

CASES = [
    (name, ties)
    for name, measure in MEASURES.items()
    for ties in (
        ["first", "worst", "average", "best"]
        if "ties" in inspect.signature(measure.function).parameters
        else [None]
    )
    if not (name == "average_precision" and ties in ("average", "best"))
    and not (name in ("ranking_loss", "coverage") and ties == "first")
    and not (name.endswith("_at_k") and ties in ("worst", "best"))
]


def problem(dtype=np.float64):
    """Scores with many ties, a row without labels, one with all, a label that all rows have."""
    rng = np.random.default_rng(0)
    Y = rng.random((60, 9)) < 0.3
    Y[0], Y[1], Y[:, 2] = False, True, True
    return Y.astype(int), np.round(rng.standard_normal((60, 9)) + Y, 1).astype(dtype)


def output_of(name, scores):
    return scores if MEASURES[name].needs == "scores" else (scores > 0.4).astype(int)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize(("name", "ties"), CASES)
def test_a_measure_on_a_device_is_that_of_the_host(place, name, ties, dtype, device_blocks):
    Y, scores = problem(dtype)
    output, options = output_of(name, scores), {} if ties is None else {"ties": ties}
    if name == "macro_auc":
        options["undefined_labels"] = "skip"
    call = MEASURES[name].function
    expected = call(Y, output, **options)
    # Several blocks of rows, the last of them shorter.
    device_blocks(80 * 9 * 7)
    for truth in (place.put(Y), Y, place.put(Y.astype(bool))):
        assert call(truth, place.put(output), **options) == pytest.approx(expected, abs=1e-13)
    assert [shape for shape in place.moved if int(np.prod(shape)) >= Y.size] == []


@pytest.mark.parametrize("name", ["hamming_loss", "ranking_loss", "macro_auc"])
def test_what_needs_a_look_is_looked_at_on_the_host(place, name):
    Y, scores = problem()
    output, call = output_of(name, scores), MEASURES[name].function
    holes = np.where(np.arange(Y.size).reshape(Y.shape) % 7 == 0, np.nan, Y)
    for truth in (holes, 2 * Y - 1):
        expected = call(truth, output)
        assert call(place.put(truth), place.put(output)) == pytest.approx(expected, abs=1e-13)
    with pytest.raises(ValueError, match=r"Y_true has shape \(59, 9\)"):
        call(place.put(Y[1:]), place.put(output))
    with pytest.raises(ValueError, match=r"Y_true\[0, 0\] is 3"):
        call(place.put(np.where(np.arange(9) == 0, 3, Y)), place.put(output))


def test_scores_that_are_no_numbers_are_refused(place):
    Y, scores = problem()
    scores[3, 2] = np.nan
    with pytest.raises(ValueError, match="Y_score has NaN"):
        MEASURES["ranking_loss"].function(place.put(Y), place.put(scores))
