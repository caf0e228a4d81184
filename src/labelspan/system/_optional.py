"""Optional dependencies, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module of an extra, or raise an error that says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module.split('.')[0]}: {install_hint(extra)}"
        ) from error


def install_hint(extra: str) -> str:
    """Say how to install an extra; no package index has labelspan, so that its name is no help."""
    return f"install the extra {extra!r} (in a clone of labelspan: pip install '.[{extra}]')"
