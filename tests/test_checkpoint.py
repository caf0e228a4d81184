"""An interrupted fit by blocks resumes and gives the same bits."""

import hashlib
import io
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

import labelspan as ls
from labelspan.datasets import blocks_of
from labelspan.moments import described, read_checkpoint, write_checkpoint
from tests.laws.law import law

rng = np.random.default_rng(0)
X = 100 + rng.standard_normal((120, 5))
Y = (X[:, :3] + rng.standard_normal((120, 3)) > 100).astype(int)
w = rng.integers(1, 4, 120).astype(float)
FORMS = {
    "dense": (X, Y),
    "single": (X.astype(np.float32), Y, w),
    "sparse": (sparse.csr_array(np.where(X > 100, X, 0)), sparse.csr_array(Y)),
    "mixed": (X, sparse.csr_array(Y), w),
    "frames": (pd.DataFrame(X, columns=list("abcde")), pd.DataFrame(Y, columns=list("rgb"))),
}


class Blocks(Sequence):
    """Six blocks of 20 rows that record which ones are read; one may be unavailable."""

    def __init__(self, *arrays, broken=None):
        self.arrays, self.broken, self.read = arrays, broken, []

    def __len__(self):
        return 6

    def __getitem__(self, i):
        if i == self.broken:
            raise OSError("the disk is gone")
        if i >= len(self):
            raise IndexError(i)
        self.read.append(i)
        return tuple(A[20 * i : 20 * i + 20] for A in self.arrays)


def assert_same_bits(found, expected):
    assert vars(found).keys() == vars(expected).keys()
    for name in (*expected._learnt, "n_features_in_"):
        assert joblib.hash(getattr(found, name)) == joblib.hash(getattr(expected, name)), name


def interrupted(model, path, *arrays, at=3):
    with pytest.raises(OSError, match="disk"):
        model.fit_blocks(Blocks(*arrays, broken=at), checkpoint=path)
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("rows_held", [7, 10_000])
@law(lambda entry: entry.one_pass)
def test_an_interruption_leaves_no_trace(entry, rows_held, tmp_path, limit):
    limit("chunk bytes", rows_held * X[0].nbytes)
    path = tmp_path / "fit.npz"
    for arrays in FORMS.values():
        whole = clone(entry.estimator).fit_blocks(Blocks(*arrays))
        for at in (1, 4):
            model = clone(entry.estimator)
            interrupted(model, path, *arrays, at=at)
            blocks = Blocks(*arrays)
            model.fit_blocks(blocks, checkpoint=path)
            assert blocks.read == list(range(at, 6))
            assert_same_bits(model, whole)
            path.unlink()


KILLED = """
import os, signal, sys
import numpy as np
import labelspan as ls

path, victim = sys.argv[1:]
rng = np.random.default_rng(1)
X = rng.standard_normal((5000, 40))
Y = (X[:, :4] > 0.3).astype(int)


class Blocks:
    def __iter__(self):
        for i in range(10):
            if f"block {i}" == victim:
                os.kill(os.getpid(), signal.SIGKILL)
            yield X[500 * i : 500 * i + 500], Y[500 * i : 500 * i + 500]


def replace(*paths):
    seen.append("write")
    if f"write {seen.count('write')}" == victim:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(*paths)


model, seen = ls.MVMD(3), []
rename, os.replace = os.replace, replace
learn = model.partial_fit
model.partial_fit = lambda X, *rest: (seen.append("block"), learn(X, *rest))
model.fit_blocks(Blocks(), checkpoint=path if path != "-" else None)
print(seen.count("block"), model.components_.tobytes().hex(), model.eigenvalues_.tobytes().hex())
"""


def test_a_killed_process_resumes(tmp_path):
    def run(path, victim):
        command = [sys.executable, "-c", KILLED, str(path), victim]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)

    path = tmp_path / "fit.npz"
    # Before the fifth block; then, of the sixth, when its file is written but not in place.
    for victim in ("block 4", "write 2", "block 7"):
        assert run(path, victim).returncode == -signal.SIGKILL
        assert path.exists()
    n_seen, *bits = run(path, "none").stdout.split()
    n_all, *expected = run("-", "none").stdout.split()
    assert (n_seen, n_all) == ("3", "10")
    assert bits == expected


