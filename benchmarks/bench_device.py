"""Fits on an accelerator against bare torch, scikit-learn and our fits on the host, in one run.

usage: python benchmarks/bench_device.py [SECTION ...] [--profile]

Sections: linear, embeddings, kernels, neighbours, stream.

Without a CUDA device it says so and stops; --small runs anywhere, to try the script. A fit
includes all checks of X and y. Times are medians after one run that is not counted;
docs/device.md has those of one machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from functools import partial

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import sklearn
from sklearn.decomposition import PCA
from sklearn.kernel_ridge import KernelRidge

import labelspan as ls

try:
    import torch
except ImportError:
    torch = None

DEVICE = "cuda" if torch is not None and torch.cuda.is_available() else "cpu"
ROWS = []


def wait():
    """Wait until the device has finished."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def seconds(call, repeats=5):
    """Median time over synchronised runs, without the first."""
    taken = []
    for _ in range(repeats + 1):
        wait()
        start = time.perf_counter()
        call()
        wait()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken[1:] if repeats else taken))


def host_seconds(call, repeats=1):
    """The same, from one run if that is long enough."""
    return seconds(call, repeats if repeats > 1 else 0)


def peak_gigabytes(call):
    """Memory beyond what is held already, while the call runs."""
    if DEVICE == "cpu":
        return float("nan")
    wait()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    call()
    wait()
    return (torch.cuda.max_memory_allocated() - before) / 1e9


def report(name, value, peer="", ratio=None, goal=""):
    row = f"{name:<46} {value:>12} {peer:<44} {'' if ratio is None else f'{ratio:8.2f}'} {goal}"
    ROWS.append(row)
    print(row, flush=True)


def against(name, time_of_ours, peer, time_of_peer, goal):
    report(
        name,
        f"{time_of_ours:.4f} s",
        f"{peer} {time_of_peer:.4f} s",
        time_of_ours / time_of_peer,
        goal,
    )


def rows_on_device(n, D, q, dtype):
    """Features about a mean, and labels that depend on them."""
    torch.manual_seed(0)
    X = torch.randn(n, D, device=DEVICE, dtype=dtype)
    X *= torch.linspace(0.5, 2, D, device=DEVICE, dtype=dtype)
    X += 3
    mixture = torch.randn(D, q, device=DEVICE, dtype=dtype)
    scores = X @ mixture
    scores += 30 * torch.randn(n, q, device=DEVICE, dtype=dtype)
    return X, scores > scores.mean(dim=0) + scores.std(dim=0)


def bare_times(X, Y):
    """Peers on an existing float64 copy: X'X, X'Y, scikit-learn's PCA, eigh."""
    wide, labels = X.double(), Y.double()
    scatter = wide.T @ wide
    report("eigh of X'X", f"{seconds(lambda: torch.linalg.eigh(scatter)):.4f} s")
    pca = PCA(50, svd_solver="covariance_eigh")
    return (
        seconds(lambda: wide.T @ wide),
        seconds(lambda: wide.T @ labels),
        seconds(lambda: pca.fit(wide), 3),
    )


def linear(small, profile):
    X, Y = rows_on_device(*((20_000, 300, 20) if small else (1_000_000, 2000, 100)), torch.float32)
    bare, product, pca = bare_times(X, Y)
    if not small:
        torch.cuda.empty_cache()
    k = 10 if small else 50
    for model in (ls.MVMD(k), ls.LabelCCA(k)):
        name = f"{type(model).__name__}({model.n_components})"
        ours = seconds(partial(model.fit, X, Y))
        against(name, ours, "X'X in float64", bare, "<= 1.2")
        against(name, ours, "PCA(50, covariance_eigh), float64", pca, "<= 1.0")
        report(f"{name}, memory beside X", f"{peak_gigabytes(partial(model.fit, X, Y)):.2f} GB")
    fit = partial(ls.MDDM(k).fit, X, Y)
    against(f"MDDM({k})", seconds(fit), "X'Y in float64", product, "<= 3")
    for model in (ls.CPLST(k), ls.MultiOutputRidge(0.1)):
        ours = seconds(partial(model.fit, X, Y), 3)
        against(type(model).__name__, ours, "X'X in float64", bare, "")
    faster_sums(ls.MVMD(k), X, Y, bare)
    model = ls.MVMD(k).fit(X, Y)
    report(f"MVMD({k}) transform", f"{seconds(partial(model.transform, X)):.4f} s")
    for model in (ls.MVMD(k), ls.MDDM(k), ls.LabelCCA(k)):
        if profile:
            show_kernels(type(model).__name__, partial(model.fit, X, Y))


