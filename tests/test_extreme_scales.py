"""Values at the ends of their range give finite fitted numbers or an error with the repair."""

import re
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import labelspan as ls

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 4))
Y = (X[:, :3] + 0.5 * rng.standard_normal((40, 3)) > 0).astype(int)
SMALL = [
    ls.MultiOutputRidge(0.0), ls.PLST(2), ls.CPLST(2), ls.SharedSubspaceClassifier(2, beta=0.0),
    ls.LaRankSVM(C=1e90, max_iter=20, random_state=0), ls.ASOClassifier(2, alpha=1e-90),
    ls.LabelCCA(2, ridge=0.0), ls.OPLS(2, ridge=0.0), ls.MLFS(2, random_state=0),
    ls.CMLFS(2, random_state=0), ls.LaRankSVM(random_state=0), ls.MDDM(2), ls.StructuralF1SVM(),
    ls.KernelCPLST(2, kernel="linear"), ls.MultiOutputRidge(), ls.MLkNN(3),
    ls.MultilabelFisherScore(2), ls.DiscriminativeRatio(2), ls.FaIE(2), ls.FaIE(2, ridge=0.0),
    ls.LabelSubset(2), ls.LEML(2),
]  # fmt: skip
OVERFLOWING = SMALL[:4]


def called(estimator):
    return repr(estimator).replace("\n", "")


def arrays(value, name=""):
    """Every float array and number in a fitted object."""
    if isinstance(value, float | np.floating):
        yield name, np.asarray(value)
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
        yield name, value
    elif hasattr(value, "__dict__") and type(value).__module__.startswith("labelspan"):
        for key, inner in vars(value).items():
            yield from arrays(inner, f"{name}.{key}")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [1e-40, 1e-36, 1e-30, 1e30])
@pytest.mark.parametrize("estimator", SMALL, ids=called)
def test_float32_at_the_ends_of_its_range(estimator, scale, form):
    rows = form((X * scale).astype(np.float32))
    model = clone(estimator)
    before = dict(vars(model))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        try:
            model.fit(rows, Y)
        except ValueError as error:
            assert re.search("Scale (X first|the features)|Raise ridge", str(error))  # noqa: PT017
            assert vars(model) == before
            return
        for name, value in arrays(model):
            if name.endswith(("scores_", "thresholds_")):
                continue
            assert np.isfinite(value).all(), name
        if isinstance(model, ls.KernelCPLST) and scale == 1e30:
            with pytest.raises(ValueError, match=r"not finite\. Scale the features"):
                model.decision_function(rows)
        elif hasattr(model, "decision_function"):
            assert np.isfinite(model.decision_function(rows)).all()


@pytest.mark.parametrize("estimator", OVERFLOWING, ids=called)
def test_weights_beyond_float32_are_refused_with_the_repair(estimator):
    rows = (X * 1e-40).astype(np.float32)
    message = r"would reach .*e\+\d\d; float32 ends at 3\.4e\+38.*Scale X first.*float64"
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(rows, Y)
    # Both repairs work.
    clone(estimator).fit(rows.astype(np.float64), Y)
    clone(estimator).fit(rows * np.float32(1e38), Y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [1e145, 1e12])
def test_rows_too_long_for_cutting_planes_are_refused(scale, form):
    with pytest.raises(
        ValueError, match=r"longest row of X has the norm .*C=5000 it may be at most 1\.41e\+07"
    ):
        ls.StructuralF1SVM().fit(form(X * scale), Y)


def test_long_rows_are_fine_with_a_price_to_match():
    # (w, C) at the scale s is (w / s, C / s^2) at 1, and b is not penalised in either.
    model = ls.StructuralF1SVM(C=1e-290).fit(X * 1e145, Y)
    assert np.isfinite(model.coef_).all()
    assert (model.n_iter_ < 1000).all()


def test_newton_steps_that_are_singular_name_the_repair():
    """Rounding decides at which scales a step is singular; at the others the solver stops early."""
    told = []
    for power in range(20, 141, 10):
        with pytest.raises(
            (ValueError, ConvergenceWarning), match=r"[Ss]cale (X|the feat)"
        ) as error:
            ls.MLFS(2, random_state=0).fit(X * 10.0**power, Y)
        if error.type is ValueError:
            told.append((power, str(error.value)))
    assert told
    for power, message in told:
        norm = rf"norm \S+e\+({power}|{power + 1})"
        pattern = rf"Newton step of MLFS is singular.*{norm}, and C=1\. Scale X first"
        assert re.search(pattern, message)
