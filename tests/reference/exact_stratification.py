"""Iterative stratification with exact sizes, as `docs/evaluation.md` words it: exact and slow.

The words leave three things open, which are settled here as in the package: a label weighs one
over its rows, the first of equal parts is taken, and rows without labels are due at odd halves.
"""

from fractions import Fraction


def stratified(Y, sizes, part=None):
    """Yield every assignment the rules allow: tied labels may go in any order."""
    n, q = len(Y), len(Y[0])
    part = [None] * n if part is None else part
    left = [sum(Y[i][j] for i in range(n) if part[i] is None) for j in range(q)]
    if not any(left):
        yield spread(part, sizes)
    for label in range(q):
        if left[label] and left[label] == min(c for c in left if c):
            filled = list(part)
            for row in range(n):
                if filled[row] is None and Y[row][label]:
                    filled[row] = fittest(Y, sizes, filled, row, label)
            yield from stratified(Y, sizes, filled)


def fittest(Y, sizes, part, row, label):
    """The part not yet full that lacks the label most, then the row's labels, then rows."""

    def lack(j, p):
        fair = Fraction(sizes[p], len(Y)) * sum(y[j] for y in Y)
        return fair - sum(y[j] for y, chosen in zip(Y, part, strict=True) if chosen == p)

    def merit(p):
        # Rare labels weigh most: what is lacking is a share of the rows of the label.
        labels = [j for j in range(len(Y[0])) if Y[row][j]]
        shares = sum(lack(j, p) / sum(y[j] for y in Y) for j in labels)
        return lack(label, p), shares, sizes[p] - part.count(p)

    return max((p for p in range(len(sizes)) if part.count(p) < sizes[p]), key=merit)


def spread(part, sizes):
    """Rows without labels: place k of f free ones is due when (k + 1/2) / f of them are met."""
    free = [size - part.count(p) for p, size in enumerate(sizes)]
    due = sorted((Fraction(2 * k + 1, 2 * f), p) for p, f in enumerate(free) for k in range(f))
    places = iter(p for _, p in due)
    return [next(places) if chosen is None else chosen for chosen in part]
