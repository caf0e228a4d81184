"""Multi-label dimensionality reduction for the scikit-learn ecosystem."""

__version__ = "0.1.0.dev0"
