"""Make the built-in sample of GoEmotions: vectors of 3000 texts, one signed byte per dimension.

    LABELSPAN_DATA=... python tools/make_goemotions.py

Reads text/goemotions-train.tsv.gz and goemotions-labels.txt, needs wordllama (its package contains
the weights), and writes src/labelspan/datasets/data/goemotions.npz. Texts that are only "neutral"
are left out, and so is that label; of the others 3000 are drawn.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import wordllama

SOURCE = Path(os.environ["LABELSPAN_DATA"]) / "text"
TARGET = Path("src/labelspan/datasets/data/goemotions.npz")
N_ROWS = 3000


def main() -> None:
    """Draw, embed, round, store."""
    names = (SOURCE / "goemotions-labels.txt").read_text().split()
    texts, sets = [], []
    with gzip.open(SOURCE / "goemotions-train.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            text, labels, _ = line.rstrip("\n").split("\t")
            texts.append(text)
            sets.append([int(label) for label in labels.split(",")])
    neutral = names.index("neutral")
    kept = [row for row, labels in enumerate(sets) if labels != [neutral]]
    drawn = np.sort(np.random.default_rng(0).choice(kept, N_ROWS, replace=False))
    Y = np.zeros((N_ROWS, len(names)), dtype=np.uint8)
    for row, place in enumerate(drawn):
        Y[row, sets[place]] = 1
    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    X = model.embed([texts[place] for place in drawn], norm=True)
    unit = np.abs(X).max() / 127
    np.savez_compressed(
        TARGET,
        X=np.round(X / unit).astype(np.int8),
        unit=np.float64(unit),
        Y=np.packbits(np.delete(Y, neutral, axis=1), axis=1),
        labels=np.array([name for name in names if name != "neutral"]),
    )


if __name__ == "__main__":
    main()
