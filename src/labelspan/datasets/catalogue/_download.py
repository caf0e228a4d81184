"""Download of pinned files, checked by their SHA-256."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from labelspan.datasets.catalogue._catalogue import Entry
from labelspan.datasets.catalogue._locate import DATA_VARIABLE
from labelspan.datasets.catalogue._transfer import TooSlowError, pieces
from labelspan.datasets.io import DataFileError
from labelspan.system import require

# The largest file of the catalogue has 10 MB.
MAX_DOWNLOAD_BYTES = 2**28
BAR_WIDTH = 30


def fetch(
    entry: Entry, cache: Path, *, base_url: str, progress: bool | None, download: bool
) -> list[Path]:
    """Download the files of a set that the cache does not hold; returns all its files."""
    if not download:
        raise _missing(entry, cache, base_url, "download=False")
    if not all(file.address for file in entry.files):
        raise _missing(entry, cache, base_url, "it has no public pinned address")
    pooch = require("pooch", "data", f"downloading {entry.name}")
    requests = require("requests", "data", f"downloading {entry.name}")
    store = pooch.create(
        path=cache / entry.name,
        base_url="",
        registry={file.name: f"sha256:{file.sha256}" for file in entry.files},
        urls={file.name: _url(base_url, file.address) for file in entry.files},
    )
    paths = []
    for file in entry.files:
        bar = ProgressBar(file.name, sys.stderr) if _shown(progress) else None
        try:
            paths.append(Path(store.fetch(file.name, downloader=_downloader(requests, bar))))
        except (requests.RequestException, TooSlowError) as error:
            raise _missing(entry, cache, base_url, f"the download failed: {error}") from error
        except ValueError as error:
            message = f"downloaded file refused, its content is not the pinned one ({error})"
            raise DataFileError(message, file=_url(base_url, file.address)) from error
    return paths


def _downloader(requests: Any, bar: ProgressBar | None) -> Callable[[str, str, Any], None]:
    """Make a downloader with a size limit; that of pooch leaves sockets open after an error."""

    def download(url: str, output_file: str, _store: Any) -> None:
        done = 0
        with open(output_file, "wb") as file, closing(pieces(requests, url)) as received:
            for piece, total in received:
                done += len(piece)
                if done > MAX_DOWNLOAD_BYTES:
                    raise ValueError(f"more than {MAX_DOWNLOAD_BYTES} bytes")
                file.write(piece)
                if bar is not None:
                    bar.show(done, total)
        if bar is not None:
            bar.close()

    return download


class ProgressBar:
    def __init__(self, label: str, stream: TextIO) -> None:
        self.label = label
        self.stream = stream

    def show(self, done: int, total: int) -> None:
        """Draw the share done, of a total that is zero if the server does not state it."""
        share = min(done / total, 1.0) if total else 0.0
        bar = "#" * round(share * BAR_WIDTH)
        self.stream.write(f"\r{self.label} [{bar:<{BAR_WIDTH}}] {done / 1e6:.1f} MB")
        self.stream.flush()

    def close(self) -> None:
        self.stream.write("\n")


def _shown(progress: bool | None) -> bool:
    return sys.stderr.isatty() if progress is None else progress


def _url(base_url: str, address: str) -> str:
    return f"{base_url.rstrip('/')}/{address}"


def _missing(entry: Entry, cache: Path, base_url: str, reason: Any) -> FileNotFoundError:
    lines = [
        f"data set {entry.name!r} is not on this machine and {reason}.",
        f"Put these files into {cache / entry.name} (plain), or into the folder {entry.name} of "
        f"${DATA_VARIABLE} (plain or .gz):",
    ]
    for file in entry.files:
        origin = f" from {_url(base_url, file.address)}" if file.address else ""
        check = f" (SHA-256 {file.sha256})" if file.sha256 else ""
        lines.append(f"  {file.name}{origin}{check}")
    return FileNotFoundError("\n".join(lines))
