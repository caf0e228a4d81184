"""The sweep: dual coordinate ascent over all (instance, relevant, irrelevant) triples.

Algorithm 1 of Gu, Li and Han (CIKM 2011), instance by instance. Notation, paper to code:
U -> ``A`` = X'beta, shape (D + 1, q), the last row that of the bias; omega -> ``weights``, shape
(D + 1,); R^-1 -> ``coupling``; z = W'x_i -> ``z``. The gradient of a pair is z_k - z_l - 1 (their
Eq. 23; the G that Algorithm 1 prints is a misprint).
"""

from __future__ import annotations

# The kernels below are typed by numba at their first call, not by annotations.
# mypy: disable-error-code="no-untyped-def"
from labelspan.jit import inner_kernel, kernel

# A variable with a smaller projected gradient is not moved.
STILL = 1e-12


@inner_kernel
def row_scores(i, rows, weights, A, coupling, coupled, v, z):
    """Fill z with W'x_i, where W = diag(weights) A coupling."""
    n_labels = A.shape[1]
    bias = A.shape[0] - 1
    for k in range(n_labels):
        v[k] = weights[bias] * A[bias, k]
    shift = rows.where[i] - rows.indptr[i]
    for p in range(rows.indptr[i], rows.indptr[i + 1]):
        j = rows.indices[p + shift]
        x = weights[j] * rows.data[p]
        if x != 0.0:
            for k in range(n_labels):
                v[k] += x * A[j, k]
    if coupled:
        for k in range(n_labels):
            z[k] = 0.0
        for k in range(n_labels):
            x = v[k]
            if x != 0.0:
                for other in range(n_labels):
                    z[other] += x * coupling[k, other]
    else:
        for k in range(n_labels):
            z[k] = v[k]


@inner_kernel
def spread(i, rows, step, A):
    """Add x_i step' to A: the rank-one change of X'beta."""
    n_labels = A.shape[1]
    bias = A.shape[0] - 1
    for k in range(n_labels):
        A[bias, k] += step[k]
    shift = rows.where[i] - rows.indptr[i]
    for p in range(rows.indptr[i], rows.indptr[i + 1]):
        j = rows.indices[p + shift]
        x = rows.data[p]
        for k in range(n_labels):
            A[j, k] += x * step[k]


@inner_kernel
def visit_pairs(i, pairs, upper, square, coupling, coupled, alpha, z, step, margin):
    """Maximise the dual over pairs in turn; the largest gradient, and if some may move later."""
    worst = 0.0
    alive = False
    pair = pairs.start[i]
    for r in range(pairs.relevant_start[i], pairs.relevant_start[i + 1]):
        k = pairs.relevant[r]
        for s in range(pairs.irrelevant_start[i], pairs.irrelevant_start[i + 1]):
            m = pairs.irrelevant[s]
            gradient = z[k] - z[m] - 1.0
            old = alpha[pair]
            projected = gradient
            if old <= 0.0:
                projected = min(gradient, 0.0)
                alive = alive or gradient < margin
            elif old >= upper:
                projected = max(gradient, 0.0)
                alive = alive or gradient > -margin
            else:
                alive = True
            if abs(projected) > STILL:
                worst = max(worst, abs(projected))
                curvature = 2.0
                if coupled:
                    curvature = coupling[k, k] + coupling[m, m] - 2.0 * coupling[k, m]
                curvature *= square
                # For a row of zeros, or two labels that the coupling merges, the dual is linear.
                new = 0.0 if gradient > 0.0 else upper
                if curvature > 0.0:
                    new = min(max(old - gradient / curvature, 0.0), upper)
                change = new - old
                if change != 0.0:
                    alpha[pair] = new
                    step[k] += change
                    step[m] -= change
                    change *= square
                    if coupled:
                        for other in range(len(z)):
                            z[other] += change * (coupling[k, other] - coupling[m, other])
                    else:
                        z[k] += change
                        z[m] -= change
            pair += 1
    return worst, alive


@kernel
def sweep(
    order,
    rows,
    pairs,
    upper,
    weights,
    squares,
    coupling,
    coupled,
    A,
    alpha,
    passes,
    margin,
    alive,
    room,
):
    """Visit the instances of `order` once, each with up to `passes` rounds over its pairs.

    Returns the largest projected gradient; `alive` marks the instances that may still move. `room`
    are three work arrays of zeros per label, because numba takes long to compile allocations.
    """
    v, z, step = room
    largest = 0.0
    for i in order:
        row_scores(i, rows, weights, A, coupling, coupled, v, z)
        first = 0.0
        # One call site for all rounds, because a second one would be compiled again.
        for n in range(passes):
            worst, may_move = visit_pairs(
                i, pairs, upper[i], squares[i], coupling, coupled, alpha, z, step, margin
            )
            if n == 0:
                first, alive[i] = worst, may_move
            if first == 0.0 or (n > 0 and worst < 0.1 * first):
                break
        largest = max(largest, first)
        if first != 0.0:
            spread(i, rows, step, A)
            for k in range(len(step)):
                step[k] = 0.0
    return largest


@kernel
def pair_loss(rows, pairs, upper, weights, coupling, coupled, A, room):
    """Sum of upper_i (1 - z_k + z_l)_+ over all pairs: C times the loss of Eq. (1)."""
    v, z, _ = room
    total = 0.0
    for i in range(len(upper)):
        if pairs.start[i] == pairs.start[i + 1]:
            continue
        row_scores(i, rows, weights, A, coupling, coupled, v, z)
        loss = 0.0
        for r in range(pairs.relevant_start[i], pairs.relevant_start[i + 1]):
            level = 1.0 - z[pairs.relevant[r]]
            for s in range(pairs.irrelevant_start[i], pairs.irrelevant_start[i + 1]):
                loss += max(level + z[pairs.irrelevant[s]], 0.0)
        total += upper[i] * loss
    return total


@kernel
def accumulate(rows, pairs, alpha, A, room):
    """Add X'beta to A, where beta_ik sums the dual variables of instance i by Eq. (8)."""
    _, _, step = room
    for i in range(len(pairs.start) - 1):
        pair = pairs.start[i]
        if pair == pairs.start[i + 1]:
            continue
        for r in range(pairs.relevant_start[i], pairs.relevant_start[i + 1]):
            for s in range(pairs.irrelevant_start[i], pairs.irrelevant_start[i + 1]):
                step[pairs.relevant[r]] += alpha[pair]
                step[pairs.irrelevant[s]] -= alpha[pair]
                pair += 1
        spread(i, rows, step, A)
        for k in range(len(step)):
            step[k] = 0.0


@kernel
def weighted_squares(rows, weights, squares):
    """Fill squares with ||sqrt(weights) x_i||^2 of each row, the bias included."""
    bias = weights[len(weights) - 1]
    for i in range(len(squares)):
        squares[i] = bias
        shift = rows.where[i] - rows.indptr[i]
        for p in range(rows.indptr[i], rows.indptr[i + 1]):
            squares[i] += weights[rows.indices[p + shift]] * rows.data[p] ** 2
    return squares
