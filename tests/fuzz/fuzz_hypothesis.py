"""Fuzz every reader with hypothesis for a number of seconds.

usage: python -m tests.fuzz.fuzz_hypothesis [--seconds 300]
"""

from __future__ import annotations

import argparse
import time

from tests.fuzz.cases import READERS
from tests.fuzz.test_fuzz_readers import fuzz

EXAMPLES = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=300.0)
    end = time.monotonic() + parser.parse_args().seconds
    n_files = 0
    while time.monotonic() < end:
        for kind in READERS:
            fuzz(kind, EXAMPLES)
            n_files += EXAMPLES
    print(f"hypothesis: about {n_files} files read, nothing found")


if __name__ == "__main__":
    main()
