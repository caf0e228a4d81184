"""Find the label columns of an ARFF file from all sources, and check that they agree."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._tables import first_repeat
from labelspan.datasets.io.arff._header import Header, unquote
from labelspan.datasets.io.arff._mulan_xml import read_label_names

MEKA_LABELS = re.compile(r"(?:^|\s)-C\s+(-?\d{1,9})(?=\s|$)")
WRITTEN_COUNT = re.compile(r"(?:^|\s)-C\s+(-?\d{1,9})")
# Weka adds the class of each filter to the relation name; columns may have moved since -C.
FILTER = re.compile(r"[\w.]*\bfilters?\.[\w.]+")
SPLIT_SUFFIX = re.compile(r"[-_](train|test)(-sparse)?$", re.IGNORECASE)
ARGUMENTS = "xml=, label_names= or label_count= (--xml, --labels or --label-count)"
SHOWN = 3
NO_COLUMNS = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class LabelOptions:
    names: Sequence[str] | None = None
    count: int | None = None
    xml: str | os.PathLike[str] | None = None
    needed: bool = True


@dataclass(frozen=True)
class Statement:
    """One source of label columns: its name, and the positions it selects, ascending."""

    source: str
    columns: np.ndarray


def label_columns(header: Header, path: Path, options: LabelOptions, limits: Limits) -> np.ndarray:
    """Positions of the labels: by names, or by count, XML file and ``-C``, which must agree."""
    if options.names is not None:
        names = options.names if options.needed else _there(options.names, header)
        return _named(names, header, path) if options.needed or names else NO_COLUMNS
    found = _statements(header, path, options, limits)
    if not found and not options.needed:
        return NO_COLUMNS
    if not found:
        raise _unknown(header.relation, path)
    for first, second in pairwise(found):
        if not np.array_equal(first.columns, second.columns):
            raise DataFileError(
                f"label columns disagree: {_shown(first, header)}, but {_shown(second, header)}; "
                "correct one of the two, or name the labels by label_names= (--labels)",
                file=path,
            )
    return found[0].columns


def stem(path: Path) -> str:
    """Name of a data set: that of the file without suffixes and without train or test."""
    return SPLIT_SUFFIX.sub("", _file_stem(path))


def xml_beside(path: Path) -> Path | None:
    """Find the Mulan XML file of an ARFF file, if there is one."""
    return next((file for file in _candidates(path) if file.is_file()), None)


def _candidates(path: Path) -> list[Path]:
    names = dict.fromkeys((_file_stem(path), stem(path)))
    return [path.with_name(f"{name}.xml") for name in names]


def _file_stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".arff")


def _statements(
    header: Header, path: Path, options: LabelOptions, limits: Limits
) -> list[Statement]:
    found = []
    if options.count is not None:
        what = f"label_count={options.count}"
        found.append(Statement(what, _counted(options.count, len(header.names), path, what)))
    xml = xml_beside(path) if options.xml is None else Path(options.xml)
    if xml is not None:
        listed = read_label_names(xml, limits)
        names = listed if options.needed else _there(listed, header)
        if options.needed or names:
            found.append(Statement(xml.name, _present(names, header, path, xml)))
    counts = {int(count) for count in MEKA_LABELS.findall(header.relation)}
    if len(counts) == 1 and not FILTER.search(header.relation):
        (count,) = counts
        what = f"-C {count} in the relation name"
        found.append(Statement(what, _counted(count, len(header.names), path, what)))
    return found


def _there(names: Sequence[str], header: Header) -> list[str]:
    """The labels that are columns, with or without the quotes and escapes of ARFF."""
    known = {*header.names, *(unquote(f"'{name}'") for name in header.names if "\\" in name)}
    return [name for name in names if name in known or unquote(name) in known]


def _shown(statement: Statement, header: Header) -> str:
    columns = statement.columns.tolist()
    names = ", ".join(repr(header.names[i][:40]) for i in columns[:SHOWN])
    more = ", ..." if len(columns) > SHOWN else ""
    noun = "column" if len(columns) == 1 else "columns"
    return f"{statement.source} means {len(columns)} {noun} ({names}{more})"


def _unknown(relation: str, path: Path) -> DataFileError:
    reason = "No -C in the relation name"
    if counts := list(dict.fromkeys(WRITTEN_COUNT.findall(relation))):
        reason = f"-C {counts[0]} in the relation name is not used, because "
        if match := FILTER.search(relation):
            reason += f"a filter ({match.group()[:80]}) changed the file after it was written"
        elif len(counts) > 1:
            reason += f"-C {counts[1]} is there too"
        else:
            reason += "no space follows the number"
    files = " or ".join(file.name for file in _candidates(path))
    message = f"which columns are labels? {reason} and no {files} beside the file"
    return DataFileError(f"{message}; pass {ARGUMENTS}", file=path)


def _counted(count: int, n_columns: int, path: Path, what: str) -> np.ndarray:
    if not 0 < abs(count) < n_columns:
        message = f"{what}; allowed is 1 to {n_columns - 1}, or negative for the last"
        raise DataFileError(message, file=path)
    return np.arange(count) if count > 0 else np.arange(n_columns + count, n_columns)


def _named(names: Sequence[str], header: Header, path: Path) -> np.ndarray:
    if isinstance(names, str):
        raise TypeError(
            f"label_names is the string {names!r}; pass a sequence of names, "
            f"e.g. label_names=[{names!r}]."
        )
    if not len(names):
        raise DataFileError("label_names is empty; name at least one attribute", file=path)
    return _present(names, header, path)


def _present(
    names: Sequence[str], header: Header, path: Path, xml: Path | None = None
) -> np.ndarray:
    """Match label names to columns, with or without the quotes and escapes of ARFF."""
    found = header.find(names)
    repeated = first_repeat([header.names[i] for i in found])
    if repeated is not None:
        raise DataFileError(f"two attributes have the name of label {repeated!r}", file=path)
    if len(found) == len(set(names)):
        return np.array(found)
    columns = dict(zip(header.names, range(len(header.names)), strict=True))
    columns |= {unquote(f"'{n}'"): i for n, i in columns.items() if "\\" in n}
    unknown = [name for name in names if name not in columns]
    columns |= {name: columns.get(unquote(name), -1) for name in unknown}
    unknown = [name for name in unknown if columns[name] < 0]
    if unknown:
        raise DataFileError(
            f"label {unknown[0]!r} is not an attribute of {path.name} ({len(unknown)} unknown in "
            "all)",
            file=xml or path,
        )
    return np.unique([columns[name] for name in names])
