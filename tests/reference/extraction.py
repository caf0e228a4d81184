"""The feature extractors, transcribed literally from the papers: dense and slow.

Each function returns the eigenvalues, descending, and the directions as columns, for *all*
directions; callers cut. X is (n, D), Y is (n, q) in {0, 1}.
MVMD: Xu 2016; MDDM: Zhang and Zhou 2010; OPLS: Sun et al. 2009; LPP: He and Niyogi 2004.
"""

from typing import Any

import numpy as np
from scipy.linalg import eigh, null_space, svd

#: By transcription, what its default entry in tests/registry.py must say besides, such as
#: {"excuses": {law: the reason for which it does not hold}}.
ENTRIES: dict[str, dict[str, Any]] = {}


def centring(n):
    """H of MDDM Eq. (3) and MVMD Eq. (5)."""
    return np.eye(n) - np.ones((n, n)) / n


def largest(A, B=None):
    """All eigenpairs of A v = lambda B v, largest first."""
    values, vectors = eigh((A + A.T) / 2, None if B is None else (B + B.T) / 2)
    return values[::-1], vectors[:, ::-1]


def label_rbf(Y, width=1.0):
    """B of MDDM Sec. 3.3: an RBF kernel between the label columns."""
    Y = Y.astype(float)
    q = Y.shape[1]
    return np.array(
        [
            [np.exp(-((Y[:, s] - Y[:, t]) ** 2).sum() / (2 * width**2)) for t in range(q)]
            for s in range(q)
        ]
    )


def auto_ridge(X, L, Y=0.0):
    """The ridge r of least n RSS / (n - df)^2 with df <= n / 2, for targets T with L = TT'.

    With S = Xc Xc' (Xc Xc' + r I)^-1, RSS = ||(I - S) H T||^2 and df = 1 + tr S; r among 28 from
    1e-6 to 1e3 times the mean positive eigenvalue of Xc'Xc; the largest if none is allowed.
    A soft label y of Y counts as y rows with the label and 1 - y rows without it: y (1 - y) more.
    """
    # Singular values, because the scatter of a column in large units would round the others away.
    U, d, _ = svd(centring(len(X)) @ X, full_matrices=False)
    null = (max(X.shape) * np.finfo(float).eps) ** 2
    return auto_ridge_of_spectrum(d[::-1] ** 2, U[:, ::-1], L, Y, null)


def auto_ridge_of_kernel(Q, L, Y=0.0):
    """The same from the centred kernel Q, with S = Q (Q + r I)^-1."""
    return auto_ridge_of_spectrum(*eigh(Q), L, Y, 1e-10)


def auto_ridge_of_spectrum(s, U, L, Y, null):
    """The same from the eigenvalues s, ascending, and eigenvectors U of Xc Xc'."""
    n = len(U)
    H = centring(n)
    s = np.where(s > null * s[-1], s, 0)
    energy = np.einsum("ij,ij->j", U, H @ L @ H @ U)
    rest = float(np.trace(H @ L)) - energy.sum()
    found, doubt = [], np.sum(Y * (1 - Y)) + rest
    for ridge in np.concatenate([unit * np.geomspace(1e-6, 1e3, 28) for unit in units(s)]):
        kept = ridge / (s + ridge)
        df = 1 + (1 - kept).sum()
        if df <= n / 2:
            found.append(((kept**2 @ energy + doubt) / (n - df) ** 2, ridge))
    return min(found)[1] if found else ridge


def auto_ridge_of_available(X, Y):
    """The same for labels with NaN, from available cases, which count as n_k rows in the mean.

    Label k has the products n / n_k sum_{i: M_ik = 1} (x_i - mean) (y_ik - mean_k) with the
    features, and the energy n p_k (1 - p_k).
    """
    n = len(X)
    seen = ~np.isnan(Y)
    T = np.where(seen, Y - np.nanmean(Y, axis=0), 0) / seen.mean(axis=0)
    U, d, _ = svd(centring(n) @ X, full_matrices=False)
    some = d > 1e-13 * d[0]
    s, energy = d[some] ** 2, np.sum((U[:, some].T @ T) ** 2, axis=1)
    p = np.nanmean(Y, axis=0)
    total, m = n * np.sum(p * (1 - p)), n * seen.mean()
    found = []
    for ridge in s.mean() * np.geomspace(1e-6, 1e3, 28):
        kept = ridge / (s + ridge)
        df = 1 + (1 - kept).sum()
        if df <= m / 2:
            rss = max(total - (1 - kept**2) @ energy, 0)
            found.append((rss / (m - df) ** 2, ridge))
    return min(found)[1] if found else ridge


