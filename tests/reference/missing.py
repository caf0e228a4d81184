"""Methods with labels that are not observed, transcribed: label by label, dense and slow."""

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
