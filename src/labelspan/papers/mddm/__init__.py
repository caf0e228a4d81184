"""The experiments of the MDDM paper: printed values, plans, methods of its own."""

from labelspan.papers.mddm import _experiments, _images

EXPERIMENTS = (*_experiments.EXPERIMENTS, *_images.EXPERIMENTS)

__all__ = ["EXPERIMENTS"]
