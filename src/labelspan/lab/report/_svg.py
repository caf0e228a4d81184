"""Drawings as small SVG text, without a library, coloured by the style of the page.

Elements of a method carry ``data-m``, by which the page colours and hides them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from labelspan.stats import NemenyiResult

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 66, 16, 14, 48
LONGEST_NAME = 30
N_SHAPES = 6
MOST_POINTS = 120


@dataclass(frozen=True)
class Curve:
    place: int
    name: str
    x: Sequence[float]
    y: Sequence[float]
    mark: int | None = None


@dataclass(frozen=True)
class Axis:
    """From values to positions, linear or logarithmic."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, value = (self._scale(item) for item in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.stop - self.start), 1)

    def ticks(self) -> list[float]:
        if self.log:
            return self._log_ticks()
        step = _step((self.high - self.low) / 5)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(step * k, 12) for k in range(first, last + 1)]

    def _log_ticks(self) -> list[float]:
        low, high = math.log10(self.low), math.log10(self.high)
        powers = range(math.floor(low), math.ceil(high) + 1, max(1, math.ceil((high - low) / 6)))
        factors = (1, 2, 5) if high - low <= 2.5 else (1,)
        marks = [10.0**power * factor for power in powers for factor in factors]
        return [mark for mark in marks if self.low <= mark <= self.high]

    def _scale(self, value: float) -> float:
        return math.log10(value) if self.log else value


def _step(rough: float) -> float:
    if rough <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * k for k in (1, 2, 5, 10) if power * k >= rough * 0.999)


def line_plot(
    curves: Sequence[Curve], x_title: str, y_title: str, *, x_log: bool = False, y_log: bool = False
) -> Markup:
    """Curves with their points; `mark` draws a ring around one of them."""
    x, y = _axes(curves, x_log, y_log)
    parts = [_frame(x, y, x_title, y_title)]
    for curve in curves:
        points = [(x.at(a), y.at(b)) for a, b in zip(curve.x, curve.y, strict=True)]
        path = " ".join(f"{a:g},{b:g}" for a, b in points)
        body = [Markup('<polyline points="{}"/>').format(path)]
        shown = points if len(points) <= 40 else []
        body += [_point(a, b, curve.place) for a, b in shown]
        if curve.mark is not None:
            a, b = points[curve.mark]
            body.append(Markup('<circle class="ring" cx="{}" cy="{}" r="7"/>').format(a, b))
        parts.append(_method(curve.place, curve.name, body))
    return _svg(parts, f"{y_title} against {x_title}")


def scatter_plot(curves: Sequence[Curve], x_title: str, y_title: str, *, x_log: bool) -> Markup:
    x, y = _axes(curves, x_log, False)
    parts = [_frame(x, y, x_title, y_title)]
    taken = [(x.at(curve.x[0]) - 55, y.at(curve.y[0]) + 4) for curve in curves]
    for curve in sorted(curves, key=lambda item: item.y[0]):
        a, b = x.at(curve.x[0]), y.at(curve.y[0])
        side = "end" if a > WIDTH - 190 else "start"
        height = _free(a, b + 4, taken)
        label = Markup('<text class="tag" x="{}" y="{}" text-anchor="{}">{}</text>').format(
            a + (-9 if side == "end" else 9), height, side, shortened(curve.name)
        )
        title = f"{curve.name}: {x_title} {curve.x[0]:.4g}, {y_title} {curve.y[0]:.4f}"
        parts.append(_method(curve.place, title, [_point(a, b, curve.place, 5.5), label]))
    return _svg(parts, f"{y_title} against {x_title}")


def _free(a: float, height: float, taken: list[tuple[float, float]]) -> float:
    for shift in (0, -13, 13, -26, 26, -39, 39):
        place = height + shift
        if all(abs(a - other) > 50 or abs(place - level) > 11 for other, level in taken):
            break
    taken.append((a, place))
    return place


