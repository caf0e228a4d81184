"""The command ``labelspan``."""

from labelspan.lab.cli._app import main

__all__ = ["main"]
