"""Fuzz every reader with atheris; coverage of the Python code guides it.

usage: python -m tests.fuzz.fuzz_atheris CORPUS_FOLDER -max_total_time=300 -max_len=4096

The first byte of an input chooses the reader. The folder is filled with the seeds first.
The kernels run as plain Python, so that coverage guides the fuzzer inside them too and an
index out of bounds is an error.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import atheris

os.environ["NUMBA_DISABLE_JIT"] = "1"
with atheris.instrument_imports(include=["labelspan.datasets"]):
    from tests.fuzz.cases import READERS, run
from tests.fuzz.seeds import SEEDS

KINDS = list(READERS)


def test_one_input(content: bytes) -> None:
    if content:
        run(KINDS[content[0] % len(KINDS)], content[1:])


test_one_input.__test__ = False  # type: ignore[attr-defined]


def main() -> None:
    folders = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("-")]
    for folder in folders[:1]:
        folder.mkdir(parents=True, exist_ok=True)
        for number, kind in enumerate(KINDS):
            for seed in SEEDS[kind]:
                content = bytes([number]) + seed
                (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
