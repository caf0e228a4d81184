"""Semi-supervised reduction: labels spread to unlabelled rows along a graph of neighbours."""

from typing import TYPE_CHECKING

from labelspan.registry import door, names_in

if TYPE_CHECKING:
    from labelspan.registry import *
else:
    __getattr__, __dir__ = door(__name__)

__all__ = names_in(__name__)
