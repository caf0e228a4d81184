"""The oracle of ReducerCV: GridSearchCV over a pipeline of reducer and readout."""

import warnings
from functools import partial

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from labelspan import ReducerCV

# A search whose labels are those of the pipeline, without a threshold of its own.
as_pipeline = partial(ReducerCV, threshold="paper", scoring=None)


def grid_search(search, X, Y, folds, readout, scoring, **fit_parameters):
    """GridSearchCV over the same candidates and folds as a fitted ReducerCV."""
    params = search.cv_results_["params"]
    pipeline = Pipeline([("reducer", params[0]["reducer"]), ("readout", readout)])
    grid = [{name: [value] for name, value in point.items()} for point in params]
    slow = GridSearchCV(pipeline, grid, scoring=scoring, cv=folds, refit=False)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="n_components=")
        return slow.fit(X, Y, **fit_parameters)


def assert_same_scores(search, slow, tolerance=1e-10):
    """Every candidate on every fold, for every scorer."""
    assert repr(search.cv_results_["params"]) == repr(slow.cv_results_["params"])
    keys = [key for key in slow.cv_results_ if "_test_" in key and not key.startswith("rank")]
    assert len(keys) >= 4
    for key in keys:
        ours, theirs = search.cv_results_[key], slow.cv_results_[key]
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance, err_msg=key)