def test_iterators_are_advanced_and_all_blocks_can_be_there_already(tmp_path):
    path = tmp_path / "fit.npz"
    interrupted(ls.MVMD(2), path, X, Y)
    whole = ls.MVMD(2).fit_blocks(Blocks(X, Y))
    assert_same_bits(ls.MVMD(2).fit_blocks(iter(Blocks(X, Y)), checkpoint=path), whole)
    with pytest.warns(UserWarning, match=r"No block was read: .*fit\.npz' has all 6\. Delete"):
        again = ls.MVMD(2).fit_blocks(iter(Blocks(X, Y)), checkpoint=path)
    assert_same_bits(again, whole)
    with pytest.raises(ValueError, match="The first 1 blocks are not the 6 blocks with 120 rows"):
        ls.MVMD(2).fit_blocks([(X, Y)], checkpoint=path)
    # More blocks than before only add.
    more = [*Blocks(X, Y), (X[:30] + 1, Y[:30])]
    model = ls.MVMD(2).fit_blocks(more, checkpoint=path)
    expected = ls.MVMD(2).fit(np.vstack([X, X[:30] + 1]), np.vstack([Y, Y[:30]]))
    assert_allclose(model.components_, expected.components_, atol=1e-11)


def test_blocks_that_are_cut_otherwise_are_refused(tmp_path):
    path = tmp_path / "fit.npz"
    interrupted(ls.MVMD(2), path, X, Y)
    cut = blocks_of(X, Y, rows=10)
    lists = ((X[i : i + 10].tolist(), Y[i : i + 10]) for i in range(0, 120, 10))
    for blocks in (cut, iter(cut), lists):
        with pytest.raises(
            ValueError, match="first 3 blocks with 30 rows are not the 3 blocks with 60"
        ):
            ls.MVMD(2).fit_blocks(blocks, checkpoint=path)
    with pytest.raises(ValueError, match="first 1 blocks with 120 rows are not the 3 blocks"):
        ls.MVMD(2).fit_blocks(iter([(X, Y)]), checkpoint=path)
    ls.MVMD(2).fit_blocks(blocks_of(X, Y, rows=20), checkpoint=path)


@pytest.mark.parametrize(
    "model",
    [ls.MVMD(2), ls.OPLS(2, ridge=0), ls.CPLST(2, ridge=0.0)],
    ids=["mvmd", "opls", "cplst"],
)
def test_checkpoints_of_version_0_2_0_resume(model, tmp_path):
    """Their files name modules that have moved since."""

    def rows(i):
        rng = np.random.default_rng(i)
        X = rng.standard_normal((100_000, 6))
        return X, (X[:, :3] + rng.standard_normal((100_000, 3)) > 0.3).astype(int)

    kept = Path(__file__).parent / "checkpoints" / f"{type(model).__name__.lower()}-0.2.0.npz"
    path = shutil.copy(kept, tmp_path)
    blocks = [rows(i) for i in range(3)]
    model.fit_blocks(iter(blocks), checkpoint=path)
    whole = clone(model).fit_blocks(blocks)
    assert_allclose(model.components_, whole.components_, atol=1e-12)


def test_parameters_that_are_new_since_the_checkpoint_have_their_defaults(tmp_path):
    path = tmp_path / "fit.npz"
    write_checkpoint(path, {"by": "me"}, 1)
    assert read_checkpoint(path, {"by": "me", "new": "7"}, {"new": "7"}) == 1
    with pytest.raises(ValueError, match="new was nothing, and is 8 now"):
        read_checkpoint(path, {"by": "me", "new": "8"}, {"new": "7"})


