"""Speed of `read_arff` compared with liac-arff on the same files in the same run.

usage: LABELSPAN_DATA=folder python benchmarks/bench_arff.py [--repeat 30]

Prints megabytes per second (of decompressed text) and the ratio of the two times for every ARFF
file of the folder and for two larger ones. Both readers get the names of the labels and return
features and labels as numeric arrays. Times are processor time, the best of several rounds of one
reader and then of the other, because both use one thread and other work on the computer should not
count. Compilation is not timed.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from labelspan.datasets import MultilabelDataset, read_arff, write_arff

GOAL = 50.0
# Columns that number the rows, which read_arff refuses to take for features.
IDENTIFIERS = {"genbase": ("protein",)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=30)
    repeat = parser.parse_args().repeat
    folder = os.environ.get("LABELSPAN_DATA")
    if not folder:
        sys.exit("set LABELSPAN_DATA to the folder of the benchmark data sets")
    slowest = float("inf")
    with tempfile.TemporaryDirectory() as scratch:
        cases = _plain_copies(Path(folder), Path(scratch)) | _synthetic(Path(scratch))
        print(f"{'file':<20}{'form':<8}{'MB':>7}{'ms':>8}{'MB/s':>7}{'liac ms':>9}{'ratio':>7}")
        for name, (path, labels) in cases.items():
            is_sparse, ratio = _compare(name, path, labels, repeat)
            slowest = min(slowest, ratio) if is_sparse else slowest
    print(f"slowest sparse ratio against liac-arff: {slowest:.0f} (goal: at least {GOAL:.0f})")


def _plain_copies(folder: Path, scratch: Path) -> dict[str, tuple[Path, set[str]]]:
    """Decompressed copies, so that both readers see the same bytes, and their label names."""
    cases = {}
    for file in sorted(folder.glob("mulan/*/*.arff*")):
        content = file.read_bytes()
        name = file.name.removesuffix(".gz").removesuffix(".arff")
        path = scratch / f"{name}.arff"
        path.write_bytes(gzip.decompress(content) if file.suffix == ".gz" else content)
        (xml,) = file.parent.glob("*.xml")
        ignored = _identifiers(name)
        cases[name] = (path, set(read_arff(path, xml=xml, ignore=ignored).label_names))
    return cases


def _identifiers(name: str) -> tuple[str, ...]:
    return IDENTIFIERS.get(name.partition("-")[0], ())


def _synthetic(scratch: Path) -> dict[str, tuple[Path, set[str]]]:
    """Larger files with real-valued features of 15 to 17 digits and of 6 digits."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 300))
    Y = (rng.random((4000, 20)) < 0.1).astype(np.uint8)
    sparse = sp.random_array((8000, 5000), density=0.02, format="csr", rng=rng)
    sparse.data = np.round(sparse.data, 6)
    labels = (rng.random((8000, 20)) < 0.1).astype(np.uint8)
    cases = {}
    for name, features, targets in (
        ("synthetic dense", X, Y),
        ("synthetic sparse", sparse, labels),
    ):
        columns = tuple(f"feature{i}" for i in range(features.shape[1]))
        names = tuple(f"label{i}" for i in range(targets.shape[1]))
        dataset = MultilabelDataset(name, features, targets, columns, names, None, None, "")
        path = scratch / f"{name.replace(' ', '-')}.arff"
        write_arff(dataset, path)
        cases[name] = (path, set(names))
    return cases


def _compare(name: str, path: Path, labels: set[str], repeat: int) -> tuple[bool, float]:
    ignored = _identifiers(name)
    is_sparse = sp.issparse(read_arff(path, label_names=labels, ignore=ignored).X)
    ours = _best(lambda: read_arff(path, label_names=labels, ignore=ignored), repeat)
    theirs = _best(lambda: _liac(path, labels, sparse=is_sparse), 1 + repeat // 10)
    megabytes = path.stat().st_size / 1e6
    print(
        f"{name:<20}{'sparse' if is_sparse else 'dense':<8}{megabytes:>7.2f}{ours * 1e3:>8.2f}"
        f"{megabytes / ours:>7.0f}{theirs * 1e3:>9.1f}{theirs / ours:>7.1f}",
        flush=True,
    )
    return is_sparse, theirs / ours


def _liac(path: Path, names: set[str], *, sparse: bool) -> tuple[object, object]:
    """Do the same work with liac-arff: features and labels as numeric arrays."""
    import arff

    kind = arff.COO if sparse else arff.DENSE
    with path.open(encoding="utf-8") as file:
        content = arff.load(file, return_type=kind, encode_nominal=True)
    is_label = np.array([name in names for name, _ in content["attributes"]])
    if sparse:
        values, rows, columns = content["data"]
        shape = (max(rows) + 1, len(is_label))
        table = sp.csr_array((np.array(values, dtype=float), (rows, columns)), shape=shape)
    else:
        table = np.array(content["data"], dtype=float)
    return table[:, ~is_label], table[:, is_label].astype(np.uint8)


def _best(call: Callable[[], object], repeat: int) -> float:
    """Best of several consecutive calls; garbage collection between them would empty the caches."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
