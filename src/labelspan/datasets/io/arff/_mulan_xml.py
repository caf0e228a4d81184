"""The XML file that names the labels of a Mulan data set."""

from __future__ import annotations

import os
from pathlib import Path

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._tables import first_repeat
from labelspan.system import require


def read_label_names(path: str | os.PathLike[str], limits: Limits) -> tuple[str, ...]:
    """Label names of a Mulan XML file, flat or not; their order is not that of the columns."""
    elements = require("defusedxml.ElementTree", "data", "reading Mulan XML")
    common = require("defusedxml.common", "data", "reading Mulan XML")
    names: list[str | None] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition("}")[2] == "label":
            names.append(attributes.get("name"))

    parser = elements.DefusedXMLParser(target=_Nothing(), forbid_dtd=True)
    # Directly with expat, because building a tree of a thousand labels takes longer than reading
    # their ARFF file.
    parser.parser.ordered_attributes = False
    parser.parser.DefaultHandlerExpand = None
    parser.parser.StartElementHandler = start
    try:
        parser.feed(_read_bytes(Path(path), limits))
        parser.close()
    except elements.ParseError as error:
        line, column = error.position
        raise DataFileError(
            f"not well-formed XML ({error.msg})", file=path, line=line, column=column + 1
        ) from error
    except common.DefusedXmlException as error:
        message = f"XML with a document type or entities is refused ({type(error).__name__})"
        raise DataFileError(message, file=path) from error
    except (LookupError, ValueError) as error:
        raise DataFileError(f"cannot decode the XML ({error})", file=path) from error
    return _checked(names, path)


class _Nothing:
    """Collects label names instead of building a tree."""

    def close(self) -> None:
        """End the current element."""


def _read_bytes(path: Path, limits: Limits) -> bytes:
    with path.open("rb") as file:
        content = file.read(limits.max_line_bytes + 1)
    if len(content) > limits.max_line_bytes:
        message = f"larger than {limits.max_line_bytes} bytes (Limits.max_line_bytes)"
        raise DataFileError(message, file=path)
    return content


def _checked(names: list[str | None], path: str | os.PathLike[str]) -> tuple[str, ...]:
    given = tuple(name for name in names if name)
    if len(given) < len(names):
        raise DataFileError("a <label> element has no name", file=path)
    if not given:
        raise DataFileError("no <label name=...> element; is this a Mulan XML file?", file=path)
    repeated = first_repeat(given)
    if repeated is not None:
        raise DataFileError(f"label {repeated!r} is listed twice", file=path)
    return given
