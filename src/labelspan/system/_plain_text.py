"""Clean external text for a store, a page or a terminal."""

from __future__ import annotations


def escaped(text: str) -> str:
    r"""Text that can be written as UTF-8; lone surrogates are shown as ``\udc..``.

    Python uses them for undecodable bytes, in the name of a file or in a message.
    """
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


def counted(number: int, one: str, many: str = "") -> str:
    """A number and its noun, or the words after it: "1 row repeats", "2 rows repeat"."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def clean(value: str) -> str:
    """One line without control characters, so that names from files cannot control the terminal."""
    return "".join(char if char.isprintable() else " " for char in escaped(value))
