"""Contradictions of a device: where it ends, and whether it is intact."""

from __future__ import annotations

from kgscore.entailment.cases.report import Report, contradiction_by, first_contradiction
from kgscore.model import OTHER_SIDE, Entailment, Finding


def by_well_placed(report: Report, wanted: Finding) -> Entailment | None:
    """Return the contradiction of a device in a wrong place by one of its kind that is stated to be well placed."""
    if not report.qualities.is_misplaced(wanted):
        return None
    right = report.index.flagged("well_placed")
    same = (f for f in report.of_concept(wanted) if f.side in (wanted.side, None))
    # The distance above a point is stated of a device in its place.
    placed = (f for f in same if f.values() & right or any("above" in d.text for d in f.details if d.category == "distance"))
    where = "".join(map(report.index.label, report.relator.exclusions.end(wanted)[:1]))
    return first_contradiction(placed, lambda said: f"{said.label}: well placed, it does not end in {where}")


def by_tip_on_other_side(report: Report, wanted: Finding) -> Entailment | None:
    """Return the contradiction of the tip of a device by the only one of its kind, if that ends on the other side."""
    other = OTHER_SIDE.get(wanted.side or "") if wanted.tip else None
    every = [f for f in report.of_concept(wanted) if other and report.relator.exclusions.end(f)]
    if len(every) != 1 or every[0].side != other or report.paired(every[0].sites):
        return None
    return contradiction_by(every[0], f"the only {wanted.label} of the report ends on the {other}, not on the {wanted.side}")


def by_other_end(report: Report, wanted: Finding) -> Entailment | None:
    """Return the contradiction of the tip of a device by all of its kind and side, if they end elsewhere."""
    anywhere = wanted.side is None or report.paired(wanted.tip)  # the side may be that of the vein
    same = [f for f in report.of_concept(wanted) if wanted.tip and (anywhere or f.side in (None, wanted.side))]
    ends = [report.relator.exclusions.end(f) for f in same]
    if len({f.side for f in same}) != 1 or any(not end or report.relator.axes.ends_meet(end, wanted.tip) for end in ends):
        return None
    where, there = report.index.label(ends[0][0]), report.index.label(wanted.tip[0])
    return contradiction_by(same[0], f"the only {wanted.label} of the report ends in {where}, not in {there}")


def tips_differ(report: Report, said: Finding, wanted: Finding) -> bool:
    """Whether two findings concern a device with its tip at unrelated places."""
    return bool(said.tip and wanted.tip) and not report.relator.axes.ends_meet(said.tip, wanted.tip)


def by_intact_device(report: Report, wanted: Finding) -> Entailment | None:
    """Return the contradiction of a broken device by one at the same place that the report states to be intact."""
    if not report.index.is_a(wanted.concept, report.index.role("broken_device")):
        return None
    sound = report.index.flagged("sound")
    whole = (f for f in report.asserted if f.place == wanted.place and f.values() & sound)
    return first_contradiction(whole, lambda said: f"{said.label} are said to be whole")
