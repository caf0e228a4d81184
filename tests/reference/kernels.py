"""The kernel methods, transcribed literally from the papers: dense and slow.

MDDM: Zhang and Zhou 2010; shared subspace: Ji, Tang, Yu and Ye 2010; CPLST: Chen and Lin 2012;
CCA: Xu 2016, Eq. (40), for directions in the span of the mapped rows.
K is the (n, n) kernel of the training rows, not centred; Y is (n, q) in {0, 1}. The kernel is
centred in all of them. Eigenproblems are solved on the range of the centred kernel.
"""

import numpy as np
from scipy.linalg import eigh

from tests.reference import subspace
from tests.reference.extraction import auto_ridge_of_kernel, centring, hypergraph


def centred(K):
    H = centring(len(K))
    return H @ K @ H


def centred_rows(K_new, K):
    """Kernel of new rows with the training rows, about the training mean in feature space."""
    n = len(K)
    return (K_new - np.ones((len(K_new), n)) / n @ K) @ centring(n)


def kernel_range(Q, cut=1e-13):
    """Eigenvalues and eigenvectors of the centred kernel that are not rounding."""
    values, U = eigh(Q)
    keep = values > cut * len(Q) * values[-1]
    return values[keep], U[:, keep]


def largest_on_range(A, B, Q):
    """All eigenpairs of A c = lambda B c, largest first, for c in the range of Q.

    With Q = U s U' and c = U s^(-1/2) d, so that the metric is well scaled.
    """
    s, U = kernel_range(Q)
    E = U / np.sqrt(s)
    values, vectors = eigh(E.T @ A @ E, E.T @ B @ E)
    return values[::-1], E @ vectors[:, ::-1]


def mddm(K, Y, constraint="projection", mu=0.5, B=None, L=None):
    """MDDM Eqs. (13) and (20), with L = Y B Y' (Sec. 3.3)."""
    H, Q = centring(len(K)), centred(K)
    if L is None:
        L = Y @ (np.eye(Y.shape[1]) if B is None else B) @ Y.T
    A = Q @ H @ L @ H @ Q
    mu = 1 / (1 + auto_ridge_of_kernel(Q, L, Y)) if mu == "auto" else mu
    metric = Q if constraint == "projection" else mu * Q @ Q + (1 - mu) * Q
    return largest_on_range(A, metric, Q)


def label_cca(K, Y, ridge="auto", label_ridge="auto"):
    """MVMD Eq. (40) with X'X in feature space, labels in {-1, +1}, both sides centred."""
    H, Q = centring(len(K)), centred(K)
    S = H @ (2.0 * Y - 1)
    if label_ridge == "auto":
        values = np.linalg.eigvalsh(S.T @ S)
        label_ridge = values[values > 1e-10 * values[-1]].mean()
    inner = np.linalg.inv(S.T @ S + label_ridge * np.eye(Y.shape[1]))
    ridge = auto_ridge_of_kernel(Q, S @ inner @ S.T) if ridge == "auto" else ridge
    return largest_on_range(Q @ S @ inner @ S.T @ Q, Q @ Q + ridge * Q, Q)


def shared_subspace(K, Y, alpha, beta, r):
    """Ji et al. Eqs. (32)-(41): A (n, m) and B (n, r) with B'KB = I, labels in {-1, +1}."""
    n = len(K)
    Q = centred(K)
    T = centring(n) @ (2.0 * Y - 1)
    s, U = kernel_range(Q)
    N_inverse = U @ np.diag(1 / (s**2 / n + (alpha + beta) * s)) @ U.T
    S1 = Q - alpha * Q @ N_inverse @ Q
    S2 = Q @ N_inverse @ Q @ T @ T.T @ Q @ N_inverse @ Q
    _, vectors = largest_on_range(S2, S1, Q)
    B = orthonormalised(vectors[:, :r], Q)
    N = Q @ Q / n + (alpha + beta) * Q
    inner = U.T @ (N - alpha * Q @ B @ B.T @ Q) @ U
    A = U @ np.linalg.solve(inner, U.T @ Q @ T) / n
    return A, B


