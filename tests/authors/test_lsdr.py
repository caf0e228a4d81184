"""mlc_lsdr, the MATLAB programs of the author of PLST and CPLST."""

import numpy as np
import pytest

import labelspan as ls
from labelspan import metrics
from tests.comparison import sine
from tests.oracles import SETS, assert_equal, assert_equal_columns, run
from tests.reference import labelspace as reference


def signed(Y):
    return 2.0 * Y - 1


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


def programs_scores(sample, V, shift):
    """Its regression has a penalised column of ones, on labels in {-1, +1}."""
    X, Z = with_ones(sample.X), signed(sample.Y) - shift
    W = np.linalg.solve(X.T @ X + 0.1 * np.eye(X.shape[1]), X.T @ (Z @ V))
    return with_ones(sample.X_test) @ W @ V.T + shift


@pytest.mark.parametrize("name", SETS)
def test_plst(name):
    sample = run(f"lsdr_{name}")
    V = sample["plst_vm"]
    model = ls.PLST(V.shape[1], ridge=0.1).fit(sample.X, sample.Y)
    assert_equal_columns(model.components_.T, V)
    assert_equal(signed(model.label_mean_), sample["plst_shift"])
    scores = programs_scores(sample, model.components_.T, signed(model.label_mean_))
    assert_equal(scores, sample["plst_scores"])
    # With a free intercept, as in the paper, up to three labels of a set change.
    changed = model.predict(sample.X_test) != sample["plst_labels"]
    assert changed.sum() <= 3


@pytest.mark.parametrize("name", ["emotions", "yeast", "scene"])
def test_cplst_without_a_ridge_on_centred_features(name):
    # The paper's Z'HZ. The program ran with a ridge of about 1e-13, and labels in {-1, +1}.
    sample = run(f"lsdr_{name}")
    model = ls.CPLST(ridge=0.0).fit(sample.X, sample.Y)
    values = sample["cplst_centred_values"]
    assert_equal(4 * model.eigenvalues_, values[: model.n_components_])
    V = sample["cplst_centred_vm"][:, : model.n_components_]
    assert_equal_columns(model.components_.T, V)


@pytest.mark.parametrize("name", SETS)
def test_cplst_with_a_ridge_follows_eq_8_and_the_program_does_not(name):
    # It decomposes Z'HZ with H = X (X'X + 0.1 I)^-1 X' of features that are not centred.
    sample = run(f"lsdr_{name}")
    V = sample["cplst_vm"]
    Z = signed(sample.Y) - signed(sample.Y).mean(axis=0)
    A = sample.X.T @ sample.X + 0.1 * np.eye(sample.X.shape[1])
    cross = sample.X.T @ Z
    values, literal = reference.largest(cross.T @ np.linalg.solve(A, cross))
    assert_equal(values, sample["cplst_values"])
    assert_equal_columns(literal[: V.shape[1]].T, V)
    ours = ls.CPLST(V.shape[1], ridge=0.1).fit(sample.X, sample.Y)
    assert 0.01 < sine(ours.components_.T, V) < 0.21
    changed = ours.predict(sample.X_test) != sample["cplst_labels"]
    assert changed.mean() <= 0.006


@pytest.mark.parametrize(("method", "tolerance"), [("plst", 1e-12), ("cplst", 0.0006)])
def test_hamming_loss_of_the_yeast_split_that_the_program_ships(method, tolerance):
    sample = run("lsdr_yeast_demo")
    model = {"plst": ls.PLST, "cplst": ls.CPLST}[method](ridge=0.1).fit(sample.X, sample.Y)
    losses = [
        metrics.hamming_loss(sample.Y_test, model.truncate(int(M)).predict(sample.X_test))
        for M in sample[f"{method}_m"]
    ]
    difference = np.abs(losses - sample[f"{method}_hamming"])
    assert difference.max() <= tolerance
    assert (difference <= 1e-12).sum() == {"plst": 14, "cplst": 11}[method]


@pytest.mark.parametrize("name", SETS)
def test_faie(name):
    # The program centres nothing and has labels in {-1, +1}. A sample joined with its negative has
    # mean 0, so there the two agree, with half the eigenvalues, the weight alpha / 2 and the ridge
    # 2 * 0.1.
    sample = run(f"lsdr_{name}")
    X, Y = np.vstack([sample.X, -sample.X]), np.vstack([sample.Y, 1 - sample.Y])
    M = sample["faie_vm"].shape[1]
    model = ls.FaIE(M, alpha=0.05, ridge=0.2).fit(X, Y)
    A = sample.X.T @ sample.X + 0.1 * np.eye(sample.X.shape[1])
    T = signed(sample.Y)
    values, U = reference.largest(T @ T.T + 0.1 * sample.X @ np.linalg.solve(A, sample.X.T))
    assert_equal(2 * model.eigenvalues_[:M], values[:M])
    assert_equal_columns(np.sqrt(4 * len(T)) * model.components_.T, sample["faie_vm"])
    # Scores by its regression, which has a penalised column of ones.
    ones, ones_test = with_ones(sample.X), with_ones(sample.X_test)
    B = ones.T @ ones + 0.1 * np.eye(ones.shape[1])
    scores = ones_test @ np.linalg.solve(B, ones.T @ (U[:M].T @ (U[:M] @ T)))
    assert_equal(scores, sample["faie_scores"])


@pytest.mark.parametrize("name", SETS)
def test_faie_about_the_means_predicts_nearly_as_well(name):
    # Labels in {0, 1}: a quarter of the weight.
    sample = run(f"lsdr_{name}")
    M = sample["faie_vm"].shape[1]
    model = ls.FaIE(M, alpha=0.1 / 4, ridge=0.1).fit(sample.X, sample.Y)
    ours = metrics.hamming_loss(sample.Y_test, model.predict(sample.X_test))
    assert abs(ours - sample["faie_hamming"][0]) < 0.007


@pytest.mark.parametrize("name", SETS)
def test_cssp_given_its_draw(name):
    """The transcription, with which tests of the label space compare ours.

    The program has labels in {-1, +1}, ours in {0, 1}.
    """
    sample = run(f"lsdr_{name}")
    T, chosen = signed(sample.Y), sample["cssp_chosen"]
    shares = reference.leverage_probabilities(T, len(chosen))
    assert_equal(shares, sample["cssp_probabilities"])
    decoder = np.linalg.pinv(T[:, chosen]) @ T
    assert_equal(decoder.T, sample["cssp_vm"])
    ones = with_ones(sample.X)
    B = ones.T @ ones + 0.1 * np.eye(ones.shape[1])
    scores = with_ones(sample.X_test) @ np.linalg.solve(B, ones.T @ T[:, chosen]) @ decoder
    np.testing.assert_array_equal(scores > 0, sample["cssp_labels"] > 0)
