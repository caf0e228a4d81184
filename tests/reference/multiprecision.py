"""The linear methods in 50 digits, from the definitions, with matrices of mpmath numbers.

Every function takes X and 0/1 labels Y as float64 arrays, treats them as exact, and returns float64
arrays that are correct to the last digit for any scales of the columns.
"""

import mpmath
import numpy as np

DIGITS = 80


def exact(A):
    """An object array of multiprecision numbers, equal to A."""
    return np.vectorize(mpmath.mpf, otypes=[object])(np.asarray(A, dtype=float))


def rounded(A):
    return np.vectorize(float, otypes=[float])(A)


def matrix(A):
    return mpmath.matrix(A.tolist())


def array(M):
    return np.array([[M[i, j] for j in range(M.cols)] for i in range(M.rows)], dtype=object)


def solve(A, B):
    """A^-1 B for a symmetric positive definite A."""
    L = array(mpmath.cholesky(matrix(A)))
    Y = np.empty_like(B)
    for i in range(len(L)):
        Y[i] = (B[i] - L[i, :i] @ Y[:i]) / L[i, i] if i else B[i] / L[i, i]
    Z = np.empty_like(B)
    for i in reversed(range(len(L))):
        rest = L[i + 1 :, i] @ Z[i + 1 :] if i + 1 < len(L) else 0
        Z[i] = (Y[i] - rest) / L[i, i]
    return Z


def eigenpairs(A):
    """All eigenpairs of a symmetric matrix, largest first."""
    values, vectors = mpmath.eigsy(matrix((A + A.T) / 2))
    order = sorted(range(len(values)), key=lambda i: -values[i])
    return np.array([values[i] for i in order], dtype=object), array(vectors)[:, order]


def root(A):
    """A^(1/2) and A^(-1/2) of a symmetric positive semi-definite matrix, on its range."""
    values, V = eigenpairs(A)
    positive = [v > values[0] * mpmath.mpf(10) ** -40 for v in values]
    values, V = values[positive], V[:, positive]
    half = np.array([mpmath.sqrt(v) for v in values], dtype=object)
    return (V * half) @ V.T, (V / half) @ V.T


def pencil(A, B):
    """Positive eigenvalues and vectors of A v = lambda B v with v'Bv = 1, on the range of B."""
    _, inverse = root(B)
    values, Y = eigenpairs(inverse @ A @ inverse)
    positive = [v > abs(values[0]) * mpmath.mpf(10) ** -36 for v in values]
    return values[positive], inverse @ Y[:, positive]


def centred(X, Y):
    X, Y = exact(X), exact(Y)
    return X - X.sum(axis=0) / len(X), Y - Y.sum(axis=0) / len(Y)


def eye(D, value=1):
    return exact(np.eye(D)) * value


def precise(function):
    """Run in DIGITS digits and round the results."""

    def wrapped(*arguments, **options):
        with mpmath.workdps(DIGITS):
            results = function(*arguments, **options)
            return (
                tuple(rounded(r) for r in results)
                if isinstance(results, tuple)
                else rounded(results)
            )

    return wrapped


@precise
def thin(X, Y, a, b, label_ridge=None):
    """F F'v = lambda (a xx + b I) v: MDDM, OPLS, and LabelCCA if there is a label_ridge."""
    Xc, Yc = centred(X, Y)
    A = Xc.T @ Yc @ Yc.T @ Xc
    if label_ridge is not None:
        S = 2 * Yc
        A = Xc.T @ S @ solve(S.T @ S + eye(Y.shape[1], label_ridge), S.T @ Xc)
    D = X.shape[1]
    return pencil(A, exact(np.eye(D)) * b + mpmath.mpf(a) * (Xc.T @ Xc))


@precise
def mvmd(X, Y, beta=0.5):
    Xc, Yc = centred(X, Y)
    A = Xc.T @ Yc
    G = (1 - mpmath.mpf(beta)) * (Xc.T @ Xc) + 4 * mpmath.mpf(beta) * (A @ A.T)
    return pencil(G, eye(X.shape[1]))


