"""Settings of an alignment, and from units to the values of the features: as published, or in the ontology form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import fsum
from typing import Any

import numpy as np

from kgscore.caches import MemoizedDict
from kgscore.errors import ProfileError
from kgscore.metrics.radot_features import BY_MASS, Aligned, features
from kgscore.metrics.radot_tables import ALIGNMENT, tables
from kgscore.metrics.radot_units import Unit, Units
from kgscore.metrics.transport import Masses, Matrix, balanced, partial, unbalanced

FORMS = ("ontology", "published")
TRANSPORTS = ("balanced", "partial", "unbalanced")


@dataclass(frozen=True, slots=True)
class Settings:
    """How two reports are aligned. `mass`: the share that partial transport moves. `penalty`: what unbalanced transport
    pays for a mass that departs from that of its unit.

    Raises:
        ProfileError: a value is unknown or out of range.
    """

    form: str = "ontology"
    prior: str = "polarity-heavy"
    entropy: float = 0.20
    transport: str = "balanced"
    mass: float = 0.9
    penalty: float = 1.0

    def __post_init__(self) -> None:
        for name, known in (("form", FORMS), ("prior", tuple(tables().priors)), ("transport", TRANSPORTS)):
            if getattr(self, name) not in known:
                raise ProfileError(f"radot: '{name}' is one of {', '.join(known)}, not '{getattr(self, name)}'")
        if not 0.001 <= self.entropy <= 100.0:
            raise ProfileError("radot: 'entropy' must lie between 0.001 and 100")
        if not 0.0 < self.mass <= 1.0:
            raise ProfileError("radot: 'mass' must lie above 0 and not above 1")
        if not 0.001 <= self.penalty <= 1000.0:
            raise ProfileError("radot: 'penalty' must lie between 0.001 and 1000")

    @property
    def published(self) -> bool:
        """Whether units are compared by words and features are taken as they are."""
        return self.form == "published"

    def but(self, values: Mapping[str, Any]) -> Settings:
        """Return the settings with those values put over them that say something (not "" and not 0)."""
        known = {field.name for field in fields(self)}
        return Settings(**(asdict(self) | {key: value for key, value in values.items() if key in known and value}))


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The units of one report with what each weighs (above 0). Two are the same where they are one object."""

    units: tuple[Unit, ...]
    weights: tuple[float, ...]


def align(costs: Mapping[str, Matrix], sides: tuple[Side, Side], settings: Settings) -> Aligned:
    """Return two reports aligned, given the costs of each channel (`Units.costs`)."""
    weights = tables().priors[settings.prior]
    ground: Matrix = np.sum([w * costs[name] for w, name in zip(weights, ALIGNMENT, strict=True)], axis=0)
    masses: Masses = tuple(_masses(side) for side in sides)  # type: ignore[assignment]  # of two sides
    if settings.transport == "partial":
        plan = partial(ground, masses, settings.entropy, settings.mass)
    elif settings.transport == "unbalanced":
        plan = unbalanced(ground, masses, settings.entropy, settings.penalty)
    else:
        plan = balanced(ground, masses, settings.entropy)
    one, other = (fsum(w for unit, w in zip(side.units, side.weights, strict=True) if unit.finding) for side in sides)
    return Aligned(costs, ground, plan, masses, (float(one), float(other)))


def _masses(side: Side) -> Matrix:
    own = np.array(side.weights, dtype=np.float64)
    found: Matrix = own / own.sum()
    return found


class Aligner:
    """Aligns pairs and gives their features; the costs of `keep` pairs are kept, so that many settings can be tried on the same
    reports."""

    def __init__(self, units: Units, keep: int = 100_000) -> None:
        self.units = units
        self._costs = MemoizedDict(self._cost, keep)
        self._aligned: tuple[tuple[Side, Side, Settings], Aligned] | None = None
        self._own = MemoizedDict(self._self, keep)

    def side(self, units: Sequence[Unit], weights: Sequence[float]) -> Side:
        """Return one report; a report that says nothing becomes the empty unit, which is unlike everything."""
        return Side(tuple(units), tuple(weights)) if units else Side((self.units.nothing,), (1.0,))

    def align(self, left: Side, right: Side, settings: Settings) -> Aligned:
        """Return two reports aligned."""
        wanted = (left, right, settings)
        if self._aligned is None or self._aligned[0] != wanted:
            self._aligned = wanted, align(self._costs[left, right], (left, right), settings)
        return self._aligned[1]

    def features(self, left: Side, right: Side, settings: Settings) -> Matrix:
        """Return the values of the features, in their order, each 0 or more.

        As published: of the plan between the reports. In the ontology form: masses count units instead of adding up to 1,
        and from each value the mean of what either report gives against itself is taken away (at least 0 is left), so
        that a report has no discrepancy from itself, however diffuse the plan is.
        """
        if settings.published:
            return features(self.align(left, right, settings))
        between = _counted(self.align(left, right, settings))
        own = 0.5 * (self._own[left, settings] + self._own[right, settings])
        found: Matrix = np.maximum(0.0, between - own)
        found[found < 1e-7] = 0.0
        return found

    def _self(self, wanted: tuple[Side, Settings]) -> Matrix:
        side, settings = wanted
        return _counted(align(self._costs[side, side], (side, side), settings))

    def _cost(self, sides: tuple[Side, Side]) -> dict[str, Matrix]:
        return self.units.costs(sides[0].units, sides[1].units)


def _counted(pair: Aligned) -> Matrix:
    """Return the features with masses in units: as many as the longer report has."""
    found: Matrix = np.where(BY_MASS, max(*pair.units, 1.0), 1.0) * features(pair)
    return found
