"""The tables and the picture of docs/when_it_pays.md, from benchmarks/when_it_pays.csv.

usage: python benchmarks/when_it_pays_page.py
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from labelspan.stats import friedman, nemenyi

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "benchmarks" / "when_it_pays.csv", ROOT / "docs" / "when_it_pays.md"
PICTURE = ROOT / "docs" / "when_it_pays.svg"
BEGIN, END = "<!-- by benchmarks/when_it_pays_page.py -->", "<!-- end of the tables -->"
ALL = "all features"
READOUTS = {"mlknn": "ML-kNN", "ridge": "ridge", "svm": "LinearSVC", "logistic": "logistic"}
MEASURES = {"micro": "micro-F1", "macro": "macro-F1", "ap": "average precision"}
SIZES = {"100": "100 rows", "400": "400 rows", "all": "all rows, at most 1500"}
MATTERS = 0.01


class Results:
    """Measures by size, readout and measure, as arrays of data sets by representations."""

    def __init__(self, rows):
        self.rows = rows
        self.methods = list(dict.fromkeys(row["method"] for row in rows))
        self.sets = sorted({row["set"] for row in rows})

    def values(self, size, column, scale=1e-3):
        """Names of the sets that have all representations, and their means over the splits."""
        found = {}
        for row in self.rows:
            if row["rows"] == size and row[column]:
                place = row["set"], row["split"]
                found.setdefault(place, {})[row["method"]] = scale * float(row[column])
        complete = {place: cells for place, cells in found.items() if len(cells) == self.n_methods}
        names = sorted({name for name, _ in complete})
        means = [
            np.mean(
                [self._line(cells) for (of, _), cells in complete.items() if of == name], axis=0
            )
            for name in names
        ]
        return names, np.array(means).reshape(len(names), self.n_methods)

    def _line(self, cells):
        return [cells[method] for method in self.methods]

    @property
    def n_methods(self):
        return len(self.methods)

    def differences(self, size, readout, measure):
        """Differences from all features: data sets by representations."""
        _, values = self.values(size, f"{readout}_{measure}")
        return values - values[:, [self.methods.index(ALL)]]


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def short(value):
    return f"{value:.3f}".replace("0.", ".", 1)


def named(method):
    return f"**{method}**" if method == ALL else method


def signed(value):
    return f"{value:+.3f}".replace("0.", ".", 1)


def against_all_features(results, size):
    """Mean differences of three measures, and on how many sets micro-F1 is better and worse."""
    yield f"### Against all features: {SIZES[size]}\n"
    counts = {r: len(results.values(size, f"{r}_micro")[0]) for r in READOUTS}
    words = ", ".join(f"{READOUTS[r]} {count}" for r, count in counts.items())
    yield (
        "Mean difference from the same classifier on all features: micro-F1, macro-F1, average "
        f"precision; in brackets on how many sets micro-F1 is more than .01 higher and lower. "
        f"Sets: {words}. The first line has the means of all features.\n"
    )
    rows = []
    for i, method in enumerate(results.methods):
        cells = [named(method)]
        for readout in READOUTS:
            if not counts[readout]:
                cells.append("")
                continue
            if method == ALL:
                means = [results.values(size, f"{readout}_{m}")[1][:, i].mean() for m in MEASURES]
                cells.append(" ".join(map(short, means)))
                continue
            all_three = [results.differences(size, readout, m)[:, i] for m in MEASURES]
            higher = np.count_nonzero(all_three[0] > MATTERS)
            lower = np.count_nonzero(all_three[0] < -MATTERS)
            means = " ".join(signed(values.mean()) for values in all_three)
            cells.append(f"{means} ({higher}, {lower})")
        rows.append(cells)
    yield from table(["representation", *READOUTS.values()], rows)


def costs(results, size="all"):
    """Medians over data sets of what a representation costs."""
    yield "### Memory and time\n"
    names, _ = results.values(size, "mlknn_us")
    yield (
        f"Medians over {len(names)} sets at all labelled rows (LinearSVC and logistic: without the "
        "three that they leave out). The share is that of the bytes of all features. Microseconds "
        "to predict a row include the projection.\n"
    )
    columns = ["directions", "bytes", "ms", *(f"{readout}_us" for readout in READOUTS)]
    found = [results.values(size, column, 1.0)[1] for column in columns]
    shares = found[1] / found[1][:, [results.methods.index(ALL)]]
    rows = []
    for i, method in enumerate(results.methods):
        cells = [f"{np.median(values[:, i]):,.0f}" for values in found]
        cells.insert(2, f"{np.median(shares[:, i]):.2f}")
        rows.append([named(method), *cells])
    head = ["representation", "directions", "bytes per row", "share", "ms to fit"]
    yield from table([*head, *(f"{name}, µs" for name in READOUTS.values())], rows)


def by_rows(results):
    """Micro-F1 against the number of labelled rows, on sets that have every number."""
    sizes = [size for size in SIZES if len(results.values(size, "ridge_micro")[0]) > 1]
    yield "### More rows, or fewer directions?\n"
    common = {
        r: set.intersection(*(set(results.values(s, f"{r}_micro")[0]) for s in sizes))
        for r in READOUTS
    }
    counts = ", ".join(f"{READOUTS[r]} {len(names)}" for r, names in common.items())
    yield f"Mean micro-F1 over the sets that have each of these numbers of rows: {counts}.\n"
    rows = []
    for i, method in enumerate(results.methods):
        cells = []
        for readout, names in common.items():
            for size in sizes:
                found, values = results.values(size, f"{readout}_micro")
                cells.append(short(values[[name in names for name in found], i].mean()))
        rows.append([named(method), *cells])
    head = [f"{name}, {size}" for name in READOUTS.values() for size in sizes]
    yield from table(["representation", *head], rows)


def mean_ranks(results, size="all"):
    """Mean ranks by micro-F1 and by average precision, with tests."""
    yield f"### Mean ranks: {SIZES[size]}\n"
    columns = [(r, m) for m in ("micro", "ap") for r in READOUTS]
    tested = {}
    for readout, measure in columns:
        names, values = results.values(size, f"{readout}_{measure}")
        if len(names) > 1:
            tested[readout, measure] = (friedman(values), nemenyi(values), len(names))
    yield "Friedman's p-value and the critical difference of Nemenyi (5 %) are in the last lines.\n"
    rows = [
        [method, *(f"{tested[c][1].ranks.average[i]:.1f}" for c in tested)]
        for i, method in enumerate(results.methods)
    ]
    rows.append(["sets", *(str(count) for *_, count in tested.values())])
    rows.append(["p-value", *(f"{test.p_value:.1g}" for test, *_ in tested.values())])
    rows.append(
        ["critical difference", *(f"{n.critical_difference:.1f}" for _, n, _ in tested.values())]
    )
    head = [f"{READOUTS[r]}, {MEASURES[m]}" for r, m in tested]
    yield from table(["representation", *head], rows)


def by_set(results, size="all"):
    """Micro-F1 on each data set, and what ReducerCV recommends."""
    yield f"### Each data set: micro-F1, {SIZES[size]}\n"
    yield (
        "Linear: LinearSVC, or ridge where LinearSVC was left out. Best: the best reducer at its "
        "defaults on the test rows, a choice that nobody can make; ReducerCV chooses on "
        "labelled rows; recommended: for ML-kNN and for the others. PCA is MVMD of beta 0.\n"
    )
    rows = []
    for name in results.sets:
        mine = {
            row["method"]: row
            for row in results.rows
            if (row["set"], row["rows"], row["split"]) == (name, size, "0")
        }
        if len(mine) < results.n_methods or not all(row["ridge_micro"] for row in mine.values()):
            continue
        linear = "svm" if mine[ALL]["svm_micro"] else "ridge"
        cells = [name, mine[ALL]["labelled"], mine[ALL]["directions"]]
        for readout in ("mlknn", linear):
            value = {m: float(row[f"{readout}_micro"]) / 1000 for m, row in mine.items()}
            rest = {m: v for m, v in value.items() if m not in (ALL, "SVD", "ReducerCV")}
            best = max(rest, key=rest.get)
            chosen = [short(value[m]) for m in (ALL, "SVD", "ReducerCV")]
            cells += [*chosen, f"{short(rest[best])} {best}"]
        rows.append([*cells, mine["ReducerCV"]["said"]])
    kinds = [f"{r}: {c}" for r in ("ML-kNN", "linear") for c in (ALL, "SVD", "ReducerCV", "best")]
    yield from table(["set", "rows", "features", *kinds, "recommended"], rows)


def missing(results):
    """Cells without values: what a reducer cannot fit, and what was not finished."""
    failed = [
        f"{row['method']} on {row['set']} at {row['rows']} rows ({row['said']})"
        for row in results.rows
        if not row["ridge_micro"]
    ]
    if failed:
        yield f"Not fitted: {'; '.join(failed)}.\n"
    for size, words in SIZES.items():
        names = results.values(size, "ridge_micro")[0]
        left = [name for name in results.sets if name not in names]
        large = [
            row["set"]
            for row in results.rows
            if row["method"] == ALL and row["rows"] == "all" and int(row["labelled"]) < 400
        ]
        left = [name for name in left if size != "400" or name not in large]
        if left and names:
            yield f"Sets that do not count at {words}: {', '.join(left)}.\n"


def page_lines(rows):
    results = Results(rows)
    for size in SIZES:
        if len(results.values(size, "ridge_micro")[0]) > 1:
            yield from against_all_features(results, size)
    yield from by_rows(results)
    yield from mean_ranks(results)
    yield "![Critical differences of mean ranks, ML-kNN and LinearSVC](when_it_pays.svg)\n"
    yield from costs(results)
    yield from by_set(results)
    yield from missing(results)


def picture(rows, size="all"):
    """The critical difference diagrams of two classifiers, as SVG with plain text."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "labelspan"})
    from matplotlib.figure import Figure

    from labelspan.plotting import CriticalDifferenceDisplay

    results = Results(rows)
    figure = Figure(figsize=(8.5, 9.5), layout="constrained")
    for ax, readout in zip(figure.subplots(2, 1), ("mlknn", "svm"), strict=True):
        _, values = results.values(size, f"{readout}_micro")
        result = nemenyi(values, names=results.methods)
        title = f"{READOUTS[readout]}: mean ranks by micro-F1, {len(values)} data sets"
        CriticalDifferenceDisplay.from_result(result, ax=ax, title=title)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def read_rows():
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main():
    rows = read_rows()
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    body = "\n".join(page_lines(rows)).rstrip()
    PAGE.write_text(f"{before}{BEGIN}\n\n{body}\n\n{END}{after}", encoding="utf-8")
    PICTURE.write_text(picture(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
