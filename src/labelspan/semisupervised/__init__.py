"""Rows without labels that help: labels spread to them along a graph of neighbours."""

from labelspan.semisupervised._semisupervised import SemiSupervised

__all__ = ["SemiSupervised"]
