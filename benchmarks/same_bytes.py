"""Scores one file of pairs under every Python, hash seed, locale and number of processes, and compares what is printed byte for
byte: the lines of `score --metrics all`, and the errors that `correct` lists.

    make wheels && python benchmarks/same_bytes.py PAIRS build/wheels/3.1*/bin/kgscore
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

SEEDS = ("0", "1", "12345")
LOCALES = ("C", "C.UTF-8")
JOBS = ("1", "2")


def printed(command: Path, pairs: Path, seed: str, locale: str, jobs: str) -> str:
    """Return the digest of what a program prints for the pairs, started in a certain way."""
    surroundings = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": "Asia/Tokyo" if seed == "1" else "UTC"}
    surroundings.pop("PYTHONPATH", None)
    digest = hashlib.sha256()
    for name, options in (("score", ("--metrics", "all", "--jobs", jobs)), ("correct", ())):
        done = subprocess.run([command, name, pairs, "-q", *options], env=surroundings, capture_output=True, check=True)
        digest.update(done.stdout)
    return digest.hexdigest()[:16]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("commands", type=Path, nargs="+", help="kgscore as installed for each Python")
    chosen = parser.parse_args()
    found: set[str] = set()
    for command, seed, locale, jobs in product(chosen.commands, SEEDS, LOCALES, JOBS):
        digest = printed(command, chosen.pairs, seed, locale, jobs)
        found.add(digest)
        print(digest, command, f"seed {seed}", locale, f"--jobs {jobs}", flush=True)
    sys.exit(len(found) > 1)


if __name__ == "__main__":
    main()
