"""Pack the results of `labelspan reproduce` for a release: one file, without free pages.

Usage: python tools/pack_results.py results/reproduce results/reproduction.sqlite.xz
"""

import lzma
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path


def pack(folder: Path, target: Path) -> None:
    """Write a compressed copy of the store; a run that still writes to it is not disturbed."""
    source = f"file:{folder / 'results.sqlite'}?mode=ro"
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "results.sqlite"
        with closing(sqlite3.connect(source, uri=True)) as store:
            store.execute("VACUUM INTO ?", (str(copy),))
        target.write_bytes(lzma.compress(copy.read_bytes(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
