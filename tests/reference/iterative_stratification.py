"""Algorithm 1 of Sechidis, Tsoumakas and Vlahavas (2011), literally: dense and slow."""

import numpy as np


def iterative_stratification(Y, n_parts, rng):
    n = len(Y)
    desired = np.full(n_parts, n / n_parts)
    desired_label = np.outer(Y.sum(axis=0), np.full(n_parts, 1 / n_parts))
    part = np.full(n, -1)
    while (part < 0).any():
        left = Y[part < 0].sum(axis=0)
        if left.max() == 0:
            rows, label = np.flatnonzero(part < 0), None
        else:
            label = rng.choice(np.flatnonzero(left == left[left > 0].min()))
            rows = np.flatnonzero((part < 0) & (Y[:, label] == 1))
        for row in rows:
            wanted = desired if label is None else desired_label[label]
            best = np.flatnonzero(np.isclose(wanted, wanted.max()))
            best = best[np.isclose(desired[best], desired[best].max())]
            part[row] = rng.choice(best)
            desired[part[row]] -= 1
            desired_label[Y[row] == 1, part[row]] -= 1
    return part
