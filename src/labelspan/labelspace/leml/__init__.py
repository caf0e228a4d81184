"""Low-rank empirical risk minimisation, with all labels observed and with holes."""

from labelspan.labelspace.leml._leml import LEML
