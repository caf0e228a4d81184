"""Multi-label classifiers."""

from labelspan.classifiers._calibrator import ProbabilityCalibrator
from labelspan.classifiers._mlknn import MLkNN
from labelspan.classifiers._ridge import MultiOutputRidge
from labelspan.classifiers._threshold import ThresholdTuner, above, tuned_thresholds

__all__ = ["MLkNN", "MultiOutputRidge", "ProbabilityCalibrator", "ThresholdTuner"]
