"""Low-rank empirical risk minimisation, with all labels observed and with missing ones."""

from labelspan.labelspace.leml._leml import LEML
