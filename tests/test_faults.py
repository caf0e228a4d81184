"""Workers of a real cluster that are killed in the middle of a fit: the result is the same."""

import os
import signal

import numpy as np
import pytest

import labelspan as ls

rng = np.random.default_rng(0)
X = rng.standard_normal((1200, 20)) + 3
Y = (X[:, :4] + rng.standard_normal((1200, 4)) > 3).astype(int)
N_BLOCKS, VICTIMS = 12, (1, 3, 5, 8, 10)


def fatal(block, folder, block_info=None):
    """The block; the first worker to read one of some blocks is killed, once each."""
    number = block_info[0]["chunk-location"][0]
    if number in VICTIMS:
        try:
            os.close(os.open(os.path.join(folder, str(number)), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return block
        os.kill(os.getpid(), signal.SIGKILL)
    return block


def test_a_fit_survives_five_killed_workers_to_the_last_bit(tmp_path):
    pytest.importorskip("dask.array")
    import dask.array as da
    from dask.distributed import Client, LocalCluster

    features, labels = (da.from_array(A, chunks=(len(A) // N_BLOCKS, -1)) for A in (X, Y))
    expected = ls.MVMD(3).fit(features, labels)
    quiet = {"silence_logs": 50, "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **quiet) as cluster,
        Client(cluster),
    ):
        deadly = features.map_blocks(fatal, str(tmp_path), dtype=float, meta=np.empty((0, 0)))
        found = ls.MVMD(3).fit(deadly, labels)
    # All five were killed, and another worker read their blocks.
    assert len(list(tmp_path.iterdir())) == 5
    for name in ("components_", "eigenvalues_"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
