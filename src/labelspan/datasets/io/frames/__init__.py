"""Frames of pandas and polars, and CSV files."""

from labelspan.datasets.io.frames._csv import read_csv
from labelspan.datasets.io.frames._frame import from_frame

__all__ = ["from_frame", "read_csv"]
