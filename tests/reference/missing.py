"""Methods with missing labels, transcribed: label by label, dense and slow."""

import numpy as np


def masked_ridge(X, T, ridge, weights=None):
    """Coefficients (D, q) and intercepts (q,) of min sum_i w_i (x_i'b + c - t_i)^2 + ridge |b|^2.

    The sum is over the rows where the label is not NaN. Without a ridge, the b of least norm.
    """
    w = np.ones(len(X)) if weights is None else weights
    coef, intercept = np.zeros((X.shape[1], T.shape[1])), np.zeros(T.shape[1])
    for k in range(T.shape[1]):
        seen = ~np.isnan(T[:, k])
        x_mean = np.average(X[seen], axis=0, weights=w[seen])
        t_mean = np.average(T[seen, k], weights=w[seen])
        root = np.sqrt(w[seen])
        A, b = root[:, None] * (X[seen] - x_mean), root * (T[seen, k] - t_mean)
        if ridge > 0:
            A = np.vstack([A, np.sqrt(ridge) * np.eye(X.shape[1])])
            b = np.concatenate([b, np.zeros(X.shape[1])])
        coef[:, k] = np.linalg.lstsq(A, b, rcond=1e-12)[0]
        intercept[k] = t_mean - x_mean @ coef[:, k]
    return coef, intercept


def about_own_means(Q, Y, weights=None):
    """diag(w) (q - mean q) over the rows where a label is not NaN, 0 elsewhere."""
    w = np.ones(len(Y)) if weights is None else weights
    out = np.zeros_like(Q)
    for k in range(Y.shape[1]):
        seen = ~np.isnan(Y[:, k])
        out[seen, k] = w[seen] * (Q[seen, k] - np.average(Q[seen, k], weights=w[seen]))
    return out


def masked_leml_objective(X, Y, B, ridge, weights=None):
    """Loss over the observed labels, with the best intercepts, and the nuclear norm."""
    E = np.nan_to_num(Y) - X @ B
    return 0.5 * np.sum(E * about_own_means(E, Y, weights)) + ridge * np.linalg.norm(B, "nuc")


def masked_nuclear_norm(X, Y, ridge, weights=None, n_steps=20_000):
    """Its minimum over B, by accelerated proximal steps: singular values shrunk."""
    w = np.ones(len(X)) if weights is None else weights
    X = X - np.average(X, axis=0, weights=w)
    step = 1 / np.linalg.norm(np.sqrt(w)[:, None] * X, 2) ** 2
    B = ahead = np.zeros((X.shape[1], Y.shape[1]))
    t = 1.0
    for _ in range(n_steps):
        gradient = X.T @ about_own_means(np.nan_to_num(Y) - X @ ahead, Y, weights)
        U, s, Vt = np.linalg.svd(ahead + step * gradient, full_matrices=False)
        new = (U * np.maximum(s - step * ridge, 0)) @ Vt
        if np.abs(new - B).max() <= 1e-13 * np.abs(new).max() and np.array_equal(B, ahead):
            break
        # Momentum restarts if it points uphill.
        t = 1.0 if np.sum((ahead - new) * (new - B)) > 0 else t
        t, before = (1 + np.sqrt(1 + 4 * t**2)) / 2, t
        B, ahead = new, new + (before - 1) / t * (new - B)
    return B, masked_leml_objective(X, Y, B, ridge, weights)


def own_rows(X, S, k, weights=None, centre=True):
    """Rows, signed labels and shares of the rows where label k is not NaN, about their means."""
    w = np.ones(len(X)) if weights is None else weights
    seen = ~np.isnan(S[:, k])
    share = w[seen] / w[seen].sum()
    x, s = X[seen], S[seen, k]
    return (x - share @ x, s - share @ s, share) if centre else (x, s, share)


def masked_shared_objective(X, S, U, Theta, alpha, beta, weights=None, centre=True):
    """Eq. (5) of Ji et al. 2010 at V = Theta U, with the loss of a label over its own rows."""
    value = alpha * np.sum((U - Theta.T @ Theta @ U) ** 2) + beta * np.sum(U**2)
    for k in range(S.shape[1]):
        x, s, share = own_rows(X, S, k, weights, centre)
        value += share @ (x @ U[:, k] - s) ** 2
    return value


def masked_shared_subspace(X, S, alpha, beta, r, weights=None, centre=True, n_turns=100_000):
    """Theta (r, D) and U (D, q) alternately, from the closed form of available cases.

    For a fixed Theta each label is a ridge regression over its own rows, in the metric of Theta;
    for fixed U the best Theta is that of its leading left singular vectors.
    """
    w = np.ones(len(X)) if weights is None else weights
    x_mean, eye = centre * np.average(X, axis=0, weights=w), np.eye(X.shape[1])
    A = (w[:, None] * (X - x_mean)).T @ (X - x_mean) / w.sum()
    labels = [own_rows(X, S, k, weights, centre) for k in range(S.shape[1])]
    b = np.stack([x.T @ (share * s) for x, s, share in labels], axis=1)
    loose, tight = np.linalg.solve(A + beta * eye, b), np.linalg.solve(A + (alpha + beta) * eye, b)
    P = np.linalg.eigh(loose.T @ tight + tight.T @ loose)[1][:, -r:]
    U = tight + (loose - tight) @ P @ P.T
    for _ in range(n_turns):
        Theta, before = np.linalg.svd(U, full_matrices=False)[0][:, :r].T, U
        metric = (alpha + beta) * eye - alpha * Theta.T @ Theta
        inner = np.stack([(x.T * share) @ x + metric for x, s, share in labels])
        U = np.linalg.solve(inner, b.T[:, :, None])[:, :, 0].T
        if np.abs(U - before).max() <= 1e-14 * np.abs(U).max():
            break
    return Theta, U
