"""
Larger than memory: chunks give the same answer
===============================================

``partial_fit`` adds a chunk of rows to sufficient statistics. This is exact: after the last chunk
the directions are those of one fit on all rows. ``fit_blocks`` does the same for files and writes
checkpoints, so that an interrupted fit can resume.
"""

# %%
# Feed the training genes in chunks of 50 and measure the angle to the one-shot answer.
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import subspace_angles

from labelspan import MVMD
from labelspan.datasets import blocks_of, load_yeast

yeast = load_yeast()
X, Y = yeast.X[yeast.train], yeast.Y[yeast.train]
whole = MVMD(1).fit(X, Y)


def angle(model: MVMD) -> float:
    """Largest angle, in degrees, between the direction and that of all rows."""
    return float(np.degrees(subspace_angles(model.components_.T, whole.components_.T)).max())


chunked, seen, angles = MVMD(1), [], []
for start in range(0, len(X), 50):
    chunked.partial_fit(X[start : start + 50], Y[start : start + 50])
    seen.append(start + 50)
    angles.append(angle(chunked))

# %%
# The angle shrinks as rows arrive, and falls to rounding error with the last chunk.
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
axis.semilogy(seen, angles, marker="o", markersize=4)
axis.set(xlabel="rows seen", ylabel="angle to the fit on all rows, degrees")
axis.grid(alpha=0.25)

# %%
# The same from files: ``blocks_of`` reads NumPy, HDF5, Zarr, Parquet and more, block by block.
with tempfile.TemporaryDirectory() as folder:
    for name, array in (("X", X), ("Y", Y)):
        np.save(Path(folder) / f"{name}.npy", array)
    blocks = blocks_of(f"{folder}/X.npy", f"{folder}/Y.npy", rows=200)
    from_files = MVMD(1).fit_blocks(blocks, checkpoint=f"{folder}/state.npz")
    print(f"{len(blocks)} blocks, {angle(from_files):.0e} degrees from the fit on all rows")

plt.show()
