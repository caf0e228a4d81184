"""Ranking SVMs and feature scores, transcribed from the papers; optima by a general convex solver.

LaRank, CLaRank, MLFS: Gu, Li and Han 2011, Eqs. (1), (6), (18). SEL: Zhang and Zhou 2010, Eq. (21).
X is (n, D), Y is (n, q) in {0, 1}; a bias is a column of ones that the caller appends.
"""

import numpy as np


def triples(Y):
    """(i, k, l, 1 / (|y_i| |ybar_i|)) for all relevant k and irrelevant l."""
    for i, y in enumerate(Y):
        relevant, irrelevant = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
        for k in relevant:
            for m in irrelevant:
                yield i, k, m, 1.0 / (len(relevant) * len(irrelevant))


def ranking_loss(Z, Y):
    """The sum over i of Eq. (1), at scores Z = X W."""
    return sum(share * max(0.0, 1 - Z[i, k] + Z[i, m]) for i, k, m, share in triples(Y))


def primal(W, X, Y, C, mu=0.0, D=None, omega=None):
    """Objective of Eq. (6), W on the original features, each row w^j / sqrt(omega_j)."""
    omega = np.ones(len(W)) if omega is None else omega
    V = np.array([w / np.sqrt(o) if o > 0 else 0 * w for w, o in zip(W, omega, strict=True)])
    value = 0.5 * (V**2).sum() + C * ranking_loss(X @ W, Y)
    return value if mu == 0 else value + 0.5 * mu * np.trace(V @ np.linalg.pinv(D) @ V.T)


def square_root(M):
    """Symmetric square root, for Theorem 3.4."""
    values, vectors = np.linalg.eigh(M)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def hinge(W, X, Y):
    """The loss of Eq. (1) as a cvxpy expression."""
    import cvxpy as cp

    rows = list(triples(Y))
    if not rows:
        return 0.0
    left = np.zeros((len(rows), Y.shape[1]))
    for t, (_, k, m, _share) in enumerate(rows):
        left[t, k], left[t, m] = 1.0, -1.0
    instance = X[[i for i, *_ in rows]]
    margins = cp.sum(cp.multiply(instance @ W, left), axis=1)
    return np.array([share for *_, share in rows]) @ cp.pos(1 - margins)


def larank_optimum(X, Y, C):
    """Eq. (1)."""
    import cvxpy as cp

    W = cp.Variable((X.shape[1], Y.shape[1]))
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(W) + C * hinge(W, X, Y)))
    return problem.solve(solver=cp.CLARABEL), W.value


def clarank_optimum(X, Y, C, mu):
    """Eq. (6) with p = 1, as a semi-definite program in W and D: [[T, W], [W', D]] >= 0."""
    import cvxpy as cp

    n_features, n_labels = X.shape[1], Y.shape[1]
    block = cp.Variable((n_features + n_labels,) * 2, PSD=True)
    T, W = block[:n_features, :n_features], block[:n_features, n_features:]
    D = block[n_features:, n_features:]
    energy = 0.5 * cp.sum_squares(W) + 0.5 * mu * cp.trace(T)
    problem = cp.Problem(cp.Minimize(energy + C * hinge(W, X, Y)), [cp.trace(D) == 1])
    return problem.solve(solver=cp.CLARABEL), W.value, D.value


def mlfs_optimum(X, Y, C, n_kept):
    """Eq. (18) with mu = 0 over all masks: 0 <= omega <= 1, sum = m; the last column is free."""
    import cvxpy as cp

    n_features = X.shape[1] - 1
    W, omega = cp.Variable((X.shape[1], Y.shape[1])), cp.Variable(n_features)
    energy = sum(cp.quad_over_lin(W[j], omega[j]) for j in range(n_features))
    energy = 0.5 * energy + 0.5 * cp.sum_squares(W[n_features])
    limits = [omega <= 1, omega >= 0, cp.sum(omega) == n_kept]
    problem = cp.Problem(cp.Minimize(energy + C * hinge(W, X, Y)), limits)
    return problem.solve(solver=cp.CLARABEL), W.value, omega.value


def dual_step(alpha, i, k, m, X, Y, C, R_inverse):
    """One step of Algorithm 1 with G of Eq. (23), everything computed from scratch."""
    beta = np.zeros(Y.shape)
    for (j, p, s), a in alpha.items():
        beta[j, p] += a
        beta[j, s] -= a
    W = X.T @ beta @ R_inverse
    gradient = (W[:, k] - W[:, m]) @ X[i] - 1
    curvature = R_inverse[k, k] + R_inverse[m, m] - 2 * R_inverse[k, m]
    share = C / (Y[i].sum() * (1 - Y[i]).sum())
    step = gradient / (curvature * X[i] @ X[i])
    return min(max(alpha.get((i, k, m), 0.0) - step, 0.0), share)


def threshold_targets(Z, Y):
    """Eq. (34), for rows that have some but not all labels."""
    return np.array([(z[y == 1].min() + z[y == 0].max()) / 2 for z, y in zip(Z, Y, strict=True)])


def fisher_score(x, y):
    """Fisher score of one feature for one label: between-class over within-class scatter."""
    one, other = x[y == 1], x[y == 0]
    between = len(one) * (one.mean() - x.mean()) ** 2 + len(other) * (other.mean() - x.mean()) ** 2
    within = ((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum()
    return between / within


def fisher_svm(X, Y, m, C):
    """FS+SVM of Sec. 4.3: the m features of largest Fisher score of each label, and an SVM on them.

    Squared hinge, the bias penalised as the weight of a constant feature, as in LIBLINEAR. Newton's
    method on the rows inside the margin: W (D, q) and b (q,).
    """
    W, b = np.zeros((X.shape[1], Y.shape[1])), np.zeros(Y.shape[1])
    for k, y in enumerate(Y.T):
        scores = np.array([fisher_score(x, y) for x in X.T])
        chosen = np.argsort(-scores, kind="stable")[:m]
        A, s = np.column_stack([X[:, chosen], np.ones(len(X))]), 2.0 * y - 1
        w, inside = np.zeros(A.shape[1]), np.ones(len(X), dtype=bool)
        for _ in range(100):
            R = A[inside]
            new = np.linalg.solve(np.eye(len(w)) + 2 * C * R.T @ R, 2 * C * R.T @ s[inside])
            # Halve the step until the objective falls.
            step = 1.0
            while svm_objective(A, s, w + step * (new - w), C) > svm_objective(A, s, w, C):
                step /= 2
            w, before = w + step * (new - w), inside
            inside = s * (A @ w) < 1
            if step == 1 and (inside == before).all():
                break
        W[chosen, k], b[k] = w[:-1], w[-1]
    return W, b


def svm_objective(A, s, w, C):
    """1/2 |w|^2 + C sum of squared hinge losses."""
    return 0.5 * w @ w + C * np.sum(np.maximum(0, 1 - s * (A @ w)) ** 2)


def discriminative_ratio(x, Y, weighted=True):
    """MDDM Eq. (21) for one feature; the print lacks the N_m of LDA's between-class scatter."""
    groups = [x[y == 1] for y in Y.T]
    overall = sum(g.sum() for g in groups) / sum(len(g) for g in groups)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups)
    sizes = [len(g) if weighted else 1 for g in groups]
    return within / sum(
        size * (g.mean() - overall) ** 2 for g, size in zip(groups, sizes, strict=True)
    )