def units(s):
    """The mean eigenvalue above rounding, and that of the many that a few hide, again and again.

    The k smallest, at least half, are hidden if the next is above a hundred times the largest of
    them, and their mean below a millionth of the last unit.
    """
    s = np.sort(s[s > 0])
    found, n = [s[s > 1e-10 * s[-1]].mean()], len(s)
    for k in range(n - 1, 0, -1):
        if 2 * k >= n and s[k] > 100 * s[k - 1] and s[:k].mean() < 1e-6 * found[-1]:
            found.append(s[:k].mean())
            n = k
    return found


def mddm(X, Y, constraint="projection", mu="auto", B=None, L=None):
    """MDDM Eqs. (6) and (17), with L = Y B Y' (Sec. 3.3) or any kernel of the labels."""
    n, D = X.shape
    H = centring(n)
    soft = Y if B is None and L is None else 0.0
    if L is None:
        L = Y @ (np.eye(Y.shape[1]) if B is None else B) @ Y.T
    A = X.T @ H @ L @ H @ X
    if constraint == "projection":
        return largest(A)
    Xc = H @ X
    mu = 1 / (1 + auto_ridge(X, L, soft)) if mu == "auto" else mu
    return largest(A, mu * Xc.T @ Xc + (1 - mu) * np.eye(D))


def completed(X, P, B):
    """Footnote 4 of MDDM: directions of largest scatter in the B-complement of those of P."""
    N = null_space(P.T @ B)
    Xc = X - X.mean(axis=0)
    values, C = largest(N.T @ Xc.T @ Xc @ N, N.T @ B @ N)
    return values, N @ C


def embedding_metric(X, Y, balance=0.25, ridge=1.0):
    """S with K = Xc S Xc', in units in which S = I for beta = 0.

    S / tr(xx) = (1 - beta) I / tr(xx) + beta sum_j rho_j p_j p_j' / sum_j rho_j, where p_j are the
    OPLS directions, scaled so that Xc p_j has length 1, and rho_j the roots of the eigenvalues.
    """
    Xc, Yc = X - X.mean(0), Y - Y.mean(0)
    xx, xt = Xc.T @ Xc, Xc.T @ Yc
    values, P = largest(xt @ xt.T, xx + ridge * np.eye(len(xx)))
    kept = values > 1e-10 * values[0]
    rho, P = np.sqrt(values[kept]), P[:, kept] / np.linalg.norm(Xc @ P[:, kept], axis=0)
    S = (1 - balance) * np.eye(len(xx)) / np.trace(xx) + balance * (P * rho / rho.sum()) @ P.T
    return S * np.trace(xx)


def embedding(X, Y, balance=0.25, ridge=1.0):
    """A PCA in the metric S: with R = S^(1/2), Xc R v for the eigenvectors v of R xx R.

    They are the principal coordinates of the mixed kernel K.
    """
    Xc = X - X.mean(0)
    e, Q = eigh(embedding_metric(X, Y, balance, ridge))
    R = (Q * np.sqrt(np.maximum(e, 0))) @ Q.T
    values, V = largest(R @ Xc.T @ Xc @ R)
    return values / np.sum(Xc**2), R @ V


def mvmd(X, Y, beta=0.5):
    """MVMD Eqs. (34) and (37), labels in {-1, +1}."""
    H = centring(len(X))
    S = 2.0 * Y - 1
    Xc = H @ X
    return largest((1 - beta) * Xc.T @ Xc + beta * Xc.T @ H @ S @ S.T @ H @ Xc)


