"""What a result depends on besides the plan: versions, machine, memory."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

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
    found["code"] = code()
    blas = [item for item in threadpool_info() if item["user_api"] == "blas"]
    for item in blas[:1]:
        found["blas"] = f"{item['internal_api']} {item['version']}"
        found["blas threads"] = str(item["num_threads"])
    return found


@lru_cache(maxsize=1)
def code() -> str:
    """Short digest of the source of labelspan: a version number stays while methods change."""
    root = Path(__file__).parents[2]
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        found.update(path.relative_to(root).as_posix().encode() + b"\0")
        # Git may have changed the ends of the lines.
        found.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return found.hexdigest()[:12]


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