def bare_product(X):
    """Time of X'X on a float64 copy."""
    wide = X.double()
    return seconds(lambda: wide.T @ wide)


def embeddings(small, profile):
    """A reducer for search: a million vectors of 1024 dimensions."""
    X, Y = rows_on_device(*((20_000, 300, 20) if small else (1_000_000, 1024, 100)), torch.float32)
    bare = bare_product(X)
    for balance, goal in ((0.25, "<= 1.3"), ("auto", "<= 1.6")):
        model = ls.EmbeddingReducer(64, balance=balance)
        ours = seconds(partial(model.fit, X, Y))
        against(f"EmbeddingReducer(64, {balance})", ours, "X'X in float64", bare, goal)


def faster_sums(model, X, Y, bare):
    """The same fit with products in float32 and in TF32, and how far its directions are off."""
    exact = model.fit(X, Y).components_.double()
    before = torch.get_float32_matmul_precision()
    for name, precision in (("float32", "highest"), ("TF32", "high")):
        torch.set_float32_matmul_precision(precision)
        with ls.config_context(sums="float32"):
            ours = seconds(partial(model.fit, X, Y))
        cosines = torch.linalg.svdvals(model.components_.double() @ exact.T)
        against(f"MVMD, sums in {name}", ours, "X'X in float64", bare, f"{1 - cosines.min():.1e}")
    torch.set_float32_matmul_precision(before)


def kernels(small, profile):
    sizes = (800, 1200) if small else (20_000, 50_000)
    models = ls.KernelCPLST(5 if small else 50), ls.KernelLabelCCA(5 if small else 50)
    for n in sizes:
        X, Y = rows_on_device(n, 200, 20 if small else 100, torch.float64)
        if n == sizes[0]:
            rows, targets = X.cpu().numpy(), Y.cpu().numpy().astype(float)
            peer = KernelRidge(kernel="rbf", gamma=1 / X.shape[1])
            theirs = host_seconds(partial(peer.fit, rows, targets))
        for model in models:
            name = f"{type(model).__name__}({model.n_components}), n = {n}"
            ours = seconds(partial(model.fit, X, Y), 3)
            if n == sizes[0]:
                against(name, ours, f"KernelRidge, {os.cpu_count()} cores", theirs, "<= 0.01")
            else:
                report(name, f"{ours:.4f} s", goal="< 5 s")
            gigabytes = peak_gigabytes(partial(model.fit, X, Y))
            report(f"{name}, memory beside X", f"{gigabytes:.2f} GB", goal="< 60 GB")
            if profile:
                show_kernels(name, partial(model.fit, X, Y))


