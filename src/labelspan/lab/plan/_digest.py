"""Hashes of plans, cells and sources, which identify stored results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from labelspan.lab.methods import get_method
from labelspan.lab.plan._sources import ADDED_FIELDS, MISSING_FIELDS

#: Fields added to hashes later; they count only if they are set.
LATER_FIELDS = frozenset((*ADDED_FIELDS, *MISSING_FIELDS, "preprocessing", "scaling", "tune"))


def digest(content: Any) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the canonical JSON text."""
    text = json.dumps(as_stored(content), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def as_stored(content: Any) -> Any:
    """Write tables as in the first version, so that their hashes stay the same."""
    if isinstance(content, list | tuple):
        return [as_stored(item) for item in content]
    if not isinstance(content, Mapping):
        return content
    kept = {
        key: as_stored(value)
        for key, value in content.items()
        if key not in LATER_FIELDS or not _is_empty(value)
    }
    if isinstance(kept.get("method"), str):
        kept["method"] = get_method(kept["method"]).stored or kept["method"]
    return kept


def _is_empty(value: Any) -> bool:
    # By identity, because a count of 0 equals False.
    return value is None or value is False or value in ("", (), [])
