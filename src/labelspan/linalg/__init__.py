"""From statistics to eigenvectors: one rank cut, one sign rule, one solver choice."""

from labelspan.linalg._auto_ridge import (
    AUTO,
    Spectra,
    choose_ridge,
    energies_of_labels,
    energy_of_labels,
    outliers,
    spectra,
    spectra_of,
    spectrum_of,
    units_of,
    warn_if_any_label_fits,
    warn_if_rows_fit,
)
from labelspan.linalg._block_cg import row_side, rows_are_independent, solve_products
from labelspan.linalg._complete import complete
from labelspan.linalg._eigenpairs import (
    EPS,
    EigenPairs,
    Wanted,
    as_rows,
    fix_signs,
    n_directions,
    rank,
    signed_rows,
    signs_of,
)
from labelspan.linalg._graded import (
    GRAM_GRADED,
    SAFE_VALUE,
    Back,
    column_scales,
    graded_basis,
    is_graded,
    scaled_svd,
)
from labelspan.linalg._lanczos import BLOCK, block_lanczos, leading_blocks, leading_operator
from labelspan.linalg._leading import (
    FORMED,
    Pencil,
    leading,
    leading_pencil,
    leading_sum,
    ridged_metric,
    solve,
    squared,
    whole,
    with_chosen_ridge,
)
from labelspan.linalg._least_norm import Gathered, pooled
from labelspan.linalg._narrow import centre_both, narrow, squares
from labelspan.linalg._pls import Components, partial_least_squares
from labelspan.linalg._ridge import (
    Regression,
    chunk_statistics,
    regress,
    regress_pooled,
    solve_any,
    solve_ridges,
)
from labelspan.linalg._route import (
    Route,
    choose_solver,
    is_large_sparse,
    route_of,
    solver_that_fits,
    too_large,
)
from labelspan.linalg._spectral import NULL, Spectral, check_psd, inverse_root, row_space, spectral
from labelspan.linalg._whiten import (
    Whitened,
    by_solution,
    times,
    whiten,
)
from labelspan.linalg.masked import (
    MaskedRegression,
    MaskedSystem,
    column_steps,
    conjugate_gradients,
    patterns,
    regress_masked,
)