def neighbours(small, profile):
    if os.environ.get("LABELSPAN_DATA"):
        data = ls.datasets.load_dataset("delicious")
        X, Y = data.X, data.Y
        X, Y = (A.toarray() if hasattr(A, "toarray") else A for A in (X, Y))
    else:
        random = np.random.default_rng(0)
        X = (random.random((1000 if small else 16_105, 500)) < 0.04).astype(float)
        Y = (random.random((len(X), 983)) < 0.02).astype(int)
    X, Y = (X[:1000], Y[:1000]) if small else (X, Y)
    rows, labels = torch.asarray(X, device=DEVICE), torch.asarray(Y, device=DEVICE)
    ours = ls.MLkNN(10)
    theirs = ls.MLkNN(10, n_jobs=os.cpu_count())
    name = f"{os.cpu_count()} cores"
    for what, dtype in (("", torch.float64), (", float32", torch.float32)):
        given = rows.to(dtype)
        on_device = seconds(partial(ours.fit, given, labels))
        on_host = host_seconds(partial(theirs.fit, X, Y), 3)
        against(f"MLkNN(10) fit{what}, delicious", on_device, name, on_host, "<= 0.02")
        on_device = seconds(partial(ours.predict_proba, given))
        on_host = host_seconds(partial(theirs.predict_proba, X), 3)
        against(f"MLkNN(10) predict_proba{what}", on_device, name, on_host, "<= 0.02")
    scores = ours.predict_proba(rows)
    host_scores = scores.cpu().numpy()
    for name in ("ranking_loss", "macro_auc", "micro_f1"):
        measure = ls.metrics.MEASURES[name]
        there, here = (
            (scores, host_scores)
            if measure.needs == "scores"
            else ((scores > 0.5).int(), (host_scores > 0.5).astype(int))
        )
        on_device = seconds(partial(measure, labels, there))
        on_host = host_seconds(partial(measure, Y, here), 3)
        against(f"{name} of delicious", on_device, "on the host", on_host, "")
    if profile:
        show_kernels("MLkNN", partial(ours.fit, rows, labels))


def stream(small, profile):
    D = 100 if small else 2000
    n = 10_000 if small else 750_000
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "X.npy")
        X = np.lib.format.open_memmap(path, "w+", np.float32, (n, D))
        for start in range(0, n, 50_000):
            shape = X[start : start + 50_000].shape
            X[start : start + 50_000] = random.standard_normal(shape, dtype=np.float32)
        X.flush()
        Y = (random.random((n, 20)) < 0.1).astype(np.int8)
        X = np.load(path, mmap_mode="r")
        read = host_seconds(partial(read_all, X), 3)
        model = ls.MVMD(10)
        with ls.config_context(device=DEVICE):
            ours = host_seconds(partial(model.fit, X, Y), 3)
        name = f"MVMD(10) of a memmap of {X.nbytes / 1e9:.1f} GB"
        against(name, ours, "reading it", read, "<= 1.67")
        if not small:
            against(name, ours, "on the host", host_seconds(partial(model.fit, X, Y), 1), "")


def read_all(X):
    """Copy a memory map into one block of memory, part by part."""
    height = max(2**27 // X[:1].nbytes, 1)
    block = np.empty((height, X.shape[1]), X.dtype)
    for start in range(0, len(X), height):
        part = X[start : start + height]
        np.copyto(block[: len(part)], part)


def show_kernels(name, call):
    """Where the time of a fit goes."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as record

    with record(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        call()
        wait()
    print(name)
    print(
        found.key_averages().table(
            sort_by="self_cuda_time_total", row_limit=14, max_name_column_width=60
        )
    )


SECTIONS = {
    "linear": linear,
    "embeddings": embeddings,
    "kernels": kernels,
    "neighbours": neighbours,
    "stream": stream,
}


def main(arguments):
    small = "--small" in arguments
    if torch is None or not (small or DEVICE == "cuda"):
        print("bench_device needs torch and a CUDA device; there is none here.")
        return
    versions = f"torch {torch.__version__}, scikit-learn {sklearn.__version__}"
    print(torch.cuda.get_device_name() if DEVICE == "cuda" else "no accelerator", versions)
    with sklearn.config_context(array_api_dispatch=True):
        for name in [name for name in arguments if name in SECTIONS] or list(SECTIONS):
            SECTIONS[name](small, "--profile" in arguments)
    print("\n".join(["", *ROWS]))


if __name__ == "__main__":
    main(sys.argv[1:])
