"""The report as one self-contained page."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from labelspan.lab.methods import ALL_MEASURES
from labelspan.lab.report import _figures as figures
from labelspan.lab.report._contents import Contents, instant
from labelspan.lab.report._svg import shortened, swatch
from labelspan.lab.store import STATUSES

FOLDER = Path(__file__).parent
# Longer tables are in the CSV file.
MOST_LINES = 1500
MOST_LABELS = 100


@dataclass(frozen=True)
class LabelTable:
    """F1 of the labels of a data set by method, under one classifier."""

    dataset: str
    classifier: str
    methods: tuple[str, ...]
    rows: tuple[tuple[str, int, tuple[float | None, ...]], ...]
    n_labels: int


def html(contents: Contents) -> str:
    places = {method: place for place, method in enumerate(contents.analysis.methods)}
    lines = sorted(
        contents.lines,
        key=lambda line: (line.dataset, line.classifier, line.rank is None, line.rank or 0.0),
    )
    page = _environment().get_template("page.html.j2")
    return page.render(
        contents=contents,
        analysis=contents.analysis,
        plan=contents.analysis.plan,
        measures=[ALL_MEASURES[name] for name in contents.measures],
        places=places,
        lines=lines[:MOST_LINES],
        n_lines=len(lines),
        label_tables=label_tables(contents),
        created=instant(contents.created),
        statuses={status: contents.statuses.get(status, 0) for status in STATUSES},
        ranks=figures.rank_diagrams(contents, places),
        curves=figures.direction_curves(contents, places),
        missing=figures.missing_curves(contents, places),
        spectra=figures.spectra(contents, places),
        times=figures.time_against_quality(contents, places),
        correlations=figures.label_correlations(contents),
    )


def label_tables(contents: Contents) -> list[LabelTable]:
    """Mean F1 of each label over splits, by data set and classifier."""
    tables = []
    for classifier in contents.analysis.classifiers:
        found: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: defaultdict(list))
        for cell in contents.analysis.under(classifier):
            values = contents.series.get(cell["id"], {}).get("label_f1")
            if values:
                found[cell["dataset"]][cell["method"]].append(values)
        tables += [
            _label_table(dataset, classifier, by_method, contents)
            for dataset, by_method in found.items()
            if "label_names" in contents.facts.get(dataset, {})
        ]
    return tables


def _label_table(
    dataset: str, classifier: str, by_method: dict[str, list[list[float]]], contents: Contents
) -> LabelTable:
    facts = contents.facts[dataset]
    order = contents.analysis.methods_under(classifier)
    methods = tuple(method for method in order if method in by_method)
    means = np.array([np.mean(by_method[method], axis=0) for method in methods])
    counts = np.asarray(facts["label_counts"])
    rows = tuple(
        (facts["label_names"][i], int(counts[i]), tuple(means[:, i].tolist()))
        for i in np.argsort(-counts, kind="stable")[:MOST_LABELS]
    )
    return LabelTable(dataset, classifier, methods, rows, len(counts))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        shortened=shortened, number=_number, bytes=lambda b: "-" if b is None else f"{b / 1e6:.0f}"
    )
    environment.globals.update(
        swatch=swatch,
        style=Markup((FOLDER / "style.css").read_text(encoding="utf-8")),
        script=Markup((FOLDER / "script.js").read_text(encoding="utf-8")),
    )
    return environment


def _number(value: Any, digits: int = 4) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
