"""
Compress embeddings: 16 dimensions that search better than 256
==============================================================

Vectors of texts are cut, or reduced by PCA, to make an index smaller; both lose quality. A
reducer that knows the tags of some texts keeps what the search is about.
"""

# %%
# The built-in texts are vectors of ``wordllama`` with 256 dimensions, and 27 emotions. The measure:
# the share of the ten nearest training texts that have an emotion in common with a new one. The
# first dimensions of a model are the result for fewer of them, so one fit serves all sizes.
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from sklearn.decomposition import PCA

from labelspan import EmbeddingReducer
from labelspan.datasets import load_goemotions
from labelspan.metrics import nearest, shared_label_at_k

texts = load_goemotions()
X, Y = texts.X[texts.train], texts.Y[texts.train]
X_new, Y_new = texts.X[texts.test], texts.Y[texts.test]


def quality(rows: Any, queries: Any) -> float:
    return shared_label_at_k(Y_new, Y, nearest(queries, rows, k=10), k=10)


sizes = [4, 8, 16, 32, 64]
model, pca = EmbeddingReducer(64).fit(X, Y), PCA(64).fit(X)
lines = {
    "EmbeddingReducer": [
        quality(model.truncate(k).transform(X), model.truncate(k).transform(X_new)) for k in sizes
    ],
    "PCA": [quality(pca.transform(X)[:, :k], pca.transform(X_new)[:, :k]) for k in sizes],
    "first dimensions": [quality(X[:, :k], X_new[:, :k]) for k in sizes],
}
whole = quality(X, X_new)
for name, values in lines.items():
    plt.plot(sizes, values, marker="o", label=name)
plt.axhline(whole, color="black", linestyle="--", label="all 256 dimensions")
plt.xscale("log", base=2)
plt.xticks(sizes, [str(size) for size in sizes])
plt.xlabel("dimensions")
plt.ylabel("neighbours with a common emotion")
plt.legend()
print(f"16 dimensions {lines['EmbeddingReducer'][2]:.3f}, all 256 {whole:.3f}")

# %%
# A signed byte per dimension: 16 bytes per text instead of 1024.
small = model.truncate(16)
codes = small.codes(X)
found = nearest(small.transform(X_new), codes, k=10)
print(f"{codes[0].nbytes} bytes per text {shared_label_at_k(Y_new, Y, found):.3f}")


# %%
# Texts of your own become vectors of the same kind by ``pip install wordllama``, whose weights are
# in the package.
def vectors(sentences: list[str]) -> Any:
    import wordllama

    folder = Path(wordllama.__file__).parent
    encoder = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return encoder.embed(sentences, norm=True)


if find_spec("wordllama"):
    sentences = ["Thank you so much, this made my day!", "How does this even work?"]
    for sentence, near in zip(
        sentences, nearest(small.transform(vectors(sentences)), codes, k=10), strict=True
    ):
        counts = Y[near].sum(axis=0)
        print(sentence, "->", texts.label_names[counts.argmax()], f"{counts.max()} of 10")

plt.show()
