"""RFS, MIFS, MDFS and LLSF, literally: dense matrices, one equation a line."""

import numpy as np
from scipy.linalg import solve_sylvester
from sklearn.linear_model import MultiTaskLasso


def rfs(X, Y, gamma, n_iter=2000):
    """Algorithm 1 of Nie et al. 2010: min |U|_{2,1} over [X, gamma I] U = Y."""
    n, D = X.shape
    A, lengths = np.hstack([X, gamma * np.eye(n)]), np.ones(n + D)
    for _ in range(n_iter):
        scaled = 2 * lengths[:, None] * A.T
        U = scaled @ np.linalg.solve(A @ scaled, Y)
        lengths = np.maximum(np.linalg.norm(U, axis=1), 1e-12)
    return U[:D]


def rfs_objective(X, Y, W, b, gamma):
    """Rows of the residual and of W by their lengths."""
    return np.linalg.norm(X @ W + b - Y, axis=1).sum() + gamma * np.linalg.norm(W, axis=1).sum()


def reader(X, Y, gamma, beta, n_neighbors, n_iter=2000):
    """Sun et al. 2017 without label embedding: Hn, Hm and W in turns; rows of NaN have no label."""
    labelled = ~np.isnan(Y).all(axis=1)
    Xl, Yl, XLX = X[labelled], Y[labelled], X.T @ row_laplacian(X, n_neighbors) @ X
    Hn, Hm = np.ones(len(Xl)), np.ones(X.shape[1])
    for _ in range(n_iter):
        A = Xl.T @ (Hn[:, None] * Xl) + gamma * np.diag(Hm) + beta * XLX
        W = np.linalg.solve(A, Xl.T @ (Hn[:, None] * Yl))
        Hn = 0.5 / np.maximum(np.linalg.norm(Xl @ W - Yl, axis=1), 1e-12)
        Hm = 0.5 / np.maximum(np.linalg.norm(W, axis=1), 1e-12)
    return W, rfs_objective(Xl, Yl, W, 0.0, gamma) + beta * np.trace(W.T @ XLX @ W)


def row_laplacian(X, n_neighbors):
    """Nearest neighbours of either row, exp(-d^2 / t) with t the mean of d^2 over the pairs."""
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    near = squares <= np.sort(squares, axis=1)[:, n_neighbors - 1, None]
    near |= near.T
    weights = np.where(near, np.exp(-squares / squares[near].mean()), 0.0)
    return np.diag(weights.sum(axis=1)) - weights


def label_laplacian(Y):
    """The same of all pairs of label columns."""
    squares = ((Y.T[:, None] - Y.T[None]) ** 2).sum(axis=2)
    pairs = ~np.eye(Y.shape[1], dtype=bool)
    weights = np.where(pairs, np.exp(-squares / squares[pairs].mean()), 0.0)
    return np.diag(weights.sum(axis=1)) - weights


def lasso(X, V, gamma):
    """min_W |Xc W - Vc|^2 + gamma |W|_{2,1}."""
    alpha = gamma / (2 * len(X))
    return MultiTaskLasso(alpha, tol=1e-13, max_iter=100_000).fit(X, V).coef_.T


def best_decoder(V, Y, decoder):
    """Least squares, or orthogonal Procrustes."""
    if decoder == "free":
        return np.linalg.pinv(V) @ Y
    left, _, right = np.linalg.svd(V.T @ Y, full_matrices=False)
    return left @ right


def mifs(X, Y, k, alpha, beta, gamma, n_neighbors, turns, decoder):
    """Turns of W, V and B from V = Y Q; V and the objectives."""
    H, L = np.eye(len(X)) - 1 / len(X), row_laplacian(X, n_neighbors)
    V = Y @ np.linalg.svd(Y, full_matrices=False)[2][:k].T
    B, objectives = best_decoder(V, Y, decoder), []
    for _ in range(turns):
        W = lasso(X, V, gamma)
        V = solve_sylvester(H + beta * L, alpha * B @ B.T, H @ X @ W + alpha * Y @ B.T)
        B = best_decoder(V, Y, decoder)
        fit = ((H @ (X @ W - V)) ** 2).sum() + alpha * ((Y - V @ B) ** 2).sum()
        smooth = beta * np.trace(V.T @ L @ V)
        objectives.append(fit + smooth + gamma * np.linalg.norm(W, axis=1).sum())
    return W, V, objectives


def mdfs(X, Y, alpha, beta, gamma, n_neighbors, turns):
    """Turns of W and F from F = Y; F and the objectives."""
    n, L, L0 = len(X), row_laplacian(X, n_neighbors), label_laplacian(Y)
    H, F, objectives = np.eye(n) - 1 / n, Y, []
    for _ in range(turns):
        W = lasso(X, F, gamma / alpha)
        F = solve_sylvester(L + alpha * H + alpha * np.eye(n), beta * L0, alpha * (H @ X @ W + Y))
        fit = alpha * ((H @ (X @ W - F)) ** 2).sum() + alpha * ((F - Y) ** 2).sum()
        smooth = np.trace(F.T @ L @ F) + beta * np.trace(F @ L0 @ F.T)
        objectives.append(fit + smooth + gamma * np.linalg.norm(W, axis=1).sum())
    return W, F, objectives


def llsf_objective(X, Y, W, alpha, beta, coupling="laplacian"):
    """1/2 |Xc W - Yc|^2 + alpha/2 tr(W R W') + beta |W|_1."""
    Xc, Yc, lengths = X - X.mean(axis=0), Y - Y.mean(axis=0), np.linalg.norm(Y, axis=0)
    cosines = (Y.T @ Y) / np.outer(lengths, lengths)
    R = 1 - cosines if coupling == "paper" else np.diag(cosines.sum(axis=1)) - cosines
    squares = ((Xc @ W - Yc) ** 2).sum() + alpha * np.trace(W @ R @ W.T)
    return squares / 2 + beta * np.abs(W).sum()


def llsf(X, Y, alpha, beta, coupling="laplacian", n_iter=20_000):
    """Proximal gradient steps without acceleration."""
    Xc, Yc, lengths = X - X.mean(axis=0), Y - Y.mean(axis=0), np.linalg.norm(Y, axis=0)
    cosines = (Y.T @ Y) / np.outer(lengths, lengths)
    R = 1 - cosines if coupling == "paper" else np.diag(cosines.sum(axis=1)) - cosines
    step = 1 / (np.linalg.norm(Xc, 2) ** 2 + alpha * np.linalg.norm(R, 2))
    W = np.zeros((X.shape[1], Y.shape[1]))
    for _ in range(n_iter):
        V = W - step * (Xc.T @ (Xc @ W - Yc) + alpha * W @ R)
        W = np.sign(V) * np.maximum(np.abs(V) - step * beta, 0)
    return W