def label_cca(X, Y, ridge="auto", label_ridge="auto"):
    """MVMD Eq. (40), labels in {-1, +1}, both sides centred by Eq. (4)."""
    H = centring(len(X))
    Xc, Yc = H @ X, H @ (2.0 * Y - 1)
    if label_ridge == "auto":
        values = np.linalg.eigvalsh(Yc.T @ Yc)
        label_ridge = values[values > 1e-10 * values[-1]].mean()
    inner = np.linalg.inv(Yc.T @ Yc + label_ridge * np.eye(Y.shape[1]))
    ridge = auto_ridge(X, Yc @ inner @ Yc.T) if ridge == "auto" else ridge
    return largest(Xc.T @ Yc @ inner @ Yc.T @ Xc, Xc.T @ Xc + ridge * np.eye(X.shape[1]))


def opls(X, Y, ridge="auto"):
    """Orthonormalised PLS: X'YY'X w = lambda (X'X + ridge I) w, both sides centred."""
    H = centring(len(X))
    Xc, Yc = H @ X, H @ Y
    ridge = auto_ridge(X, Y @ Y.T, Y) if ridge == "auto" else ridge
    return largest(Xc.T @ Yc @ Yc.T @ Xc, Xc.T @ Xc + ridge * np.eye(X.shape[1]))


def hypergraph(Y, expansion):
    """I - L of Sun, Ji and Ye 2008, Sec. 2, for the labels as edges of weight 1.

    Clique: Agarwal et al. 2005, rows joined with the weight of all edges they share, D from the
    edges' sizes. Star: Zien et al. 1999, a vertex for each edge, joined to its rows with the
    weight 1 / size; eliminated. Zhou: Zhou et al. 2006. A vertex of degree 0 has no entries.
    """
    J = Y.astype(float)
    e = J.sum(axis=0)
    if expansion == "clique":
        similarity, degree = J @ J.T, J @ e
    elif expansion == "star":
        weights = J @ np.diag(reciprocal(e))
        similarity = weights @ np.diag(reciprocal(weights.sum(axis=0))) @ weights.T
        degree = weights.sum(axis=1)
    else:
        similarity, degree = J @ np.diag(reciprocal(e)) @ J.T, J.sum(axis=1)
    root = np.diag(reciprocal(np.sqrt(degree)))
    return root @ similarity @ root


def hsl(X, Y, expansion="clique", ridge="auto"):
    """Sun, Ji and Ye 2008: max tr(W'XCX'W) subject to W'(XX' + ridge I)W = I, X centred."""
    Xc = centring(len(X)) @ X
    ridge = auto_ridge(X, hypergraph(Y, expansion)) if ridge == "auto" else ridge
    return largest(Xc.T @ hypergraph(Y, expansion) @ Xc, Xc.T @ Xc + ridge * np.eye(X.shape[1]))


def mlsi(X, Y, beta=0.5, ridge=0.1, joint_ridge=0.1):
    """MVMD Eq. (39), labels in {-1, +1}, both sides centred by Eq. (4)."""
    n, D = X.shape
    H = centring(n)
    Xc, Yc = H @ X, H @ (2.0 * Y - 1)
    joint = (1 - beta) * Xc @ Xc.T + beta * Yc @ Yc.T + joint_ridge * np.eye(n)
    return largest(Xc.T @ Xc, Xc.T @ np.linalg.inv(joint) @ Xc + ridge * np.eye(D))


def mlsi_original(X, Y, beta=0.5, ridge=0.1):
    """Yu, Yu and Tresp 2005: max tr V'((1 - beta) XX' + beta YY')V for V = XP, with a ridge."""
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    K = (1 - beta) * Xc @ Xc.T + beta * Yc @ Yc.T
    return largest(Xc.T @ K @ Xc, Xc.T @ Xc + ridge * np.eye(X.shape[1]))


def reciprocal(counts):
    """1 / n_k, and 0 for a label without rows."""
    return np.array([1 / c if c > 0 else 0.0 for c in counts])


