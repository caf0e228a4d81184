"""A table as people keep them: identifiers, words, text, percentages and missing labels."""

import csv

import numpy as np

TOPICS = {
    "garden": "rake soil seed plant hose flower",
    "kitchen": "pan knife oven plate spoon cake",
    "office": "paper pencil desk lamp folder clip",
}
COLUMNS = ("sku", "price", "discount", "colour", "new", "title", *TOPICS)
FEATURES = ("sku", "price", "discount", "colour", "new", "title")


def shop_rows(n_rows, seed=0):
    """Rows by column name; the text and the price tell the labels, some of which are empty."""
    rng = np.random.default_rng(seed)
    for row in range(n_rows):
        labels = rng.random(3) < 0.45
        if not labels.any():
            labels[rng.integers(3)] = True
        words = [w for k, t in zip(labels, TOPICS.values(), strict=True) if k for w in t.split()]
        told = [str(int(label)) if rng.random() > 0.05 else "" for label in labels]
        yield {
            "sku": f"A{seed}{row:04d}",
            "price": f"{20 * labels[0] + 5 * rng.random():.2f}",
            "discount": f"{rng.integers(1, 60)} %",
            "colour": str(rng.choice(["blue", "green", "red"])),
            "new": str(rng.choice(["no", "yes"])),
            "title": " ".join(rng.choice([*words, "the", "best", "for", "you"], 7)),
            **dict(zip(TOPICS, told, strict=True)),
        }


def write_shop(path, n_rows=60, columns=COLUMNS, seed=0):
    """A CSV file of some columns, in their order."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, columns, extrasaction="ignore")
        rows.writeheader()
        rows.writerows(shop_rows(n_rows, seed))
    return path
