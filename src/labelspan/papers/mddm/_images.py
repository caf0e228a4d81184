"""Image annotation in the MDDM paper: nine methods with RBF kernels, and ML-kNN."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from labelspan.kernels import KernelMDDM
from labelspan.lab.methods import with_number
from labelspan.lab.plan import Plan, Source, Splits, Step
from labelspan.metrics import PAPER_MEASURES
from labelspan.papers._experiment import experiments_of
from labelspan.papers._values import Values
from labelspan.papers.mddm._experiments import (
    CURVES,
    IMAGE_SIZES,
    IMAGES,
    KEPT,
    KERNEL,
    MLKNN,
    judge_curves,
    judge_label_kernel,
    judge_nine,
)
from labelspan.papers.mddm._methods import WIDTHS

SOURCE = Source(*IMAGES)
FEATURE = (("constraint", "feature"),)
# Methods with an RBF kernel (Sec. 4.1.2) and their parameters; the others have none.
MDDMS = {
    "MDDM_p": (with_number("kernel-mddm"), ()),
    "MDDM_f": (with_number("kernel-mddm"), FEATURE),
}
KERNELISED: dict[str, tuple[str, tuple[Any, ...]]] = {
    **MDDMS,
    # Sec. 4: its regularization parameter is 0.5.
    "CCA": (with_number("kernel-cca"), (("ridge", 0.5),)),
    "PLS": ("kernel-pls", ()),
    "PCA": ("sklearn.decomposition:KernelPCA", (("kernel", "rbf"),)),
}
CRITERION = "hamming_loss"
# Widths, and training share or rows.
FULL, QUICK = (WIDTHS, 0.8), (WIDTHS[2:4], 500)


def gamma_of(width: float) -> float:
    """The kernel is exp(-||x - x'||^2 / (2 width^2)), like that of the labels."""
    return round(0.5 / width**2, 6)


@lru_cache(maxsize=len(WIDTHS))
def directions(width: float) -> int:
    """Number of directions that MDDM_p keeps for 0.999; every method keeps as many."""
    dataset = SOURCE.load()
    model = KernelMDDM(KEPT, gamma=gamma_of(width))
    return model.fit(dataset.X[dataset.train], dataset.Y[dataset.train]).n_components_


def reducer(title: str, width: float, size: int, label: str, *more: tuple[str, Any]) -> Step:
    """A method with a kernel of this width."""
    method, fixed = KERNELISED[title]
    given = (("n_components", size), ("gamma", gamma_of(width)), *fixed, *more)
    return Step(method, given, label)


def point(title: str, width: float, label_width: float | None = None) -> str:
    text = f"{title}: width={width:g}"
    return text if label_width is None else f"{text}, label width={label_width:g}"


def _search(title: str, quick: bool, steps: Iterator[Step]) -> tuple[Plan, ...]:
    """The Hamming loss of every width in five folds of one training part, or in two if quick."""
    plan = Plan(
        f"mddm: {title}, search on images",
        sources=(SOURCE,),
        reducers=tuple(steps),
        classifiers=(MLKNN,),
        splits=Splits("inner", n_folds=2 if quick else 5, train=_setting(quick)[1]),
        measures=(CRITERION,),
        convention="mddm",
    )
    return (plan,)


def _five_splits(title: str, quick: bool, steps: tuple[Step, ...]) -> tuple[Plan, ...]:
    plan = Plan(
        f"mddm: {title} on images",
        sources=(SOURCE,),
        reducers=steps,
        classifiers=(MLKNN,),
        splits=Splits("plain", n_repeats=1 if quick else 5, train=_setting(quick)[1]),
        measures=PAPER_MEASURES["mddm"],
        convention="mddm",
    )
    return (plan,)


def _setting(quick: bool) -> tuple[tuple[float, ...], float | int]:
    return QUICK if quick else FULL


def _best(values: Values, title: str, *grids: tuple[float, ...]) -> tuple[float, ...]:
    found = [values.mean(SOURCE.name, point(title, *at), CRITERION) for at in product(*grids)]
    losses = [np.inf if loss is None else loss for loss in found]
    return list(product(*grids))[int(np.argmin(losses))]


def table3(quick: bool) -> tuple[Plan, ...]:
    """The search over the widths of five methods, of MDDM alone if quick."""
    titles, widths = (MDDMS if quick else KERNELISED), _setting(quick)[0]
    steps = (
        reducer(title, width, directions(width), point(title, width))
        for title, width in product(titles, widths)
    )
    return _search("table 3", quick, steps)


def table3_found(values: Values, quick: bool) -> tuple[Plan, ...]:
    """Nine methods with the widths found and as many directions as MDDM_p; four if quick."""
    titles, widths = (MDDMS if quick else KERNELISED), _setting(quick)[0]
    best = {title: _best(values, title, widths)[0] for title in titles}
    d = directions(best["MDDM_p"])
    steps = (
        Step("none"),
        *(reducer(title, width, d, title) for title, width in best.items()),
        Step("ratio", (("k", d),), "SEL"),
    )
    others = (
        Step("mlsi", (("n_components", d),), "MLSI"),
        Step("lpp", (("n_components", d), ("n_neighbors", 10)), "LPP"),
    )
    return _five_splits("table 3", quick, (*steps, *(() if quick else others)))


def figure2_found(values: Values, quick: bool) -> tuple[Plan, ...]:
    """Six methods with five to 250 directions and the widths found; MDDM if quick."""
    widths, steps = _setting(quick)[0], []
    for method, title in CURVES:
        if quick and title not in MDDMS:
            continue
        for size in IMAGE_SIZES[:1] if quick else IMAGE_SIZES:
            label = f"{title}, d={size}"
            if title in KERNELISED:
                steps.append(reducer(title, _best(values, title, widths)[0], size, label))
            else:
                steps.append(Step(method, (("n_components", size),), label))
    return _five_splits("figure 2", quick, tuple(steps))


def table9(quick: bool) -> tuple[Plan, ...]:
    widths = _setting(quick)[0]

    def steps() -> Iterator[Step]:
        for title, width in product(MDDMS, widths):
            d = directions(width)
            yield reducer(title, width, d, point(title, width))
            for label_width in widths:
                yield _embedded(title, width, label_width, d, point(title, width, label_width))

    return _search("table 9", quick, steps())


def _embedded(title: str, width: float, label_width: float, size: int, label: str) -> Step:
    more = (("label_correlation", "rbf"), ("label_width", label_width))
    return reducer(title, width, size, label, *more)


def table9_found(values: Values, quick: bool) -> tuple[Plan, ...]:
    widths, steps = _setting(quick)[0], []
    d = directions(_best(values, "MDDM_p", widths)[0])
    for title in MDDMS:
        steps.append(reducer(title, _best(values, title, widths)[0], d, title))
        width, label_width = _best(values, title, widths, widths)
        steps.append(_embedded(title, width, label_width, d, title + KERNEL))
    return _five_splits("table 9", quick, tuple(steps))


EXPERIMENTS = experiments_of(
    "mddm",
    {
        "figure2-images": (IMAGES, table3, judge_curves, (), figure2_found),
        "table3": (IMAGES, table3, judge_nine("table3"), (), table3_found),
        "table9": (IMAGES, table9, judge_label_kernel("table9"), (), table9_found),
    },
)
