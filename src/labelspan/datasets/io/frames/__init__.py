"""Frames of pandas and polars, and CSV files."""

from labelspan.datasets.io.frames._csv import read_csv, read_features
from labelspan.datasets.io.frames._frame import from_frame
from labelspan.datasets.io.frames._openml import from_openml
from labelspan.datasets.io.frames._write_csv import write_csv

__all__ = ["from_frame", "from_openml", "read_csv", "read_features", "write_csv"]
