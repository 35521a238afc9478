"""The cases that entail or contradict an assertion."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kgscore.entailment.attributes import Fit
from kgscore.entailment.cases.devices import by_intact_device, by_other_end, by_tip_on_other_side, by_well_placed, tips_differ
from kgscore.entailment.cases.places import by_other_place, by_other_side
from kgscore.entailment.cases.report import Report, contradiction_by, denied_too, entailed_by, first_contradiction
from kgscore.entailment.statement_cues import StatementCues
from kgscore.matching.axes import sides_meet
from kgscore.matching.denials import denial_of_all
from kgscore.model import Entailment, Finding

REST = "said of what remains, and no finding of the report is related to it"


def cases_of_assertion(report: Report, cues: StatementCues, wanted: Finding) -> Iterator[Entailment | None]:
    """Yield the verdict of each case on an asserted finding, in their order; None if the case does not apply."""
    if cues.one_side:
        yield by_other_side(report, cues, wanted)
    elsewhere, fits = by_other_place(report, cues, wanted), _fits(report, wanted)
    if elsewhere is None:
        yield next((report.entailment_by(f, wanted) for fit, f in fits if fit.kind == "same"), None)
    kin = [f for f in report.asserted if report.is_related(f, wanted)]
    yield _by_no_change(report, wanted)
    yield _by_clash(report, wanted)
    yield by_well_placed(report, wanted)
    yield by_tip_on_other_side(report, wanted)
    yield by_other_end(report, wanted)
    yield by_other_side(report, cues, wanted)
    yield elsewhere
    yield _by_denial(report, wanted, kin, report.denied)
    yield _by_denied_quality(report, wanted, kin)
    yield by_intact_device(report, wanted)
    yield _by_conflict(report, [*fits, *_broader_fits(report, wanted, kin)], wanted)
    if not fits and not kin:
        yield _by_denial(report, wanted, (), _denials_of_rest(report, wanted), REST)
        yield _by_general_denial(report, wanted)
    yield _by_signs(report, wanted)


def _fits(report: Report, wanted: Finding) -> list[tuple[Fit, Finding]]:
    """Return the findings that entail a finding regardless of its qualities, each with how its qualities fit."""
    says = (f for f in report.asserted if report.entails(f, wanted) and not tips_differ(report, f, wanted))
    open_to = (f for f in says if not report.contradiction(f, wanted))
    return [(report.qualities.fit(f, wanted, _descriptions(report, f)), f) for f in open_to]


def _descriptions(report: Report, lesion: Finding) -> list[Finding]:
    """Return findings that describe a lesion at its place, up to the next lesion in the text: its calcification."""
    is_any, lumps = report.index.is_any, report.index.flagged("lumps")
    after = [f for f in report.asserted if f.start > lesion.start]
    end = min((f.start for f in after if is_any(f.concept, lumps)), default=math.inf)
    near = [f for f in after if f.place == lesion.place and f.start < end]
    return [f for f in near if is_any(f.concept, report.laid)]


def _broader_fits(report: Report, wanted: Finding, kin: Sequence[Finding]) -> list[tuple[Fit, Finding]]:
    """Return how broader findings at exactly the same place fit, except lesions, of which there may be another one."""
    same = [f for f in kin if f.sites == wanted.sites and f.side in (wanted.side, None) and not report.is_lump(f)]
    return [(report.qualities.fit(f, wanted), f) for f in same if report.index.is_a(wanted.concept, f.concept)]


def _by_conflict(report: Report, fits: Iterable[tuple[Fit, Finding]], wanted: Finding) -> Entailment | None:
    """Return the contradiction by a finding of conflicting qualities."""
    apart = ((fit, f) for fit, f in fits if fit.kind == "conflict" and not _is_another(report, f, wanted))
    return next((contradiction_by(said, fit.why) for fit, said in apart), None)


def _by_signs(report: Report, wanted: Finding) -> Entailment | None:
    """Return the entailment of a diagnosis by its signs, of which one must show its qualities."""
    for signs in report.signs.of(wanted, report.asserted) if wanted.change is None else ():
        if any(report.qualities.fit(one, wanted).kind == "same" for one in signs):
            return entailed_by(signs, f"{wanted.label}: by {' and '.join(one.label for one in signs)}")
    return None


def _by_no_change(report: Report, wanted: Finding) -> Entailment | None:
    """Return the contradiction of a change by a denial of any change of the structure."""
    if wanted.change in (None, "stable"):
        return None

    def why(no: Finding) -> str:
        where = report.index.label(no.sites[0]) if no.sites else "examination"
        return f"{where}: no change and {wanted.change} exclude each other"

    altered = report.index.role("altered")
    return first_contradiction((no for no in report.denied if no.concept == altered and report.is_inside(wanted, no)), why)


def _by_clash(report: Report, wanted: Finding) -> Entailment | None:
    """Return the contradiction by an assertion of the report: an opposite value, another change, a tip elsewhere."""
    others = (said for said in report.asserted if not _is_another(report, said, wanted))
    return next(filter(None, (report.contradiction(said, wanted) for said in others)), None)


def _is_another(report: Report, said: Finding, wanted: Finding) -> bool:
    """Whether a new finding of a place may differ from an old one of a part of that place."""
    if wanted.change != "new" or said.change in (None, "new") or not wanted.sites or wanted.sites == said.sites:
        return False
    return all(report.index.inside_any(site, wanted.sites) for site in said.sites)


def _by_denied_quality(report: Report, wanted: Finding, kin: Sequence[Finding]) -> Entailment | None:
    """Return the contradiction of a quality by a denial of it for the only such lesion of the report ("does not enhance")."""
    if len(kin) != 1 or not report.is_lump(kin[0]):
        return None
    values = [detail.value for detail in wanted.details]
    lacking = ((no, _denied_descriptors(report, kin[0], no)) for no in report.denied)
    denied = (no for no, lacks in lacking if any(report.index.is_any(value, lacks) for value in values))
    return first_contradiction(denied, lambda no: f"denied of {kin[0].label}: {no.label}")


def _denied_descriptors(report: Report, lesion: Finding, no: Finding) -> list[str]:
    """Return the descriptors that a denial denies of a lesion, the most specific ones."""
    own = no.place == lesion.place and not no.details and no.status == "absent"
    if not own or report.is_lump(no):
        return []
    shown = report.qualities.unfold(no).shown
    return [one for one in shown if not any(one != other and report.index.is_a(other, one) for other in shown)]


def _by_denial(
    report: Report, wanted: Finding, kin: Sequence[Finding], denied: Iterable[Finding], *why: str
) -> Entailment | None:
    """Return the contradiction by a denial of the report, unless the report itself asserts a related exception."""
    for said in denied:
        clash = report.contradiction(said, wanted, *why)
        whole = replace(said, side=None) if said.both and wanted.side is None else said
        if clash is not None and not any(_is_exception(report, f, whole, wanted) for f in kin):
            return clash
    return None


def _is_exception(report: Report, found: Finding, no: Finding, wanted: Finding) -> bool:
    """Whether a finding is an exception to a denial of its report: it contradicts it, or follows from the wanted finding."""
    follows = not report.index.is_a(wanted.concept, found.concept) and report.entails(wanted, found)
    return follows or report.relator.relate(found, no).relation == "contradiction"


def _denials_of_rest(report: Report, wanted: Finding) -> list[Finding]:
    """Return the denials of a remainder, as denials of all, with which no finding of the report shares its site."""
    sites = [site for said in report.asserted if sides_meet(said, wanted) for site in said.sites]
    rest = [denial_of_all(f) for f in report.denied if f.details]
    return [f for f in rest if not any(_is_mentioned(report, site, place, f) for site in sites for place in wanted.sites)]


def _is_mentioned(report: Report, site: str, place: str, rest: Finding) -> bool:
    inside, meet = report.index.inside, report.relator.axes.meet
    wholes = [whole for whole in rest.sites if site != whole]
    if not rest.sites or any(inside(site, whole) for whole in wholes):
        return inside(place, site)
    return meet(place, site) and any(meet(site, whole) and not inside(whole, site) for whole in wholes)


def _by_general_denial(report: Report, wanted: Finding) -> Entailment | None:
    """Return the contradiction by a denial of a finding without a site, or by a normal structure that cannot have it."""
    none = replace(wanted, status="absent", certainty="definite", details=(), change=None, restricted=False)
    placed, saying = bool(wanted.sites), report.saying
    normal = report.index.role("any_abnormality")
    # A normal part is not what a statement without a site is about.
    denied = (no for no in report.denied if placed or not no.sites or no.concept != normal)
    covering = (no for no in denied if saying.chiefly(no, none) or (not placed and saying.denies(no, none)))
    return first_contradiction(covering, lambda no: denied_too(no, wanted))
