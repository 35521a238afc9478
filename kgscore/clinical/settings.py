"""The constants of the clinical verdict, from `mappings/clinical.yaml`: weights, shares, thresholds."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kgscore.model import TIERS
from kgscore.resources import resource, yaml_of
from kgscore.verdict import Dimension

_FILE = ("mappings", "clinical.yaml")


@dataclass(frozen=True, slots=True)
class Threshold:
    """Values of a quantity, in its base unit, at which the management of a finding changes, and their source."""

    concept: str
    quantity: str
    at: tuple[float, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Called:
    """Numbers identified by the words before them: patterns that must all match, thresholds, and the tier of an error across
    one."""

    called: tuple[str, ...]
    at: tuple[float, ...]
    tier: int
    source: str


@dataclass(frozen=True, slots=True)
class Settings:
    """The constants of the verdict; the file documents each."""

    weights: Mapping[int, float]
    repute: float
    unlinked: float
    sound: frozenset[str]
    appearances: frozenset[str]
    shadows: frozenset[str]
    general: frozenset[str]
    natures: frozenset[str]
    distinct: frozenset[str]
    told: Mapping[str, frozenset[str]]
    sign: float
    shares: Mapping[str, float]
    factors: Mapping[str, float]
    size_far: float
    size_small: Mapping[str, float]
    dimension: Mapping[str, Dimension]
    deciding: frozenset[str]
    degrees: Mapping[str, int]
    thresholds: tuple[Threshold, ...]
    numbers: tuple[Called, ...]
    same_words: float
    half_words: float
    some_words: float
    passing: frozenset[str]
    joining: frozenset[str]

    def apart(self, low: float, high: float) -> float:
        """Return the distance of two numbers, 0 to 1, by their ratio."""
        return min(1.0, math.log(high / low) / math.log(self.size_far)) if low > 0 else 1.0

    def size_share(self, low: float, high: float, crossed: int) -> float:
        """Return the cost of a different number, 0 to 1: by the ratio, or for the thresholds `crossed`, whichever is higher."""
        return max(self.shares["size"] * self.apart(low, high), 1.0 - (1.0 - self.shares["size_threshold"]) ** crossed)


def across(row: Threshold | Called, low: float, high: float) -> tuple[int, str]:
    """Return how many thresholds of a row lie between two numbers, and which, in words; an empty text if there are none."""
    at = [f"{number:g}" for number in row.at if low < number <= high]
    return len(at), f": across {' and '.join(at)} ({row.source})" if at else ""


@cache
def settings() -> Settings:
    """Return the settings of `mappings/clinical.yaml`."""
    data = yaml_of(*_FILE)
    doubt = data["doubt"]
    tiers = {word: tier for tier, word in TIERS.items()}
    return Settings(
        {tier: float(data["weights"][word]) for word, tier in tiers.items()},
        float(data["repute"]), float(data["unlinked"]), frozenset(data["sound"]),
        frozenset(data["appearances"]), frozenset(data["shadows"]), frozenset(data["general"]),
        frozenset(data["natures"]), frozenset(data["distinct"]),
        {concept: frozenset(values) for concept, values in data["told"].items()}, float(data["sign"]), data["shares"],
        {name: float(factor) for name, factor in data["factors"].items()}, float(data["size_far"]), data["size_small"],
        {category: dimension for dimension, categories in data["dimensions"].items() for category in categories},
        frozenset(data["deciding"]), data["degrees"],
        tuple(Threshold(row["concept"], row["quantity"], tuple(row["at"]), row["source"]) for row in data["thresholds"]),
        tuple(Called(tuple(row["called"]), tuple(row["at"]), tiers[row["tier"]], row["source"]) for row in data["numbers"]),
        float(doubt["same_words"]), float(doubt["half_words"]), float(doubt["some_words"]), frozenset(doubt["passing"].split()),
        frozenset(doubt["joining"].split()),
    )  # fmt: skip


def settings_hash() -> str:
    """Return a hash of the settings, for the signature of scores that use them."""
    return hashlib.sha256(resource(*_FILE).read_bytes()).hexdigest()[:12]
