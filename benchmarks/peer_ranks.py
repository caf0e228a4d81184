"""Ranks of two classes with their defaults among 28 published systems, as in docs/defaults.md.

usage: LABELSPAN_DATA=... python benchmarks/peer_ranks.py PEERS.csv [--estimator NAME] [SET ...]

PEERS.csv has one row per data set and measure and one column per system. The measures of each split
are appended to a file (benchmarks/peer_ranks.csv, or benchmarks/peer_ranks_choice.csv for
ReducerCV; --out names another), and splits that are there already are not run again. The tables of
what is there replace those of docs/defaults.md.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn import metrics
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parents[1]))

from labelspan import MultilabelRidgeCV, ReducerCV
from labelspan.arrays import dense
from labelspan.datasets import load_dataset
from labelspan.model_selection import MultilabelStratifiedShuffleSplit

# The names of the published table.
SETS = {
    "emotions": "emotions", "scene": "scene", "yeast": "yeast", "genbase": "genbase",
    "medical": "medical", "enron": "enron", "gnegative-go": "GnegativeGO",
    "human-go": "HumanGO", "slashdot": "slashdot", "corel5k": "corel5k", "bibtex": "bibtex",
    "delicious": "delicious",
}  # fmt: skip
DESCRIPTION = ("dataset", "measure", "n_examples", "n_features", "n_labels")
SMALLER = {"HAMMING_LOSS_example_based", "ONE_ERROR", "COVARAGE", "LABEL_RANKING_LOSS"}
SHOWN = ("LABEL_RANKING_AVERAGE_PRECISION", "MICRO_F1")
FILES = "files"
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "defaults.md"
BEGIN, END = "<!-- by benchmarks/peer_ranks.py -->", "<!-- end of benchmarks/peer_ranks.py -->"
# The file of each class, beside this one.
FILES_OF = {MultilabelRidgeCV: "peer_ranks.csv", ReducerCV: "peer_ranks_choice.csv"}


def measures(Y, scores, predicted):
    """The 18 measures under their published names."""
    found = {}
    for name, average in (("MICRO", "micro"), ("MACRO", "macro"), ("example_based", "samples")):
        for kind, of in (
            ("PRECISION", metrics.precision_score),
            ("RECALL", metrics.recall_score),
            ("F1", metrics.f1_score),
        ):
            key = f"{kind}_{name}" if average == "samples" else f"{name}_{kind}"
            found[key] = of(Y, predicted, average=average, zero_division=0)
    first = Y[np.arange(len(Y)), scores.argmax(axis=1)]
    return found | {
        "ACCURACY_example_based": metrics.jaccard_score(
            Y, predicted, average="samples", zero_division=0
        ),
        "SUBSET_ACCURACY": metrics.accuracy_score(Y, predicted),
        "HAMMING_LOSS_example_based": metrics.hamming_loss(Y, predicted),
        "ONE_ERROR": float(np.mean(first == 0)),
        "COVARAGE": metrics.coverage_error(Y, scores),
        "LABEL_RANKING_LOSS": metrics.label_ranking_loss(Y, scores),
        "LABEL_RANKING_AVERAGE_PRECISION": metrics.label_ranking_average_precision_score(Y, scores),
        "AUROC_MICRO": metrics.roc_auc_score(Y, scores, average="micro"),
        "AUPRC_MICRO": metrics.average_precision_score(Y, scores, average="micro"),
    }


def splits(data, Y):
    """The parts of the files, where there are any, and five stratified splits."""
    if data.train is not None:
        yield FILES, data.train, data.test
    splitter = MultilabelStratifiedShuffleSplit(5, test_size=1 / 3, random_state=0)
    for i, parts in enumerate(splitter.split(data.X, Y)):
        yield str(i), *parts


def runs(estimator, name, done, wanted):
    """Measures and seconds of each split that is wanted, all if None, and not `done`."""
    data = load_dataset(name)
    Y = dense(data.Y).astype(int)
    for split, train, test in splits(data, Y):
        if (name, split) in done or (wanted and split not in wanted):
            continue
        present = Y[train].any(axis=0)
        start = time.process_time()
        with threadpool_limits(1):
            model = estimator().fit(data.X[train], Y[train][:, present])
        seconds = time.process_time() - start
        scores, predicted = model.decision_function(data.X[test]), model.predict(data.X[test])
        found = measures(Y[test][:, present], scores, dense(predicted))
        yield {"set": name, "split": split, "seconds": seconds, "chosen": chosen_by(model), **found}


def chosen_by(model):
    """Kernel and scaling, or the reducer and its kernel."""
    if isinstance(model, MultilabelRidgeCV):
        return f"{model.kernel_} {model.scaling_}"
    advice = model.summary().partition(":")[0]
    kernel = "rbf " if model.best_params_.get("kernel") == "rbf" else ""
    return kernel + (advice.removesuffix(" with an RBF kernel").partition(" by ")[2] or "none")


def rank(value, published, smaller):
    """One, plus the better systems, plus half of the equal ones."""
    value = round(value, 3)
    better = published < value if smaller else published > value
    return 1 + np.count_nonzero(better) + np.count_nonzero(published == value) / 2


def ranks_of(rows, peers, only):
    """Ranks {set: {measure: rank}} of the means over the splits."""
    found = {}
    for name in SETS:
        mine = [row for row in rows if row["set"] == name and (row["split"] == FILES) == only]
        if mine:
            of_set = peers[SETS[name]]
            found[name] = {
                measure: rank(
                    np.mean([float(row[measure.replace("AUCROC", "AUROC")]) for row in mine]),
                    published,
                    measure in SMALLER,
                )
                for measure, published in of_set.items()
            }
    return found


def tables(rows, peers):
    """The tables of docs/defaults.md, as lines."""
    by_split = {FILES: ranks_of(rows, peers, True), "five": ranks_of(rows, peers, False)}
    four = "LRAP | rank | micro-F1 | rank"
    yield f"| set | seconds | files: {four} | splits: {four} | chosen |"
    yield "|---" * 11 + "|"
    for name in SETS:
        mine = [row for row in rows if row["set"] == name]
        if mine:
            seconds = np.mean([float(row["seconds"]) for row in mine])
            cells = [
                *cells_of(mine, by_split[FILES], True),
                *cells_of(mine, by_split["five"], False),
            ]
            chosen = ", ".join(sorted({row["chosen"] for row in mine}))
            yield f"| {name} | {seconds:.1f} | {' | '.join(cells)} | {chosen} |"
    yield ""
    counted = " and ".join(f"{len(ranks)}" for ranks in by_split.values())
    yield f"Mean ranks of 29, over {counted} sets, and the best mean rank of the others:\n"
    yield "| measure | parts of the files | best other | five splits | best other |"
    yield "|---|---|---|---|---|"
    for measure in sorted(next(iter(by_split[FILES].values()))):
        means = []
        for ranks in by_split.values():
            mean = np.mean([of_set[measure] for of_set in ranks.values()])
            other = best_other(measure, [peers[SETS[name]][measure] for name in ranks])
            means.append(f"{mean:.1f} | {other:.1f}")
        yield f"| {measure} | {' | '.join(means)} |"


def page_lines(peers):
    """The tables of every class of which there are results."""
    for estimator, file in FILES_OF.items():
        rows = read_rows(Path(__file__).parent / file)
        if rows:
            yield f"### `{estimator.__name__}()`\n"
            yield from tables(rows, peers)
            yield ""


def cells_of(mine, ranks, only):
    """Values and ranks of the measures that head the page, for one set."""
    rows = [row for row in mine if (row["split"] == FILES) == only]
    for measure in SHOWN:
        if rows:
            value = np.mean([float(row[measure]) for row in rows])
            count = "" if only or len(rows) == 5 else f" ({len(rows)} of 5)"
            yield f"{value:.3f}{count} | {ranks[rows[0]['set']][measure]:g}"
        else:
            yield " | "


def write_page(lines):
    """Put the tables between their marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    body = "\n".join(lines).rstrip()
    PAGE.write_text(f"{before}{BEGIN}\n\n{body}\n\n{END}{after}", encoding="utf-8")


