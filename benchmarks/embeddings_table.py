"""The tables of docs/embeddings.md: neighbours with common labels in fewer dimensions and bytes.

    LABELSPAN_DATA=... OMP_NUM_THREADS=1 python benchmarks/embeddings_table.py [docs/embeddings.md]

Texts of GoEmotions (train fits and is searched, dev asks), as vectors of wordllama (256 dimensions,
its weights are in the package) and as 300 singular directions of 20,000 TF-IDF words and pairs.
Needs wordllama and faiss-cpu. With a page as argument, the tables between its markers are replaced.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import TfidfVectorizer

from labelspan import MVMD, OPLS, EmbeddingReducer, LabelPLS
from labelspan.metrics import nearest, shared_label_at_k

SIZES = (8, 16, 32, 64)
N_LABELS = 28
TEXT = Path(os.environ["LABELSPAN_DATA"]) / "text"


def read(part):
    texts, sets = [], []
    with gzip.open(TEXT / f"goemotions-{part}.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            text, labels, _ = line.rstrip("\n").split("\t")
            texts.append(text)
            sets.append([int(label) for label in labels.split(",")])
    Y = np.zeros((len(sets), N_LABELS), dtype=np.int64)
    for row, labels in zip(Y, sets, strict=True):
        row[labels] = 1
    return texts, Y


def wordllama_vectors(*parts):
    import wordllama

    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return [model.embed(texts, norm=True).astype(np.float32) for texts in parts]


def tfidf_vectors(train, dev):
    words = TfidfVectorizer(max_features=20_000, ngram_range=(1, 2), sublinear_tf=True, min_df=2)
    svd = TruncatedSVD(300, random_state=0)
    first = svd.fit_transform(words.fit_transform(train))
    return first.astype(np.float32), svd.transform(words.transform(dev)).astype(np.float32)


class Cut:
    """The first dimensions."""

    def __init__(self, k):
        self.k = k

    def fit(self, X, Y):
        return self

    def transform(self, X):
        return X[:, : self.k]


class FirstLabelLDA:
    """LDA whitening of the first label of each row."""

    def __init__(self, k):
        self.k = k

    def fit(self, X, Y):
        model = LinearDiscriminantAnalysis()
        classes = np.where(Y.any(axis=1), Y.argmax(axis=1), Y.shape[1])
        k = min(self.k, len(np.unique(classes)) - 1)
        self.model = model.set_params(n_components=k).fit(X, classes)
        return self

    def transform(self, X):
        return self.model.transform(X)


METHODS = {
    "first dimensions": Cut,
    "PCA": PCA,
    "PCA, whitened": partial(PCA, whiten=True),
    "LDA of the first label": FirstLabelLDA,
    "MVMD": MVMD,
    "OPLS": OPLS,
    "LabelPLS": LabelPLS,
    "**EmbeddingReducer**": EmbeddingReducer,
}
# Of these there are fewer directions than labels.
FEW = ("LDA of the first label", "OPLS")


def quality(index, queries, Y, Y_new):
    return shared_label_at_k(Y_new, Y, nearest(queries, index, 10))


def seen(make, k, X, X_new, Y, Y_new):
    model = make(k).fit(X, Y)
    return quality(model.transform(X), model.transform(X_new), Y, Y_new)


def unseen(make, k, X, X_new, Y, Y_new):
    """Nine of 27 labels are not there in fit and decide alone; three draws."""
    found = []
    for seed in range(3):
        held = np.random.default_rng(seed).permutation(27)[:9]
        model = make(k).fit(X, np.delete(Y, held, axis=1))
        rows = Y_new[:, held].any(axis=1)
        queries = model.transform(X_new[rows])
        found.append(quality(model.transform(X), queries, Y[:, held], Y_new[rows][:, held]))
    return float(np.mean(found))


def few_rows(make, k, X, X_new, Y, Y_new):
    """Fitted to 500 rows; all rows are searched."""
    found = []
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(X))[:500]
        model = make(k).fit(X[rows], Y[rows])
        found.append(quality(model.transform(X), model.transform(X_new), Y, Y_new))
    return float(np.mean(found))


def shown(value):
    return f"{value:.3f}".lstrip("0")


def dimensions_table(X, X_new, Y, Y_new):
    columns = [(seen, k) for k in SIZES] + [(unseen, 16), (unseen, 64), (few_rows, 16)]
    yield "| | " + " | ".join(f"{f.__name__.replace('_', ' ')}, {k}" for f, k in columns) + " |"
    yield "|---|" + "---|" * len(columns)
    whole = {f: f(lambda k: Cut(X.shape[1]), 0, X, X_new, Y, Y_new) for f in (seen, unseen)}
    whole[few_rows] = whole[seen]
    cells = [shown(whole[f]) for f, _ in columns]
    yield f"| all {X.shape[1]} | " + " | ".join(cells) + " |"
    for name, make in METHODS.items():
        cells = []
        for f, k in columns:
            known = k <= 27 or name not in FEW
            cells.append(shown(f(make, k, X, X_new, Y, Y_new)) if known else "-")
        yield f"| {name} | " + " | ".join(cells) + " |"


def bytes_table(X, X_new, Y, Y_new):
    """Equal bytes per row; all codes are compared with queries that are not rounded."""
    import faiss

    def of_faiss(name, rows, queries):
        index = faiss.index_factory(rows.shape[1], name, faiss.METRIC_INNER_PRODUCT)
        index.train(rows)
        index.add(rows)
        return shared_label_at_k(Y_new, Y, index.search(queries, 10)[1])

    def unit(A):
        return np.ascontiguousarray(A / np.linalg.norm(A, axis=1, keepdims=True), np.float32)

    sizes = (16, 32, 64)
    yield "| bytes per row | " + " | ".join(map(str, sizes)) + " |"
    yield "|---|" + "---|" * len(sizes)
    rows = {
        "PQ of all dimensions": lambda b: of_faiss(f"PQ{b}", unit(X), unit(X_new)),
        "OPQ of all dimensions": lambda b: of_faiss(f"OPQ{b},PQ{b}", unit(X), unit(X_new)),
        "PCA, scalar quantiser": lambda b: of_faiss(f"PCA{b},SQ8", unit(X), unit(X_new)),
        "**EmbeddingReducer**, int8": lambda b: int8(b),
        "EmbeddingReducer(64), PQ": lambda b: of_faiss(f"PQ{b}", *map(unit, projected(64))),
        "EmbeddingReducer, bits": lambda b: bits(min(8 * b, X.shape[1])),
    }
    models = {k: EmbeddingReducer(k).fit(X, Y) for k in (*sizes, 128, X.shape[1])}

    def projected(k):
        return models[k].transform(X), models[k].transform(X_new)

    def int8(k):
        return quality(models[k].codes(X).astype(np.float32), models[k].transform(X_new), Y, Y_new)

    def bits(k):
        signs = [np.where(A > 0, 1.0, -1.0) for A in projected(k)]
        return quality(*signs, Y, Y_new)

    for name, measure in rows.items():
        yield f"| {name} | " + " | ".join(shown(measure(b)) for b in sizes) + " |"


def main(page=None):
    warnings.simplefilter("ignore")
    (texts, Y), (new, Y_new) = read("train"), read("dev")
    parts = {
        "wordllama": dimensions_table(*wordllama_vectors(texts, new), Y, Y_new),
        "tfidf": dimensions_table(*tfidf_vectors(texts, new), Y, Y_new),
        "bytes": bytes_table(*wordllama_vectors(texts, new), Y, Y_new),
    }
    content = Path(page).read_text(encoding="utf-8") if page else ""
    for name, lines in parts.items():
        table = []
        for line in lines:
            print(line, flush=True)
            table.append(line)
        old = rf"(?<=<!-- {name} -->\n\n).*?\n*(?=<!-- end -->)"
        content = re.sub(old, "\n".join(table) + "\n\n", content, flags=re.DOTALL)
    if page:
        Path(page).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
