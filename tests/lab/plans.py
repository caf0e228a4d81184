"""Small plans and their data."""

import json

import numpy as np

from labelspan.datasets import MultilabelDataset, write_npz
from labelspan.experiments import Plan, Source, Splits, Step

HOSTILE = (
    '<script>alert("1")</script>',
    "quotes ' \" and, commas",
    "new\nline\r\nand\ttab",
    r"LaTeX \& % $ # _ { } ~ ^ \input{x}",
    "ünïcode 标签 🏷 " * 15,
    "|pipe| `code` [link](javascript:alert(1)) =cmd()",
)


def write_toy(folder, name="toy", label_names=None, n_samples=60):
    """A file of random rows whose labels depend on the features."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, 8))
    Y = (X @ rng.standard_normal((8, 6)) + 0.5 * rng.standard_normal((n_samples, 6)) > 0.4) * 1
    names = label_names or tuple(f"label {i}" for i in range(6))
    dataset = MultilabelDataset(
        "toy", X, Y.astype(np.uint8), tuple(f"x{i}" for i in range(8)), names, None, None, "random"
    )
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.npz"
    write_npz(dataset, path)
    return path


def toy_plan(folder, *, name="toy plan", reducers=("none", "mddm-p"), sources=None, **fields):
    path = write_toy(folder)
    source = Source.from_any({"name": "toy", "path": str(path)})
    settings = {
        "classifiers": (Step("ridge"),),
        "splits": Splits("folds", n_folds=2, n_repeats=2),
        "measures": ("micro_f1", "hamming_loss"),
        **fields,
    }
    steps = tuple(item if isinstance(item, Step) else Step(item) for item in reducers)
    return Plan(name, sources=sources or (source,), reducers=steps, **settings)


def outcome(store):
    """What must not depend on interruptions: cells, statuses, errors, values."""
    cells = store.query("SELECT id, status, error, n_components FROM cells ORDER BY id")
    rows = store.query("SELECT * FROM measurements ORDER BY cell, measure")
    series = store.query("SELECT * FROM series ORDER BY cell, name")
    return json.dumps([cells, rows, series])