@precise
def mlsi(X, Y, beta=0.5, ridge=0.1, joint_ridge=0.1):
    Xc, Yc = centred(X, Y)
    S = 2 * Yc
    joint = (1 - mpmath.mpf(beta)) * (Xc @ Xc.T) + mpmath.mpf(beta) * (S @ S.T)
    metric = Xc.T @ solve(joint + eye(len(X), mpmath.mpf(joint_ridge)), Xc)
    return pencil(Xc.T @ Xc, metric + eye(X.shape[1], mpmath.mpf(ridge)))


def scatter(X, weights):
    """Sum over k of the scatter of the rows about their mean k, row i counting weights[i, k]."""
    total = 0
    for w in weights.T:
        D = X - (w @ X) / w.sum()
        total = total + D.T @ (D * w[:, None])
    return total


@precise
def mlda(X, Y, ridge=0.1):
    """Eqs. (41)-(44): rows count for the labels by the cosines of the label columns."""
    X, Y = exact(X), exact(Y)
    norms = np.array([mpmath.sqrt(v) for v in (Y * Y).sum(axis=0)], dtype=object)
    C = (Y.T @ Y) / np.outer(norms, norms)
    count = Y.sum(axis=1)
    Z = np.array([(C @ y) / c if c > 0 else 0 * y for y, c in zip(Y, count, strict=True)])
    w = Z.sum(axis=1)
    mean = (w @ X) / w.sum()
    between = 0
    for z in Z.T:
        d = (z @ X) / z.sum() - mean
        between = between + z.sum() * np.outer(d, d)
    return pencil(between, scatter(X, Z) + eye(X.shape[1], mpmath.mpf(ridge)))


@precise
def dmlda(X, Y, ridge=0.1):
    """Eqs. (42), (45)-(47)."""
    X, Y = exact(X), exact(Y)
    between = 0
    for y in Y.T:
        D = (X - (y @ X) / y.sum())[[v == 0 for v in y]]
        between = between + D.T @ D
    return pencil(between, scatter(X, Y) + eye(X.shape[1], mpmath.mpf(ridge)))


def least_norm(Xc, T, ridge):
    """(Xc'Xc + ridge I)^-1 Xc'T; without a ridge by the pseudo-inverse."""
    if ridge > 0:
        return solve(Xc.T @ Xc + eye(Xc.shape[1], mpmath.mpf(ridge)), Xc.T @ T)
    _, inverse = root(Xc.T @ Xc)
    return inverse @ (inverse @ (Xc.T @ T))


@precise
def ridge(X, Y, ridge):
    """Coefficients (D, q) of 2 Y - 1."""
    Xc, Yc = centred(X, Y)
    return least_norm(Xc, 2 * Yc, ridge)


@precise
def hat(X, Y, ridge):
    """Z'(2H - H^2)Z, which CPLST decomposes; OCCA decomposes Z'Z minus it."""
    Xc, Yc = centred(X, Y)
    fitted = Xc @ least_norm(Xc, Yc, ridge)
    return 2 * (Yc.T @ fitted) - fitted.T @ fitted


@precise
def shared_subspace(X, Y, r, alpha, beta):
    """U (D, q) and an orthonormal basis (D, r) of the shared subspace."""
    Xc, Yc = centred(X, Y)
    n, S = len(X), 2 * Yc
    loose = least_norm(Xc, S, n * beta)
    tight = least_norm(Xc, S, n * (alpha + beta))
    _, P = eigenpairs(loose.T @ tight)
    P = P[:, :r]
    U = tight + (loose - tight) @ P @ P.T
    Q = loose @ P
    for k in range(r):
        for other in range(k):
            Q[:, k] = Q[:, k] - Q[:, other] * (Q[:, other] @ Q[:, k])
        Q[:, k] = Q[:, k] / mpmath.sqrt(Q[:, k] @ Q[:, k])
    return U, Q