@pytest.mark.parametrize(
    ("others", "message"),
    [
        (
            (X.astype(np.float32), Y),
            "were dense float64 X, dense y of 0 and 1; the next is dense f",
        ),
        ((sparse.csr_array(X), Y), "the next is sparse float64 X, dense y of 0 and 1"),
        ((X, sparse.csr_array(Y)), "the next is dense float64 X, sparse y of 0 and 1"),
        ((X, 2 * Y - 1), "the next is dense float64 X, dense y of -1 and"),
    ],
)
def test_blocks_of_another_kind_are_refused(others, message, tmp_path):
    path = tmp_path / "fit.npz"
    interrupted(ls.MVMD(2), path, X, Y)
    with pytest.raises(ValueError, match=rf"that of other blocks.*{message}"):
        ls.MVMD(2).fit_blocks(Blocks(*others), checkpoint=path)
    ls.MVMD(2).fit_blocks(Blocks(X, Y), checkpoint=path)


def test_a_folder_that_is_not_there_is_refused_before_a_block_is_read(tmp_path):
    blocks = Blocks(X, Y)
    with pytest.raises(FileNotFoundError, match=r"gone' of the checkpoint does not exist; make it"):
        ls.MVMD(2).fit_blocks(blocks, checkpoint=tmp_path / "gone" / "fit.npz")
    assert blocks.read == []


def test_names_and_classes_are_kept(tmp_path):
    path = tmp_path / "fit.npz"
    frames = FORMS["frames"]
    model = ls.MultiOutputRidge().fit(X[:, :4], Y[:, :2])
    with pytest.raises(OSError, match="disk"):
        model.fit_blocks(Blocks(*frames, broken=3), checkpoint=path)
    assert model.n_features_in_ == 4
    model.fit_blocks(Blocks(*frames), checkpoint=path)
    assert model.feature_names_in_.tolist() == list("abcde")
    assert model.feature_names_in_.dtype == object
    assert model.label_names_.tolist() == list("rgb")
    path.unlink()
    for kind in (str, object):
        y = np.array(["one", "two", "four"], dtype=kind)[Y.sum(axis=1) % 3]
        model, classes = ls.MultiOutputRidge(), ["one", "two", "four"]
        with pytest.raises(OSError, match="disk"):
            model.fit_blocks(Blocks(X, y, broken=2), classes, checkpoint=path)
        with pytest.raises(ValueError, match="another fit: classes was list"):
            model.fit_blocks(Blocks(X, y), classes[:2], checkpoint=path)
        model.fit_blocks(Blocks(X, y), classes, checkpoint=path)
        assert_same_bits(model, ls.MultiOutputRidge().fit_blocks(Blocks(X, y), classes))
        path.unlink()


def test_other_fits_are_refused(tmp_path):
    path = tmp_path / "fit.npz"
    interrupted(ls.MDDM(2), path, X, Y)
    for model, reason in (
        (ls.MVMD(2), r"another fit: \S+ was"),
        (ls.MDDM(3), "another fit: n_components was 2, and is 3 now"),
        (
            ls.MDDM(2, label_correlation=np.eye(3)),
            "label_correlation was None, and is ndarray [0-9a-f]+",
        ),
    ):
        with pytest.raises(ValueError, match=rf"{reason}.*Delete the file to start again"):
            model.fit_blocks(Blocks(X, Y), checkpoint=path)
        assert not hasattr(model, "n_features_in_")


def changed(path, change):
    """The members of a checkpoint after a change of them, or of its header."""
    with np.load(path) as members:
        arrays = dict(members)
    header = json.loads(str(arrays.pop("header")))
    change(header, arrays)
    file = io.BytesIO()
    np.savez(file, header=np.array(json.dumps(header)), **arrays)
    return file.getvalue()


def newer(header, arrays):
    header["version"] = 99


def other_numbers(header, arrays):
    arrays["array0"] = arrays["array0"] + 1


def other_count(header, arrays):
    header["value"]["dict"][1][0]["tuple"][0] += 1


def lost(header, arrays):
    del arrays["array0"]


