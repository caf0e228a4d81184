"""Preparations of data sets that the papers describe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from labelspan.datasets import MultilabelDataset

LEAST_DOCUMENTS_A_LABEL = 100
LEAST_DOCUMENTS_A_WORD = 5
LEAST_DOCUMENTS_A_TOPIC = 50
IMAGES = 1000


def frequent_tfidf(dataset: MultilabelDataset, *, idf: bool = True) -> MultilabelDataset:
    """Labels of 100 documents, words of 5, TF-IDF: section 6.2 of the shared-subspace paper."""
    Y = np.asarray(dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y)
    labels = np.flatnonzero((Y > 0).sum(axis=0) >= LEAST_DOCUMENTS_A_LABEL)
    rows = np.flatnonzero((Y[:, labels] > 0).any(axis=1))
    X = sparse.csr_array(dataset.X)[rows]
    words = np.flatnonzero((X > 0).sum(axis=0) >= LEAST_DOCUMENTS_A_WORD)
    X = sparse.csr_array(TfidfTransformer(use_idf=idf).fit_transform(X[:, words]))
    dataset = replace(dataset, train=None, test=None)
    return _kept(dataset, X, words, Y[np.ix_(rows, labels)], labels)


def frequent_topics(dataset: MultilabelDataset) -> MultilabelDataset:
    """Words of 5 training documents, topics of 50: section 4.1.3 of the MDDM paper.

    The paper does not say which documents it counts. Topics of both parts and words of the
    training part come closest to its "around 4,000 features and 50 labels".
    """
    X = sparse.csr_array(dataset.X)
    Y = np.asarray(dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y)
    documents = np.bincount(X[dataset.train].tocoo().coords[1], minlength=X.shape[1])
    words = np.flatnonzero(documents >= LEAST_DOCUMENTS_A_WORD)
    topics = np.flatnonzero((Y > 0).sum(axis=0) >= LEAST_DOCUMENTS_A_TOPIC)
    return _kept(dataset, X[:, words], words, Y[:, topics], topics)


def trained_labels(dataset: MultilabelDataset) -> MultilabelDataset:
    """Labels that some training row has: where the MDDM paper is silent, see its experiments."""
    Y = np.asarray(dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y)
    labels = np.flatnonzero((Y[dataset.train] > 0).any(axis=0))
    return _kept(dataset, dataset.X, np.arange(dataset.X.shape[1]), Y[:, labels], labels)


def frequent_terms(dataset: MultilabelDataset, *, n_terms: int) -> MultilabelDataset:
    """The most frequent labels, and 1000 random rows with one: Sec. 6.3 of the same paper."""
    Y = np.asarray(dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y)
    labels = np.sort(np.argsort(-(Y > 0).sum(axis=0), kind="stable")[:n_terms])
    rows = np.flatnonzero((Y[:, labels] > 0).any(axis=1))
    rows = np.sort(np.random.default_rng(0).permutation(rows)[:IMAGES])
    X, dataset = dataset.X[rows], replace(dataset, train=None, test=None)
    return _kept(dataset, X, np.arange(X.shape[1]), Y[np.ix_(rows, labels)], labels)


def _kept(
    dataset: MultilabelDataset, X: Any, features: np.ndarray, Y: np.ndarray, labels: np.ndarray
) -> MultilabelDataset:
    names = tuple(dataset.feature_names[feature] for feature in features)
    label_names = tuple(dataset.label_names[label] for label in labels)
    return replace(dataset, X=X, Y=Y, feature_names=names, label_names=label_names)


#: Values of the field ``prepare`` of a source.
PREPARATIONS: dict[str, Callable[[MultilabelDataset], MultilabelDataset]] = {
    "frequent-tfidf": frequent_tfidf,
    "frequent-tf": partial(frequent_tfidf, idf=False),
    "frequent-topics": frequent_topics,
    "trained-labels": trained_labels,
    **{f"terms-{n}": partial(frequent_terms, n_terms=n) for n in (20, 30, 40, 50, 60)},
}
