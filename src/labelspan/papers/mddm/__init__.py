"""The experiments of the MDDM paper: printed values, plans, methods of its own."""

from labelspan.papers.mddm import _all_sizes, _experiments, _images, _second

EXPERIMENTS = (
    *_experiments.EXPERIMENTS,
    *_all_sizes.EXPERIMENTS,
    *_images.EXPERIMENTS,
    *_second.EXPERIMENTS,
)

__all__ = ["EXPERIMENTS"]