def rank_diagram(result: NemenyiResult, places: Sequence[int]) -> Markup:
    """Demsar's diagram: average ranks on a line, bars over methods that are not separated."""
    average, names = result.ranks.average, result.ranks.names
    order = np.argsort(average, kind="stable")
    n_left = (len(order) + 1) // 2
    margin, top = 210, 62
    axis = Axis(1, max(len(order), 2), margin, WIDTH - margin)
    depth = top + 22 + 14 * len(result.groups)
    parts = [_rank_scale(axis, top, len(order))]
    width = min(axis.at(1 + result.critical_difference), WIDTH - 8) - axis.at(1)
    ruler = Markup(
        '<g class="cd"><path d="M{0} 26h{1}m0 -4v8m-{1} 0v-8"/>'
        '<text x="{2}" y="18" text-anchor="start">CD = {3}</text></g>'
    )
    figure = f"{result.critical_difference:.2f}"
    parts.append(ruler.format(axis.at(1), round(width, 1), axis.at(1), figure))
    for level, group in enumerate(result.groups):
        ends = [axis.at(average[i]) for i in (group[0], group[-1])]
        bar = Markup('<path class="bar" d="M{} {}H{}"/>')
        parts.append(bar.format(ends[0] - 4, top + 16 + 14 * level, ends[1] + 4))
    for place, index in enumerate(order):
        left = place < n_left
        row = place if left else len(order) - 1 - place
        where = (axis.at(average[index]), top, depth + 22 * row)
        name = (places[index], names[index], float(average[index]))
        parts.append(_rank_label(name, where, left, margin))
    height = depth + 22 * n_left
    return _svg(parts, "critical-difference diagram of average ranks", height)


def _rank_scale(axis: Axis, top: float, n_methods: int) -> Markup:
    ticks = [
        Markup(
            '<path d="M{0} {1}v-6"/><text x="{0}" y="{2}" text-anchor="middle">{3}</text>'
        ).format(axis.at(rank), top, top - 10, rank)
        for rank in range(1, n_methods + 1)
    ]
    line = Markup('<path d="M{} {}H{}"/>').format(axis.start, top, axis.stop)
    return Markup('<g class="axis">{}{}</g>').format(line, Markup("").join(ticks))


def _rank_label(
    name: tuple[int, str, float], where: tuple[float, float, float], left: bool, margin: int
) -> Markup:
    place, title, rank = name
    x, top, y = where
    edge = margin - 14 if left else WIDTH - margin + 14
    lead = Markup('<path class="lead" d="M{} {}V{}H{}"/>').format(x, top, y, edge)
    text = Markup('<text x="{}" y="{}" text-anchor="{}">{} <tspan class="dim">{}</tspan></text>')
    label = text.format(
        edge + (-6 if left else 6),
        y + 4,
        "end" if left else "start",
        shortened(title, 22),
        f"{rank:.2f}",
    )
    return _method(place, f"{title}: average rank {rank:.3f}", [lead, label])


