"""RadOT-Eval (IV): units of both reports aligned by entropic transport, and a risk read out from the discrepancies of the plan.

The score is the total risk of errors: 0 or more, no upper bound, lower is better; it ranks, and counts errors only roughly.
In the ontology form (default) classes and places decide similarity, and a report has no risk against itself; as published
(profile `radot-published`) words and label sets do, and a long report has risk even against itself. Both shipped readouts are
fitted on corruptions of texts written for this project, not on ratings by radiologists: `kgscore fit radot` fits one on yours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.caches import MemoizedDict
from kgscore.errors import KgscoreError, ProfileError
from kgscore.matching.weighting import weighting_of
from kgscore.metrics import options
from kgscore.metrics.base import Matched, MetricInfo, contribution
from kgscore.metrics.radot_align import FEATURES, NAMES, Aligned, Aligner, Settings, Side
from kgscore.metrics.radot_units import ALIGNMENT, SIDE, Unit, Units, tables
from kgscore.metrics.transport import Matrix
from kgscore.model import Contribution, Finding, Score, clash_outcome
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.resources import resource

# How many reports are cached as units.
_KEPT = 256
_MEANING = {feature.name: feature.meaning for feature in FEATURES}
_SHOWN = ("plan_entropy", "effective_edges", "top3_spread", "reference_diffuse", "candidate_diffuse")


TARGETS = ("total", "significant", "insignificant")


@dataclass(frozen=True, slots=True)
class Readout:
    """A fitted readout: the divisor of each feature, bases and weights by target (0 if not named), and its `settings`."""

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


@dataclass(frozen=True, slots=True)
class Options:
    """`readout`: a shipped one, or the path of a file that `kgscore fit radot` wrote. The others default to those that the
    readout was fitted with: `form` (ontology, published), `prior` (uniform, finding-heavy, anatomy-heavy, polarity-heavy,
    text-heavy, text-light, no-text, no-polarity, stable-prior, parser-robust), `entropy`, `transport` (balanced, partial,
    unbalanced), `mass` (share that partial transport moves), `penalty` (of unbalanced transport)."""

    readout: str = "radot"
    form: str = ""
    prior: str = ""
    entropy: float = 0.0
    transport: str = ""
    mass: float = 0.0
    penalty: float = 0.0


class Radot:
    """RadOT-Eval under a profile. The mass of a unit is proportional to its weight in the profile; weight 0 excludes it."""

    name = "radot"

    def __init__(self, profile: Profile, index: Index) -> None:
        chosen: Options = options(self.name, profile)
        self.readout: Readout = load_readout(chosen.readout)
        self.settings: Settings = self.readout.settings.overridden_by(asdict(chosen))
        self.weighting = weighting_of(profile, index)
        self.aligner = Aligner(Units(index, tables(), self.settings.published, profile.depth_decay), keep=2 * _KEPT)
        # A cached report is the same object, and is compared with itself only once.
        self._cut_up = MemoizedDict(self._weighted_units, _KEPT)

    def score(self, pair: Matched) -> Score:
        """Return the total risk of errors; `parts` holds the three risks, the cost of the transport and its main features."""
        left, right = self._sides_of_pair(pair)
        if not any(unit.finding for unit in left.units):
            return Score(self.name, "empty", None, "the reference holds no finding that counts")
        values = self.aligner.features(left, right, self.settings)
        aligned = self.aligner.align(left, right, self.settings)
        parts = {target: self.readout.risk(target, values) for target in TARGETS}
        parts["transport_cost"] = float((aligned.plan * aligned.ground).sum())
        parts |= {f"{name}_expected": float((aligned.plan * aligned.costs[name]).sum()) for name in SIDE}
        parts |= {name: float(values[NAMES.index(name)]) for name in _SHOWN}
        parts |= {"reference_units": aligned.units[0], "candidate_units": aligned.units[1]}
        return Score(self.name, "scored", parts["total"], "", parts)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return the features, whose costs add up to the risk, then the edges of the transport, the most expensive first."""
        left, right = self._sides_of_pair(pair)
        aligned = self.aligner.align(left, right, self.settings)
        return [*self._features(left, right), *_edges(left, right, aligned)]

    def _sides_of_pair(self, pair: Matched) -> tuple[Side, Side]:
        lenient = self.weighting.lenient
        return (
            self._cut_up[pair.reference_text, tuple(lenient(pair.reference.findings))],
            self._cut_up[pair.candidate_text, tuple(lenient(pair.candidate.findings))],
        )

    def _weighted_units(self, report: tuple[str, tuple[Finding, ...]]) -> Side:
        """Return a report, given by its text and findings, as weighted units."""
        text, findings = report
        units = [(unit, self.weighting.finding(unit.finding)) for unit in self.aligner.units.of(findings, text) if unit.finding]
        return self.aligner.side([unit for unit, weight in units if weight > 0], [weight for _, weight in units if weight > 0])

    def _features(self, left: Side, right: Side) -> Iterator[Contribution]:
        base = self.readout.bases["total"]
        if base:
            yield contribution("feature", "base of the readout", cost=base)
        values = self.aligner.features(left, right, self.settings)
        for name, value, weight, share in self.readout.shares("total", values):
            if share:
                scale = self.readout.scale[name]
                why = f"{_MEANING[name]}: {value:.3f} / {scale:.3f} × weight {weight:.3f}"
                yield contribution("feature", name.replace("_", " "), cost=share, because=(why,))


