"""Speed of `read_arff` beside liac-arff on the same files in the same run.

usage: LABELSPAN_DATA=folder python benchmarks/bench_arff.py [--repeat 5]

Prints megabytes a second (of decompressed text) and the ratio of the two times for sparse
and dense files. Times are processor time, since both readers use one thread and other work on
the machine should not count; compilation is outside the clock.
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

FILES = {
    "enron": ("mulan/enron/enron-train.arff", "mulan/enron/enron.xml"),
    "delicious": ("mulan/delicious/delicious-train.arff.gz", "mulan/delicious/delicious.xml"),
    "human-go": ("mulan/human-go/HumanGO-train.arff", "mulan/human-go/HumanGO.xml"),
    "yeast": ("mulan/yeast/yeast-train.arff.gz", "mulan/yeast/yeast.xml"),
    "scene": ("mulan/scene/scene-train.arff.gz", "mulan/scene/scene.xml"),
}
SPARSE = ("enron", "delicious", "human-go", "synthetic sparse")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    folder = os.environ.get("LABELSPAN_DATA")
    if not folder:
        sys.exit("set LABELSPAN_DATA to the folder of the benchmark data sets")
    with tempfile.TemporaryDirectory() as scratch:
        cases = _plain_copies(Path(folder), Path(scratch)) | _synthetic(Path(scratch))
        print(f"{'file':<18}{'MB':>8}{'ms':>9}{'MB/s':>8}{'liac ms':>10}{'ratio':>8}")
        ratios = [_compare(name, *paths, repeat) for name, paths in cases.items()]
    slowest = min(ratio for name, ratio in zip(cases, ratios, strict=True) if name in SPARSE)
    print(f"slowest sparse ratio against liac-arff: {slowest:.0f} (target: at least 50)")


def _plain_copies(folder: Path, scratch: Path) -> dict[str, tuple[Path, Path]]:
    """Decompressed copies, so that both readers see the same bytes."""
    cases = {}
    for name, (arff, xml) in FILES.items():
        content = (folder / arff).read_bytes()
        path = scratch / f"{name}.arff"
        path.write_bytes(gzip.decompress(content) if arff.endswith(".gz") else content)
        cases[name] = (path, folder / xml)
    return cases


def _synthetic(scratch: Path) -> dict[str, tuple[Path, Path]]:
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
        cases[name] = (path, path.with_suffix(".xml"))
    return cases


def _compare(name: str, path: Path, xml: Path, repeat: int) -> float:
    ours = _best(lambda: read_arff(path, xml=xml), repeat)
    names = set(read_arff(path, xml=xml).label_names)
    theirs = _best(lambda: _liac(path, names, sparse=name in SPARSE), 2)
    megabytes = path.stat().st_size / 1e6
    print(
        f"{name:<18}{megabytes:>8.2f}{ours * 1e3:>9.1f}{megabytes / ours:>8.0f}"
        f"{theirs * 1e3:>10.0f}{theirs / ours:>8.0f}",
        flush=True,
    )
    return theirs / ours


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
    if repeat > 1:
        call()
    times = []
    for _ in range(repeat):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
