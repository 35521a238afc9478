"""Profiles: the weights and options of scoring, in validated YAML files that can inherit from one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from kgscore.errors import KgscoreError, ProfileError, check_keys, did_you_mean
from kgscore.model import TIERS, EntityType, RelationType
from kgscore.resources import resource

_Options = TypeVar("_Options")
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
# The weights whose keys are known, and these keys.
_CLOSED: Mapping[str, tuple[str, ...]] = {
    "entity": ENTITY_TYPES, "relation": get_args(RelationType), "severity": tuple(map(str, sorted(TIERS)))
}


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights for every metric that uses them. Everything not named weighs 1; 0 excludes it.

    A finding or entity has the weight of its own concept, else of the nearest class above it in `subtree`, else of its
    entity type; times the weight of its region (the nearest named structure that contains its site; `other`: all other
    sites) and of its clinical severity (1 routine, 2 notable, 3 urgent, 4 critical). A key `TYPE/ID` of `concept` or
    `subtree` applies to one entity type only (`observation_present/hemorrhage`). `descriptor` weighs details by category or
    class; `relation` the relations between entities."""

    entity: Mapping[str, float] = field(default_factory=dict)
    relation: Mapping[str, float] = field(default_factory=dict)
    concept: Mapping[str, float] = field(default_factory=dict)
    subtree: Mapping[str, float] = field(default_factory=dict)
    region: Mapping[str, float] = field(default_factory=dict)
    descriptor: Mapping[str, float] = field(default_factory=dict)
    severity: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Profile:
    """The settings of scoring.

    `part_whole`: "fixed" (one coefficient an axis, RadSEM as published) or "depth" (falls with distance, base `depth_decay`).
    `anatomy_coefficient`, `finding_coefficient`: factor of a weight for an axis that is part–whole, "fixed" or far apart.
    `link_share`: a link is kept only if its weight is at least this share of the best at one of its ends (0 keeps all).
    `conflict_factor`: factor of a weight for each pair of conflicting details (1: no reduction, as published).
    `unlinked_weight`: weight of a finding that no concept covers, relative to 1 for any other (0 excludes it).
    `contradiction_first`: a finding that the other report contradicts keeps only links to equivalent findings.
    `weights`: see `Weights`. `metrics`: options of single metrics, by name (`kgscore metrics` lists them).
    `modules`: the user's ontology modules, by path; in a file, relative to that file, and after those inherited."""

    name: str = "default"
    description: str = ""
    part_whole: str = "depth"
    depth_decay: float = 0.5
    anatomy_coefficient: float = 1.0 / 3.0
    finding_coefficient: float = 1.0 / 3.0
    link_share: float = 0.8
    conflict_factor: float = 0.6
    unlinked_weight: float = 0.1
    contradiction_first: bool = True
    weights: Weights = field(default_factory=Weights, hash=False)
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    modules: tuple[str, ...] = ()


def profile_names() -> list[str]:
    """Return the names of the shipped profiles."""
    return sorted(path.stem for path in resource("mappings", "profiles").glob("*.yaml"))


def load_profile(name: str | Path) -> Profile:
    """Return a profile by name (`mappings/profiles/NAME.yaml`) or path (a `.yaml` file).

    Raises:
        ProfileError: it does not exist, is not YAML, inherits from itself, or holds an unknown key or a value out of range.
    """
    return _load(_path(name), ())


def _path(name: str | Path) -> Path:
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        return path
    try:
        return resource("mappings", "profiles", f"{name}.yaml")
    except KgscoreError as error:
        hint, known = f"{did_you_mean(str(name), profile_names())} ".lstrip(), ", ".join(profile_names())
        remedy = f"{hint}known profiles: {known}; or give the path of a .yaml file"
        raise ProfileError(f"profile '{name}': not found; {remedy}") from error


