"""From statistics to eigenvectors: one rank cut, one sign rule, one solver choice."""

from labelspan.linalg._eigenpairs import EigenPairs, fix_signs
from labelspan.linalg._leading import leading, leading_operator, leading_pencil, leading_sum
from labelspan.linalg._narrow import Narrow, narrow
from labelspan.linalg._solver import choose_solver
from labelspan.linalg._spectral import Spectral, inverse_root, row_space, spectral

__all__ = [
    "EigenPairs",
    "Narrow",
    "Spectral",
    "choose_solver",
    "fix_signs",
    "inverse_root",
    "leading",
    "leading_operator",
    "leading_pencil",
    "leading_sum",
    "narrow",
    "row_space",
    "spectral",
]
