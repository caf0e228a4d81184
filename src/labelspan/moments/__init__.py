"""From any array to sufficient statistics; the only place that knows array types."""

from labelspan.moments._collect import Sample, collect
from labelspan.moments._moments import Moments
from labelspan.moments._root import Root
from labelspan.moments._rows import CentredRows, Rows

__all__ = ["CentredRows", "Moments", "Root", "Rows", "Sample", "collect"]
