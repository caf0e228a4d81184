"""What `labelspan.lab` offers, under the name of its subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from labelspan import lab

__all__ = lab.__all__

if TYPE_CHECKING:
    from labelspan.lab import *  # noqa: F403
else:
    # Otherwise a type checker would accept any name.
    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'labelspan.experiments' has no attribute {name!r}")
        return getattr(lab, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
