"""
Dask arrays: the rows stay where they are
=========================================

Give a reducer Dask arrays instead of NumPy arrays. Each worker adds up its own blocks, and only
small matrices travel. This needs the extra ``dask``.
"""

# %%
# Here the rows are random blocks that are made when they are read: 200,000 rows never exist at
# once. On a cluster, connect a ``dask.distributed.Client`` first; the code below stays the same.
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from labelspan import MDDM

state = da.random.default_rng(0)
hidden = state.standard_normal((200_000, 3), chunks=(20_000, 3))
mixing = np.random.default_rng(0).standard_normal((3, 30))
X = hidden @ mixing + state.standard_normal((200_000, 30), chunks=(20_000, 30))
Y = (hidden @ np.array([[1.0, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.5]]) > 1) * 1
print(f"{X.numblocks[0]} blocks, {X.nbytes / 1e6:.0f} MB if they were in memory")

# %%
# Fit, then transform: the result is a Dask array again, and nothing is computed before it is
# needed. The labels are made of three hidden variables, and so there are three directions.
reducer = MDDM(None).fit(X, Y)
reduced = reducer.transform(X)
print(type(reduced).__name__, reduced.shape)

# %%
# The spectrum shows how many directions the four labels share.
figure, axis = plt.subplots(figsize=(6, 3.5), layout="constrained")
axis.bar(range(1, len(reducer.eigenvalues_) + 1), reducer.explained_dependence_ratio_)
axis.set(xlabel="direction", ylabel="share of the dependence", xticks=range(1, 5))

plt.show()
