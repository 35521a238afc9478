"""The cases that entail or contradict a denial."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from kgscore.entailment.attributes import HIGH
from kgscore.entailment.cases.report import (
    NEUTRAL,
    Report,
    contradiction_by,
    denied_too,
    entailed_by,
    first_contradiction,
    first_verdict,
)
from kgscore.matching.denials import denial_of_all
from kgscore.model import Entailment, Finding
from kgscore.quantities import quantities


def denial_verdict(report: Report, wanted: Finding) -> Entailment:
    """Return whether a report entails or contradicts a denial; one without a site may be at the only site of the report."""
    found = first_verdict(_cases(report, wanted))
    placed = _placed(report, wanted) if found is NEUTRAL else None
    return found if placed is None else first_verdict(_cases(report, placed))


def _cases(report: Report, wanted: Finding) -> Iterator[Entailment | None]:
    yield _by_any(report, report.denied, _repeats, wanted)
    resolved = [f for f in report.denied if f.change == wanted.change == "resolved"]
    yield _by_any(report, resolved, report.entails, wanted)
    yield _by_measurements(report, wanted)
    yield _by_assertion(report, wanted)
    yield _by_any(report, (*report.denied, *map(denial_of_all, report.denied)), report.entails, wanted)
    yield _by_any(report, report.asserted, report.relator.exclusions.excludes, wanted)
    yield _by_any(report, report.asserted, lambda f, no: _is_unchanged(report, f, no) or _all_lesser(report, f, no), wanted)
    yield _by_normal_appearance(report, wanted)
    yield _by_parts(report, wanted)


def _by_any(
    report: Report, findings: Iterable[Finding], entails: Callable[[Finding, Finding], bool], wanted: Finding
) -> Entailment | None:
    """Return the entailment by the first finding that entails the wanted one."""
    return next((report.entailment_by(f, wanted) for f in findings if entails(f, wanted)), None)


def _repeats(said: Finding, wanted: Finding) -> bool:
    """Whether a normal statement repeats one of the report, whatever else the report finds ("clear lungs")."""
    mine, theirs = ((f.concept, f.sites, f.side, f.details) for f in (said, wanted))
    return said.status == wanted.status == "normal" and mine == theirs


def _by_assertion(report: Report, wanted: Finding) -> Entailment | None:
    """Return the contradiction of a denial by an assertion of the report, or of "no change" by a change."""
    altered = wanted.concept == report.index.role("altered")
    for said in report.asserted:
        if clash := report.contradiction(said, wanted):
            return clash
        changed = altered and said.change not in (None, "stable") and report.deviates(said)
        if changed and report.is_inside(said, wanted):
            return contradiction_by(said, f"{said.label}: {said.change} and no change exclude each other")
    return None


def _by_parts(report: Report, wanted: Finding) -> Entailment | None:
    """Return the entailment of a denial by the denials for all parts of its place."""
    parts = [denial_verdict(report, part) for part in report.saying.parts_of(wanted)]
    if not parts or any(part.verdict != "entailed" for part in parts):
        return None
    return Entailment("entailed", tuple(span for part in parts for span in part.by), parts[0].proof)


def _placed(report: Report, wanted: Finding) -> Finding | None:
    """Return a denial without a site ("no calculi") at the only site of the report, if that denies the same."""
    if wanted.place != ((), None) or report.asserted or len({f.sites for f in report.denied}) != 1:
        return None
    same = [f for f in report.denied if f.sites and report.index.is_a(f.concept, wanted.concept)]
    if len({f.concept for f in same}) != 1:
        return None
    said = same[0]
    return replace(wanted, concept=said.concept, label=said.label, sites=said.sites, both=any(f.both for f in same))


def _by_measurements(report: Report, wanted: Finding) -> Entailment | None:
    """Return the verdict on a denial above a measurement ("no nodule exceeds 8 mm") by the measurements in the report."""
    bound = next((size for size in quantities(wanted.details) if math.isinf(size.high)), None)
    there = _of_any_size(report, wanted) if bound else []
    if bound is None or not there:
        return None
    largest = [max((size.high for size in quantities(f.details, bound.quantity)), default=math.inf) for f in there]
    above = (f for f, high in zip(there, largest, strict=True) if bound.low < high < math.inf)
    larger = first_contradiction(above, lambda said: f"{said.label}: of more than what none is said to exceed")
    return larger or (NEUTRAL if math.inf in largest else entailed_by(there, "none measures more"))


def _of_any_size(report: Report, wanted: Finding) -> list[Finding]:
    """Return the assertions of what a denial names, whatever their size."""
    plain = replace(wanted, details=(), restricted=False, side=None if wanted.both else wanted.side, both=False)
    return [f for f in report.asserted if report.contradiction(f, plain)]


def _by_normal_appearance(report: Report, wanted: Finding) -> Entailment | None:
    """Return the entailment of an unremarkable structure by denials of its form and of its internal appearance."""
    if wanted.concept != report.index.role("any_abnormality") or wanted.restricted or not wanted.sites:
        return None
    looks = [no for role in ("outer", "inner") if (no := _denial_of(report, role, wanted)) is not None]
    return entailed_by(looks, *(denied_too(no, wanted) for no in looks)) if len(looks) == 2 else None


def _denial_of(report: Report, role: str, wanted: Finding) -> Finding | None:
    """Return a denial of the deviations with a role at the place of a finding."""
    kinds = report.index.flagged(role)
    names = {name for one in kinds for name in report.index.derived(one, wanted.sites)}
    denied = (no for no in map(denial_of_all, report.denied) if no.concept in names and report.index.is_any(no.concept, kinds))
    return next((no for no in denied if report.saying.denies(no, replace(wanted, concept=no.concept))), None)


def _is_unchanged(report: Report, said: Finding, wanted: Finding) -> bool:
    """Whether a structure is stated to deviate as before, which entails that it has not changed ("unchanged cardiomegaly")."""
    if wanted.concept != report.index.role("altered") or said.change != "stable" or not report.deviates(said):
        return False
    return bool(wanted.sites) and said.place == wanted.place


def _all_lesser(report: Report, said: Finding, wanted: Finding) -> bool:
    """Whether all such findings are of a lower degree than the denied one ("small effusion", "no large effusion")."""
    degrees = report.qualities.degrees
    if not wanted.restricted or wanted.change is not None or said.concept != wanted.concept:
        return False
    if len(wanted.details) != 1 or degrees(wanted) != [HIGH]:
        return False
    same = [degrees(f) for f in report.of_concept(wanted) if f.sites == wanted.sites]
    return said.side in (wanted.side, None) and bool(same) and all(told and max(told) < HIGH for told in same)