def _load(path: Path, heirs: tuple[Path, ...]) -> Profile:
    if path in heirs:
        raise ProfileError(f"{path.name}: inherits from itself ({' → '.join(p.stem for p in (*heirs, path))})")
    values = _read(path)
    base, parent = Profile(), values.pop("inherits", None)
    if isinstance(parent, str):
        beside = path.parent / parent
        base = _load(beside if beside.suffix in (".yaml", ".yml") else _path(parent), (*heirs, path))
    elif parent is not None:
        raise ProfileError(f"{path.name}: 'inherits' must be the name of a profile or the path of a .yaml file")
    values = {"name": path.stem, "description": "", **values}
    weights, metrics = values.pop("weights", {}), values.pop("metrics", {})
    modules = (*base.modules, *_modules(values.pop("modules", []), path))
    profile = replace(base, **check_fields(Profile, values, path.name))
    if profile.part_whole not in ("fixed", "depth"):
        raise ProfileError(f"{path.name}: part_whole is 'fixed' or 'depth', not '{profile.part_whole}'")
    return replace(
        profile, weights=_weights(base.weights, weights, path.name), metrics=_options(base.metrics, metrics, path.name),
        modules=tuple(dict.fromkeys(modules)),
    )


def _read(path: Path) -> dict[str, Any]:
    import yaml

    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        said = "it is nested too deep" if isinstance(error, RecursionError) else " ".join(str(error).split())
        raise ProfileError(f"{path.name}: cannot be read as a profile ({said})") from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ProfileError(f"{path.name}: cannot be read as a profile (expected a mapping of keys to values)")
    return values


def check_fields(form: type[_Options], values: Mapping[Any, Any], where: str, *, free: bool = False) -> dict[str, Any]:
    """Return the values if each is a known field of a dataclass and of its type; numbers lie in [0, 1] unless `free`. Raises
    ProfileError if a key is unknown (with the nearest known one), or a value is of another type or out of range."""
    defaults = form()
    known = [f.name for f in fields(form)]  # type: ignore[arg-type]
    for key, value in values.items():
        check_keys((key,), known, where, ProfileError)
        wanted = type(getattr(defaults, key))
        if not isinstance(value, (wanted, int) if wanted is float else wanted) or isinstance(value, bool) is not (wanted is bool):
            raise ProfileError(f"{where}: '{key}' must be a {wanted.__name__}")
        if wanted is float and not free and not 0.0 <= value <= 1.0:
            raise ProfileError(f"{where}: '{key}' must lie between 0 and 1")
    return dict(values)


def _weights(base: Weights, values: Any, where: str) -> Weights:
    """Return the weights overridden by those of an inheriting profile."""
    if not isinstance(values, dict):
        raise ProfileError(f"{where}: 'weights' must be a mapping")
    tables: dict[str, Mapping[str, float]] = {}
    for name, table in values.items():
        check_keys((name,), Weights.__slots__, f"{where}: weights", ProfileError)
        if not isinstance(table, dict):
            raise ProfileError(f"{where}: weights: '{name}' must be a mapping of names to weights")
        found = {str(key): value for key, value in table.items()}
        for key, value in found.items():
            if name in _CLOSED:
                check_keys((key,), _CLOSED[name], f"{where}: weights: {name}", ProfileError)
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < float("inf"):
                raise ProfileError(f"{where}: weights: {name}: '{key}' must be a number of 0 or more")
        tables[name] = {**getattr(base, name), **found}
    return replace(base, **tables)


def _options(base: Mapping[str, Mapping[str, Any]], values: Any, where: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the options by metric; each metric checks its own (`kgscore.metrics.options`)."""
    if not isinstance(values, dict) or not all(isinstance(v, dict) for v in values.values()):
        raise ProfileError(f"{where}: 'metrics' must map names of metrics to their options")
    return {**base, **{name: {**base.get(name, {}), **table} for name, table in values.items()}}


def _modules(values: Any, path: Path) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ProfileError(f"{path.name}: 'modules' must be a list of paths")
    found = [path.parent / value for value in values]
    for module, value in zip(found, values, strict=True):
        if not module.exists():
            raise ProfileError(f"{path.name}: modules: '{value}' not found; paths are relative to the profile's own folder")
    return [str(module) for module in found]


def as_mapping(profile: Profile) -> dict[str, Any]:
    """Return a profile as plain mappings, as in a file, without empty tables."""
    values = asdict(profile)
    values["weights"] = {name: table for name, table in values["weights"].items() if table}
    values["modules"] = list(profile.modules)
    return {key: value for key, value in values.items() if value not in ({}, [], "")}
