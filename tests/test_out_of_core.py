"""A file on disk is read once, and its rows are never in memory together."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

import labelspan as ls
from labelspan.datasets import blocks_of
from labelspan.labelspace import CPLST

MODELS = [
    ls.MDDM(5), ls.MVMD(5), ls.LabelCCA(5), CPLST(5, ridge=1.0), ls.SharedSubspaceClassifier(5),
]  # fmt: skip
N_ROWS, N_FEATURES = 100_000, 200


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """80 MB of float32 features, and labels."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("disk")
    X = rng.standard_normal((N_ROWS, N_FEATURES), dtype=np.float32)
    np.save(folder / "X.npy", X)
    noise = rng.standard_normal((N_ROWS, 20), dtype=np.float32)
    np.save(folder / "Y.npy", (X[:, :20] + noise > 1.5).astype(np.int8))
    return folder / "X.npy", folder / "Y.npy"


class Counted:
    """Blocks that count the rows that were read from them."""

    def __init__(self, blocks):
        self.blocks, self.n_rows = blocks, 0

    def __iter__(self):
        for X, Y in self.blocks:
            self.n_rows += len(X)
            yield X, Y


def peak_of(call):
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_one_pass_in_a_part_of_the_memory(model, files):
    X, Y = (np.load(path, mmap_mode="r") for path in files)
    mapped, streamed = clone(model), clone(model)
    blocks = Counted(blocks_of(*files, rows=4000))
    # The file has 80 MB, and twice that in float64. A thin solver holds one block.
    assert peak_of(lambda: mapped.fit(X, Y)) < 60e6
    assert peak_of(lambda: streamed.fit_blocks(blocks)) < 60e6
    assert blocks.n_rows == N_ROWS
    use = "transform" if hasattr(model, "transform") else "decision_function"
    found, expected = (getattr(m, use)(X[:50]) for m in (streamed, mapped))
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())
