"""The drawings of the page, each with the menu choices that show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from labelspan.lab.analysis import Row, declines
from labelspan.lab.methods import ALL_MEASURES
from labelspan.lab.report import _svg as svg
from labelspan.lab.report._contents import Contents

# At most this many drawings per kind, so that the page stays small.
MOST_PANELS = 120
# Smaller eigenvalues are often rounding.
SMALLEST_SHARE = 1e-6


@dataclass(frozen=True)
class Panel:
    choice: tuple[str, ...]
    drawing: Markup
    caption: str = ""


@dataclass(frozen=True)
class Gallery:
    menus: tuple[str, ...]
    panels: tuple[Panel, ...]
    n_left_out: int = 0

    @property
    def options(self) -> list[tuple[int, str, list[str]]]:
        """Place, name and values of the menus that have a choice."""
        values = [
            list(dict.fromkeys(panel.choice[place] for panel in self.panels))
            for place in range(len(self.menus))
        ]
        return [(place, self.menus[place], found) for place, found in enumerate(values)]


def gallery(menus: tuple[str, ...], panels: Sequence[Panel]) -> Gallery:
    kept = tuple(panels[:MOST_PANELS])
    return Gallery(menus, kept, len(panels) - len(kept))


def rank_diagrams(contents: Contents, places: dict[str, int]) -> Gallery:
    panels = []
    for classifier, by_measure in contents.analysis.rankings.items():
        for name, ranking in by_measure.items():
            if ranking.nemenyi is not None:
                drawing = svg.rank_diagram(
                    ranking.nemenyi, [places[method] for method in ranking.methods]
                )
                choice = (classifier, ALL_MEASURES[name].title)
                panels.append(Panel(choice, drawing, f"{len(ranking.blocks)} blocks"))
    return gallery(("classifier", "measure"), panels)


def direction_curves(contents: Contents, places: dict[str, int]) -> Gallery:
    """A measure against the number of directions, by data set, classifier and measure."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for cell in contents.analysis.cells:
        if cell["directions"] is not None and cell["status"] == "ok":
            groups[(cell["dataset"], cell["classifier"])].append(cell)
    panels = []
    for (dataset, classifier), cells in groups.items():
        for measure in contents.measures:
            curves = _curves_of(cells, measure, places)
            if curves:
                title = ALL_MEASURES[measure].title
                better = "higher" if ALL_MEASURES[measure].direction == "max" else "lower"
                drawing = svg.line_plot(
                    curves, "number of directions", f"{title} ({better} is better)", x_log=True
                )
                panels.append(Panel((dataset, classifier, title), drawing))
    return gallery(("data set", "classifier", "measure"), panels)


def _curves_of(cells: list[Row], measure: str, places: dict[str, int]) -> list[svg.Curve]:
    points: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        value = cell["values"].get(measure)
        if value is not None and cell["n_components"]:
            points[cell["method"]][cell["n_components"]].append(value)
    return [
        svg.Curve(places[method], method, x, [float(np.mean(found[d])) for d in x])
        for method, found in points.items()
        if (x := sorted(found)) and method in places
    ]


def missing_curves(contents: Contents, places: dict[str, int]) -> Gallery:
    """A measure against the share of labels removed, by data set, classifier and measure."""
    panels = []
    for measure in contents.measures:
        title = ALL_MEASURES[measure].title
        better = "higher" if ALL_MEASURES[measure].direction == "max" else "lower"
        for (dataset, classifier), found in declines(contents.analysis, measure).items():
            curves = [
                svg.Curve(places[name], name, [100 * x for x in means], list(means.values()))
                for name, means in found.items()
                if name in places
            ]
            drawing = svg.line_plot(curves, "labels removed, %", f"{title} ({better} is better)")
            panels.append(Panel((dataset, classifier, title), drawing))
    return gallery(("data set", "classifier", "measure"), panels)


def spectra(contents: Contents, places: dict[str, int]) -> Gallery:
    """Eigenvalues by data set, relative to the largest; the ring is where the method stops."""
    groups: dict[str, dict[str, Row]] = defaultdict(dict)
    for cell in contents.analysis.plain:
        if contents.series.get(cell["id"], {}).get("eigenvalues"):
            groups[cell["dataset"]].setdefault(cell["method"], cell)
    panels = []
    for dataset, cells in groups.items():
        curves = [
            curve
            for method, cell in cells.items()
            if (curve := _spectrum(places[method], method, cell, contents)) is not None
        ]
        if curves:
            drawing = svg.line_plot(
                curves, "direction", "eigenvalue / largest", x_log=True, y_log=True
            )
            panels.append(Panel((dataset,), drawing))
    return gallery(("data set",), panels)


def _spectrum(place: int, method: str, cell: Row, contents: Contents) -> svg.Curve | None:
    values = np.asarray(contents.series[cell["id"]]["eigenvalues"])
    largest = values.max()
    # Negative or rounding-level eigenvalues do not fit on a logarithmic scale.
    shares = values / largest if largest > 0 else values
    kept = [i for i in svg.thinned(values.tolist()) if shares[i] > SMALLEST_SHARE]
    if largest <= 0 or not kept or values[0] < values[-1]:
        return None
    stop = min(cell["n_components"] or len(values), kept[-1] + 1)
    mark = int(np.argmin([abs(i + 1 - stop) for i in kept]))
    return svg.Curve(place, method, [i + 1 for i in kept], shares[kept].tolist(), mark)


def time_against_quality(contents: Contents, places: dict[str, int]) -> Gallery:
    """Mean time of fitting against the mean of each measure, by classifier."""
    analysis = contents.analysis
    panels = []
    for classifier in analysis.classifiers:
        for measure in contents.measures:
            curves = []
            for method in analysis.methods_under(classifier):
                seconds = analysis.mean("fit_seconds", method, classifier)
                value = analysis.mean(measure, method, classifier)
                if seconds and value is not None:
                    curves.append(svg.Curve(places[method], method, [1000 * seconds], [value]))
            if curves:
                title = ALL_MEASURES[measure].title
                drawing = svg.scatter_plot(curves, "time to fit, ms", title, x_log=True)
                panels.append(Panel((classifier, title), drawing))
    return gallery(("classifier", "measure"), panels)


def label_correlations(contents: Contents) -> Gallery:
    panels = []
    for dataset, facts in contents.facts.items():
        if "error" not in facts:
            names = [facts["label_names"][i] for i in facts["correlation_labels"]]
            n_labels = len(facts["label_names"])
            note = f"the {len(names)} most frequent of {n_labels} labels"
            caption = note if len(names) < n_labels else f"{n_labels} labels"
            panels.append(Panel((dataset,), svg.heat_map(facts["correlation"], names), caption))
    return gallery(("data set",), panels)
