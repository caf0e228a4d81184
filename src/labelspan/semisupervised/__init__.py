"""Semi-supervised reduction: labels spread to unlabelled rows along a graph of neighbours."""

from labelspan.semisupervised._semisupervised import SemiSupervised

__all__ = ["SemiSupervised"]
