"""Table 2 and Figures 1 and 2 of the CMLFS paper, beside the printed values.

What is run, and how it is judged, is in labelspan.experiments.reproduce._cmlfs; here stands what
must hold of it.
"""

import pytest

from labelspan.experiments.reproduce._experiment import printed_values
from tests.experiments.reproduced import reproduced, verdicts

pytestmark = pytest.mark.reproduce
METHODS = ("LaRank", "CLaRank", "MLFS", "CMLFS")


@pytest.mark.parametrize("dataset", ["scene", "yahoo-mulan-arts"])
@pytest.mark.parametrize("method", METHODS)
def test_the_printed_auc_or_a_reason(dataset, method):
    """Within 0.02, or the line says why not."""
    what = f"Macro AUC on {dataset}, {method}"
    (line,) = [item for item in reproduced("cmlfs/table2").judged if item.what == what]
    assert line.verdict == "reproduced" or line.reasons, line


def test_all_eight_methods_of_all_three_sets_are_there():
    found = verdicts(reproduced("cmlfs/table2"))
    for dataset, rows in printed_values("cmlfs")["table2"]["mean"].items():
        assert len(rows) == 8
        for method in rows:
            assert f"Macro AUC on {dataset}, {method}" in found


def test_the_labels_correlate_as_the_first_figure_says():
    assert set(verdicts(reproduced("cmlfs/figure1")).values()) == {"reproduced", "not judged"}


def test_the_curves_are_judged_at_the_same_number_of_features():
    """Each statement about few features holds, or the line says why not."""
    lines = reproduced("cmlfs/figure2").judged
    few = [line for line in lines if "above FS+SVM" in line.what]
    assert len(few) == 24
    for line in few:
        assert line.verdict == "reproduced" or line.reasons, line