def heat_map(matrix: Sequence[Sequence[float]], names: Sequence[str]) -> Markup:
    """Correlations between labels as squares, blue below zero and red above."""
    n_labels = len(names)
    size = max(11, min(34, 560 // max(n_labels, 1)))
    margin = 150
    parts = []
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            kind = "self" if i == j else ("pos" if value >= 0 else "neg")
            opacity = round(min(1.0, abs(value)) ** 0.7, 2)
            square = Markup(
                '<rect class="{}" x="{}" y="{}" width="{}" height="{}" fill-opacity="{}">'
                "<title>{}</title></rect>"
            )
            text = f"{names[i]} / {names[j]}: {value:+.2f}"
            place = (margin + j * size, 6 + i * size)
            parts.append(square.format(kind, *place, size - 1, size - 1, opacity, text))
        label = Markup('<text x="{}" y="{}" text-anchor="end"><title>{}</title>{}</text>')
        height = 6 + i * size + size / 2 + 4
        parts.append(label.format(margin - 6, height, names[i], shortened(names[i], 20)))
    width = margin + n_labels * size + 6
    return _svg(parts, "correlation between labels", 12 + n_labels * size, width=width, kind="heat")


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    name = " ".join(str(name).split())
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def thinned(values: Sequence[float]) -> list[int]:
    """Indices of at most `MOST_POINTS` values, dense at the start."""
    if len(values) <= MOST_POINTS:
        return list(range(len(values)))
    spread = np.geomspace(1, len(values), MOST_POINTS)
    return sorted({round(item) - 1 for item in spread})


def _axes(curves: Sequence[Curve], x_log: bool, y_log: bool) -> tuple[Axis, Axis]:
    xs = [value for curve in curves for value in curve.x]
    ys = [value for curve in curves for value in curve.y]
    x_low, x_high = _padded(xs, x_log)
    y_low, y_high = _padded(ys, y_log)
    return (
        Axis(x_low, x_high, LEFT, WIDTH - RIGHT, x_log),
        Axis(y_low, y_high, HEIGHT - BOTTOM, TOP, y_log),
    )


def _padded(values: Iterable[float], log: bool) -> tuple[float, float]:
    low, high = min(values), max(values)
    if log:
        factor = max((high / low) ** 0.05, 1.1)
        return low / factor, high * factor
    margin = 0.06 * (high - low) or max(abs(high) * 0.05, 0.01)
    return low - margin, high + margin


def _frame(x: Axis, y: Axis, x_title: str, y_title: str) -> Markup:
    grid, texts = [], []
    for tick in x.ticks():
        grid.append(Markup('<path d="M{} {}V{}"/>').format(x.at(tick), y.start, y.stop))
        text = Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>')
        texts.append(text.format(x.at(tick), y.start + 17, _written(tick)))
    for tick in y.ticks():
        grid.append(Markup('<path d="M{} {}H{}"/>').format(x.start, y.at(tick), x.stop))
        text = Markup('<text x="{}" y="{}" text-anchor="end">{}</text>')
        texts.append(text.format(x.start - 7, y.at(tick) + 4, _written(tick)))
    titles = Markup(
        '<text class="title" x="{}" y="{}" text-anchor="middle">{}</text>'
        '<text class="title" transform="translate(14 {}) rotate(-90)" '
        'text-anchor="middle">{}</text>'
    ).format((x.start + x.stop) / 2, HEIGHT - 8, x_title, (y.start + y.stop) / 2, y_title)
    return Markup('<g class="grid">{}</g><g class="axis">{}{}</g>').format(
        Markup("").join(grid), Markup("").join(texts), titles
    )


def _written(value: float) -> str:
    if value != 0 and (abs(value) >= 1e5 or abs(value) < 1e-3):
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:g}"


def _point(a: float, b: float, place: int, size: float = 3.6) -> Markup:
    """A mark whose shape distinguishes methods without colour."""
    s = size
    shapes = (
        f"M{a - s:g} {b:g}a{s} {s} 0 1 0 {2 * s:g} 0a{s} {s} 0 1 0 -{2 * s:g} 0",
        f"M{a - s:g} {b - s:g}h{2 * s:g}v{2 * s:g}h-{2 * s:g}z",
        f"M{a:g} {b - 1.3 * s:g}l{1.3 * s:g} {2.3 * s:g}h-{2.6 * s:g}z",
        f"M{a:g} {b - 1.4 * s:g}l{1.4 * s:g} {1.4 * s:g}l-{1.4 * s:g} {1.4 * s:g}"
        f"l-{1.4 * s:g} -{1.4 * s:g}z",
        f"M{a:g} {b + 1.3 * s:g}l{1.3 * s:g} -{2.3 * s:g}h-{2.6 * s:g}z",
        f"M{a - 1.3 * s:g} {b - s / 2:g}h{0.8 * s:g}v-{0.8 * s:g}h{s:g}v{0.8 * s:g}h{0.8 * s:g}"
        f"v{s:g}h-{0.8 * s:g}v{0.8 * s:g}h-{s:g}v-{0.8 * s:g}h-{0.8 * s:g}z",
    )
    return Markup('<path class="mark" d="{}"/>').format(shapes[place % N_SHAPES])


def _method(place: int, title: str, parts: Sequence[Markup]) -> Markup:
    return Markup('<g class="series" data-m="{}"><title>{}</title>{}</g>').format(
        place, title, Markup("").join(parts)
    )


def swatch(place: int) -> Markup:
    return Markup('<svg class="swatch" viewBox="0 0 14 14" aria-hidden="true">{}</svg>').format(
        Markup('<g class="series" data-c="{}">{}</g>').format(place, _point(7, 7, place, 4.2))
    )


def _svg(
    parts: Sequence[Markup],
    label: str,
    height: float = HEIGHT,
    *,
    width: float = WIDTH,
    kind: str = "plot",
) -> Markup:
    head = Markup('<svg class="{}" viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">')
    return head.format(kind, width, height, label) + Markup("").join(parts) + Markup("</svg>")
