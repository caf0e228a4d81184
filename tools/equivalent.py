"""Changes that no test can notice, because they change no result: see mutate.py."""

# Reason: the text of a line, and the change in it; "" for any.
EQUIVALENT: dict[str, tuple[tuple[str, str], ...]] = {
    "a check of numbers that are finite already": (("check_finite=False", "not False"),),
    "a copy more or less": (
        ("overwrite_a=True", "not True"), ("overwrite_b=True", "not True"),
        ("overwrite_c=True", "not True"), ("overwrite_c=1", "1 + 1"), ("overwrite_a=1", "1 + 1"),
        ("copy=False", "not False"),
        ("A = G.copy() if graded and", "And -> Or"), ("len(labels) < len(weight)", "Lt -> LtE"),
    ),
    "lengths that agree are not compared": (("strict=True", "not True"),),
    "names of tasks, and a walk over their arguments": (
        ("pure=False", "not False"), ("traverse=False", "not False"),
        ("sort_keys=True", "not True"),
    ),
    "the line that a warning names, not its text": (
        ("stacklevel=2", "2 + 1"), ("stacklevel=3", "3 + 1"), ("stacklevel=4", "4 + 1"),
    ),
    "the size of a block: the same sums, in another time": (
        ("FEWEST_WALKED, MOST_WALKED = 2**23, 2**26", ""),
        ("BLOCK_ENTRIES = 2**20", ""), ("CACHED, PART = 2**17", ""),
        ("OUTER_NUMBERS = 2**15", ""), ("DEVICE_NUMBERS = 2**22", ""), ("HELD_ENTRIES = 2**24", ""),
        ("CACHED_ROWS = 1024", ""), ("PANEL = 32", ""), ("TALL = 4", ""), ("BLOCK = 32", ""),
        ("MOST_PIECES = 1024", ""), ("whole_sparse=False", "not False"),
        ("tall=False", "not False"),
        ("height = max(numbers // max(", "FloorDiv -> Mult"),
        ("height = max(numbers // max(", "1 + 1"), ("height = max(2 * CACHED //", ""),
        ("height = max(STREAM_BYTES //", ""), ("max(3 * k, k + 4 * BLOCK)", "3 + 1"),
        ("max(3 * k, k + 4 * BLOCK)", "4 + 1"),
    ),
    "one more or less of many steps, rows or operations": (
        ("MAX_ITERATIONS = 1000", ""), ("MAX_RESTARTS = 500", ""), ("MAX_STEPS = 1000", ""),
        ("N_FIRST = 64", "64 + 1"), ("GLANCE = 1024", "1024 + 1"), ("self._state: tuple", "0 + 1"),
        ("STEPS = 40, 200", ""),
    ),
    "one step more than is needed, of a correction that is then zero": (
        ("for _ in range(2):", "2 + 1"), ("for _ in directions[:2]:", "2 + 1"),
        ("range(2 if used_up.any() else 1)", ""), ("LAST = 2", "2 + 1"), ("ANEW = 1e-4", ""),
        ("1e-6 * values[0]", "1e-06 + 1"), ("1e-2 * pivots.max()", "0.01 + 1"),
    ),
    "the safer of two ways, where the other would do": (
        ("pivots.min() < 1e-6 * pivots.max()", "1e-06 + 1"),
        ("if info != 0 or pivots.min()", "0 + 1"),
    ),
    "two ways to the same numbers, for the same shape": (
        ("tall = W.shape[0] >= W.shape[1]", "GtE -> Gt"),
        ("tall = W.shape[0] >= W.shape[1]", "0 + 1"),
        ("if X.shape[0] <= X.shape[1]:", "LtE -> Lt"), ("if X.shape[0] <= X.shape[1]:", "0 + 1"),
        ("n_components < G.shape[0]", "Lt -> LtE"), ("n_components < G.shape[0]", "0 + 1"),
        ("max(G.shape[0], noise)", "0 + 1"), ("xt.shape[0] >= xt.shape[1]", "GtE -> Gt"),
        ("len(self.R) >= len(other.R)", "GtE -> Gt"), ("n_rows <= height", "LtE -> Lt"),
        ("if n_basis + BLOCK > side:", "Gt -> GtE"),
        ('if Y.dtype.kind == "f" and (holes | (Y == 0)', "0 + 1"),
        ("encode is None and not is_dask_array(sample.X):", "drop Not"),
    ),
    "a bound between two ways that both hold there": (
        ("GRADED = 1e3", "1000.0 + 1"), ("GRAM_GRADED = 1e4", "10000.0 + 1"),
        ("NEAR = 8.0", ""), ("WITHIN = 2.0**40", "40 + 1"), ("64 * EPS", "64 + 1"),
        ("pivots.min() < SAFE_PIVOT", "Lt -> LtE"), ("pivots.min() < 1e-6", "Lt -> LtE"),
        ("pivots.min() > 1e-2", "Gt -> GtE"), ("** 2 < SAFE_PIVOT", "Lt -> LtE"),
        ("ridge < SAFE_PIVOT", "Lt -> LtE"), ("> GRAM_GRADED", "Gt -> GtE"),
        ("> apart * scales.min()", "Gt -> GtE"), ("values[-1] < SAFE_VALUE", "Lt -> LtE"),
        ("values[-1] > SAFE_VALUE", "Gt -> GtE"), ("values > max(SAFE_VALUE", "Gt -> GtE"),
        ("remaining[0] / GRADED", "Gt -> GtE"), ("< 1e-6 * values[0]", "Lt -> LtE"),
        ("< 1e8 * EPS", "Lt -> LtE"), ("< 1e8 * EPS", "100000000.0 + 1"),
        ("> 1e3 * EPS", "Gt -> GtE"), ("> 1e3 * EPS", "1000.0 + 1"),
        ("residual <= tol", "LtE -> Lt"), ("<= limit)", "LtE -> Lt"),
        ("> limits[active]", "Gt -> GtE"), ("> tolerance**2 * energy", "Gt -> GtE"),
        ("<= ROUGH**2", "LtE -> Lt"), ("< ANEW * self._fresh", "Lt -> LtE"),
        ("<= 1e-8 * ", "LtE -> Lt"), ("size >= 1 - 1e-6", "GtE -> Gt"),
        ("spread > 1 / WITHIN", "Gt -> GtE"), ("spread < WITHIN", "Lt -> LtE"),
        ("<= NEAR * spread", "LtE -> Lt"), ("spread < 10.0**DIGITS", "Lt -> LtE"),
        ("counts > 64 * EPS", "Gt -> GtE"), ("A.nnz) < np.iinfo", "Lt -> LtE"),
        ("np.cumsum(values) >=", "GtE -> Gt"),
    ),
    "a bound on numbers that are set to zero, of those that are zero": (
        ("<= 64 * EPS", "LtE -> Lt"), ("<= (64 * EPS) ** 2", "LtE -> Lt"),
    ),
    "what zeros are divided by": (
        ("limit = tolerance * np.where(norms > 0", "Gt -> GtE"),
        ("np.where(norms > 0, norms, 1.0)", "1.0 + 1"), ("sizes[sizes == 0] = 1.0", "1.0 + 1"),
        ("np.where(sizes > 0, sizes, 1.0)", "1.0 + 1"),
        ("np.where(share > 0, share, 1.0)", "1.0 + 1"),
        ("np.where(labels.observed > 0, labels.observed, 1.0)", "1.0 + 1"),
    ),
    "a constant of all rows, which falls out of products about the mean": (
        ("U = U + (A @ factor - mean @ factor)", "Sub -> Add"),
    ),
    "NumPy takes any negative number": (("np.reshape(found, (-1, side))", "1 + 1"),),
    "zeros in both cases": (
        ("values[0] <= 0", "LtE -> Lt"), ("if decisive < 0:", "Lt -> LtE"),
        ("decisive) < 0", "Lt -> LtE"), ("positive = values > 0", "Gt -> GtE"),
    ),
    "units of the columns in between, taken back in the end": (
        ("column_scales(a * X.squares + b)", ""), ("column_scales(a * products.squares + b)", ""),
        ("inverse = 1.0 / scales", "1.0 + 1"),
    ),
    "another start of an iteration, or size that its bound of 1e-12 is relative to": (
        ("block_lanczos(apply, side, n_asked, TOLERANCE, 0)", "0 + 1"),
        ("scale = max(scale, float(np.linalg.norm(W, axis=0)", "0 + 1"),
    ),
    "LAPACK: the same with an estimate of the condition": (("dgejsv(A.T, joba=0)", "0 + 1"),),
    "columns of unit length: a diagonal, or largest pivot, between 1/4 and 1": (
        ("pivots.min() < SAFE_PIVOT * pivots.max()", "Mult -> Div"),
        ("np.diag(unit).max(initial=0.0)", "0.0 + 1"),
    ),
}  # fmt: skip
