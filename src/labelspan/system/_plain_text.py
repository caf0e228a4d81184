"""Clean external text for a store, a page or a terminal."""

from __future__ import annotations


def escaped(text: str) -> str:
    r"""Text that can be written as UTF-8; lone surrogates are shown as ``\udc..``.

    Python uses them for undecodable bytes, in the name of a file or in a message.
    """
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


def clean(value: str) -> str:
    """One line without control characters, so that names from files cannot control the terminal."""
    return "".join(char if char.isprintable() else " " for char in escaped(value))
