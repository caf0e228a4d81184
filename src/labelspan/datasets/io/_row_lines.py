"""The line of a row, for errors that are found after the rows were read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from labelspan.datasets.io._errors import DataFileError
from labelspan.datasets.io._limits import Limits
from labelspan.datasets.io._stream import LineBlocks


@dataclass(frozen=True)
class RowLines:
    """The line of a row by reading the file again, for errors; `pattern` matches rows."""

    path: Path
    limits: Limits
    first_line: int
    pattern: re.Pattern[bytes]

    @classmethod
    def behind(cls, source: LineBlocks, pattern: re.Pattern[bytes]) -> RowLines:
        """Rows that start at the end of the current block of a source."""
        return cls(source.path, source.limits, source.line + source.n_lines, pattern)

    def error(self, message: str, row: int) -> DataFileError:
        return DataFileError(message, file=self.path, line=self._line(row))

    def _line(self, row: int) -> int | None:
        with LineBlocks(self.path, self.limits) as source:
            for block in source:
                text = block.tobytes()
                start = _line_start(text, self.first_line - source.line)
                for match in self.pattern.finditer(text, start):
                    if row == 0:
                        return source.line + text.count(b"\n", 0, match.start())
                    row -= 1
        return None


def _line_start(text: bytes, n_lines: int) -> int:
    position = 0
    for _ in range(n_lines):
        position = text.find(b"\n", position) + 1
        if position == 0:
            return len(text)
    return position
