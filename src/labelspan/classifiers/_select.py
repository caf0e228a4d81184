"""Exact nearest rows from inner products; on ties the first row wins."""

from __future__ import annotations

from labelspan.jit import ZERO, inner_kernel, kernel

# All kernels below: `chosen` receives the k nearest training rows of each query row, ordered by
# (squared distance, index). Inner products carry rounding errors of at most slack * (|a|^2 +
# |b|^2); every row that could be among the nearest within that error is measured again, feature
# by feature, so that duplicates and ties are exact. slack = 0 means that the products are exact.
# `best` (k,), `room` and `products` (rows of T,) are work arrays, passed in because numba takes
# long to compile allocations.


@kernel
def select_dense(products, Q, T, q_norms, norms, slack, own, chosen, best, room):  # type: ignore[no-untyped-def]
    """Nearest rows of T for rows of Q, shifted by any row; row own + i is left out if own >= 0."""
    k = len(best)
    for i in range(len(Q)):
        skip = own + i if own >= 0 else -1
        _nearest(products[i], q_norms[i], norms, slack, skip, best, chosen[i])
        if slack > 0:
            n = _possible(products[i], q_norms[i], norms, slack, skip, best[k - 1], room)
            filled = ZERO
            for c in range(n):
                j = room[c]
                total = 0.0
                for f in range(Q.shape[1]):
                    total += (Q[i, f] - T[j, f]) ** 2
                filled = _insert(best, chosen[i], filled, total, j)


@kernel
def select_sparse(  # type: ignore[no-untyped-def]
    q_starts,
    q_features,
    q_values,
    t_starts,
    t_features,
    t_values,
    f_starts,
    f_rows,
    f_values,
    norms,
    slack,
    own,
    chosen,
    best,
    room,
    products,
):
    """Nearest rows for CSR queries q among CSR rows t, whose CSC form is f (inverted index)."""
    k = len(best)
    for i in range(len(chosen)):
        skip = own + i if own >= 0 else -1
        for j in range(len(products)):
            products[j] = 0.0
        norm = 0.0
        for entry in range(q_starts[i], q_starts[i + 1]):
            value = q_values[entry]
            norm += value**2
            feature = q_features[entry]
            for place in range(f_starts[feature], f_starts[feature + 1]):
                products[f_rows[place]] += value * f_values[place]
        _nearest(products, norm, norms, slack, skip, best, chosen[i])
        if slack > 0:
            n = _possible(products, norm, norms, slack, skip, best[k - 1], room)
            filled = ZERO
            for c in range(n):
                j = room[c]
                total = _sparse_distance(
                    q_features[q_starts[i] : q_starts[i + 1]],
                    q_values[q_starts[i] : q_starts[i + 1]],
                    t_features[t_starts[j] : t_starts[j + 1]],
                    t_values[t_starts[j] : t_starts[j + 1]],
                )
                filled = _insert(best, chosen[i], filled, total, j)


@kernel
def select_distances(distances, own, chosen, best):  # type: ignore[no-untyped-def]
    """Nearest columns of a dense block of distances; column own + i is left out if >= 0."""
    for i in range(len(distances)):
        filled = ZERO
        for j in range(distances.shape[1]):
            if own < 0 or j != own + i:
                filled = _insert(best, chosen[i], filled, distances[i, j], j)


@kernel
def select_graph(starts, columns, distances, own, chosen, found, best):  # type: ignore[no-untyped-def]
    """Nearest stored columns of a sparse block of distances; `found` counts them."""
    for i in range(len(chosen)):
        filled = ZERO
        for place in range(starts[i], starts[i + 1]):
            if own < 0 or columns[place] != own + i:
                filled = _insert(best, chosen[i], filled, distances[place], columns[place])
        found[i] = filled


@inner_kernel
def _nearest(products, norm, norms, slack, skip, best, chosen):  # type: ignore[no-untyped-def]
    """Rows with the smallest upper bounds of the distance; best[-1] bounds the k-th distance."""
    filled = ZERO
    k = len(best)
    for j in range(len(norms)):
        upper = norm + norms[j] - 2 * products[j] + slack * (norm + norms[j])
        if (filled < k or upper < best[k - 1]) and j != skip:
            filled = _insert(best, chosen, filled, upper, j)


@inner_kernel
def _possible(products, norm, norms, slack, skip, bound, room):  # type: ignore[no-untyped-def]
    """Rows whose distance could be within `bound`, into `room`; returns how many."""
    n = ZERO
    for j in range(len(norms)):
        lower = norm + norms[j] - 2 * products[j] - slack * (norm + norms[j])
        if lower <= bound and j != skip:
            room[n] = j
            n += 1
    return n


@inner_kernel
def _insert(best, chosen, filled, value, index):  # type: ignore[no-untyped-def]
    """Insert into a sorted list of fixed length; an equal value stays behind the earlier one."""
    place = filled
    if filled == len(best):
        if not value < best[filled - 1]:
            return filled
        place = filled - 1
    while place > 0 and value < best[place - 1]:
        best[place] = best[place - 1]
        chosen[place] = chosen[place - 1]
        place -= 1
    best[place] = value
    chosen[place] = index
    return min(filled + 1, len(best))


@inner_kernel
def _sparse_distance(a_features, a_values, b_features, b_values):  # type: ignore[no-untyped-def]
    """Squared distance of two sparse rows, summed in the order of the features."""
    total = 0.0
    a = b = 0
    while a < len(a_features) or b < len(b_features):
        if b == len(b_features) or (a < len(a_features) and a_features[a] < b_features[b]):
            total += a_values[a] ** 2
            a += 1
        elif a == len(a_features) or b_features[b] < a_features[a]:
            total += b_values[b] ** 2
            b += 1
        else:
            total += (a_values[a] - b_values[b]) ** 2
            a += 1
            b += 1
    return total
