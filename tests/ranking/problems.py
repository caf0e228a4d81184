"""Small problems and data sets that the tests of the ranking family share."""

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize


def small(seed, n_samples=30, n_features=6, n_labels=4):
    """A noisy linear problem with, now and then, rows of no or all labels; with C and mu."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features))
    noise = rng.standard_normal((n_samples, n_labels))
    Y = (X @ rng.standard_normal((n_features, n_labels)) + noise > 0.3).astype(int)
    return X, Y, 10.0 ** rng.integers(-1, 2), 10.0 ** rng.integers(-1, 2)


def with_bias(X):
    return np.hstack([X, np.ones((len(X), 1))])


def arts(dataset):
    """yahoo-mulan-arts as prepared in the papers: 7441 documents, 17973 words, 19 labels."""
    data = dataset("yahoo-mulan-arts")
    X = sparse.csr_array(data.X).astype(float)
    Y = data.Y.toarray() if sparse.issparse(data.Y) else np.asarray(data.Y)
    Y = Y[:, Y.sum(axis=0) >= 100]
    X, Y = X[Y.sum(axis=1) > 0], Y[Y.sum(axis=1) > 0]
    X = X[:, np.flatnonzero((X != 0).sum(axis=0) >= 5)]
    weighted = TfidfTransformer(smooth_idf=False, norm=None).fit_transform(X)
    return sparse.csr_array(normalize(weighted)), Y


def thousand(name, dataset, seed=0):
    """1000 random rows of a set, and the others: X, Y, X_test, Y_test."""
    if name == "arts":
        X, Y = arts(dataset)
    else:
        data = dataset(name)
        X = data.X
        Y = data.Y.toarray() if sparse.issparse(data.Y) else np.asarray(data.Y)
    order = np.random.default_rng(seed).permutation(X.shape[0])
    train, test = order[:1000], order[1000:]
    return X[train], Y[train].astype(int), X[test], Y[test].astype(int)
