"""The words and lists of `mappings/perturb.yaml`: what may stand for what when a report is changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from kgscore.errors import KgscoreError
from kgscore.resources import resource


@dataclass(frozen=True, slots=True)
class Normal:
    """A normal predicate with its opposites; `of` are the structures that it is said of (none: any)."""

    say: str
    opposites: tuple[str, ...]
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """The lists of the file; its comments say what each is for."""

    plurals: frozenset[str]
    singulars: frozenset[str]
    irregular: Mapping[str, str]
    mass: frozenset[str]
    countable: frozenset[str]
    mass_endings: tuple[str, ...]
    spoken_as_words: frozenset[str]
    names: frozenset[str]
    wordings: tuple[tuple[str, ...], ...]
    described: tuple[tuple[str, ...], ...]
    frames: Mapping[str, tuple[str, ...]]
    normals: tuple[Normal, ...]
    sides: Mapping[str, str]
    scales: tuple[tuple[str, ...], ...]
    kinds: tuple[tuple[str, ...], ...]
    never_put: frozenset[str]
    general: frozenset[str]
    trends: Mapping[str, tuple[str, ...]]
    certainties: tuple[tuple[str, ...], ...]
    degrees: tuple[float, ...]
    degrees_large: tuple[float, ...]
    large_from: float
    confused: tuple[tuple[str, ...], ...]
    places: Mapping[str, tuple[str, ...]]
    prefixes: tuple[str, ...]
    false_findings: Mapping[str, tuple[str, ...]]
    false_devices: Mapping[str, tuple[str, ...]]
    homophones: Mapping[str, str]


@cache
def settings() -> Settings:
    """Return the lists, read once.

    Raises:
        KgscoreError: the file is missing, or has a key that nobody knows or lacks one.
    """
    import yaml

    data: dict[str, Any] = yaml.safe_load(resource("mappings", "perturb.yaml").read_text(encoding="utf-8"))
    known = {f.name: str(f.type) for f in fields(Settings)}
    wrong = sorted(set(data) ^ set(known))
    if wrong:
        raise KgscoreError(f"perturb.yaml: '{wrong[0]}' is {'unknown' if wrong[0] in data else 'missing'}")
    return Settings(**{name: _typed(data[name], kind) for name, kind in known.items()})


def _typed(value: Any, kind: str) -> Any:
    """Return a list or mapping of the file as the immutable value that its field holds."""
    if "Normal" in kind:
        return tuple(Normal(row["say"], _tuple(row["opposites"]), _tuple(row.get("of", ()))) for row in value)
    if kind.startswith("frozenset"):
        return frozenset(value)
    if kind.startswith("Mapping"):
        return {key: _tuple(item) if isinstance(item, list) else item for key, item in value.items()}
    return _tuple(value) if isinstance(value, list) else value


def _tuple(value: Any) -> Any:
    return tuple(_tuple(item) if isinstance(item, list) else item for item in value)
