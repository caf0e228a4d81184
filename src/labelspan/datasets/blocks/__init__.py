"""Data on disk as blocks of rows; a block is read when it is requested."""

from labelspan.datasets.blocks._blocks import Blocks, blocks_of

__all__ = ["Blocks", "blocks_of"]
