"""Small valid files from which the fuzzers start."""

from __future__ import annotations

import gzip
import io

import numpy as np
import scipy.io


def _npz() -> bytes:
    buffer = io.BytesIO()
    np.savez(
        buffer,
        X_data=np.ones(2),
        X_indices=np.array([0, 1]),
        X_indptr=np.array([0, 1, 2]),
        X_shape=np.array([2, 2]),
        Y=np.eye(2, dtype=np.uint8),
        train_idx=np.array([0]),
    )
    return buffer.getvalue()


def _mat() -> bytes:
    buffer = io.BytesIO()
    content = {"data": np.eye(3), "target": np.array([[1, -1, 1]])}
    scipy.io.savemat(buffer, content, do_compression=True)
    return buffer.getvalue()


ARFF = b"@relation 't: -C 1'\n@attribute a {0,1}\n@attribute 'x y' real\n@data\n1,2.5\n0,?\n"
SPARSE = b"@relation 't: -C -1'\n@attribute x real\n@attribute a {1,0}\n@data\n{0 1e3}\n{1 0}\n{}\n"
LIBSVM = b"0,2 1:0.5 3:-2e3\n 2:1\n1\n"
SEEDS = {
    "arff": [ARFF, SPARSE, gzip.compress(ARFF)],
    "arff rows": [b"1,2.5,u\n0,?,'v w'\n% c\n", b"{0 1,1 -.5e-3, 2 'v w'}\n{}\n"],
    "xml": [b'<labels xmlns="m"><label name="a"><label name="c"/></label></labels>'],
    "libsvm": [LIBSVM, gzip.compress(LIBSVM)],
    "xmc": [b"2 4 3\n0,2 0:0.5 3:-2\n\n"],
    "npz": [_npz()],
    "mat": [_mat()],
}
