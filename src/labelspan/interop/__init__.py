"""Formats of other programs: AnnData, ONNX, skops, vector indexes."""

from labelspan.interop._anndata import reduce_anndata
from labelspan.interop._linear import to_faiss, to_linear, to_sentence_transformers
from labelspan.interop._onnx import to_onnx
from labelspan.interop._skops import trusted_types

__all__ = [
    "reduce_anndata",
    "to_faiss",
    "to_linear",
    "to_onnx",
    "to_sentence_transformers",
    "trusted_types",
]