def best_other(measure, published):
    """Smallest mean rank of a published system among the 28."""
    sign = 1 if measure in SMALLER else -1
    ranks = [[rank(v, values, sign > 0) - 0.5 for v in values] for values in published]
    return np.mean(ranks, axis=0).min()


def read_peers(path):
    """Published values {set: {measure: values of the systems}}."""
    found = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            values = [float(value) for key, value in row.items() if key not in DESCRIPTION]
            found.setdefault(row["dataset"], {})[row["measure"]] = np.array(values)
    return found


def read_rows(path):
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main():
    """Run what is missing and write the tables."""
    warnings.simplefilter("ignore")  # measures that are undefined for some label
    parser = argparse.ArgumentParser()
    parser.add_argument("peers", type=Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--estimator", choices=[each.__name__ for each in FILES_OF])
    parser.add_argument("--splits", nargs="+", choices=[FILES, *"01234"])
    parser.add_argument("--out", type=Path)
    given = parser.parse_intermixed_args()
    named = {each.__name__: each for each in FILES_OF}
    estimator = named.get(given.estimator, MultilabelRidgeCV)
    out = given.out or Path(__file__).parent / FILES_OF[estimator]
    done = {(row["set"], row["split"]) for row in read_rows(out)}
    for name in given.sets:
        for row in runs(estimator, name, done, given.splits):
            new = not out.exists()
            with out.open("a", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(row))
                if new:
                    writer.writeheader()
                writer.writerow(row)
            print(row["set"], row["split"], f"{row['seconds']:.1f} s", flush=True)
    write_page(page_lines(read_peers(given.peers)))


if __name__ == "__main__":
    main()
