"""Micro-F1 of thresholds: the methods' own, per label, by cardinality, and "auto".

    LABELSPAN_DATA=... python benchmarks/threshold_table.py [SET ...]

Two stratified splits per set, 2/3 for training. All thresholds but the own ones are tuned on the
same scores of five held-out folds of the training part. Prints the table of docs/thresholds.md.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from labelspan import MLkNN, MultiOutputRidge
from labelspan.arrays import dense
from labelspan.base import held_out_scores, label_scores
from labelspan.cuts import best_cuts, learnt, lifted, tuned_thresholds
from labelspan.datasets import load_dataset
from labelspan.metrics import micro_f1
from labelspan.model_selection import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit

SETS = (
    "emotions", "scene", "yeast", "image", "enron", "medical", "genbase", "slashdot",
    "gnegative-go", "yahoo-mlknn-arts", "yahoo-mlknn-business", "yahoo-mlknn-health",
)  # fmt: skip
MODELS = {"ridge": (MultiOutputRidge(), 0.0), "ML-kNN": (MLkNN(), 0.5)}
RULES = ("own", "per_label_f1", "cardinality", "auto")


def scores_of_split(model, X, Y, train, test):
    """Held-out scores of the training part, the labels that each fold knows, and test scores."""
    X_train, Y_train, q = X[train], Y[train], Y.shape[1]
    held_out = np.empty(Y_train.shape)
    folds = list(MultilabelStratifiedKFold(5).split(X_train, Y_train))
    for fold in folds:
        held_out[fold[1]] = held_out_scores(model, X_train, Y_train, fold, q)
    fitted = model.fit(X_train, Y_train)
    return held_out, learnt(Y_train > 0, folds, None), label_scores(fitted, X[test], q)


def measured(model, own, X, Y, train, test):
    """Micro-F1 on the test part by each rule."""
    held_out, seen, scores = scores_of_split(model, X, Y, train, test)
    positive, found = Y[train] > 0, {"own": micro_f1(Y[test], scores > own)}
    for rule in RULES[1:3]:
        observed = seen if rule == "cardinality" else None
        cuts = tuned_thresholds(held_out, positive, rule, observed=observed)
        found[rule] = micro_f1(Y[test], scores > cuts)
    cuts = best_cuts(held_out, positive, observed=seen)
    found["auto"] = micro_f1(Y[test], lifted(scores, cuts.min_labels) > cuts.thresholds)
    return [found[rule] for rule in RULES]


def main():
    warnings.simplefilter("ignore")  # labels without rows in a fold
    print("| set | " + " | ".join(f"{m}: {r}" for m in MODELS for r in RULES) + " |")
    print("|---|" + "---|" * len(MODELS) * len(RULES))
    table = []
    for name in sys.argv[1:] or SETS:
        data = load_dataset(name)
        X, Y = data.X, dense(data.Y).astype(int)
        splitter, found = MultilabelStratifiedShuffleSplit(2, test_size=1 / 3, random_state=0), []
        for train, test in splitter.split(X, Y):
            known = Y[:, Y[train].any(axis=0)]
            each = [measured(*model, X, known, train, test) for model in MODELS.values()]
            found.append(np.concatenate(each))
        table.append(np.mean(found, axis=0))
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in table[-1]) + " |", flush=True)
    print("| mean | " + " | ".join(f"{value:.3f}" for value in np.mean(table, axis=0)) + " |")
    of_models = np.array(table).reshape(len(table), len(MODELS), len(RULES))
    behind = (of_models[..., -1] - of_models[..., :-1].max(axis=2)).min()
    print(f"\nauto is at worst {behind:+.3f} from the best of the others")


if __name__ == "__main__":
    main()
