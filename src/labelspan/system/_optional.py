"""Optional dependencies, imported where they are needed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module of an extra, or raise an error with the command that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{purpose} needs {module.split('.')[0]}: pip install labelspan[{extra}]"
        ) from error
