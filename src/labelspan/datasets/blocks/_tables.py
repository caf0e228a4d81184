"""Tables with named columns: Parquet, and frames of pandas and polars."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from labelspan.datasets.blocks._arrays import height_for
from labelspan.system import require


@dataclass(frozen=True)
class Table:
    """Named columns, and a function that reads rows, never across one of `ends` (of row groups)."""

    columns: list[str]
    ends: list[int]
    rows: Callable[[int, int], Any]
    height: int


def table_of(source: Any) -> Table | None:
    package, kind = type(source).__module__.partition(".")[0], type(source).__name__
    if package == "polars" and kind == "LazyFrame":
        import polars as pl

        count = source.select(pl.len()).collect().item()
        names = source.collect_schema().names()
        return _even(names, count, lambda a, b: source.slice(a, b - a).collect())
    if package == "polars" and kind == "DataFrame":
        return _even(source.columns, source.height, lambda a, b: source[a:b])
    if package == "pandas" and kind == "DataFrame":
        return _even(list(source.columns), len(source), lambda a, b: source.iloc[a:b])
    path = Path(source) if isinstance(source, str | os.PathLike) else Path()
    if path.suffix == ".parquet" or (path.name and any(path.glob("*.parquet"))):
        return _parquet(path)
    return None


def _even(columns: list[str], count: int, rows: Callable[[int, int], Any]) -> Table:
    return Table(columns, [count], rows, height_for(len(columns)))


def _parquet(path: Path) -> Table:
    arrow = require("pyarrow.dataset", "parquet", "Parquet")
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    data = arrow.dataset([str(file) for file in files], format="parquet")
    groups = [group for file in data.get_fragments() for group in file.split_by_row_group()]
    # Not with count_rows(), which counts the rows of the whole file.
    ends = np.cumsum([group.row_groups[0].num_rows for group in groups]).tolist()
    last: dict[int, Any] = {}

    def rows(start: int, stop: int) -> Any:
        i = int(np.searchsorted(ends, start, side="right"))
        if i not in last:
            # Consecutive blocks share a row group, which is read once and then dropped.
            last.clear()
            last[i] = read_group(groups[i], data.schema)
        before = ends[i - 1] if i else 0
        return last[i].slice(start - before, stop - start).to_pandas()

    return Table(data.schema.names, ends, rows, max(ends, default=1))


def read_group(group: Any, schema: Any) -> Any:
    return group.to_table(schema=schema)
