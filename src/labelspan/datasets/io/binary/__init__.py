"""NPZ and MATLAB files."""

from labelspan.datasets.io.binary._mat import read_mat
from labelspan.datasets.io.binary._npz import read_npz, write_npz

__all__ = ["read_mat", "read_npz", "write_npz"]
