"""Preparations of data sets that the papers describe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from labelspan.datasets import MultilabelDataset

LEAST_DOCUMENTS_A_LABEL = 100
LEAST_DOCUMENTS_A_WORD = 5
LEAST_DOCUMENTS_A_TOPIC = 50


def frequent_tfidf(dataset: MultilabelDataset) -> MultilabelDataset:
    """Prepare web pages as in section 6.2 of the shared-subspace paper.

    Removes labels with fewer than 100 documents, then documents without labels, then words in fewer
    than 5 documents; the rest is TF-IDF with rows of unit length.
    """
    Y = np.asarray(dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y)
    labels = np.flatnonzero((Y > 0).sum(axis=0) >= LEAST_DOCUMENTS_A_LABEL)
    rows = np.flatnonzero((Y[:, labels] > 0).any(axis=1))
    X = sparse.csr_array(dataset.X)[rows]
    words = np.flatnonzero((X > 0).sum(axis=0) >= LEAST_DOCUMENTS_A_WORD)
    return replace(
        dataset,
        X=sparse.csr_array(TfidfTransformer().fit_transform(X[:, words])),
        Y=Y[np.ix_(rows, labels)],
        feature_names=tuple(dataset.feature_names[word] for word in words),
        label_names=tuple(dataset.label_names[label] for label in labels),
        train=None,
        test=None,
    )


def frequent_topics(dataset: MultilabelDataset) -> MultilabelDataset:
    """Prepare news as in section 4.1.3 of the MDDM paper.

    Removes words in fewer than 5 documents and topics with fewer than 50. The paper does not say
    which documents it counts. Words in 5 training documents and topics in 50 documents of both
    parts come closest to its "around 4,000 features and 50 labels".
    """
    X = sparse.csr_array(dataset.X)
    Y = np.asarray(dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y)
    documents = np.bincount(X[dataset.train].tocoo().coords[1], minlength=X.shape[1])
    words = np.flatnonzero(documents >= LEAST_DOCUMENTS_A_WORD)
    topics = np.flatnonzero((Y > 0).sum(axis=0) >= LEAST_DOCUMENTS_A_TOPIC)
    return replace(
        dataset,
        X=X[:, words],
        Y=Y[:, topics],
        feature_names=tuple(dataset.feature_names[word] for word in words),
        label_names=tuple(dataset.label_names[topic] for topic in topics),
    )


#: Values of the field ``prepare`` of a source.
PREPARATIONS: dict[str, Callable[[MultilabelDataset], MultilabelDataset]] = {
    "frequent-tfidf": frequent_tfidf,
    "frequent-topics": frequent_topics,
}
