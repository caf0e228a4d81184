"""The shared subspace and its relatives, transcribed literally: dense and slow.

Ji, Tang, Yu and Ye 2010 (equation numbers), Ando and Zhang 2005 for the iterations of ASO, Joachims
2005 for the F1 loss.
X is (n, D), T is (n, m) in {-1, +1}; centre both first for the version with an intercept.
"""

from itertools import product

import numpy as np
from scipy.linalg import eigh, qr

from tests.reference.extraction import auto_ridge


def centred(A):
    return A - A.mean(axis=0)


def M(X, alpha, beta):
    """Eq. (10)."""
    return X.T @ X / len(X) + (alpha + beta) * np.eye(X.shape[1])


def best_U(X, T, Theta, alpha, beta):
    """Eq. (9); the pseudo-inverse is for beta = 0, where the null space of X is free."""
    inner = M(X, alpha, beta) - alpha * Theta.T @ Theta
    return np.linalg.pinv(inner, rcond=1e-11, hermitian=True) @ X.T @ T / len(X)


def auto_prices(X, Y, r):
    """Alpha and beta from the ridges of the labels outside and inside the subspace.

    P are the leading r eigenvectors of R'R for the ridge regression R with one ridge for all.
    """
    n, Xc, T = len(X), centred(X), centred(2.0 * Y - 1)
    ridge = auto_ridge(X, T @ T.T)
    R = Xc.T @ np.linalg.solve(Xc @ Xc.T + ridge * np.eye(n), T)
    P = eigh(R.T @ R)[1][:, ::-1][:, :r]
    inside, outside = T @ P, T - T @ P @ P.T
    beta, both = (auto_ridge(X, A @ A.T) / n for A in (inside, outside))
    return max(both - beta, 0.0), beta


def objective(X, T, U, V, Theta, alpha, beta):
    """Eq. (5)."""
    return (
        np.sum((X @ U - T) ** 2) / len(X)
        + alpha * np.sum((U - Theta.T @ V) ** 2)
        + beta * np.sum(U**2)
    )


def shared_subspace(X, T, alpha, beta, r):
    """Eqs. (9), (14), (15): top eigenvectors of S2 z = lambda S1 z, QR, then U and V = Theta U.

    The text prints S1 z = lambda S2 z. For beta = 0, S1 is singular outside the row space of X,
    so the problem is solved in coordinates of the row space.
    """
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    basis = Vt[s > max(X.shape) * np.finfo(float).eps * s[0]]
    Z = X @ basis.T
    inverse = np.linalg.inv(M(Z, alpha, beta))
    S1 = np.eye(Z.shape[1]) - alpha * inverse
    S2 = inverse @ Z.T @ T @ T.T @ Z @ inverse
    _, vectors = eigh((S2 + S2.T) / 2, (S1 + S1.T) / 2)
    Q, _ = qr(vectors[:, ::-1][:, :r], mode="economic")
    Theta = Q.T @ basis
    U = best_U(X, T, Theta, alpha, beta)
    return Theta, U, Theta @ U


def aso(X, T, alpha, r, n_turns, beta=0.0):
    """Objectives of Eq. (28), or of (3), hinge loss, by the iterations of Ando and Zhang 2005,
    first Theta empty.

    Fix Theta and v = Theta u, solve for u, then Theta from the SVD of U.
    """
    # Only here: the others run with the lowest libraries, which have no solver.
    import cvxpy

    n, D = X.shape
    U, Theta, objectives = np.zeros((D, T.shape[1])), np.zeros((0, D)), []
    for _ in range(n_turns):
        V = Theta @ U
        b = np.zeros(T.shape[1])
        for k in range(T.shape[1]):
            u, c = cvxpy.Variable(D), cvxpy.Variable()
            loss = cvxpy.sum(cvxpy.pos(1 - cvxpy.multiply(T[:, k], X @ u + c))) / n
            loss += alpha * cvxpy.sum_squares(u - Theta.T @ V[:, k]) + beta * cvxpy.sum_squares(u)
            cvxpy.Problem(cvxpy.Minimize(loss)).solve("CLARABEL")
            U[:, k], b[k] = u.value, c.value
        losses = np.maximum(0, 1 - T * (X @ U + b)).sum() / n
        outside = np.sum((U - Theta.T @ Theta @ U) ** 2)
        objectives.append(losses + alpha * outside + beta * np.sum(U**2))
        Theta = np.linalg.svd(U, full_matrices=False)[0][:, :r].T
    return objectives


def structural_f1_objective(X, y, w, b, C):
    """Joachims 2005, OP 1 with the F1 loss, by trying all 2^n labellings; y in {-1, +1}."""
    scores = X @ w + b
    best = 0.0
    for labelling in product([-1, 1], repeat=len(y)):
        other = np.array(labelling)
        violation = f1_loss(y, other) - (y - other) @ scores
        best = max(best, violation)
    return 0.5 * w @ w + C * best


def f1_loss(y, other):
    """100 percent scale divided by 100: 1 - F1, where nothing to find and nothing found is 1."""
    hits = np.sum((y == 1) & (other == 1))
    size = np.sum(y == 1) + np.sum(other == 1)
    return 0.0 if size == 0 else 1.0 - 2.0 * hits / size


def best_f1_threshold(scores, positive):
    """The largest F1 over all cuts of one label's scores, by trying every one."""
    cuts = np.concatenate([[-np.inf], np.sort(scores)])
    best = 0.0
    for cut in cuts:
        chosen = scores > cut
        hits = np.sum(chosen & positive)
        best = max(best, 2.0 * hits / max(chosen.sum() + positive.sum(), 1))
    return best


def nipals(X, T, n_components):
    """PLS2 as Wold's NIPALS on the rows at convergence: rotations R, loadings C, X and T centred.

    Weights w: leading left singular vector of E'F; score t = Ew; both E and F are deflated by t.
    R = W (P'W)^-1, so that t = Xc R; coefficients R C'.
    """
    E, F = X - X.mean(axis=0), T - T.mean(axis=0)
    W, P, C = [], [], []
    for _ in range(n_components):
        w = np.linalg.svd(E.T @ F)[0][:, 0]
        t = E @ w
        W, P, C = [*W, w], [*P, E.T @ t / (t @ t)], [*C, F.T @ t / (t @ t)]
        E, F = E - np.outer(t, P[-1]), F - np.outer(t, C[-1])
    W, P, C = np.array(W).T, np.array(P).T, np.array(C).T
    return W @ np.linalg.inv(P.T @ W), C
