"""Fits without a ridge that reproduce any label warn and propose a ridge that helps."""

import re

import dask.array as da
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score

import labelspan as ls

MESSAGE = r"fit any label on the (\d+) training rows: their rank is (\d+).*> 0, e\.g\. (\S+)\."


def sample(n, n_features, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n + 200, n_features))
    Y = (X[:, :5] + 0.5 * rng.standard_normal((n + 200, 5)) > 0).astype(int)
    return X[:n], Y[:n], X[n:], Y[n:]


KERNELS = [
    ls.KernelCPLST(2, ridge=0.0, gamma=0.1), ls.KernelCPLST(2, ridge=1e-18, gamma=0.1),
    ls.KernelLabelCCA(2, ridge=0.0, gamma=0.1),
    ls.KernelMDDM(2, constraint="feature", mu=1.0, gamma=0.1),
    ls.KernelSharedSubspaceClassifier(2, alpha=0.1, beta=0.0, gamma=0.1),
]  # fmt: skip


RIDGE_FREE = [
    ls.CPLST(2, ridge=0.0), ls.OCCA(2, ridge=0.0), ls.PLST(2, ridge=0.0),
    ls.OPLS(2, ridge=0), ls.HSL(2, ridge=0),
    ls.LabelCCA(2, ridge=0, label_ridge=0), ls.MDDM(2, constraint="feature", mu=1),
]  # fmt: skip


@pytest.mark.parametrize("estimator", RIDGE_FREE)
@pytest.mark.parametrize(
    ("n", "n_features", "rank"), [(60, 90, 59), (60, 59, 59), (64, 60, 60), (60, 54, 54)]
)
def test_ranks_near_the_number_of_rows_are_told(estimator, n, n_features, rank):
    X, Y, *_ = sample(n, n_features)
    with pytest.warns(UserWarning, match=MESSAGE) as told:
        estimator.fit(X, Y)
    found = re.search(MESSAGE, str(told[0].message))
    assert (int(found[1]), int(found[2])) == (n, rank)
    assert ("nearly" in str(told[0].message)) == (rank < n - 1)
    # A tenth of the mean eigenvalue of the scatter.
    scatter = np.square(X - X.mean(axis=0)).sum()
    assert float(found[3]) == pytest.approx(0.1 * scatter / rank, rel=0.05)


@pytest.mark.parametrize("estimator", RIDGE_FREE)
def test_other_ranks_and_any_ridge_are_not(estimator):
    X, Y, *_ = sample(60, 50)
    estimator.fit(X, Y)
    X, Y, *_ = sample(60, 90)
    estimator = clone(estimator)
    estimator.set_params(**{"mu": 0.5} if "mu" in estimator.get_params() else {"ridge": 1.0})
    estimator.fit(X, Y)


@pytest.mark.parametrize(
    "estimator", [ls.OPLS(2, ridge=0), ls.CPLST(2, ridge=0.0), ls.PLST(2, ridge=0.0)]
)
def test_chunks_are_told_at_the_solution(estimator):
    X, Y, *_ = sample(60, 58)
    model = clone(estimator).partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    with pytest.warns(UserWarning, match=MESSAGE):
        model.finalize()


def test_weights_do_not_hide_the_number_of_rows():
    X, Y, *_ = sample(60, 90)
    with pytest.warns(UserWarning, match="fit any label on the 60 training rows"):
        ls.OPLS(2, ridge=0).fit(X, Y, sample_weight=np.full(60, 0.01))


@pytest.mark.parametrize("estimator", KERNELS)
def test_kernels_of_full_rank_are_told(estimator):
    X, Y, *_ = sample(60, 10)
    with pytest.warns(UserWarning, match=MESSAGE) as told:
        estimator.fit(X, Y)
    assert len(told) == 1


def test_blocks_of_dask_are_told_without_a_second_pass():
    X, Y, *_ = sample(60, 58)
    with pytest.warns(UserWarning, match=r"nearly fit any label.*Set ridge > 0\.$"):
        ls.CPLST(2, ridge=0.0).fit(
            da.from_array(X, chunks=(20, -1)), da.from_array(Y, chunks=(20, -1))
        )


def test_the_proposed_ridge_helps_on_other_rows():
    X, Y, X_new, Y_new = sample(100, 95)
    with pytest.warns(UserWarning, match=MESSAGE) as told:
        plain = ls.CPLST(ridge=0.0).fit(X, Y)
    ridge = float(re.search(MESSAGE, str(told[0].message))[3])
    scores = [
        f1_score(Y_new, model.predict(X_new), average="micro")
        for model in (plain, ls.CPLST(ridge=ridge).fit(X, Y))
    ]
    assert scores[1] > scores[0] + 0.05
