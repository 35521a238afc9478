"""User-defined metrics without a package: a `MetricInfo`, a class, or the name of either in a Python file."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from kgscore.errors import ProfileError
from kgscore.metrics.base import Matched, MetricInfo
from kgscore.model import Contribution, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile

_IN_A_FILE = re.compile(r"(.+\.py):(\w+)\Z")


def own_metric(given: object) -> MetricInfo | None:
    """Return a user-defined metric: from a `MetricInfo`; from a class with `name` and `score(pair)` and, to override the
    defaults, `low` (0), `high` (1), `higher_is_better` (True), `summary` and `explain(pair, score)`; or from the text
    `FILE.py:NAME` of one of these. None for anything else.

    Raises:
        ProfileError: the file cannot be loaded, or does not define the name.
    """
    if isinstance(given, MetricInfo):
        return given
    if isinstance(given, type) and hasattr(given, "score"):
        return _metric_of_class(given)
    named = _IN_A_FILE.match(given) if isinstance(given, str) else None
    if named is None:
        return None
    return _metric_in_file(str(Path(named[1]).absolute()), named[2])


def is_file(given: object) -> bool:
    """Return whether a value is the text `FILE.py:NAME`. Only a person may give one, since it executes the file."""
    return isinstance(given, str) and _IN_A_FILE.match(given) is not None


def load_metric_files(wanted: Iterable[Any]) -> tuple[Any, ...]:
    """Return metrics with those in files loaded; only for metrics named by a person, not by data.

    Raises:
        ProfileError: a file cannot be loaded, or does not define the name.
    """
    return tuple(own_metric(one) if is_file(one) else one for one in wanted)


@lru_cache(maxsize=32)
def _metric_in_file(file: str, name: str) -> MetricInfo:
    """Return the metric in a file, loaded once, so that a scorer made with it is the same too."""
    path = Path(file)
    found = own_metric(_load_name(path, name))
    if found is None:
        raise ProfileError(f"metric '{path.name}:{name}': is no MetricInfo, and no class with name and score(pair)")
    identity = f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    return replace(found, build=partial(_build_from_file, file, name), identity=identity)


def _metric_of_class(given: type[Any]) -> MetricInfo:
    name = getattr(given, "name", None)
    if not isinstance(name, str) or not name:
        raise ProfileError(f"metric {given.__name__}: has no name; write name = '…' in the class")
    high, higher = getattr(given, "high", 1.0), getattr(given, "higher_is_better", True)
    told = (getattr(given, "source", "your own"), getattr(given, "summary", " ".join((given.__doc__ or "").split())))
    return MetricInfo(name, partial(_Own, given), getattr(given, "low", 0.0), high, higher, *told)


class _Own:
    """Adapter of a user's class: a number is a score, None means that there is none."""

    def __init__(self, given: type[Any], profile: Profile, index: Index) -> None:
        self._name: str = given.name
        self._own = given()

    def score(self, pair: Matched) -> Score:
        found = self._own.score(pair)
        if isinstance(found, Score):
            return found
        if found is None:
            return Score(self._name, "empty", None, "the metric gives no score")
        return Score(self._name, "scored", float(found))

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        told = getattr(self._own, "explain", None)
        return told(pair, score) if told else ()


def _build_from_file(path: str, name: str, profile: Profile, index: Index) -> Any:
    """Build a metric of a file: workers load the file themselves."""
    found = own_metric(_load_name(Path(path), name))
    assert found is not None
    return found.build(profile, index)


def _load_name(path: Path, name: str) -> object:
    module_name = f"kgscore_own_{path.stem}_{hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:8]}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module  # dataclasses look it up there
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # any exception of a user's file is reported in one line
            del sys.modules[module_name]
            said = " ".join(str(error).split())
            raise ProfileError(f"metric '{path}:{name}': cannot be loaded ({type(error).__name__}: {said})") from error
    if not hasattr(module, name):
        raise ProfileError(f"metric '{path}:{name}': the file has no {name}")
    found: object = getattr(module, name)
    return found
