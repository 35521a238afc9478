"""The constants of RadOT-Eval, read from `mappings/radot.yaml`; which of them the paper gives is said there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kgscore.resources import yaml_of

ALIGNMENT = ("finding", "anatomy", "polarity", "text")
SIDE = ("comparison", "uncertainty", "device", "modifier", "severity")


@dataclass(frozen=True, slots=True)
class Tables:
    """Priors (weights of the four alignment costs, by name), categorical costs (missing, mismatch), the severity scale,
    and the thresholds of diffuse matches and of edges that count."""

    priors: Mapping[str, tuple[float, ...]]
    categorical: Mapping[str, tuple[float, float]]
    severities: Mapping[str, float]
    sizes: Mapping[str, float]
    severity_empty: float
    severity_unknown: float
    not_modifiers: frozenset[str]
    diffuse_below: float
    edge_floor: float


@cache
def tables() -> Tables:
    """Return the constants.

    Raises:
        KgscoreError: the installation does not hold the file.
    """
    values = yaml_of("mappings", "radot.yaml")
    severity = values["severity"]
    return Tables(
        priors={name: tuple(map(float, weights)) for name, weights in values["priors"].items()},
        categorical={name: (float(c["missing"]), float(c["mismatch"])) for name, c in values["categorical"].items()},
        severities=severity["values"],
        sizes=severity["sizes"],
        severity_empty=float(severity["empty"]),
        severity_unknown=float(severity["unknown"]),
        not_modifiers=frozenset(values["not_modifiers"]),
        diffuse_below=float(values["diffuse_below"]),
        edge_floor=float(values["edge_floor"]),
    )
