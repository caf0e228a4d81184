"""Formats of other programs: AnnData, ONNX, skops."""

from labelspan.interop._anndata import reduce_anndata
from labelspan.interop._onnx import to_onnx
from labelspan.interop._skops import trusted_types

__all__ = ["reduce_anndata", "to_onnx", "trusted_types"]
