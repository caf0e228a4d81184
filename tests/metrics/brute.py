"""The definitions of the measures, written as loops over pairs, rows and orders."""

from itertools import pairwise, permutations

import numpy as np


def pairs(y):
    true, false = np.flatnonzero(y), np.flatnonzero(~y)
    return [(s, t) for s in true for t in false]


def ranking_loss_row(y, f, tie):
    values = [1.0 if f[s] < f[t] else tie if f[s] == f[t] else 0.0 for s, t in pairs(y)]
    return np.mean(values) if values else 0.0


def rank(f, label, ties):
    higher = sum(f[m] > f[label] for m in range(len(f)))
    equal = sum(f[m] == f[label] for m in range(len(f)))
    if ties == "first":
        return higher + sum(f[m] == f[label] for m in range(label)) + 1
    return {"worst": higher + equal, "best": higher + 1, "average": higher + (equal + 1) / 2}[ties]


def average_precision_row(y, f, ties):
    true = np.flatnonzero(y)
    if len(true) == 0:
        return 1.0
    ranks = {label: rank(f, label, ties) for label in true}
    return np.mean(
        [sum(r <= ranks[label] for r in ranks.values()) / ranks[label] for label in true]
    )


def one_error_row(y, f, ties):
    top = [label for label in range(len(f)) if f[label] == max(f)]
    errors = [0.0 if y[label] else 1.0 for label in top]
    return {
        "first": errors[0],
        "worst": max(errors),
        "best": min(errors),
        "average": np.mean(errors),
    }[ties]


def coverage_row(y, f, ties):
    return max((rank(f, label, ties) for label in np.flatnonzero(y)), default=0) - 1


def auc(y, f):
    wins = [1.0 if f[s] > f[t] else 0.5 if f[s] == f[t] else 0.0 for s, t in pairs(y)]
    return np.mean(wins) if wins else np.nan


def gain_row(y, f, gain, ties):
    """Mean gain over every order of the labels that respects the scores."""
    orders = [p for p in permutations(range(len(f))) if all(f[a] >= f[b] for a, b in pairwise(p))]
    if ties == "first":
        orders = [min(orders)]
    return np.mean([sum(gain[j] * y[label] for j, label in enumerate(order)) for order in orders])


def ratio(numerator, denominator, zero):
    return numerator / denominator if denominator else zero


def set_measures(Y, P, zero):
    """Every label-set measure from Python sets."""
    rows = [(set(np.flatnonzero(y)), set(np.flatnonzero(p))) for y, p in zip(Y, P, strict=True)]
    columns = [
        (set(np.flatnonzero(y)), set(np.flatnonzero(p))) for y, p in zip(Y.T, P.T, strict=True)
    ]
    f1 = [2 * len(a & b) for a, b in columns], [len(a) + len(b) for a, b in columns]
    return {
        "hamming_loss": np.mean([len(a ^ b) / Y.shape[1] for a, b in rows]),
        "subset_accuracy": np.mean([a == b for a, b in rows]),
        "instance_accuracy": np.mean([ratio(len(a & b), len(a | b), zero) for a, b in rows]),
        "instance_precision": np.mean([ratio(len(a & b), len(b), zero) for a, b in rows]),
        "instance_recall": np.mean([ratio(len(a & b), len(a), zero) for a, b in rows]),
        "samples_f1": np.mean([ratio(2 * len(a & b), len(a) + len(b), zero) for a, b in rows]),
        "micro_f1": ratio(sum(f1[0]), sum(f1[1]), zero),
        "macro_f1": np.mean([ratio(a, b, zero) for a, b in zip(*f1, strict=True)]),
    }
