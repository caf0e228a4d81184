"""Models in the formats of other programs: ONNX, skops."""

from labelspan.interop._onnx import to_onnx
from labelspan.interop._skops import trusted_types

__all__ = ["to_onnx", "trusted_types"]
