"""Defects that the laws have found and that are not fixed yet."""

# Defects: (law, class) -> what is wrong. A fix must remove its line, because the law then holds.
KNOWN: dict[tuple[str, str], str] = {}
