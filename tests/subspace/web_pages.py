"""The web pages of the shared-subspace paper, prepared as its Sec. 6.2 says."""

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from labelspan.datasets import load_dataset


def web_pages(name="yahoo-mulan-arts"):
    """X (TF-IDF, unit rows) and Y: topics with 100 pages, pages with a topic, words in 5 pages."""
    data = load_dataset(name)
    X, Y = sparse.csr_array(data.X, dtype=float), data.Y
    Y = np.asarray(Y.toarray() if sparse.issparse(Y) else Y).astype(int)
    X.eliminate_zeros()
    Y = Y[:, Y.sum(axis=0) >= 100]
    X, Y = X[Y.any(axis=1)], Y[Y.any(axis=1)]
    X = X[:, np.bincount(X.indices, minlength=X.shape[1]) >= 5]
    X = sparse.csr_array(TfidfTransformer().fit_transform(X))
    # The support vector machines of scikit-learn take 32-bit indices only.
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, Y
