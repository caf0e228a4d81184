"""Data on disk as blocks: each source gives the fit of the arrays, and reads only what it needs."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import labelspan as ls
from labelspan.datasets import blocks_of
from labelspan.datasets.blocks import _tables

rng = np.random.default_rng(0)
X = 3 + rng.standard_normal((100, 5))
Y = (X[:, :3] + rng.standard_normal((100, 3)) > 3).astype(int)
w = rng.integers(1, 4, 100).astype(float)
FEATURES, LABELS = list("vwxyz"), list("rgb")
TABLE = pd.DataFrame(np.column_stack([Y, X, w]), columns=[*LABELS, *FEATURES, "weight"])
TABLE[LABELS] = TABLE[LABELS].astype(int)


def npy(folder):
    np.save(folder / "X.npy", X)
    np.save(folder / "Y.npy", Y)
    return blocks_of(folder / "X.npy", str(folder / "Y.npy"), weights=w, rows=30)


def npy_folders(folder):
    # Files with other boundaries than the blocks, and an empty one.
    for name, array, cuts in (("X", X, [8, 50, 50, 91]), ("Y", Y, [40]), ("w", w, [33, 66])):
        (folder / name).mkdir()
        for i, part in enumerate(np.split(array, cuts)):
            np.save(folder / name / f"{i:03d}.npy", part)
    return blocks_of(folder / "X", folder / "Y", weights=folder / "w", rows=30)


def csr(folder):
    return blocks_of(sparse.csr_array(X), sparse.csr_array(Y), weights=w, rows=30)


def hdf5(folder):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    file = h5py.File(folder / "data.h5", "w")
    for name, array in (("X", X), ("Y", Y), ("w", w)):
        file.create_dataset(name, data=array, chunks=(7, *array.shape[1:]))
    return blocks_of(file["X"], file["Y"], weights=file["w"], rows=30)


def zarr(folder):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    group = zarr.open_group(str(folder / "data.zarr"), mode="w")
    for name, array in (("X", X), ("Y", Y), ("w", w)):
        group.create_array(name, data=array, chunks=(7, *array.shape[1:]))
    return blocks_of(group["X"], group["Y"], weights=group["w"], rows=30)


def pandas(folder):
    return blocks_of(TABLE, LABELS, weights="weight", rows=30)


def polars(folder):
    return blocks_of(pl.from_pandas(TABLE), LABELS, weights="weight", rows=30)


def pandas_pair(folder):
    return blocks_of(TABLE[FEATURES], TABLE[LABELS], weights=TABLE["weight"], rows=30)


def lazy_frame(folder):
    pl.from_pandas(TABLE).write_parquet(folder / "table.parquet", row_group_size=40)
    return blocks_of(pl.scan_parquet(folder / "table.parquet"), LABELS, weights="weight", rows=30)


def parquet(folder):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pl.from_pandas(TABLE[:60]).write_parquet(folder / "0.parquet", row_group_size=30)
    pl.from_pandas(TABLE[60:]).write_parquet(folder / "1.parquet", row_group_size=20)
    return blocks_of(folder, LABELS, weights="weight")


def anndata(folder, form=np.asarray):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed")
    cells = anndata.AnnData(form(X), obs=TABLE[[*LABELS, "weight"]].rename(index=str))
    cells.write_h5ad(folder / "cells.h5ad")
    backed = anndata.read_h5ad(folder / "cells.h5ad", backed="r")
    return blocks_of(backed, LABELS, weights="weight", rows=30)


def sparse_anndata(folder):
    return anndata(folder, sparse.csr_array)


SOURCES = [npy, npy_folders, csr, hdf5, zarr, pandas, polars, pandas_pair, lazy_frame, parquet,
           anndata, sparse_anndata]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_every_source_gives_the_fit_of_the_arrays(source, tmp_path):
    blocks = source(tmp_path)
    assert len(blocks) == 4
    names = source in (pandas, polars, pandas_pair, lazy_frame, parquet)
    for estimator in (ls.MVMD(2), ls.MultiOutputRidge()):
        whole = type(estimator)(**estimator.get_params()).fit(X, Y, w)
        model = estimator.fit_blocks(blocks)
        assert model.n_features_in_ == 5
        learnt = model._learnt[0]
        assert_allclose(getattr(model, learnt), getattr(whole, learnt), rtol=1e-10, atol=1e-12)
        assert (list(model.feature_names_in_) == FEATURES) if names else True
        assert (list(model.label_names_) == LABELS) if names else True


def test_a_block_is_read_when_it_is_indexed(tmp_path):
    blocks = npy_folders(tmp_path)
    whole = [tuple(map(np.asarray, block)) for block in blocks]
    for part, expected in zip(zip(*whole, strict=True), (X, Y, w), strict=True):
        assert [len(A) for A in part] == [30, 30, 30, 10]
        assert_array_equal(np.concatenate(part), expected)
    assert_array_equal(blocks[-1][0], X[90:])
    with pytest.raises(IndexError):
        blocks[4]
    with pytest.raises(TypeError, match=r"one by one; got slice.*expected an int"):
        blocks[:2]
    # The first file, which has the rows of block 0, is deleted; only block 0 fails.
    (tmp_path / "X" / "000.npy").unlink()
    assert_array_equal(blocks[2][0], X[60:90])
    with pytest.raises(FileNotFoundError):
        blocks[0]


def test_finished_blocks_of_a_file_are_not_read(tmp_path):
    blocks, path = npy_folders(tmp_path), tmp_path / "fit.npz"
    whole = ls.MVMD(2).fit_blocks(blocks)
    kept = (tmp_path / "X" / "004.npy").rename(tmp_path / "elsewhere.npy")
    with pytest.raises(FileNotFoundError):
        ls.MVMD(2).fit_blocks(blocks, checkpoint=path)
    kept.rename(tmp_path / "X" / "004.npy")
    for name in ("000", "001"):
        (tmp_path / "X" / f"{name}.npy").unlink()
    model = ls.MVMD(2).fit_blocks(blocks, checkpoint=path)
    assert model.components_.tobytes() == whole.components_.tobytes()


def test_blocks_are_of_64_mebibytes_or_of_whole_chunks_or_row_groups(tmp_path):
    class Plain:
        shape = (4_000_000, 5)

    class Chunked:
        shape, chunks = (4_000_000, 5), (7, 5)

    labels, height = np.broadcast_to(0.0, 4_000_000), 2**26 // 40
    assert blocks_of(Plain, labels).edges == (0, height, 2 * height, 4_000_000)
    height = height // 7 * 7
    assert blocks_of(Chunked, labels).edges == (0, height, 2 * height, 4_000_000)
    assert blocks_of(X[:0], Y[:0]).edges == (0,)
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    assert parquet(tmp_path).edges == (0, 30, 60, 80, 100)
    assert blocks_of(tmp_path, LABELS, rows=25).edges == (0, 25, 30, 55, 60, 80, 100)


def test_a_row_group_is_read_once(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet(tmp_path)
    read = []
    whole = _tables.read_group
    monkeypatch.setattr(_tables, "read_group", lambda *group: read.append(1) or whole(*group))
    blocks = blocks_of(tmp_path, LABELS, weights="weight", rows=7)
    assert_array_equal(pd.concat([X for X, *_ in blocks]), X)
    assert (len(blocks), len(read)) == (16, 4)
    assert [len(X) for X, *_ in blocks] == [7, 7, 7, 7, 2] * 2 + [7, 7, 6] * 2


def test_a_torch_loader_is_taken_as_it_is():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    data = torch.utils.data.TensorDataset(torch.from_numpy(X), torch.from_numpy(Y))
    model = ls.MVMD(2).fit_blocks(torch.utils.data.DataLoader(data, batch_size=30))
    assert_allclose(model.components_, ls.MVMD(2).fit(X, Y).components_, atol=1e-12)


def test_what_cannot_be_cut_is_refused(tmp_path, monkeypatch):
    for rows in (0, 2.5, "all"):
        with pytest.raises(ValueError, match=rf"rows={rows!r}; expected an integer of at least 1"):
            blocks_of(X, Y, rows=rows)
    with pytest.raises(ValueError, match=r"number of rows; got \{'source': 100, 'labels': 99\}"):
        blocks_of(X, Y[1:])
    with pytest.raises(TypeError, match=r"source is a generator; expected an array.*DataLoader"):
        blocks_of((row for row in X), Y)
    with pytest.raises(TypeError, match="labels is a list; expected an array"):
        blocks_of(X, Y.tolist())
    with pytest.raises(ValueError, match=r"has no npy files"):
        blocks_of(tmp_path, Y)
    np.save(tmp_path / "0.npy", X)
    np.save(tmp_path / "1.npy", X[:, 1:])
    with pytest.raises(ValueError, match=r"1\.npy holds rows of shape \(4,\), but 0\.npy of \(5,"):
        blocks_of(tmp_path, Y)
    for labels in ("r", [1, 2]):
        with pytest.raises(TypeError, match="a table needs a list of its label columns"):
            blocks_of(TABLE, labels)
    with pytest.raises(ValueError, match=r"no columns \['p', 'q'\]; it has \['r', 'g'"):
        blocks_of(TABLE, ["r", "p"], weights="q")
    twice = TABLE[["r", "v", "v"]]
    with pytest.raises(ValueError, match=r"columns \['v'\] more than once; rename them"):
        blocks_of(twice, ["r"])
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    with pytest.raises(ImportError, match=r"Parquet needs pyarrow: .* '\.\[parquet\]'"):
        blocks_of(tmp_path / "table.parquet", LABELS)
