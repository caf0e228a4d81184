"""The rest of the family against its peers: ratios of fit times in one run.

usage: python benchmarks/bench_family.py        (LABELSPAN_DATA set)
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

from sklearn.cross_decomposition import PLSRegression
from sklearn.exceptions import ConvergenceWarning
from timing import Comparison, benchmark_data, compare

import labelspan as ls


def partial_least_squares() -> Iterator[Comparison]:
    """scikit-learn needs dense rows; ours uses the sparse ones."""
    data = benchmark_data("bibtex")
    X, Y = data.X[data.train], data.Y[data.train]
    dense = X.toarray(), Y.toarray().astype(float)
    yield Comparison(
        "LabelPLS(50) on bibtex",
        "sklearn PLSRegression(50, scale=False)",
        0.01,
        lambda: ls.LabelPLS(50).fit(X, Y),
        lambda: PLSRegression(50, scale=False).fit(*dense),
        1,
    )


def hypergraphs() -> Iterator[Comparison]:
    """HSL is OPLS with scaled labels."""
    for name in ("scene", "enron", "delicious"):
        data = benchmark_data(name)
        X, Y = data.X[data.train], data.Y[data.train]
        for expansion in ("clique", "zhou"):
            yield Comparison(
                f"HSL({expansion}) on {name}",
                "OPLS",
                1.2,
                lambda X=X, Y=Y, expansion=expansion: ls.HSL(expansion=expansion).fit(X, Y),
                lambda X=X, Y=Y: ls.OPLS().fit(X, Y),
            )


def main() -> int:
    """Print all ratios; 1 if a goal was missed."""
    # NIPALS stops at 500 iterations, with a warning.
    warnings.simplefilter("ignore", ConvergenceWarning)
    rows = [*hypergraphs(), *partial_least_squares()]
    return 0 if compare(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
