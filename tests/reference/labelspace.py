"""Label-space reduction, transcribed literally from Chen and Lin 2012: dense, slow, N x N.

X is (n, D), Y is (n, q) in {0, 1}. The directions are the rows of V, all of them; callers cut.
"""

import numpy as np
from scipy.linalg import eigh, qr, svd


def shifted(Y):
    """Z of Algorithm 1, step 1."""
    return Y - Y.mean(axis=0)


def centred(X):
    """Sec. 2.2: X is assumed to have zero mean."""
    return X - X.mean(axis=0)


def hat(X, ridge=0.0):
    """H = X X^+ under Eq. (4); with a ridge K Q of Eq. (8), K the linear kernel."""
    X = centred(X)
    if ridge == 0:
        return X @ np.linalg.pinv(X)
    K = X @ X.T
    return K @ np.linalg.inv(ridge * np.eye(len(K)) + K)


def largest(A):
    """Eigenvalues, largest first, and the eigenvectors as rows."""
    values, vectors = eigh((A + A.T) / 2)
    return values[::-1], vectors[:, ::-1].T


def plst(X, Y, ridge=0.0):
    """Table 1, first row: right singular vectors of Z."""
    _, s, V = svd(shifted(Y), full_matrices=False)
    return s**2, V


def occa(X, Y, ridge=0.0):
    """Table 1, second row: Z'(H - I)Z; with a ridge the errors of Eq. (3) are -(I - H)^2."""
    Z, H = shifted(Y), hat(X, ridge)
    residual = Z - H @ Z
    return largest(-residual.T @ residual if ridge else Z.T @ (H @ Z - Z))


def cplst(X, Y, ridge=0.0):
    """Table 1, third row: Z'HZ; with a ridge Eq. (8) without the superfluous I."""
    Z, H = shifted(Y), hat(X, ridge)
    return largest(Z.T @ (2 * H @ Z - H @ (H @ Z)) if ridge else Z.T @ (H @ Z))


def cca(X, Y, ridge=0.0, label_ridge=0.0):
    """Sec. 2.2: the problem of Eq. (2) in W_z alone, Z'HZ w = rho^2 (Z'Z + label_ridge I) w.

    W_x is the regression of Z w, H its hat matrix. Without a label ridge, in the row space of Z.
    """
    Z = shifted(Y)
    _, s, Vt = svd(Z, full_matrices=False)
    basis = np.eye(Z.shape[1]) if label_ridge else Vt[s > 1e-10 * s[0]].T
    T = Z @ basis
    # H of the ridge regression as a map, of which W'W = Z'HZ, for the error of Eq. (2).
    values, vectors = eigh(T.T @ hat(X, ridge) @ T, T.T @ T + label_ridge * np.eye(T.shape[1]))
    return values[::-1], (basis @ vectors[:, ::-1]).T


def decoding(Y, W, label_ridge=0.0):
    """Least squares of the labels, and of label_ridge^(1/2) I, on their codes W (M, q)."""
    q = Y.shape[1]
    rows = np.vstack([shifted(Y), np.sqrt(label_ridge) * np.eye(q)])
    return np.linalg.lstsq(rows @ W.T, rows)[0]


def regression(X, T, ridge=0.0):
    """W' of Sec. 3: X^+ T; ridge regression for Eq. (7)."""
    X = centred(X)
    if ridge == 0:
        return np.linalg.pinv(X) @ T
    return np.linalg.solve(X.T @ X + ridge * np.eye(X.shape[1]), X.T @ T)


def scores(X, Y, V, Xnew, ridge=0.0):
    """V'r(x) + y-bar of Algorithm 1, step 5, before rounding."""
    W = regression(X, shifted(Y) @ V.T, ridge)
    return (Xnew - X.mean(axis=0)) @ W @ V + Y.mean(axis=0)


def predict(X, Y, V, Xnew, ridge=0.0):
    """Algorithm 1, steps 3 to 5."""
    return (scores(X, Y, V, Xnew, ridge) > 0.5).astype(int)


def encoding_error(Y, V):
    """Second term of Eq. (1), on the training rows."""
    Z = shifted(Y)
    return np.linalg.norm(Z - Z @ V.T @ V) ** 2


def prediction_error(X, Y, V, ridge=0.0):
    """First term of Eq. (1), on the training rows."""
    Z = shifted(Y)
    return np.linalg.norm(centred(X) @ regression(X, Z @ V.T, ridge) - Z @ V.T) ** 2


def faie(X, Y, alpha=0.1, ridge=0.1):
    """Lin et al. 2014: eigenvectors of YY' + alpha X(X'X + ridge I)^-1 X', as columns; n x n.

    Both sides are centred.
    """
    X, Z = centred(X), shifted(Y)
    H = hat(X, ridge)
    values, vectors = largest(Z @ Z.T + alpha * H)
    return values, vectors.T


def column_subset(X, Y, M):
    """Bi and Kwok 2013 with pivoted QR for their sampling: labels, and Y_C^+ Y to decode by.

    The code of a label is X_c's least squares on it, as for the other methods here.
    """
    order = qr(Y.astype(float), mode="r", pivoting=True)[1][:M]
    return order, np.linalg.pinv(Y[:, order].astype(float)) @ Y


def leverage_probabilities(Y, M):
    """Their Algorithm 1: squared lengths of the rows of V_M, divided by M."""
    V = svd(Y.astype(float), full_matrices=False)[2][:M]
    return (V**2).sum(axis=0) / M


def leml_turn(X, Y, H, ridge):
    """Yu et al. 2014, squared loss, all labels: both normal equations as one large system each."""
    X, Z = centred(X), shifted(Y)
    k = H.shape[1]
    kron = np.kron(H.T @ H, X.T @ X) + ridge * np.eye(k * X.shape[1])
    W = np.linalg.solve(kron, (X.T @ Z @ H).ravel(order="F")).reshape(-1, k, order="F")
    codes = X @ W
    return W, np.linalg.solve(codes.T @ codes + ridge * np.eye(k), codes.T @ Z).T


def leml_objective(X, Y, W, H, ridge):
    """Their Eq. (2) with squared loss, both sides centred."""
    loss = np.linalg.norm(shifted(Y) - centred(X) @ W @ H.T) ** 2
    return 0.5 * loss + 0.5 * ridge * (np.linalg.norm(W) ** 2 + np.linalg.norm(H) ** 2)


def nuclear_norm(X, Y, ridge, n_steps=20_000):
    """min |Z - XB|^2 / 2 + ridge |B|_* by accelerated proximal steps: singular values shrunk."""
    X, Z = centred(X), shifted(Y)
    step = 1 / np.linalg.norm(X, 2) ** 2
    B = ahead = np.zeros((X.shape[1], Y.shape[1]))
    t = 1.0
    for _ in range(n_steps):
        U, s, Vt = svd(ahead + step * X.T @ (Z - X @ ahead), full_matrices=False)
        new = (U * np.maximum(s - step * ridge, 0)) @ Vt
        if np.abs(new - B).max() <= 1e-13 * np.abs(new).max() and np.array_equal(B, ahead):
            break
        # Momentum restarts if it points uphill.
        t = 1.0 if np.sum((ahead - new) * (new - B)) > 0 else t
        t, before = (1 + np.sqrt(1 + 4 * t**2)) / 2, t
        B, ahead = new, new + (before - 1) / t * (new - B)
    return B, 0.5 * np.linalg.norm(Z - X @ B) ** 2 + ridge * np.linalg.norm(B, "nuc")
