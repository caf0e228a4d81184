"""Tables 3 and 4 of Chen and Lin (2012): our mean test Hamming losses beside the printed ones.

80 % of the rows, drawn at random, for training; M = floor(fraction * K); linear regression with
an intercept and without a ridge. The paper's splits are not known, so each number carries the
error of its own 100 splits; nothing here is tuned.
"""

import numpy as np
import pytest
from scipy import sparse

from labelspan.labelspace import CPLST, PLST

FRACTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
METHODS = (PLST, CPLST)
# Mean Hamming losses as printed: PLST, then CPLST.
TABLE_3 = {
    "yeast": ((0.2150, 0.2052, 0.2033, 0.2020, 0.2022), (0.2069, 0.2041, 0.2024, 0.2020, 0.2022)),
    "scene": ((0.1809, 0.1718, 0.1566, 0.1321, 0.1106), (0.1744, 0.1532, 0.1349, 0.1209, 0.1106)),
    "emotions": (
        (0.2207, 0.2064, 0.1982, 0.2013, 0.2040),
        (0.2189, 0.2059, 0.1990, 0.2015, 0.2040),
    ),
    "enron": ((0.0728, 0.0860, 0.0946, 0.1006, 0.1028), (0.0729, 0.0864, 0.0943, 0.1006, 0.1028)),
}
TABLE_4 = {
    "yeast": ((0.2162, 0.2082, 0.2071, 0.2064, 0.2067), (0.2083, 0.2064, 0.2063, 0.2064, 0.2066)),
    "scene": ((0.1802, 0.1688, 0.1540, 0.1396, 0.1281), (0.1674, 0.1538, 0.1428, 0.1289, 0.1268)),
    "emotions": (
        (0.2213, 0.2109, 0.2039, 0.2051, 0.2063),
        (0.2209, 0.2085, 0.2004, 0.2020, 0.2046),
    ),
}
# Where the standard errors of Table 3 leave CPLST below PLST: yeast and scene, M < K.
SIGNIFICANT = {"yeast": 3, "scene": 4}


def splits(n_rows, n_splits):
    for seed in range(n_splits):
        order = np.random.default_rng(seed).permutation(n_rows)
        n_train = int(0.8 * n_rows)
        yield order[:n_train], order[n_train:]


def losses(data, n_splits, regressor=None):
    """Hamming losses (split, method, fraction): one fit a method, cut for each fraction."""
    X, Y = dense(data.X), dense(data.Y)
    K = Y.shape[1]
    found = np.empty((n_splits, len(METHODS), len(FRACTIONS)))
    for i, (train, test) in enumerate(splits(len(X), n_splits)):
        for j, method in enumerate(METHODS):
            model = method(regressor=regressor).fit(X[train], Y[train])
            # A tree takes its time: predict all codes once, decode the first M.
            T = model.regressor_.predict(X[test])
            for k, fraction in enumerate(FRACTIONS):
                M = min(int(fraction * K), model.n_components_)
                predicted = model.truncate(M).decode(T[:, :M]) > 0.5
                found[i, j, k] = np.mean(predicted != Y[test])
    return found


def report(table, name, found, printed):
    mean = found.mean(axis=0)
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    print(f"\n{table}, {name}, {len(found)} splits, M = 20 40 60 80 100 % of K")
    for j, method in enumerate(METHODS):
        print(f"  {method.__name__:<6} ours    " + " ".join(f"{v:.4f}" for v in mean[j]), end="")
        print("  +- " + " ".join(f"{v:.4f}" for v in error[j]))
        print("         printed " + " ".join(f"{v:.4f}" for v in printed[j]))
    return mean


@pytest.mark.reproduce
@pytest.mark.parametrize("name", list(TABLE_3))
def test_table_3(dataset, name):
    printed = np.array(TABLE_3[name])
    found = losses(dataset(name), n_splits=100)
    mean = report("Table 3", name, found, printed)
    # "provably equivalent ... with M = K".
    np.testing.assert_array_equal(found[:, 0, -1], found[:, 1, -1])
    if name in SIGNIFICANT:
        assert np.abs(mean - printed).max() <= 0.005
        first = SIGNIFICANT[name]
        assert (mean[1, :first] <= mean[0, :first]).all()


@pytest.mark.reproduce
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize(("name", "n_splits"), [("emotions", 10), ("yeast", 3), ("scene", 3)])
def test_table_4(dataset, name, n_splits):
    """M5P is WEKA's; Cubist stands in for it, Quinlan's own successor of M5, kept up in Python.

    The two grow and prune differently and the splits are few, so only what the paper concludes
    is held: with few codes CPLST is better than PLST. (The linear-tree package, 0.3.5, calls a
    method that scikit-learn has removed.)
    """
    cubist = pytest.importorskip("cubist", reason="Table 4 needs the model trees of cubist")
    # Cubist learns one code at a time, as M5P does, so fewer codes can be cut out of one fit.
    found = losses(dataset(name), n_splits, regressor=cubist.Cubist(random_state=0))
    mean = report("Table 4 (Cubist for M5P)", name, found, np.array(TABLE_4[name]))
    assert mean[1, 0] <= mean[0, 0]


def dense(A):
    return A.toarray() if sparse.issparse(A) else np.asarray(A)
