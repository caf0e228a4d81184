"""Folders that this user may not search."""

from __future__ import annotations

import os
from pathlib import Path


def closed_folder(folder: Path) -> Path | None:
    """Return the first folder on the path that may not be searched; None if there is none."""
    for place in (*reversed(folder.parents), folder):
        # Not Path.exists, which raises where its parent may not be searched.
        if os.path.isdir(place) and not os.access(place, os.X_OK):
            return place
    return None
