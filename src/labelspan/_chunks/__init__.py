"""Learning from chunks of rows: ``partial_fit``, ``fit_blocks`` and ``finalize``."""

from labelspan._chunks._chunked import Chunked
from labelspan._chunks._regression import ChunkedRegression

__all__ = ["Chunked", "ChunkedRegression"]
