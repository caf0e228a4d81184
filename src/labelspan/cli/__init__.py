"""The command ``labelspan``."""

from labelspan.cli._app import main

__all__ = ["main"]