def kernel_parts(blocks, Y, shares, alpha, beta, r):
    """Loss and c_t of ML_LS on the features [d_t^(1/2) X_t], in the weights themselves.

    W_t = d_t^(1/2) U_t are the weights of X_t, L_t = d_t^(1/2) (Theta'V)_t their shared part:
    c_t = beta |W_t|^2 + alpha |W_t - L_t|^2, and (5) is the loss plus sum_t c_t / d_t.
    """
    T = subspace.centred(2.0 * Y - 1)
    Z = np.hstack([np.sqrt(d) * subspace.centred(X) for d, X in zip(shares, blocks, strict=True)])
    Theta, U, V = subspace.shared_subspace(Z, T, alpha, beta, r)
    ends = np.cumsum([X.shape[1] for X in blocks])[:-1]
    parts = zip(shares, np.split(U, ends), np.split(Theta.T @ V, ends), strict=True)
    costs = [d * (beta * np.sum(U**2) + alpha * np.sum((U - L) ** 2)) for d, U, L in parts]
    return np.sum((Z @ U - T) ** 2) / len(Y), np.array(costs)


def kernel_weights(blocks, Y, alpha, beta, r, n_turns):
    """Shares and objective after each turn: ML_LS for given shares, then d_t ~ c_t^(1/2)."""
    shares, found = np.full(len(blocks), 1 / len(blocks)), []
    for _ in range(n_turns):
        loss, costs = kernel_parts(blocks, Y, shares, alpha, beta, r)
        found.append((shares, loss + np.sum(costs / shares)))
        shares = np.sqrt(costs) / np.sqrt(costs).sum()
    return found


def shared_objective(K, Y, A, B, alpha, beta):
    """Ji et al. Eq. (38) with V of (37)."""
    Q = centred(K)
    T = centring(len(K)) @ (2.0 * Y - 1)
    penalty = (alpha + beta) * Q - alpha * Q @ B @ B.T @ Q
    return np.sum((Q @ A - T) ** 2) / len(K) + np.trace(A.T @ penalty @ A)


def orthonormalised(C, Q):
    """Columns with C'QC = I that span the same."""
    L = np.linalg.cholesky(C.T @ Q @ C)
    return C @ np.linalg.inv(L).T


def cplst_matrix(K, Y, ridge):
    """Chen and Lin Eq. (8) without the I that is printed once too often: Z'(2KQ - QKKQ)Z."""
    Kc = centred(K)
    Z = centring(len(K)) @ Y
    Q = np.linalg.inv(ridge * np.eye(len(K)) + Kc)
    return Z.T @ (2 * Kc @ Q - Q @ Kc @ Kc @ Q) @ Z


def occa_matrix(K, Y, ridge):
    """The first term of Chen and Lin Eq. (8): -Z'(2KQ - QKKQ - I)Z = Z'(I - KQ)^2 Z."""
    Kc = centred(K)
    Z = centring(len(K)) @ Y
    H = Kc @ np.linalg.inv(ridge * np.eye(len(K)) + Kc)
    return Z.T @ (np.eye(len(K)) - H) @ (np.eye(len(K)) - H) @ Z


def cplst(K, Y, ridge, M):
    """V (M, q) of Eq. (8) and the coefficients of kernel ridge regression on Z V', Eq. (7)."""
    _, vectors = eigh(cplst_matrix(K, Y, ridge))
    V = vectors[:, ::-1][:, :M].T
    Z = centring(len(K)) @ Y
    return V, np.linalg.inv(ridge * np.eye(len(K)) + centred(K)) @ Z @ V.T


def hsl(K, Y, expansion="clique", ridge="auto"):
    """Sun, Ji and Ye 2008 for directions in the span of the mapped rows."""
    Q, C = centred(K), hypergraph(Y, expansion)
    ridge = auto_ridge_of_kernel(Q, C) if ridge == "auto" else ridge
    return largest_on_range(Q @ C @ Q, Q @ Q + ridge * Q, Q)


def pls(K, Y, n_components):
    """Rosipal and Trejo 2001, Sec. 4, at convergence: scores t of the training rows, unit length.

    t = Q u for the u that the leading eigenvector of Q Y Y' gives; then Q and Y are deflated by t.
    """
    Q, Y = centred(K), centring(len(K)) @ Y
    scores = []
    for _ in range(n_components):
        # With Q Y Y' t = lambda t: the leading eigenvector lies in the span of Q Y.
        v = np.linalg.eigh(Y.T @ Q @ Y)[1][:, -1]
        t = Q @ Y @ v
        t /= np.linalg.norm(t)
        P = np.eye(len(t)) - np.outer(t, t)
        Q, Y = P @ Q @ P, P @ Y
        scores.append(t)
    return np.array(scores).T
