"""What a result depends on besides the plan: versions, machine, memory."""

from __future__ import annotations

import os
import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from threadpoolctl import threadpool_info

PACKAGES = ("labelspan", "numpy", "scipy", "scikit-learn", "numba")


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    """Versions and machine, as plain text."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    found["system"] = platform.system()
    found["processors"] = str(os.cpu_count())
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            # A source tree on the path, not installed.
            found[package] = "source tree"
    blas = [item for item in threadpool_info() if item["user_api"] == "blas"]
    for item in blas[:1]:
        found["blas"] = f"{item['internal_api']} {item['version']}"
        found["blas threads"] = str(item["num_threads"])
    return found


def reset_peak_memory() -> None:
    """Start a new high-water mark of the memory of this process, where the system can."""
    try:
        with open("/proc/self/clear_refs", "w") as stream:
            stream.write("5")
    except OSError:
        return


def peak_memory() -> int | None:
    """High-water mark of the memory of this process in bytes; None where it is not known."""
    try:
        with open("/proc/self/status") as stream:
            line = next(line for line in stream if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration):
        return None
