"""What a result depends on besides the plan: versions, computer, memory."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import threading
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from threadpoolctl import threadpool_info

from labelspan import __version__

#: Packages that show or judge results, but do not compute them.
SHOWING = (
    "lab/cli/", "plotting/", "stats/", "datasets/description/", "lab/analysis/",
    "lab/report/", "lab/store/",
)  # fmt: skip
#: Experiments of the papers: their plans are in the key of a cell, and they are judged later.
PLANNING = "papers/"
#: Environment variable that passes the parent's digest to the process of a cell.
CODE_VARIABLE = "LABELSPAN_CODE"
PARSING = threading.Lock()
PACKAGES = ("labelspan", "numpy", "scipy", "scikit-learn", "numba")


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    found["system"] = platform.system()
    found["processors"] = str(os.cpu_count())
    found |= {package: version_of(package) for package in PACKAGES}
    found["code"] = code()
    blas = [item for item in threadpool_info() if item["user_api"] == "blas"]
    for item in blas[:1]:
        found["blas"] = f"{item['internal_api']} {item['version']}"
        found["blas threads"] = str(item["num_threads"])
    return found


def version_of(package: str) -> str:
    """Version of a package; for labelspan that of the code, because metadata may be older."""
    if package == "labelspan":
        return __version__
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def code() -> str:
    """Digest of the code that results depend on; in half a second, so the parent tells workers."""
    if CODE_VARIABLE in os.environ:
        return os.environ[CODE_VARIABLE]
    # Python 3.11 counts the depth of all parsers together, so two at a time fail.
    with PARSING:
        return _digest()


@lru_cache(maxsize=1)
def _digest() -> str:
    root = Path(__file__).parents[2]
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if computes(name):
            found.update(f"{name}\0{statements(path.read_bytes())}\0".encode())
    return found.hexdigest()[:12]


def computes(name: str) -> bool:
    """Whether results depend on a file of the package beyond the keys of their cells."""
    if name.startswith(PLANNING):
        return name.endswith(("/_methods.py", "/_printed.py"))
    return not name.startswith(SHOWING)


def statements(source: bytes) -> str:
    """Return the code of a file as a text that comments, docstrings and layout do not change."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            # Replaced, because a function with only a docstring still needs a body.
            body[0] = ast.Pass()
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    value = getattr(node, "value", None)
    return (
        isinstance(node, ast.Expr) and isinstance(value, ast.Constant) and type(value.value) is str
    )


def reset_peak_memory() -> None:
    try:
        with open("/proc/self/clear_refs", "w") as stream:
            stream.write("5")
    except OSError:
        return


def peak_memory() -> int | None:
    try:
        with open("/proc/self/status") as stream:
            line = next(line for line in stream if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration):
        return None
