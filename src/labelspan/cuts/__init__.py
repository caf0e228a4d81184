"""Where to cut scores: thresholds that maximise a measure of the labels above them."""

from labelspan.cuts._best import Cuts, best_cut, best_cuts, learnt, lifted
from labelspan.cuts._per_label import above, midpoints, tuned_thresholds

__all__: list[str] = []
