"""Multi-label dimensionality reduction for the scikit-learn ecosystem."""

from labelspan.extraction import DMLDA, LPP, MDDM, MLDA, MLSI, MVMD, OPLS, LabelCCA

__version__ = "0.1.0.dev0"

__all__ = ["DMLDA", "LPP", "MDDM", "MLDA", "MLSI", "MVMD", "OPLS", "LabelCCA", "__version__"]
