"""The readout of RadOT-Eval: three risks, each a base and a non-negative weight for every scaled feature (IV-C)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from math import fsum
from pathlib import Path
from typing import Any

from kgscore.errors import KgscoreError, ProfileError
from kgscore.metrics.radot_align import NAMES, Settings
from kgscore.metrics.transport import Matrix
from kgscore.resources import resource

TARGETS = ("total", "significant", "insignificant")


@dataclass(frozen=True, slots=True)
class Readout:
    """A fitted readout. `scale`: the divisor of each feature. `bases` and `weights` by target; a feature that is not named has
    weight 0. `settings` are those it was fitted with; `provenance` says on what and how well."""

    name: str
    settings: Settings
    scale: Mapping[str, float]
    bases: Mapping[str, float]
    weights: Mapping[str, Mapping[str, float]]
    provenance: Mapping[str, Any]

    def risk(self, target: str, values: Matrix) -> float:
        """Return the risk of a target, 0 or more: base + Σ weight × feature / scale."""
        return self.bases[target] + fsum(share for _, _, _, share in self.shares(target, values))

    def shares(self, target: str, values: Matrix) -> Iterator[tuple[str, float, float, float]]:
        """Yield name, value, weight and contribution of each feature with a weight for a target."""
        own = self.weights[target]
        for name, value in zip(NAMES, values.tolist(), strict=True):
            if name in own:
                yield name, value, own[name], own[name] * value / self.scale[name]

    def as_json(self) -> str:
        """Return the text of a readout file."""
        values = {
            "name": self.name, "provenance": self.provenance, "settings": asdict(self.settings), "bases": self.bases,
            "scale": {name: self.scale[name] for name in NAMES if any(name in own for own in self.weights.values())},
            "weights": self.weights,
        }  # fmt: skip
        return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


def load_readout(name: str) -> Readout:
    """Return a readout by name (`mappings/readouts/NAME.json`) or path (a `.json` file).

    Raises:
        ProfileError: it does not exist, or the file is not a readout: an unknown feature, a negative weight or a missing part.
    """
    try:
        path = Path(name) if name.endswith(".json") else resource("mappings", "readouts", f"{name}.json")
        values = json.loads(path.read_text(encoding="utf-8"))
    except (KgscoreError, OSError, ValueError) as error:
        known = ", ".join(sorted(found.stem for found in resource("mappings", "readouts").glob("*.json")))
        raise ProfileError(f"radot: readout '{name}' cannot be read; known: {known}; or give the path of a .json file") from error
    try:
        parts = (values[key] for key in ("scale", "bases", "weights", "provenance"))
        found = Readout(values["name"], Settings(**values["settings"]), *parts)
        _check(found)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        said = error if type(error) is ValueError else f"{type(error).__name__} {error}"
        raise ProfileError(f"radot: readout '{name}': {said}; make it with `kgscore fit radot`") from error
    return found


def _check(readout: Readout) -> None:
    for target in TARGETS:
        numbers = {"base": readout.bases[target], **readout.weights[target]}
        for feature, weight in numbers.items():
            if feature not in NAMES and feature != "base":
                raise ValueError(f"unknown feature '{feature}'")
            if not 0.0 <= float(weight) < float("inf"):
                raise ValueError(f"'{feature}' weighs {weight} for {target}; weights are 0 or more")
            if feature != "base" and not float(readout.scale[feature]) > 0.0:
                raise ValueError(f"the scale of '{feature}' is not above 0")
