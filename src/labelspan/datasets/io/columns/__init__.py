"""Columns of frames as features: what reading learns, and applies to later frames."""

from labelspan.datasets.io._tables import listed
from labelspan.datasets.io.columns._encoder import ColumnEncoder
from labelspan.datasets.io.columns._kinds import NumberColumn, TextColumn, WordColumn
from labelspan.datasets.io.columns._number_format import COMMA, PLAIN, NumberFormat, readings
from labelspan.datasets.io.columns._values import column_values, columns_of, complete_values

__all__ = [
    "COMMA",
    "PLAIN",
    "ColumnEncoder",
    "NumberColumn",
    "NumberFormat",
    "TextColumn",
    "WordColumn",
    "column_values",
    "columns_of",
    "complete_values",
    "listed",
    "readings",
]
