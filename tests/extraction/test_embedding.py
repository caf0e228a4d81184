"""EmbeddingReducer: its limits, its nested dimensions and the choice of its balance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

import labelspan as ls
from labelspan.metrics import nearest, shared_label_at_k

rng = np.random.default_rng(0)
LABELS = (rng.random((400, 6)) < 0.3).astype(int)
# Labels are seen through four weak features of 30; the strong ones are noise.
X = rng.standard_normal((400, 30)) * np.r_[np.full(10, 3.0), np.ones(20)]
X[:, 10:14] += 1.5 * LABELS[:, :4]


def same_up_to_signs(A, B):
    assert_allclose(A * np.sign(np.sum(A * B, axis=0)), B, atol=1e-9)


def test_the_limits_are_pca_and_the_directions_of_the_labels():
    pca = ls.EmbeddingReducer(8, balance=0.0).fit(X, LABELS)
    same_up_to_signs(pca.transform(X), PCA(8).fit_transform(X))
    assert_allclose(pca.explained_dependence_ratio_, PCA(8).fit(X).explained_variance_ratio_)
    labels = ls.EmbeddingReducer(None, balance=1.0, ridge=2.0).fit(X, LABELS)
    opls = ls.OPLS(None, ridge=2.0).fit(X, LABELS).transform(X)
    assert labels.n_components_ == opls.shape[1] == 6
    # The same space, and the kernel of its weighted unit vectors.
    rho = np.sqrt(ls.OPLS(None, ridge=2.0).fit(X, LABELS).eigenvalues_)
    units = opls / np.linalg.norm(opls, axis=0) * np.sqrt(rho / rho.sum())
    Z = labels.transform(X)
    Xc = X - X.mean(axis=0)
    assert_allclose(Z @ Z.T, units @ units.T * np.sum(Xc**2), atol=1e-9)


def test_constant_labels_leave_the_features():
    constant = np.ones((400, 2))
    for balance in (0.5, "auto"):
        model = ls.EmbeddingReducer(8, balance=balance).fit(X, constant)
        same_up_to_signs(model.transform(X), PCA(8).fit_transform(X))
    with pytest.raises(ValueError, match="There is no direction to keep"):
        ls.EmbeddingReducer(8, balance=1.0).fit(X, constant)


@pytest.mark.parametrize("balance", ["auto", 0.3])
def test_without_a_ridge(balance):
    bare = ls.EmbeddingReducer(8, balance=balance, ridge=0.0).fit(X, LABELS)
    tiny = ls.EmbeddingReducer(8, balance=balance, ridge=1e-9).fit(X, LABELS)
    assert bare.balance_ == tiny.balance_ == (0.25 if balance == "auto" else 0.3)
    same_up_to_signs(bare.transform(X), tiny.transform(X))
    few, labels = X[:20], LABELS[:20]
    with pytest.warns(UserWarning, match="Without a ridge the features fit any label"):
        model = ls.EmbeddingReducer(8, balance=balance, ridge=0.0).fit(few, labels)
    # As many directions as rows fit the labels whatever they are: no evidence that they depend.
    assert model.balance_ == (0.0 if balance == "auto" else 0.3)


def test_no_map_of_rank_k_is_closer_to_the_mixed_kernel():
    model = ls.EmbeddingReducer(None, balance=0.4).fit(X, LABELS)
    K = model.transform(X) @ model.transform(X).T
    Z = model.truncate(5).transform(X)
    values = np.linalg.eigvalsh(K)[::-1]
    assert np.linalg.norm(K - Z @ Z.T) == pytest.approx(np.linalg.norm(values[5:]), rel=1e-9)


@pytest.mark.parametrize("balance", ["auto", 0.6])
def test_the_first_dimensions_are_the_result_for_fewer(balance):
    model = ls.EmbeddingReducer(12, balance=balance).fit(X, LABELS)
    for k in (1, 5, 12):
        short, fitted = model.truncate(k), ls.EmbeddingReducer(k, balance=balance).fit(X, LABELS)
        assert short.get_params() == fitted.get_params()
        assert_allclose(short.transform(X), fitted.transform(X), atol=1e-9)
        assert_allclose(short.transform(X), model.transform(X)[:, :k], atol=0)
        assert short.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    for k in (0, 13, 2.0):
        with pytest.raises(ValueError, match="expected an integer from 1 to n_components_=12"):
            model.truncate(k)


def test_labels_that_do_not_depend_on_the_features_are_left_out():
    noise = np.random.default_rng(3)
    found = [
        ls.EmbeddingReducer(5).fit(X, noise.permutation(LABELS[:, :2])).balance_ for _ in range(20)
    ]
    assert found.count(0.0) >= 18
    assert ls.EmbeddingReducer(5).fit(X, LABELS).balance_ == 0.25
    constant = ls.EmbeddingReducer(5).fit(X, np.ones((400, 2)))
    same_up_to_signs(constant.transform(X), PCA(5).fit_transform(X))


def test_rows_of_unit_length():
    model = ls.EmbeddingReducer(4, normalize=True).fit(X, LABELS)
    Z = model.transform(np.vstack([X, model.mean_]))
    assert_allclose(np.linalg.norm(Z[:-1], axis=1), 1)
    assert_allclose(Z[-1], 0, atol=1e-12)
    plain = ls.EmbeddingReducer(4).fit(X, LABELS).transform(X)
    assert_allclose(Z[:-1], plain / np.linalg.norm(plain, axis=1, keepdims=True))


def test_neighbours_share_more_labels_in_few_dimensions_than_in_all():
    train, new = slice(0, 300), slice(300, None)
    model = ls.EmbeddingReducer(4).fit(X[train], LABELS[train])

    def quality(Z):
        return shared_label_at_k(LABELS[new], LABELS[train], nearest(Z[new], Z[train], 10))

    pca = PCA(4).fit(X[train]).transform(X)
    assert quality(model.transform(X)) > quality(X) + 0.02
    assert quality(model.transform(X)) > quality(pca) + 0.05


def test_codes_keep_the_neighbours():
    model = ls.EmbeddingReducer(12).fit(X, LABELS)
    Z = model.transform(X)
    first = Z[:, 0].std()
    assert model.code_scale_ == pytest.approx(127 / (4 * first), rel=1e-9)
    for fitted in (
        model,
        model.truncate(8),
        ls.EmbeddingReducer(12, normalize=True).fit(X, LABELS),
    ):
        whole, codes = fitted.transform(X), fitted.codes(X)
        assert codes.dtype == np.int8
        scale = 127 if fitted.normalize else fitted.code_scale_
        kept = np.abs(whole * scale) <= 127
        assert kept.mean() > 0.99
        assert np.abs(codes - whole * scale)[kept].max() <= 0.5
        exact, coded = (nearest(A[:50], A, 10) for A in (whole, codes.astype(float)))
        common = [len(set(a) & set(b)) for a, b in zip(exact, coded, strict=True)]
        assert np.mean(common) > 8.5
    bits = np.unpackbits(model.codes(X, bits=1), axis=1)
    assert bits.shape == (400, 16)
    assert np.array_equal(bits[:, :12] == 1, Z > 0)
    assert not bits[:, 12:].any()
    with pytest.raises(ValueError, match=r"bits=4; expected 8, a byte per dimension, or 1"):
        model.codes(X, bits=4)
