"""Reading and writing data sets: what the formats share."""

from labelspan.datasets.io._dataset import MultilabelDataset
from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._ignore import with_features, without_columns
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._nominal import FEW_VALUES
from labelspan.datasets.io._tables import numbered, refuse_others

__all__ = [
    "FEW_VALUES",
    "DataFileError",
    "Limits",
    "MultilabelDataset",
    "numbered",
    "refuse_others",
    "with_features",
    "without_columns",
]
