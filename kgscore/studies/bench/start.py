"""Seconds to the first score of a fresh process. FILE: any set with `reference`, and `candidate` or `L1` (its first record)."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from statistics import median
from typing import Any

from kgscore.errors import InputError, RunError
from kgscore.studies.bench._ask import Ask, benchmark

_TIMES = 5
_SCORE = "import json, sys, kgscore; kgscore.score(**json.load(sys.stdin))"
_TELL = "import kgscore.cli, sys; sys.exit(kgscore.cli.main(['--version']))"


@benchmark()
def run(ask: Ask) -> dict[str, Any]:
    """Return the median seconds of five fresh processes, with what starting the interpreter takes: until one pair is scored, with
    the index in the cache, and until `kgscore --version` has answered.

    Raises:
        RunError: a process ended with an error.
    """
    row = ask.records("reference")[0]
    candidate = row.get("candidate") or row.get("L1")
    if not isinstance(candidate, str):
        raise InputError(f"{ask.path}: no text in 'candidate' or 'L1'; the benchmark needs one of them")
    pair = {"reference": row["reference"], "candidate": candidate, "profile": ask.profile}
    _seconds(_SCORE, pair)  # fills the cache
    return {
        "first score (s)": round(median(_seconds(_SCORE, pair) for _ in range(_TIMES)), 2),
        "kgscore --version (s)": round(median(_seconds(_TELL, {}) for _ in range(_TIMES)), 2),
    }


def _seconds(program: str, given: dict[str, str]) -> float:
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program], input=json.dumps(given), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"a fresh process ended with exit code {done.returncode}; run `kgscore --version` to see why")
    return time.perf_counter() - begin
