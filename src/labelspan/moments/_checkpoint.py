"""Files that hold pooled statistics, so that an interrupted fit can resume.

A checkpoint is an NPZ file whose member ``header`` is JSON: format, version, owner, a tree of
values that names the arrays, and a SHA-256 of all. Nothing is executed: the tree can only create
data classes of labelspan.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from itertools import islice
from typing import Any, Literal

import joblib
import numpy as np
from scipy import sparse

from labelspan.system import replace_file

FORMAT = "labelspan checkpoint"
EMPTY: Mapping[str, Any] = {}
# Version of the tree and of the statistics in it.
VERSION = 1


def write_checkpoint(path: str | os.PathLike[str], owner: Mapping[str, Any], value: Any) -> None:
    """Write plain data, arrays and data classes, all or nothing; `owner` says whose they are."""
    found: dict[int, tuple[str, np.ndarray]] = {}
    header = {"format": FORMAT, "version": VERSION, "owner": owner, "value": _packed(value, found)}
    arrays = dict(found.values())
    header["sha256"] = _digest(header, arrays)
    with replace_file(path) as file:
        np.savez(file, allow_pickle=False, header=np.array(json.dumps(header)), **arrays)


def read_checkpoint(
    path: str | os.PathLike[str], owner: Mapping[str, Any], defaults: Mapping[str, Any] = EMPTY
) -> Any:
    """Read a value; refuses damage and other owners; `defaults` of parameters added since."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as members:
            arrays = {name: members[name] for name in members.files}
        header = json.loads(str(arrays.pop("header")))
        known, version = header["format"] == FORMAT, header["version"]
    except (ValueError, EOFError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise _refusal(path, "is damaged, or no checkpoint of labelspan") from error
    if not known or version != VERSION:
        raise _refusal(path, f"has version {version!r}; this labelspan reads {VERSION}")
    if header.pop("sha256", None) != _digest(header, arrays):
        raise _refusal(path, "is damaged: its SHA-256 does not match")
    _refuse_other(path, header["owner"], owner, defaults)
    try:
        return _unpacked(header["value"], arrays)
    except (KeyError, TypeError, AttributeError, ImportError) as error:
        raise _refusal(path, "has statistics that this labelspan does not have") from error


def has_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Whether the checkpoint exists; raise before any work if its folder does not."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"The folder {folder!r} of the checkpoint does not exist; make it.")
    return os.path.exists(path)


def not_before(start: int, n_rows: int, blocks: Iterable[Any]) -> Iterable[Any]:
    """The blocks from `start` on; earlier ones must have `n_rows` rows, a sequence skips them."""
    edges = getattr(blocks, "edges", None)
    found: int | None = None
    if isinstance(blocks, Sequence):
        count = min(start, len(blocks))
        found = None if edges is None else edges[count]
        rest: Iterable[Any] = (blocks[i] for i in range(start, len(blocks)))
    else:
        rest = iter(blocks)
        heights = [height_of(X) for X, *_ in islice(rest, start)]
        count, found = len(heights), sum(heights)
    if count < start or found not in (None, n_rows):
        rows = "" if found is None else f" with {found} rows"
        raise ValueError(
            f"The first {count} blocks{rows} are not the {start} blocks with {n_rows} rows that "
            "the checkpoint has. Pass the same blocks again, or delete the checkpoint."
        )
    return rest


def height_of(X: Any) -> int:
    """Number of rows."""
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


def form_of(X: Any, y: Any) -> str:
    """What a block is like: kind and dtype of X, kind and coding of y."""
    values = y.data if sparse.issparse(y) else y
    numbers = isinstance(values, np.ndarray) and np.ndim(y) == 2 and values.dtype.kind in "if"
    signed = numbers and bool((values < 0).any())
    kinds = ["sparse" if sparse.issparse(each) else "dense" for each in (X, y)]
    coding = "-1 and +1" if signed else "0 and 1"
    dtype = getattr(X, "dtype", np.dtype(np.float64))
    return f"{kinds[0]} {dtype} X, {kinds[1]} y of {coding}"


def alike(path: Any, forms: list[str], blocks: Iterable[Any]) -> Iterable[Any]:
    """The blocks, while their forms are added; the first must be like one in the checkpoint."""
    for i, block in enumerate(blocks):
        form = form_of(*block[:2])
        if i == 0 and forms and form not in forms:
            known = " or ".join(forms)
            raise _refusal(path, f"is that of other blocks: they were {known}; the next is {form}")
        if form not in forms:
            forms.append(form)
        yield block


def described(value: Any) -> str:
    """A parameter as a string that differs if the parameter does."""
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    return f"{type(value).__name__} {joblib.hash(value)}"


def _refusal(path: Any, reason: str) -> ValueError:
    return ValueError(
        f"The checkpoint {os.fspath(path)!r} {reason}. Delete the file to start again, or pass "
        "another path."
    )


def _refuse_other(
    path: Any, kept: Mapping[str, Any], owner: Mapping[str, Any], defaults: Mapping[str, Any]
) -> None:
    for name in sorted({*kept, *owner}):
        if kept.get(name, defaults.get(name)) != owner.get(name):
            was, now = kept.get(name, "nothing"), owner.get(name, "nothing")
            raise _refusal(path, f"is that of another fit: {name} was {was}, and is {now} now")


def _digest(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    found = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype.str} {array.shape}".encode())
        # In the order of memory, which the file keeps.
        order: Literal["F", "C"] = "F" if array.flags.f_contiguous else "C"
        found.update(array.ravel(order=order).view(np.uint8).data)
    return found.hexdigest()


def _packed(value: Any, arrays: dict[int, tuple[str, np.ndarray]]) -> Any:
    """The tree of a value; its arrays are put into `arrays`."""

    def deeper(values: Any) -> list[Any]:
        return [_packed(each, arrays) for each in values]

    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return {"scalar": _member(np.asarray(value), arrays)}
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "O":
            return {"array": _member(value, arrays)}
        return {"objects": [value.shape, deeper(value.ravel().tolist())]}
    if sparse.issparse(value):
        parts = deeper([value.data, value.indices, value.indptr])
        return {"csr": [parts, list(value.shape)]}
    if isinstance(value, tuple):
        return {"tuple": deeper(value)}
    if isinstance(value, dict):
        return {"dict": [list(value), deeper(value.values())]}
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        place = [type(value).__module__, type(value).__qualname__]
        return {"class": [place, names, deeper(getattr(value, name) for name in names)]}
    raise TypeError(f"a checkpoint cannot keep a {type(value).__name__}: {value!r:.60}.")


def _member(array: np.ndarray, arrays: dict[int, tuple[str, np.ndarray]]) -> str:
    # By identity, because statistics may share an array.
    return arrays.setdefault(id(array), (f"array{len(arrays)}", array))[0]


def _unpacked(tree: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    if not isinstance(tree, dict):
        return tree

    def deeper(values: list[Any]) -> list[Any]:
        return [_unpacked(each, arrays) for each in values]

    def made(place: list[str], names: list[str], values: list[Any]) -> Any:
        return _statistic(*place)(**dict(zip(names, deeper(values), strict=True)))

    def objects(shape: list[int], values: list[Any]) -> np.ndarray:
        found = np.empty(shape, dtype=object)
        found.ravel()[:] = deeper(values)
        return found

    makers: dict[str, Callable[[Any], Any]] = {
        "array": lambda name: arrays[name],
        "scalar": lambda name: arrays[name][()],
        "objects": lambda parts: objects(*parts),
        "csr": lambda parts: sparse.csr_array(tuple(deeper(parts[0])), shape=tuple(parts[1])),
        "tuple": lambda values: tuple(deeper(values)),
        "dict": lambda parts: dict(zip(parts[0], deeper(parts[1]), strict=True)),
        "class": lambda parts: made(*parts),
    }
    ((kind, content),) = tree.items()
    return makers[kind](content)


def _statistic(module: str, name: str) -> Any:
    """A data class of this package, nothing else; its room first, because modules move."""
    found = None
    if module.startswith("labelspan."):
        room = import_module(".".join(module.split(".")[:2]))
        found = getattr(room, name, None) or getattr(import_module(module), name)
    if not (isinstance(found, type) and is_dataclass(found)):
        raise TypeError(f"{module}.{name} is not a data class of labelspan")
    return found