def within(Y):
    """S_w(Y) of MVMD Eq. (42)."""
    return np.diag(Y.sum(axis=1)) - Y @ np.diag(reciprocal(Y.sum(axis=0))) @ Y.T


def correlation_weights(Y):
    """MVMD Eqs. (43)-(44); an empty label correlates with nothing, an empty row weighs 0."""
    Y = Y.astype(float)
    norms = np.sqrt(Y.sum(axis=0))
    C = (Y.T @ Y) * np.outer(reciprocal(norms), reciprocal(norms))
    return np.array([C @ y / y.sum() if y.sum() > 0 else np.zeros(len(y)) for y in Y])


def entropy_weights(Y):
    """Chen et al. 2007: the labels of a row share it; an empty row weighs 0."""
    return Y.astype(float) * reciprocal(Y.sum(axis=1))[:, None]


def memberships(X, Y, centres):
    """1 / distance^2 to the centres of a row's labels, made to add up to 1."""
    W = np.zeros(Y.shape)
    for i in range(len(X)):
        labels = np.flatnonzero(Y[i])
        squares = ((X[i] - centres[labels]) ** 2).sum(axis=1)
        # The only row of a label is its centre.
        near = squares <= 1e-13 * (X[i] ** 2).sum()
        nearness = near.astype(float) if near.any() else 1 / squares
        W[i, labels] = nearness / nearness.sum()
    return W


def fuzzy_centres(X, W):
    """Means of the rows with the weights W^2."""
    V = W**2
    return np.diag(reciprocal(V.sum(axis=0))) @ V.T @ X


def fuzzy_weights(X, Y):
    """Lin and Chen 2010: memberships and centres in turn until no membership changes by 1e-6."""
    before, W = np.inf, entropy_weights(Y)
    while np.abs(W - before).max() >= 1e-6:
        before, W = W, memberships(X, Y, fuzzy_centres(X, W))
    return W


def dependence_weights(X, Y):
    """Xu 2018: each row to its label with the largest sum_j Theta_ij W_jk, until none changes.

    Theta = Xc Xc'; the rows in the order of their distances from the mean, the largest first.
    """
    Xc = centring(len(X)) @ X
    Theta, W = Xc @ Xc.T, entropy_weights(Y)
    lengths = np.sqrt(np.diag(Theta))
    order = np.argsort(-np.round(lengths / lengths.max(), 10), kind="stable")
    changed = True
    while changed:
        changed = False
        for i in order:
            labels = np.flatnonzero(Y[i])
            if len(labels):
                # Ties are left as they are, or go to the first label.
                g = (Theta[i] @ W)[labels]
                good = g >= g.max() - 1e-11 * np.abs(Theta[i]).sum()
                if W[i].max() < 1 or not good @ W[i, labels]:
                    W[i], changed = np.eye(Y.shape[1])[labels[np.argmax(good)]], True
    return W


def label_weights(X, Y, weights):
    """W (n, q) by its name, or itself."""
    if not isinstance(weights, str):
        return weights
    if weights == "binary":
        return Y.astype(float)
    if weights in ("fuzzy", "dependence"):
        return {"fuzzy": fuzzy_weights, "dependence": dependence_weights}[weights](X, Y)
    return {"entropy": entropy_weights, "correlation": correlation_weights}[weights](Y)


def mlda(X, Y, weights="correlation", ridge=0.1):
    """MVMD Eqs. (41)-(44) and (47)."""
    Z = label_weights(X, Y, weights)
    Xc = centring(len(X)) @ X
    w = Z.sum(axis=1)
    between = Z @ np.diag(reciprocal(Z.sum(axis=0))) @ Z.T - np.outer(w, w) / w.sum()
    return largest(Xc.T @ between @ Xc, Xc.T @ within(Z) @ Xc + ridge * np.eye(X.shape[1]))


def dmlda(X, Y, weights="binary", ridge=0.1):
    """MVMD Eqs. (45)-(47), with the symmetric part of (46) and W instead of Y."""
    n, q = Y.shape
    W = label_weights(X, Y, weights)
    Xc = centring(n) @ X
    inverse = reciprocal(W.sum(axis=0))
    between = (
        q * np.eye(n)
        - 2 * np.outer(np.ones(n), inverse) @ W.T
        + n * W @ np.diag(inverse**2) @ W.T
        - within(W)
    )
    between = (between + between.T) / 2
    return largest(Xc.T @ between @ Xc, Xc.T @ within(W) @ Xc + ridge * np.eye(X.shape[1]))