def _edges(left: Side, right: Side, aligned: Aligned) -> Iterator[Contribution]:
    kept = aligned.edges
    spent = aligned.plan * aligned.ground
    for i, j in sorted(np.argwhere(kept).tolist(), key=lambda at: -spent[at[0], at[1]]):
        one, other = left.units[i], right.units[j]
        kind, why = _kind(one, other, aligned, (i, j)), _explanation(aligned, (i, j))
        what = " → ".join(f"“{unit.finding.text}”" if unit.finding else "nothing" for unit in (one, other))
        yield contribution(kind, what, one.finding, other.finding, because=why)
    light = ~kept
    if light.any():
        what = f"{int(light.sum())} lighter edges, together {float(aligned.plan[light].sum()):.3f} of the mass"
        yield contribution("minor", f"{what} and {float(spent[light].sum()):.3f} of the transport")


def _kind(one: Unit, other: Unit, aligned: Aligned, at: tuple[int, int]) -> str:
    if other.finding is None or one.finding is None:
        return "missed" if one.finding else "invented"
    clash = one.polarity != other.polarity and aligned.costs["finding"][at] < 1.0 and aligned.costs["anatomy"][at] < 1.0
    alike = all(aligned.costs[name][at] == 0.0 for name in ("finding", "anatomy", "polarity", *SIDE))
    return clash_outcome(one.finding, other.finding) if clash else "correct" if alike else "minor"


def _explanation(aligned: Aligned, at: tuple[int, int]) -> tuple[str, ...]:
    mass, ground, side = (float(matrix[at]) for matrix in (aligned.plan, aligned.ground, aligned.side))
    with_sides = f"with side costs {side:.3f} a risk of {mass * (ground + side):.3f}"
    first = f"mass {mass:.3f} × cost {ground:.3f}: {mass * ground:.3f} of the transport; {with_sides}"
    costs = ({name: aligned.costs[name][at] for name in names} for names in (ALIGNMENT, SIDE))
    said = [", ".join(f"{name} {cost:.2f}" for name, cost in own.items() if cost) for own in costs]
    return (first, *(f"{what}: {told}" for what, told in zip(("cost", "side costs"), said, strict=True) if told))


INFO = MetricInfo(
    "radot", Radot, 0.0, None, False, "RadOT-Eval, sections IV-A to IV-D and V-A, tables II and V",
    "risk of errors, read out of an entropic transport between the findings of both reports", options=Options,
    needs="numpy; a readout (shipped: fitted on corruptions, not on ratings by radiologists)",
    good_for="agreement with the paper; a number of errors that was fitted to ratings",
    blind_to="which finding an error is about once the plan is diffuse; how many errors there are, exactly",
)
