"""Profiles: the numbers a user may choose, read from YAML-free text files in `mappings/profiles`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from kgscore.errors import KgscoreError, ProfileError
from kgscore.resources import resource


@dataclass(frozen=True, slots=True)
class Profile:
    """What scoring costs.

    `part_whole`: "fixed" (1/3 an axis, RadSEM as published) or "depth" (falls with distance, base `depth_decay`).
    `link_share`: a link is kept only if its weight is at least this share of the best at both its ends (0 keeps all).
    `conflict_factor`: what remains of a weight for each pair of conflicting details (1: nothing is taken, as published).
    `abnormal_weight`, `normal_weight`: the mixture. `unmatched_by`: "links" as published.
    """

    name: str = "default"
    part_whole: str = "depth"
    depth_decay: float = 0.5
    link_share: float = 0.8
    conflict_factor: float = 1.0
    abnormal_weight: float = 0.9
    normal_weight: float = 0.1


def load_profile(name: str | Path) -> Profile:
    """Return a profile by name (`mappings/profiles/NAME.toml`) or path.

    Raises:
        ProfileError: it does not exist, is no TOML, or holds an unknown key or a value out of range.
    """
    path = Path(name)
    if path.suffix != ".toml":
        try:
            path = resource("mappings", "profiles", f"{name}.toml")
        except KgscoreError as error:
            known = ", ".join(sorted(p.stem for p in resource("mappings", "profiles").glob("*.toml")))
            raise ProfileError(
                f"profile '{name}': not found; known profiles: {known}; or give the path of a .toml file"
            ) from error
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProfileError(f"{path.name}: cannot be read as a profile ({error})") from error
    return _checked(values, path.name)


def _checked(values: dict[str, Any], where: str) -> Profile:
    known = {f.name for f in fields(Profile)}
    for key, value in values.items():
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; known keys: {', '.join(sorted(known))}"
            raise ProfileError(f"{where}: unknown key '{key}'{hint}")
        wanted = type(getattr(Profile(), key))
        if not isinstance(value, (wanted, int) if wanted is float else wanted) or isinstance(value, bool):
            raise ProfileError(f"{where}: '{key}' must be a {wanted.__name__}")
        if wanted is float and not 0.0 <= value <= 1.0:
            raise ProfileError(f"{where}: '{key}' must lie between 0 and 1")
    profile = Profile(**values)
    if profile.part_whole not in ("fixed", "depth"):
        raise ProfileError(f"{where}: part_whole is 'fixed' or 'depth', not '{profile.part_whole}'")
    return profile
