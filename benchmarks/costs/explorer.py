"""How fast the explorer answers eight readers at once, endpoint by endpoint, and a hundred over run, list and cases. FILE: a run
folder."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

READERS, CROWD = 8, 100
_ASKED = 160
_ASKED_BY_CROWD = 600
_HEAVY = 32
_QUERY = "SELECT ?case ?text { ?a kgr:contradicts ?b ; kgr:text ?text ; kgr:inReport/kgr:case ?case } LIMIT 100"
_CONCEPTS = ("pneumothorax", "pleural_effusion", "consolidation", "cardiomegaly", "lung", "heart", "gas", "opacity")
_PAIR = {
    "reference": "The heart is enlarged. Small left apical pneumothorax. Moderate right pleural effusion.",
    "candidate": "Cardiomegaly. No pneumothorax. Small right pleural effusion. Left lower lobe consolidation.",
}
_CANDIDATES = (
    _PAIR["candidate"], "Normal chest.", "Right pneumothorax. No effusion.", "The heart is enlarged. Bilateral effusions."
)
_Ask = Callable[[random.Random], tuple[str, Any]]


def run(path: str | Path, *, profile: str = "default") -> dict[str, Any]:
    """Return by endpoint: requests, how many were refused (too many at a time), and the median, 95th percentile and longest
    time in milliseconds, with eight readers (for `a crowd`: a hundred) that each ask again as soon as they are answered; cases,
    pages and concepts are drawn by a seed."""
    command = [sys.executable, "-m", "kgscore", "serve", str(path), "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        address = server.stderr.readline().split()[2].rstrip("/")
        key, cases = _ready(address)
        found = {"a crowd: run, list, cases": _measured(address, _any_page(key, cases), _ASKED_BY_CROWD, CROWD)}
        return found | {name: _measured(address, ask, asked, READERS) for name, ask, asked in _endpoints(key, cases)}
    finally:
        server.terminate()
        server.wait()


def _ready(address: str) -> tuple[str, int]:
    """Wait until the run is open and the terms are loaded, which a server does once."""
    runs = json.loads(_get(address, "/api/runs"))
    _get(address, f"/runs/{runs[-1]['key']}")
    _get(address, "/api/concepts?q=lung")
    _get(address, "/api/score", _PAIR)
    return runs[-1]["key"], sum(runs[-1]["counts"].values())


def _any_page(key: str, cases: int) -> _Ask:
    def ask(draw: random.Random) -> tuple[str, Any]:
        case = f"/api/runs/{key}/cases/{draw.randrange(cases)}"
        return draw.choice((f"/runs/{key}", f"/api/runs/{key}/columns", case)), None

    return ask


def _endpoints(key: str, cases: int) -> list[tuple[str, _Ask, int]]:
    run = f"/api/runs/{key}"
    two = _CONCEPTS[:4]
    return [
        ("page of a run", lambda draw: (f"/runs/{key}", None), _ASKED),
        ("GET /api/runs", lambda draw: ("/api/runs", None), _ASKED),
        ("GET /api/runs/{run}/columns", lambda draw: (f"{run}/columns", None), _ASKED),
        ("GET /api/runs/{run}/cases", lambda draw: (f"{run}/cases?offset={draw.randrange(cases)}", None), _ASKED),
        ("GET /api/runs/{run}/search?q=", lambda draw: (f"{run}/search?q={draw.choice(_CONCEPTS)[:7]}", None), _ASKED),
        ("GET /api/runs/{run}/cases/{position}", lambda draw: (f"{run}/cases/{draw.randrange(cases)}", None), _ASKED),
        ("GET /api/compare", lambda draw: (f"/api/compare?a={key}&b={key}", None), _ASKED),
        ("GET /api/concepts?q=", lambda draw: (f"/api/concepts?q={draw.choice(_CONCEPTS)[:5]}", None), _ASKED),
        ("GET /api/concepts/{concept}", lambda draw: (f"/api/concepts/{draw.choice(_CONCEPTS)}", None), _ASKED),
        ("GET …/occurrences", lambda draw: (f"/api/concepts/{draw.choice(_CONCEPTS)}/occurrences", None), _ASKED),
        ("GET /api/relation", lambda draw: (f"/api/relation?a={draw.choice(two)}&b={draw.choice(two)}", None), _ASKED),
        ("POST /api/score", lambda draw: ("/api/score", _PAIR | {"candidate": draw.choice(_CANDIDATES)}), _ASKED),
        ("POST /api/runs/{run}/query", lambda draw: (f"{run}/query", {"query": _QUERY}), _HEAVY),
    ]


def _measured(address: str, ask: _Ask, asked: int, at_once: int) -> dict[str, float]:
    def one(number: int) -> float | None:
        path, body = ask(random.Random(number))
        start = time.perf_counter()
        try:
            _get(address, path, body)
        except HTTPError:
            return None
        return (time.perf_counter() - start) * 1000

    with ThreadPoolExecutor(at_once) as readers:
        answers = list(readers.map(one, range(asked)))
    times = sorted(answer for answer in answers if answer is not None)
    ends = quantiles(times, n=20)
    return {
        "requests": asked, "refused": answers.count(None), "median (ms)": round(ends[9]), "p95 (ms)": round(ends[18]),
        "longest (ms)": round(times[-1]),
    }  # fmt: skip


def _get(address: str, path: str, body: Any = None) -> bytes:
    data = None if body is None else json.dumps(body).encode()
    request = Request(address + path, data, {"content-type": "application/json", "accept-encoding": "gzip"})
    with urlopen(request, timeout=120) as answer:
        found = bytes(answer.read())
        return gzip.decompress(found) if answer.headers.get("content-encoding") == "gzip" else found
