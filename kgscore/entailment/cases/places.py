"""Contradictions of where a finding is: on the other side, elsewhere too, or the only or largest one elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgscore.entailment.cases.report import Report, first_contradiction
from kgscore.entailment.statement_cues import StatementCues
from kgscore.matching.axes import sides_meet
from kgscore.model import OTHER_SIDE, Entailment, Finding
from kgscore.quantities import quantities


def by_other_side(report: Report, cues: StatementCues, wanted: Finding) -> Entailment | None:
    """Return the contradiction by a finding on the other side only: of a statement that only gives the side of something
    already mentioned ("the haematoma is on the right side"), or of a finding that occurs once. A statement of one side only
    is contradicted by any such finding on the other side."""
    other = OTHER_SIDE.get(wanted.side or "")
    single = report.index.is_any(wanted.concept, report.index.flagged("one_of_a_kind"))
    if not (cues.placed or single) or other is None:
        return None
    kinds = _with_side(report, wanted) if single else []
    here = any(f.side == wanted.side for f in kinds) or any(report.is_related(f, wanted) for f in report.asserted)
    if here and not cues.one_side:
        return None
    opposite = replace(wanted, side=other, details=())
    there = (f for f in report.asserted if f in kinds or report.entails(f, opposite))
    return first_contradiction(there, lambda said: f"{said.label}: on the {other}, not on the {wanted.side}")


def _with_side(report: Report, wanted: Finding) -> list[Finding]:
    """Return the findings of the kind of another that have a side."""
    return [f for f in report.asserted if f.side and report.index.either_is_a(f.concept, wanted.concept)]


def by_other_place(report: Report, cues: StatementCues, wanted: Finding) -> Entailment | None:
    """Return the contradiction of a statement that a finding is in one place only, by the same finding elsewhere."""
    if not cues.only or not (wanted.sites or wanted.side):
        return None
    anywhere = replace(wanted, sites=(), side=None, details=())
    apart = (f for f in report.asserted if f.sites and not _meet(report, f, wanted) and report.entails(f, anywhere))
    return first_contradiction(apart, lambda said: f"{said.label}: not only where the statement says")


def _meet(report: Report, said: Finding, wanted: Finding) -> bool:
    """Whether two findings may be at one place: of a site, and the side, of the other."""
    meet = report.relator.axes.meet
    near = not wanted.sites or any(meet(one, place) for one in said.sites for place in wanted.sites)
    return near and sides_meet(said, wanted)


def by_only_or_largest(report: Report, cues: StatementCues, wanted: Finding) -> Entailment | None:
    """Return the contradiction of where the only or the largest finding of its kind is, if the report has that elsewhere."""
    if cues.one_of_all is None or not wanted.asserts or not wanted.sites:
        return None
    same = [f for f in report.asserted if f.sites and report.index.is_a(f.concept, wanted.concept)]
    if cues.one_of_all == "largest":
        same = _largest(report, same)
    if any(report.is_related(f, wanted) for f in same):
        return None
    return first_contradiction(same, lambda said: f"{said.label}: in {report.index.label(said.sites[0])}")


def _largest(report: Report, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings with the greatest measurement, without those that another of them places more exactly."""
    sizes = [max((size.high for size in quantities(f.details)), default=0.0) for f in findings]
    longest = [f for f, size in zip(findings, sizes, strict=True) if size and size == max(sizes)]
    return [f for f in longest if not any(_is_within(report, other, f) for other in longest)]


def _is_within(report: Report, part: Finding, whole: Finding) -> bool:
    """Whether a finding is stated for a part of the site of the other."""
    lies = report.saying.lies
    return part.sites != whole.sites and lies(part, whole) and not lies(whole, part)
