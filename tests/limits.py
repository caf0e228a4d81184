"""Limits of size that tests move, so that small data take the ways of large data.

Each is named here only, so a constant that moves within the package moves in one line here.
"""

import pytest

LIMITS = {
    # Where iterations on products take over from factors.
    "krylov side": "labelspan.linalg._route.KRYLOV_SIDE",
    "label bytes": "labelspan.linalg._route.LABEL_BYTES",
    "square bytes": "labelspan.linalg._route.MAX_SQUARE_BYTES",
    "exact label side": "labelspan.labelspace._training.EXACT_SIDE",
    "direct Newton side": "labelspan.ranking._newton.MAX_DIRECT",
    "few for the ridge": "labelspan.linalg._auto_ridge.FEW",
    "leading for the ridge": "labelspan.linalg._auto_ridge.LEADING",
    "hinge Gram side": "labelspan.subspace._hinge.LARGEST_GRAM",
    # Where iterations end.
    "gradient iterations": "labelspan.linalg._block_cg.MAX_ITERATIONS",
    "Lanczos block": "labelspan.linalg._lanczos.BLOCK",
    "hinge tolerance": "labelspan.subspace._hinge.TOLERANCE",
    "hinge steps": "labelspan.subspace._hinge.MAX_STEPS",
    "hinge sweeps": "labelspan.subspace._hinge.MAX_SWEEPS",
    "masked turns": "labelspan.subspace._masked.MAX_TURNS",
    "fuzzy turns": "labelspan.extraction._weights.FUZZY_TURNS",
    # Where data are cut into blocks.
    "large X": "labelspan.gate._validation.LARGE",
    "square bytes of the gate": "labelspan.gate._validation.MAX_SQUARE_BYTES",
    "chunk bytes": "labelspan.moments._pool.FEWEST_BYTES",
    "many chunks": "labelspan.moments._pool.LARGE",
    "fixed rows": "labelspan.moments._pool.FIXED_ROWS",
    "pool bytes": "labelspan.moments._pool.BLOCK_BYTES",
    "block bytes": "labelspan.moments._collect.BLOCK_BYTES",
    "block entries": "labelspan.moments._collect.BLOCK_ENTRIES",
    "most walked": "labelspan.moments._collect.MOST_WALKED",
    "fewest walked": "labelspan.moments._collect.FEWEST_WALKED",
    "stream bytes": "labelspan.moments._collect.STREAM_BYTES",
    "part bytes": "labelspan.moments._parts.BLOCK_BYTES",
    "held entries": "labelspan.moments._products.HELD_ENTRIES",
    "dependence bytes": "labelspan.extraction._weights.BLOCK_BYTES",
    "profile values": "labelspan.datasets.description._profiles.MAX_PROFILE_VALUES",
    "search cells": "labelspan.metrics._nearest.BLOCK_CELLS",
    "search pairs": "labelspan.metrics._nearest.PAIR_CELLS",
    "search queries": "labelspan.choice._seeker.N_QUERIES",
    "device block bytes": "labelspan.arrays._operations.LARGEST_BLOCK",
    # What is worth its cost.
    "sparse worth": "labelspan.moments._sparse.WORTH",
    "rows for all pairs": "labelspan.stats.dependence._features.MOST_ROWS",
    "quick products": "labelspan.stats.dependence._quick.WORK",
    "features for triples": "labelspan.stats.dependence._features.MOST_TRIPLED",
    "dense block entries": "labelspan.moments._moments.BLOCK_ENTRIES",
    "exact sums": "labelspan.stats._friedman_null.MOST_SUMS",
    # What is waited for.
    "download bytes": "labelspan.datasets.catalogue._download.MAX_DOWNLOAD_BYTES",
    "grace seconds": "labelspan.datasets.catalogue._transfer.GRACE_SECONDS",
    "seconds between lines": "labelspan.system._watch.PAUSE",
    "start seconds": "labelspan.lab.runner._worker.START_SECONDS",
}


@pytest.fixture
def limit(monkeypatch):
    """Move a limit until the test ends."""
    return lambda name, value: monkeypatch.setattr(LIMITS[name], value)
