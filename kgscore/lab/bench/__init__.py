"""The benchmark programs of `kgscore bench`, by name."""

from __future__ import annotations

from importlib import import_module

from kgscore.lab.bench._ask import Benchmark

__all__ = ["PROGRAMS", "Benchmark", "program"]

# The module of each, imported on use, and the name in it if different.
_PLACES = {
    "all": "bench.standing:everything", "bioscope": "published.bioscope", "consistency": "bench.statements",
    "corrections": "bench.corrections", "correlation": "bench.correlation", "feedback": "bench.correlation",
    "floors": "bench.standing", "gaming": "bench.judge",
    "headct_one": "bench.headct_one", "invariance": "bench.invariance", "iu": "bench.iu", "judge": "bench.judge",
    "labels": "bench.statements", "nli": "bench.statements", "pairs": "bench.pairs", "planted": "bench.verdicts",
    "polarity": "bench.pairs", "probes": "bench.statements:nli", "readings": "bench.readings", "rewrites": "bench.verdicts",
    "rules": "bench.readings",
    "speed": "bench.speed", "ssree": "bench.texts", "ssree_translated": "bench.texts:ssree", "start": "bench.speed",
    "synthetic": "bench.speed", "triplets": "bench.texts", "variants": "bench.texts",
}  # fmt: skip
PROGRAMS = tuple(_PLACES)


def program(name: str) -> Benchmark:
    """Return the program with a name from `PROGRAMS`."""
    module, _, called = _PLACES[name].partition(":")
    found: Benchmark = getattr(import_module(f"kgscore.lab.{module}"), called or name)
    return found
