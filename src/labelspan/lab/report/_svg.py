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
        label = _text(a + (-9 if side == "end" else 9), height, side, shortened(curve.name), "tag")
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
    ruler = _path(f"M{axis.at(1)} 26h{(size := round(width, 1))}m0 -4v8m-{size} 0v-8")
    figure = _text(axis.at(1), 18, "start", f"CD = {result.critical_difference:.2f}")
    parts.append(_group("cd", ruler, figure))
    for level, group in enumerate(result.groups):
        ends = [axis.at(average[i]) for i in (group[0], group[-1])]
        parts.append(_path(f"M{ends[0] - 4} {top + 16 + 14 * level}H{ends[1] + 4}", "bar"))
    for place, index in enumerate(order):
        left = place < n_left
        row = place if left else len(order) - 1 - place
        where = (axis.at(average[index]), top, depth + 22 * row)
        name = (places[index], names[index], float(average[index]))
        parts.append(_rank_label(name, where, left, margin))
    height = depth + 22 * n_left
    return _svg(parts, "critical-difference diagram of average ranks", height)


def _rank_scale(axis: Axis, top: float, n_methods: int) -> Markup:
    places = [(axis.at(rank), rank) for rank in range(1, n_methods + 1)]
    ticks = [_path(f"M{x} {top}v-6") + _text(x, top - 10, "middle", rank) for x, rank in places]
    return _group("axis", _path(f"M{axis.start} {top}H{axis.stop}"), *ticks)


def _rank_label(
    name: tuple[int, str, float], where: tuple[float, float, float], left: bool, margin: int
) -> Markup:
    place, title, rank = name
    x, top, y = where
    edge = margin - 14 if left else WIDTH - margin + 14
    lead = _path(f"M{x} {top}V{y}H{edge}", "lead")
    text = Markup('{} <tspan class="dim">{}</tspan>').format(shortened(title, 22), f"{rank:.2f}")
    label = _text(edge + (-6 if left else 6), y + 4, "end" if left else "start", text)
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
        label = Markup("<title>{}</title>{}").format(names[i], shortened(names[i], 20))
        parts.append(_text(margin - 6, 6 + i * size + size / 2 + 4, "end", label))
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
    grid = [_path(f"M{x.at(tick)} {y.start}V{y.stop}") for tick in x.ticks()]
    grid += [_path(f"M{x.start} {y.at(tick)}H{x.stop}") for tick in y.ticks()]
    texts = [_text(x.at(t), y.start + 17, "middle", _written(t)) for t in x.ticks()]
    texts += [_text(x.start - 7, y.at(t) + 4, "end", _written(t)) for t in y.ticks()]
    middle = (x.start + x.stop) / 2, (y.start + y.stop) / 2
    beside = '<text class="title" transform="translate(14 {}) rotate(-90)" text-anchor="middle">'
    title = Markup(beside + "{}</text>").format(middle[1], y_title)
    below = _text(middle[0], HEIGHT - 8, "middle", x_title, "title")
    return _group("grid", *grid) + _group("axis", *texts, below, title)


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
    return _path(shapes[place % N_SHAPES], "mark")


def _path(line: str, kind: str = "") -> Markup:
    return Markup('<path{} d="{}"/>').format(_class(kind), line)


def _text(x: float, y: float, anchor: str, text: object, kind: str = "") -> Markup:
    body = Markup('<text{} x="{}" y="{}" text-anchor="{}">{}</text>')
    return body.format(_class(kind), x, y, anchor, text)


def _group(kind: str, *parts: Markup) -> Markup:
    return Markup("<g{}>{}</g>").format(_class(kind), Markup("").join(parts))


def _class(kind: str) -> Markup:
    return Markup(' class="{}"').format(kind) if kind else Markup("")


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
