"""Full-size checks of the landmarks: the dependence they keep, and their memory."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from labelspan.kernels import KernelMDDM

MEMORY = """
import re, resource, sys
import numpy as np
from labelspan import kernels

rng = np.random.default_rng(0)
X = rng.standard_normal(({n}, 50))
Y = (X[:, :20] + rng.standard_normal(({n}, 20)) > 1).astype(int)
model = kernels.{model}.fit(X, Y)
model.{method}(X)
if sys.platform == "linux":
    # ru_maxrss begins with that of the parent process.
    peak = int(re.search("VmHWM: *(.*) kB", open("/proc/self/status").read())[1])
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
print(peak / 2**20)
"""


@pytest.mark.reproduce
@pytest.mark.parametrize("landmarks", ["uniform", "kmeans", "leverage"])
def test_landmarks_keep_the_dependence_of_delicious(landmarks, dataset):
    data = dataset("delicious")
    rows = np.random.default_rng(0).choice(data.X.shape[0], 3000, replace=False)
    X, Y = data.X[rows], data.Y[rows].toarray()
    exact = KernelMDDM(None).fit(X, Y)
    model = KernelMDDM(n_landmarks=500, landmarks=landmarks, random_state=0)
    model.fit(data.X, data.Y)
    # The directions are orthonormal in the space of the exact kernel too, so this is its HSIC.
    G = rbf_kernel(data.X[model.landmark_indices_])
    inner = model.dual_components_ @ G @ model.dual_components_.T
    np.testing.assert_allclose(inner, np.eye(len(inner)), atol=1e-6)
    captured = np.sum((model.transform(X).T @ (Y - Y.mean(axis=0))) ** 2)
    share = captured / exact.hsic_
    print(f"\n500 {landmarks} landmarks of 16,105 rows: {share:.3f} of the exact HSIC", end="")
    print(f" on 3,000 rows, kernel error {model.nystroem_error_:.3f}")
    assert 0.95 <= share <= 1 + 1e-9


@pytest.mark.reproduce
@pytest.mark.parametrize(
    ("model", "method"),
    [
        ("KernelMDDM(n_landmarks=1000, random_state=0)", "transform"),
        (
            "KernelMDDM(constraint='feature', n_landmarks=1000, landmarks='leverage', "
            "random_state=0)",
            "transform",
        ),
        ("KernelLabelCCA(n_landmarks=1000, random_state=0)", "transform"),
        ("KernelCPLST(n_landmarks=1000, random_state=0)", "predict"),
        ("KernelSharedSubspaceClassifier(n_landmarks=1000, random_state=0)", "predict"),
        # Exact: the kernel matrix would be 18.6 GiB.
        ("KernelMDDM()", "transform"),
    ],
)
def test_memory_of_50_000_rows(model, method):
    """A quarter of the limit; the page on kernels states about 0.5 GiB."""
    script = MEMORY.format(n=50_000, model=model, method=method)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    peak = float(done.stdout)
    print(f"\n{model} on 50,000 rows: {peak:.2f} GiB")
    assert peak < 1.0


def test_the_kernel_matrix_of_the_projection_constraint_is_never_stored():
    script = MEMORY.format(n=10_000, model="KernelMDDM(3)", method="transform")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # The matrix alone would be 0.75 GiB.
    assert float(done.stdout) < 0.6
