"""ReducerCV with labels that are not observed: the scores of GridSearchCV over the pipeline."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import KFold

import labelspan as ls
from labelspan.metrics import get_scorer
from tests.choice.oracle import as_pipeline, assert_same_scores, grid_search
from tests.choice.test_grid_search import RIDGES, sample

pytestmark = pytest.mark.filterwarnings("ignore:n_components=")
REDUCERS = [
    ls.MDDM(),
    (ls.MDDM(constraint="feature"), {"mu": [0.1, 0.9]}),
    ls.MDDM(label_correlation="rbf", label_width=10.0),
    (ls.MVMD(), {"beta": [0.0, 0.5]}),
    (ls.LabelCCA(), {"ridge": [10.0], "label_ridge": [1.0]}),
    (ls.OPLS(), {"ridge": [0.1, 1.0]}),
    (ls.MLSI(), {"beta": [0.5]}),
]
SCORERS = {
    "micro": get_scorer("micro_f1"),
    "ranking": get_scorer("average_precision"),
    "loss": get_scorer("ranking_loss"),
}


def holed(*shape):
    X, Y = sample(*shape)
    Y = Y.astype(float)
    Y[np.random.default_rng(1).random(Y.shape) < [0.1, 0.3, 0.3, 0.5]] = np.nan
    Y[3] = np.nan
    return X, Y


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("shape", [(60, 7), (24, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_every_method(form, shape, weighted):
    X, Y = holed(*shape)
    search = as_pipeline(REDUCERS, [1, 2, 4, 0.9], readout=RIDGES, scoring=SCORERS, refit="micro")
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    search.set_params(cv=folds)
    given, weights = {}, None
    if weighted:
        weights = np.random.default_rng(2).integers(1, 4, len(X)).astype(float)
        given = {"reducer__sample_weight": weights, "readout__sample_weight": weights}
    search.fit(form(X), Y, sample_weight=weights)
    slow = grid_search(search, form(X), Y, folds, RIDGES[0], SCORERS, **given)
    assert_same_scores(search, slow)
    assert search.n_passes_ == 3


def test_the_refit_is_the_pipeline_on_all_rows():
    X, Y = holed(60, 7)
    search = as_pipeline(REDUCERS[:4], [1, 2, 4], scoring="micro_f1", cv=3).fit(X, Y)
    point = {name: value for name, value in search.best_params_.items() if "__" in name}
    reducer = search.best_params_["reducer"]
    reducer.set_params(
        **{name[9:]: value for name, value in point.items() if name.startswith("reducer__")}
    )
    readout = ls.MultiOutputRidge(point["readout__ridge"])
    Z = reducer.fit(X, Y).transform(X)
    np.testing.assert_allclose(search.transform(X), Z, atol=1e-10)
    expected = readout.fit(Z, Y).decision_function(Z)
    np.testing.assert_allclose(search.decision_function(X), expected, atol=1e-8)


def test_what_is_refused_says_why():
    X, Y = holed(60, 7)
    with pytest.raises(ValueError, match=r"DMLDA needs every label"):
        as_pipeline([ls.DMLDA()], [1]).fit(X, Y)
    with pytest.raises(ValueError, match=r"ReducerCV needs every label: .* readout='ridge' does"):
        as_pipeline([ls.MDDM()], [1], readout="mlknn").fit(X, Y)
    with pytest.raises(ValueError, match=r"without a ridge the solver needs all of them"):
        as_pipeline([ls.OPLS(ridge=0.0)], [1]).fit(X, Y)
