"""Reducers in the vector indexes and encoders of others, all of them in ``make test-interop``."""

import importlib
import os
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import labelspan as ls
from labelspan.interop import to_faiss, to_sentence_transformers
from labelspan.metrics import nearest

rng = np.random.default_rng(0)
X = 3 + rng.standard_normal((80, 12)) * np.arange(1, 13)
Y = (X[:, :4] + rng.standard_normal((80, 4)) > 3).astype(int)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "embeddings.md"
# Built from its source, for which there may be no compiler.
MAY_BE_MISSING = {"hnswlib"}


def real(name):
    """The package; without it the test skips, but in `make test-interop` it fails."""
    if "LABELSPAN_REQUIRE_INTEROP" in os.environ and name not in MAY_BE_MISSING:
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed")


def example(name):
    """Run the example of the page that imports a package; return its variables."""
    blocks = re.findall(r"```\{code-block\} python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    block = next(block for block in blocks if f"import {name}" in block or f"from {name}" in block)
    model = ls.EmbeddingReducer(5).fit(X, Y)
    known = {"np": np, "ls": ls, "X": X, "X_new": X[:20], "model": model}
    exec(compile(block, PAGE.name, "exec"), known)
    return known, model.transform(X)


def test_faiss_projects_and_finds_what_an_exact_search_finds():
    faiss = real("faiss")
    model = ls.EmbeddingReducer(5).fit(X, Y)
    rows = np.ascontiguousarray(X, dtype=np.float32)
    layer = to_faiss(model)
    assert_allclose(layer.apply(rows), model.transform(X), atol=1e-5 * np.abs(X).max())
    index = faiss.IndexPreTransform(layer, faiss.IndexFlatL2(5))
    index.add(rows)
    _, found = index.search(rows[:20], 6)
    Z = model.transform(X)
    assert_array_equal(found, nearest(Z[:20], Z, 6, metric="euclidean"))


def test_the_example_of_faiss():
    real("faiss")
    known, Z = example("faiss")
    assert_array_equal(known["found"], nearest(Z[:20], Z, 10, metric="dot"))


def test_a_faiss_index_is_saved_with_its_projection(tmp_path):
    faiss = real("faiss")
    known, _ = example("faiss")
    faiss.write_index(known["index"], str(tmp_path / "rows.faiss"))
    loaded = faiss.read_index(str(tmp_path / "rows.faiss"))
    assert_array_equal(loaded.search(np.float32(X[:20]), 10)[1], known["found"])


def test_the_example_of_usearch():
    real("usearch.index")
    known, Z = example("usearch.index")
    assert_allclose(known["index"].get(np.arange(80)), Z, atol=1e-5 * np.abs(X).max())
    assert_array_equal(known["found"], nearest(Z[:20], Z, 10))


def test_signed_bytes_in_usearch():
    usearch = real("usearch.index")
    codes = ls.EmbeddingReducer(5).fit(X, Y).codes(X)
    index = usearch.Index(ndim=5, metric="cos", dtype="i8")
    index.add(np.arange(80), codes)
    assert_array_equal(index.get(np.arange(80)), codes)
    found = index.search(codes[:20], 6, exact=True)
    lengths = np.linalg.norm(codes.astype(float), axis=1)
    cosines = (codes[:20].astype(float) @ codes.T) / lengths[:20, None] / lengths
    assert_allclose(found.distances, 1 - np.sort(cosines, axis=1)[:, :-7:-1], atol=1e-5)


def test_the_example_of_hnswlib():
    real("hnswlib")
    known, Z = example("hnswlib")
    units = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    # Rows are stored with unit length for cosines.
    assert_allclose(known["index"].get_items(np.arange(80)), units, atol=1e-5)
    assert_array_equal(known["found"], nearest(Z[:20], Z, 10))


def test_a_sentence_transformer_with_the_layer_encodes_what_transform_gives(tmp_path):
    real("torch")
    real("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = [f"w{i}" for i in range(40)]
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    table = rng.standard_normal((40, 12)).astype(np.float32)
    encoder = SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_weights=table)], device="cpu"
    )
    texts = [" ".join(rng.choice(words, 4)) for _ in range(80)]
    vectors = encoder.encode(texts)
    model = ls.EmbeddingReducer(5).fit(vectors, Y)
    encoder.append(to_sentence_transformers(model))
    assert_allclose(encoder.encode(texts), model.transform(vectors), atol=1e-5)
    encoder.save(str(tmp_path))
    loaded = SentenceTransformer(str(tmp_path), device="cpu")
    assert_allclose(loaded.encode(texts), model.transform(vectors), atol=1e-5)
    assert loaded.encode(texts[:1]).shape == (1, 5)


def test_texts_become_vectors_of_the_built_in_kind():
    wordllama = real("wordllama")
    folder = Path(wordllama.__file__).parent
    encoder = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    texts = ls.datasets.load_goemotions()
    model = ls.EmbeddingReducer(16).fit(texts.X, texts.Y)
    query = encoder.embed(["Thank you so much, this made my day!"], norm=True)
    near = nearest(model.transform(query), model.transform(texts.X), k=10)[0]
    assert texts.label_names[texts.Y[near].sum(axis=0).argmax()] == "gratitude"
