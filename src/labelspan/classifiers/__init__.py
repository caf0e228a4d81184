"""Multi-label classifiers."""

from labelspan.classifiers._calibrator import ProbabilityCalibrator, sigmoid_link
from labelspan.classifiers._label_counts import look_up, neighbour_histogram
from labelspan.classifiers._mlknn import MLkNN, posterior
from labelspan.classifiers._neighbours import nearest_of_distances
from labelspan.classifiers._observed import Reference
from labelspan.classifiers._probabilities import normalised
from labelspan.classifiers._ridge import MultiOutputRidge
from labelspan.classifiers._threshold import ThresholdTuner

__all__ = ["MLkNN", "MultiOutputRidge", "ProbabilityCalibrator", "ThresholdTuner"]