DAMAGES = {
    "cut": (lambda path: path.read_bytes()[:-50], "is damaged"),
    "empty": (lambda path: b"", "is damaged"),
    "text": (lambda path: b"Not a checkpoint at all.", "is damaged, or no checkpoint"),
    "newer": (lambda path: changed(path, newer), "has version 99; this labelspan reads 1"),
    "numbers": (
        lambda path: changed(path, other_numbers),
        "is damaged: its SHA-256 does not match",
    ),
    "count": (lambda path: changed(path, other_count), "is damaged: its SHA-256 does not match"),
    "lost": (lambda path: changed(path, lost), "is damaged: its SHA-256 does not match"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(damage, tmp_path):
    path = tmp_path / "fit.npz"
    interrupted(ls.MDDM(2), path, X, Y)
    change, reason = DAMAGES[damage]
    path.write_bytes(change(path))
    stored = path.read_bytes()
    blocks = Blocks(X, Y)
    with pytest.raises(
        ValueError, match=rf"fit\.npz' {reason}.*Delete.*or pass another"
    ) as refused:
        ls.MDDM(2).fit_blocks(blocks, checkpoint=path)
    assert "\n" not in str(refused.value)
    assert (blocks.read, path.read_bytes()) == ([], stored)


def test_foreign_files_are_refused_and_run_nothing(tmp_path):
    path = tmp_path / "fit.npz"
    np.savez(path, X=X)
    with pytest.raises(ValueError, match="no checkpoint of labelspan"):
        ls.MDDM(2).fit_blocks(Blocks(X, Y), checkpoint=path)
    np.savez(path, header=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="no checkpoint of labelspan"):
        ls.MDDM(2).fit_blocks(Blocks(X, Y), checkpoint=path)


def test_only_data_classes_of_labelspan_are_made(tmp_path):
    path = tmp_path / "fit.npz"

    def signed(tree):
        def change(header, arrays):
            header["value"] = tree
            del header["sha256"]
            text = json.dumps(header, sort_keys=True).encode()
            header["sha256"] = hashlib.sha256(text).hexdigest()

        return change

    write_checkpoint(path, {}, None)
    path.write_bytes(changed(path, signed({"tuple": [1, 2]})))
    assert read_checkpoint(path, {}) == (1, 2)
    for place in (["os", "system"], ["labelspan.moments", "Pool"], ["labelspan.gone", "Moments"]):
        path.write_bytes(changed(path, signed({"class": [place, [], []]})))
        with pytest.raises(ValueError, match="statistics that this labelspan does not have"):
            read_checkpoint(path, {})


def test_what_cannot_be_kept_is_refused(tmp_path):
    with pytest.raises(TypeError, match=r"cannot keep a set: \{1\}"):
        write_checkpoint(tmp_path / "fit.npz", {}, {1})
    assert list(tmp_path.iterdir()) == []
    assert described(np.array([0.1])) != described(np.array([0.1 + 1e-12]))


def test_shared_arrays_and_the_order_in_memory_come_back(tmp_path):
    shared = np.asfortranarray(rng.standard_normal((4, 3)))
    value = {"a": shared, "b": (shared, np.float32(2), None), "c": shared[::2]}
    write_checkpoint(tmp_path / "fit.npz", {"by": "me"}, value)
    found = read_checkpoint(tmp_path / "fit.npz", {"by": "me"})
    assert found["a"] is found["b"][0]
    assert found["a"].flags.f_contiguous
    assert found["a"].tobytes() == shared.tobytes()
    assert isinstance(found["b"][1], np.float32)
    assert found["c"].tolist() == shared[::2].tolist()


def test_a_bar_counts_the_blocks_that_are_left(tmp_path, capsys):
    path = tmp_path / "fit.npz"
    interrupted(ls.MVMD(2), path, X, Y)
    ls.MVMD(2).fit_blocks(Blocks(X, Y), checkpoint=path, verbose=True)
    assert "Blocks" in capsys.readouterr().out