def neighbour_graph(X, n_neighbors):
    """0/1 weights: i and j are joined if either is among the other's neighbours; ties all count."""
    distances = (
        ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2) if X.size < 1e5 else squared_distances(X)
    )
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        others = np.delete(distances[i], i)
        radius = np.sort(others)[n_neighbors - 1]
        W[i] = distances[i] <= radius * (1 + 1e-9)
        W[i, i] = 0
    return np.maximum(W, W.T)


def squared_distances(X):
    """One row at a time, by differences: no cancellation."""
    return np.array([((X - x) ** 2).sum(axis=1) for x in X])


def lpp(X, n_neighbors=10, ridge=0.1):
    """He and Niyogi 2004, Sec. 2.3, after their PCA step, which drops the null space of X.

    Cai's form: with L = D - W, minimising Z'LZ against Z'DZ is maximising Z'WZ against it, and
    the ridge goes below the maximised ratio. Returns the eigenvalues descending.
    """
    Xc = centring(len(X)) @ X
    W = neighbour_graph(X, n_neighbors)
    degree = np.diag(W.sum(axis=1))
    _, s, Vt = svd(Xc, full_matrices=False)
    V = Vt[s > max(X.shape) * np.finfo(float).eps * s[0]].T
    Z = Xc @ V
    values, vectors = eigh(Z.T @ W @ Z, Z.T @ degree @ Z + ridge * np.eye(Z.shape[1]))
    return values[::-1], V @ vectors[:, ::-1]


def kept(values, share=0.999):
    """MVMD Eq. (15) and MDDM Eq. (9): the smallest d that keeps the share of the eigenvalue sum."""
    return next(d for d in range(1, len(values) + 1) if values[:d].sum() >= share * values.sum())


def available(X, Y, weights=None):
    """Scatter of X, and its products with labels of which some are NaN, label by label.

    Each label is centred over its observed rows, and scaled to the weight of all rows.
    """
    w = np.ones(len(X)) if weights is None else weights
    Xc = X - w @ X / w.sum()
    xt = np.zeros((X.shape[1], Y.shape[1]))
    for k in range(Y.shape[1]):
        for_k = [i for i in range(len(Y)) if not np.isnan(Y[i, k])]
        n_k = sum(w[i] for i in for_k)
        x_mean = sum(w[i] * X[i] for i in for_k) / n_k
        t_mean = sum(w[i] * Y[i, k] for i in for_k) / n_k
        sums = sum(w[i] * (X[i] - x_mean) * (Y[i, k] - t_mean) for i in for_k)
        xt[:, k] = w.sum() / n_k * sums
    return Xc.T @ np.diag(w) @ Xc, xt


def available_pairs(Y, weights=None):
    """Scatter of labels of which some are NaN, pair by pair; its part without negative values;
    and the projection on the eigenvectors of the others.

    Each pair is taken about the means over the rows where both are observed; 0 if none is.
    """
    w = np.ones(len(Y)) if weights is None else weights
    q = Y.shape[1]
    tt = np.zeros((q, q))
    for k in range(q):
        for m in range(q):
            both = [i for i in range(len(Y)) if not np.isnan(Y[i, k] + Y[i, m])]
            if not both:
                continue
            n_km = sum(w[i] for i in both)
            mean_k, mean_m = (sum(w[i] * Y[i, j] for i in both) / n_km for j in (k, m))
            sums = sum(w[i] * (Y[i, k] - mean_k) * (Y[i, m] - mean_m) for i in both)
            tt[k, m] = w.sum() / n_km * sums
    values, vectors = np.linalg.eigh(tt)
    kept = np.diag((values >= 0).astype(float))
    return tt, vectors @ np.diag(values) @ kept @ vectors.T, vectors @ kept @ vectors.T
