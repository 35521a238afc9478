"""Decides whether a report entails or contradicts a statement, or is neutral."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from kgscore.entailment.attributes import HIGH, Attributes, Fit
from kgscore.entailment.counts import count_findings
from kgscore.entailment.criteria import Criteria
from kgscore.entailment.statement_cues import StatementCues, is_supported, sentence_at, statement_cues
from kgscore.entailment.subsumption import Subsumption
from kgscore.entailment.wording import partly_seen, with_alternatives, with_named_devices
from kgscore.matching.axes import sides_meet
from kgscore.matching.denials import denial_of_all
from kgscore.matching.partitions import findings_of_wholes
from kgscore.matching.relation import Relator
from kgscore.matching.residues import find_reversal, modifiers
from kgscore.matching.sided import with_named_side, with_side_of_report
from kgscore.model import OTHER_SIDE, Change, Detail, Entailment, Finding
from kgscore.ontology.index import Index
from kgscore.quantities import quantities

_REST = "said of what remains, and no finding of the report is related to it"
_NEUTRAL = Entailment("neutral")
_OTHER_WAY: Mapping[str, Change] = {"increased": "decreased", "decreased": "increased"}


def entailment(
    relator: Relator,
    report: Sequence[Finding],
    statement: Sequence[Finding],
    words: str = "",
    source: str = "",
    residue: Sequence[str] = (),
) -> Entailment:
    """Return the verdict on a statement: entailed if all its findings are, contradicted if any of them is, else neutral.

    An asserted finding is entailed by a narrower assertion that shows its qualities, a denied one by a broader denial. An
    assertion overrides a broader denial in the same report; a denial of the remainder ("otherwise clear", "no other fracture")
    covers only what no assertion of the report is related to. If the `words` of the statement only give the side of something
    already mentioned, it is contradicted if the report has that only on the other side. A cause that is not a finding must be
    named in the text of the report, its `source`; so must evidence such as histology, and the `residue`: words of the statement
    that no concept covers.
    """
    index, cues = relator.index, statement_cues(words)
    report = with_alternatives(count_findings(index, with_named_side(index, report, source), source), source)
    report = [f for f in with_named_devices(index, report, report) if not partly_seen(f, source, words)]
    statement = _in_context(index, statement, words, cues, report)
    said = _Report(relator, _mark_bilateral([*report, *findings_of_wholes(index, report)]), cues)
    statement = [part for one in statement for part in said.parted(one)]
    verdicts = [said.verdict(wanted) for wanted in _mark_bilateral(statement)]
    if not cues.each and _NEUTRAL in verdicts:
        verdicts = _regardless_of_side(relator, report, statement, verdicts)
    verdicts += filter(None, map(said.contradiction_of_place, statement))
    if contradicted := next((one for one in verdicts if one.verdict == "contradicted"), None):
        return contradicted
    if not verdicts or _NEUTRAL in verdicts or not is_supported(statement, words, source):
        return _NEUTRAL
    return _by_wording(_join_verdicts("entailed", verdicts), words, source, residue)


def _in_context(
    index: Index, statement: Sequence[Finding], words: str, cues: StatementCues, report: Sequence[Finding]
) -> Sequence[Finding]:
    """Return the findings of a statement with what its words and the report add: counts, named devices, the examined side."""
    statement = with_named_devices(index, count_findings(index, statement, words), report)
    if not cues.each:
        statement = with_side_of_report(index, statement, report)
    if cues.suspected:
        statement = [replace(one, certainty="possible") if one.certainty == "probable" else one for one in statement]
    return statement


def _regardless_of_side(
    relator: Relator, report: Sequence[Finding], statement: Sequence[Finding], verdicts: Sequence[Entailment]
) -> list[Entailment]:
    """Return verdicts, the neutral ones replaced by entailments by findings of the report without a side."""
    unsided = _Report(relator, [f for f in _mark_bilateral(report) if f.side is None or not f.asserts], statement_cues(""))
    return [
        other if one == _NEUTRAL and (other := unsided.verdict(wanted)).verdict == "entailed" else one
        for one, wanted in zip(verdicts, _without_sides(statement), strict=True)
    ]


def _by_wording(found: Entailment, words: str, source: str, residue: Sequence[str]) -> Entailment:
    """Return an entailment unless the words that no finding covers contradict it, or are missing from the report."""
    if turned := find_reversal(words, *(sentence_at(source, start) for start, _ in found.by)):
        return Entailment("contradicted", found.by, (f"{turned[1]} and {turned[0]} exclude each other",))
    return found if all(word in source.lower() for word in modifiers(residue, words)) else _NEUTRAL


def _mark_bilateral(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with bilateral denials marked, however both sides were stated ("neither", "the right and the left")."""
    sides = _sides(f for f in findings if not f.asserts)
    return [replace(f, both=True) if not f.asserts and OTHER_SIDE.keys() <= sides[_key_without_side(f)] else f for f in findings]


def _without_sides(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without a side where the same is asserted on both."""
    sides = _sides(f for f in findings if f.asserts)
    return [replace(f, side=None) if f.asserts and len(sides[_key_without_side(f)]) > 1 else f for f in findings]


def _sides(findings: Iterable[Finding]) -> dict[tuple[object, ...], set[str | None]]:
    """Return the sides on which each finding is stated."""
    sides: dict[tuple[object, ...], set[str | None]] = {}
    for finding in findings:
        sides.setdefault(_key_without_side(finding), set()).add(finding.side)
    return sides


def _key_without_side(finding: Finding) -> tuple[object, ...]:
    return (finding.concept, finding.sites, finding.details, finding.change)


class _Report:
    """Verdicts of one report on single findings. A verdict is that of the first case that applies; a case is None if it does
    not."""

    def __init__(self, relator: Relator, findings: Sequence[Finding], cues: StatementCues) -> None:
        self.relator, self.cues = relator, cues
        self.index = index = relator.index
        self.qualities = index.once(Attributes, lambda: Attributes(index))
        self.saying = index.once(Subsumption, lambda: Subsumption(index))
        self.signs = index.once(Criteria, lambda: Criteria(index, self.saying))
        self.laid = index.once("laid", lambda: {c.id for c in index.concepts.values() if "lay" in c.values})
        self.asserted = [f for f in findings if f.asserts]
        self.denied = [f for f in findings if not f.asserts] + [no for f in self.asserted for no in self._denials_of_damage(f)]

    def parted(self, wanted: Finding) -> list[Finding]:
        """Return a device stated to be intact as the device and the denials that it is broken; any other finding unchanged."""
        whole = self._denials_of_damage(wanted) if wanted.asserts else []
        details = tuple(detail for detail in wanted.details if detail.value not in self.index.flagged("sound"))
        return [replace(wanted, details=details), *whole] if whole else [wanted]

    def _denials_of_damage(self, device: Finding) -> list[Finding]:
        """Return the denials that a device stated to be intact ("intact leads") is broken: those of the adjective for its site if
        there are any, otherwise that of any broken device."""
        sound = [detail.value for detail in device.details if detail.value in self.index.flagged("sound")]
        if not sound or device.concept not in self.saying.devices:
            return []
        index, broken = self.index, self.index.role("broken_device")
        rows = [row for value in sound for row in index.denials.get(value, ()) if index.is_a(row.genus, broken)]
        own = [row.genus for row in rows if row.site and any(index.inside(place, row.site) for place in device.sites)]
        return [
            replace(device, concept=name, label=index.label(name), status="absent", details=(), change=None)
            for name in own or [broken]
        ]

    def verdict(self, wanted: Finding) -> Entailment:
        """Return whether the report entails or contradicts one finding; if the statement denies a change in one direction, a
        change in the other direction entails it too."""
        other = _OTHER_WAY.get(self.cues.unmoved or "") if wanted.change == "stable" else None
        found = self._verdict(replace(wanted, change=other)) if other else _NEUTRAL
        return found if found.verdict == "entailed" else self._verdict(wanted)

    def _verdict(self, wanted: Finding) -> Entailment:
        """Return whether the report entails or contradicts one finding; one of unstated side is contradicted if both sides are,
        and not only by a denial of the remainder on one of them."""
        if not wanted.asserts:
            return self._denial_verdict(wanted)
        found = _first_verdict(self._cases_of_assertion(wanted))
        if found is not _NEUTRAL or wanted.side is not None or not self._paired(wanted.sites):
            return found
        sides = [_first_verdict(self._cases_of_assertion(replace(wanted, side=side))) for side in ("right", "left")]
        refuted = all(one.verdict == "contradicted" and _REST not in one.proof for one in sides)
        return _join_verdicts("contradicted", sides) if refuted else found

    # ---- assertions ----------------------------------------------------------------------------------------------
    def _cases_of_assertion(self, wanted: Finding) -> Iterator[Entailment | None]:
        if self.cues.one_side:
            yield self._by_other_side(wanted)
        elsewhere, fits = self._by_other_place(wanted), self._fits(wanted)
        same = (self._entailment_by(f, wanted) for fit, f in fits if fit.kind == "same")
        yield next(same, None) if elsewhere is None else None
        kin = [f for f in self.asserted if self._is_related(f, wanted)]
        yield self._by_no_change(wanted)
        yield self._by_clash(wanted)
        yield self._by_well_placed(wanted)
        yield self._by_tip_on_other_side(wanted)
        yield self._by_other_end(wanted)
        yield self._by_other_side(wanted)
        yield elsewhere
        yield self._by_denial(wanted, kin, self.denied)
        yield self._by_denied_quality(wanted, kin)
        yield self._by_intact_device(wanted)
        yield self._in_conflict([*fits, *self._broader_fits(wanted, kin)], wanted)
        if not fits and not kin:
            yield self._by_denial(wanted, (), self._denials_of_rest(wanted), _REST)
            yield self._by_general_denial(wanted)
        yield self._by_signs(wanted)

    def _fits(self, wanted: Finding) -> list[tuple[Fit, Finding]]:
        """Return the findings that entail a finding regardless of its qualities, each with how its qualities fit."""
        says = (f for f in self.asserted if self._entails(f, wanted) and not self._tips_differ(f, wanted))
        return [(self.qualities.fit(f, wanted, self._descriptions(f)), f) for f in says if not self._contradiction(f, wanted)]

    def _in_conflict(self, fits: Iterable[tuple[Fit, Finding]], wanted: Finding) -> Entailment | None:
        """Return the contradiction by a finding of conflicting qualities."""
        apart = ((fit, f) for fit, f in fits if fit.kind == "conflict" and not self._is_another(f, wanted))
        return next((_contradiction_by(said, fit.why) for fit, said in apart), None)

    def _by_signs(self, wanted: Finding) -> Entailment | None:
        """Return the entailment of a diagnosis by its signs, of which one must show its qualities."""
        for signs in self.signs.of(wanted, self.asserted) if wanted.change is None else ():
            if any(self.qualities.fit(one, wanted).kind == "same" for one in signs):
                return _entailed_by(signs, f"{wanted.label}: by {' and '.join(one.label for one in signs)}")
        return None

    def _broader_fits(self, wanted: Finding, kin: Sequence[Finding]) -> list[tuple[Fit, Finding]]:
        """Return how findings of a broader class at exactly the same place fit a finding: a small pneumothorax is not a large
        tension pneumothorax. Lesions are excluded, since there may be another one."""
        index, counted = self.index, self.qualities.unfold.circumscribed
        same = [f for f in kin if f.sites == wanted.sites and f.side in (wanted.side, None)]
        broader = [f for f in same if index.is_a(wanted.concept, f.concept)]
        return [(self.qualities.fit(f, wanted), f) for f in broader if not index.is_any(f.concept, counted)]

    def _descriptions(self, lesion: Finding) -> list[Finding]:
        """Return findings that describe a lesion at its place, up to the next lesion in the text: its calcification."""
        is_any, lumps = self.index.is_any, self.index.flagged("lumps")
        after = [f for f in self.asserted if f.start > lesion.start]
        end = min((f.start for f in after if is_any(f.concept, lumps)), default=math.inf)
        near = [f for f in after if f.sites == lesion.sites and f.side == lesion.side and f.start < end]
        return [f for f in near if is_any(f.concept, self.laid)]

    def _by_no_change(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a change by a denial of any change of the structure."""
        if wanted.change in (None, "stable"):
            return None
        altered = (no for no in self.denied if no.concept == self.index.role("altered") and self._is_inside(wanted, no))
        if (said := next(altered, None)) is None:
            return None
        where = self.index.label(said.sites[0]) if said.sites else "examination"
        return _contradiction_by(said, f"{where}: no change and {wanted.change} exclude each other")

    def _by_clash(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by an assertion of the report: an opposite value, another change, a tip elsewhere."""
        for said in self.asserted:
            clash = self._contradiction(said, wanted)
            if clash is not None and not self._is_another(said, wanted):
                return clash
        return None

    def _is_another(self, said: Finding, wanted: Finding) -> bool:
        """Whether a new finding of a place may differ from an old one of a part of that place."""
        parts = wanted.sites != said.sites and all(self.index.inside_any(site, wanted.sites) for site in said.sites)
        return wanted.change == "new" and said.change not in (None, "new") and bool(wanted.sites) and parts

    def _by_well_placed(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a device in a wrong place by one of its kind that is stated to be well placed."""
        if not self.qualities.is_misplaced(wanted):
            return None
        right = self.index.flagged("well_placed")
        same = (f for f in self._findings_of_concept(wanted) if f.side in (wanted.side, None))
        said = next((f for f in same if any(d.value in right or _is_above(d) for d in f.details)), None)
        if said is None:
            return None
        where = self.index.label(self.relator.end(wanted)[0])
        return _contradiction_by(said, f"{said.label}: well placed, it does not end in {where}")

    def _by_tip_on_other_side(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of the tip of a device by the only one of its kind, if that ends on the other side."""
        other = OTHER_SIDE.get(wanted.side or "") if wanted.tip else None
        every = [f for f in self._findings_of_concept(wanted) if other and self.relator.end(f)]
        if len(every) != 1 or every[0].side != other or self._paired(every[0].sites):
            return None
        return _contradiction_by(every[0], f"the only {wanted.label} of the report ends on the {other}, not on the {wanted.side}")

    def _by_other_end(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of the tip of a device by all of its kind and side, if they end elsewhere."""
        anywhere = wanted.side is None or self._paired(wanted.tip)  # the side may be that of the vein
        same = [f for f in self._findings_of_concept(wanted) if wanted.tip and (anywhere or f.side in (None, wanted.side))]
        ends = [self.relator.end(f) for f in same]
        if len({f.side for f in same}) != 1 or any(not end or self.relator.axes.ends_meet(end, wanted.tip) for end in ends):
            return None
        where, there = self.index.label(ends[0][0]), self.index.label(wanted.tip[0])
        return _contradiction_by(same[0], f"the only {wanted.label} of the report ends in {where}, not in {there}")

    def _tips_differ(self, said: Finding, wanted: Finding) -> bool:
        """Whether two findings concern a device with its tip at unrelated places."""
        return bool(said.tip and wanted.tip) and not self.relator.axes.ends_meet(said.tip, wanted.tip)

    def _findings_of_concept(self, wanted: Finding) -> Iterator[Finding]:
        return (f for f in self.asserted if f.concept == wanted.concept)

    def _by_other_side(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by a finding on the other side only: of a statement that only gives the side of something
        already mentioned ("the haematoma is on the right side"), or of a finding that occurs once. A statement of one side only
        is contradicted by any such finding on the other side."""
        other = OTHER_SIDE.get(wanted.side or "")
        single = self.index.is_any(wanted.concept, self.index.flagged("one_of_a_kind"))
        if not (self.cues.placed or single) or other is None:
            return None
        opposite = replace(wanted, side=other, details=())
        kinds = self._sided_kind(wanted) if single else []
        there = next((f for f in self.asserted if f in kinds or self._entails(f, opposite)), None)
        here = any(f.side == wanted.side for f in kinds) or any(self._is_related(f, wanted) for f in self.asserted)
        if there is None or (here and not self.cues.one_side):
            return None
        return _contradiction_by(there, f"{there.label}: on the {other}, not on the {wanted.side}")

    def _sided_kind(self, wanted: Finding) -> list[Finding]:
        return [f for f in self.asserted if f.side and self.index.either_is_a(f.concept, wanted.concept)]

    def _by_other_place(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a statement that a finding is in one place only, by the same finding elsewhere in the
        report."""
        if not self.cues.only or not (wanted.sites or wanted.side):
            return None
        anywhere = replace(wanted, sites=(), side=None, details=())
        apart = (f for f in self.asserted if f.sites and not self._meets(f, wanted) and self._entails(f, anywhere))
        said = next(apart, None)
        return None if said is None else _contradiction_by(said, f"{said.label}: not only where the statement says")

    def _meets(self, said: Finding, wanted: Finding) -> bool:
        """Whether two findings may be at one place: of a site, and the side, of the other."""
        meet = self.relator.axes.meet
        near = not wanted.sites or any(meet(one, place) for one in said.sites for place in wanted.sites)
        return near and sides_meet(said, wanted)

    def contradiction_of_place(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a statement of where the only or the largest finding of its kind is, if the report has that
        kind, or the largest of it at its narrowest stated place, elsewhere only."""
        if self.cues.one_of_all is None or not wanted.asserts or not wanted.sites:
            return None
        same = [f for f in self.asserted if f.sites and self.index.is_a(f.concept, wanted.concept)]
        if self.cues.one_of_all == "largest":
            same = self._largest(same)
        if not same or any(self._is_related(f, wanted) for f in same):
            return None
        return _contradiction_by(same[0], f"{same[0].label}: in {self.index.label(same[0].sites[0])}")

    def _largest(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings with the greatest measurement, without those that another of them places more exactly."""
        sizes = [max((size.high for size in quantities(f.details)), default=0.0) for f in findings]
        longest = [f for f, size in zip(findings, sizes, strict=True) if size and size == max(sizes)]
        return [f for f in longest if not any(self._is_within(other, f) for other in longest)]

    def _is_within(self, part: Finding, whole: Finding) -> bool:
        """Whether a finding is stated for a part of the site of the other."""
        return part.sites != whole.sites and self.saying.lies(part, whole) and not self.saying.lies(whole, part)

    def _by_denied_quality(self, wanted: Finding, kin: Sequence[Finding]) -> Entailment | None:
        """Return the contradiction of a quality of a lesion ("the mass enhances avidly") by a denial of that quality at the place
        of the only such lesion of the report ("it does not enhance")."""
        if len(kin) != 1 or not self.index.is_any(kin[0].concept, self.qualities.unfold.circumscribed):
            return None
        for no in self.denied:
            lacking = self._denied_descriptors(kin[0], no)
            if any(self.index.is_any(detail.value, lacking) for detail in wanted.details):
                return _contradiction_by(no, f"denied of {kin[0].label}: {no.label}")
        return None

    def _denied_descriptors(self, lesion: Finding, no: Finding) -> list[str]:
        """Return the descriptors that a denial denies of a lesion, the most specific ones."""
        own = no.sites == lesion.sites and no.side == lesion.side and not no.details and no.status == "absent"
        if not own or self.index.is_any(no.concept, self.qualities.unfold.circumscribed):
            return []
        shown = self.qualities.unfold(no).shown
        return [one for one in shown if not any(one != other and self.index.is_a(other, one) for other in shown)]

    def _by_intact_device(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a broken device by one at the same place that the report states to be intact."""
        if not self.index.is_a(wanted.concept, self.index.role("broken_device")):
            return None
        sound = self.index.flagged("sound")
        same = (f for f in self.asserted if f.sites == wanted.sites and f.side == wanted.side)
        whole = next((f for f in same if any(detail.value in sound for detail in f.details)), None)
        return None if whole is None else _contradiction_by(whole, f"{whole.label} are said to be whole")

    def _by_denial(self, wanted: Finding, kin: Sequence[Finding], denied: Iterable[Finding], why: str = "") -> Entailment | None:
        """Return the contradiction by a denial of the report, unless the report itself asserts a related exception."""
        for said in denied:
            clash = self._contradiction(said, wanted, why)
            whole = replace(said, side=None) if clash and said.both and wanted.side is None else said
            if clash is not None and not any(self._is_exception(f, whole, wanted) for f in kin):
                return clash
        return None

    def _is_exception(self, found: Finding, no: Finding, wanted: Finding) -> bool:
        """Whether a finding of the report is an exception to its denial: it contradicts the denial, or follows from the finding
        asked for ("clear lungs", "granulomatous disease")."""
        follows = not self.index.is_a(wanted.concept, found.concept) and self._entails(wanted, found)
        return follows or self.relator.relate(found, no).relation == "contradiction"

    def _denials_of_rest(self, wanted: Finding) -> list[Finding]:
        """Return the denials with a restriction to the remainder, as denials of all, that a finding may belong to."""
        rest = [denial_of_all(f) for f in self.denied if f.details]
        return [f for f in rest if not self._stated_at_site(wanted, f)]

    def _stated_at_site(self, wanted: Finding, rest: Finding) -> bool:
        """Whether the report has findings at the site itself, in a part of the structure whose remainder is normal, or
        overlapping it."""
        sites = [site for said in self.asserted if sides_meet(said, wanted) for site in said.sites]
        return any(self._is_mentioned(site, place, rest) for site in sites for place in wanted.sites)

    def _is_mentioned(self, site: str, place: str, rest: Finding) -> bool:
        inside, meet = self.index.inside, self.relator.axes.meet
        wholes = [whole for whole in rest.sites if site != whole]
        if not rest.sites or any(inside(site, whole) for whole in wholes):
            return inside(place, site)
        return meet(place, site) and any(meet(site, whole) and not inside(whole, site) for whole in wholes)

    def _by_general_denial(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by a denial of such a finding: of one without a site ("the lesion"), or by a normal structure
        that cannot have it."""
        none = replace(wanted, status="absent", certainty="definite", details=(), change=None, restricted=False)
        placed = bool(wanted.sites)
        normal = self.index.role("any_abnormality")
        # A normal part is not what a statement without a site is about.
        denied = (no for no in self.denied if placed or not no.sites or no.concept != normal)
        said = next((no for no in denied if self.saying.chiefly(no, none) or (not placed and self.saying.denies(no, none))), None)
        return None if said is None else _contradiction_by(said, _denied_too(said, wanted))

    # ---- denials -------------------------------------------------------------------------------------------------
    def _denial_verdict(self, wanted: Finding) -> Entailment:
        found = _first_verdict(self._cases_of_denial(wanted))
        placed = self._placed_denial(wanted) if found is _NEUTRAL else None
        return found if placed is None else _first_verdict(self._cases_of_denial(placed))

    def _cases_of_denial(self, wanted: Finding) -> Iterator[Entailment | None]:
        yield self._by_any(self.denied, self._repeats, wanted)
        yield self._by_any(self.denied, self._also_resolved, wanted)
        yield self._by_measurements(wanted)
        yield self._by_assertion(wanted)
        yield self._by_any((*self.denied, *map(denial_of_all, self.denied)), self._entails, wanted)
        yield self._by_any(self.asserted, self.relator.excludes, wanted)
        yield self._by_any(self.asserted, lambda said, no: self._is_unchanged(said, no) or self._all_lesser(said, no), wanted)
        yield self._by_normal_appearance(wanted)
        yield self._by_parts(wanted)

    def _by_any(
        self, findings: Iterable[Finding], entails: Callable[[Finding, Finding], bool], wanted: Finding
    ) -> Entailment | None:
        """Return the entailment by the first finding that entails the wanted one."""
        said = next((f for f in findings if entails(f, wanted)), None)
        return None if said is None else self._entailment_by(said, wanted)

    def _repeats(self, said: Finding, wanted: Finding) -> bool:
        """Whether a normal statement repeats one of the report, whatever else the report finds ("clear lungs")."""
        mine, theirs = ((f.concept, f.sites, f.side, f.details) for f in (said, wanted))
        return said.status == wanted.status == "normal" and mine == theirs

    def _also_resolved(self, said: Finding, wanted: Finding) -> bool:
        return said.change == wanted.change == "resolved" and self._entails(said, wanted)

    def _by_assertion(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a denial by an assertion of the report, or of "no change" by a change."""
        altered = wanted.concept == self.index.role("altered")
        for said in self.asserted:
            if clash := self._contradiction(said, wanted):
                return clash
            if altered and self._has_changed(said) and self._is_inside(said, wanted):
                return _contradiction_by(said, f"{said.label}: {said.change} and no change exclude each other")
        return None

    def _by_parts(self, wanted: Finding) -> Entailment | None:
        """Return the entailment of a denial by the denials for all parts of its place."""
        parts = [self._denial_verdict(part) for part in self.saying.parts_denied(wanted)]
        if not parts or any(part.verdict != "entailed" for part in parts):
            return None
        return Entailment("entailed", tuple(span for part in parts for span in part.by), parts[0].proof)

    def _placed_denial(self, wanted: Finding) -> Finding | None:
        """Return a denial without a site ("no calculi") at the only site of the report, if that denies the same."""
        if wanted.sites or wanted.side is not None or self.asserted or wanted.concept is None:
            return None
        same = [f for f in self.denied if f.sites and self.index.is_a(f.concept, wanted.concept)]
        if not same or len({f.sites for f in self.denied}) > 1 or len({f.concept for f in same}) > 1:
            return None
        said = same[0]
        return replace(wanted, concept=said.concept, label=said.label, sites=said.sites, both=any(f.both for f in same))

    def _by_measurements(self, wanted: Finding) -> Entailment | None:
        """Return the verdict on a denial above a measurement ("no nodule exceeds 8 mm") by the measurements in the report; None
        if the denial has no such bound, or the report has no such finding."""
        bound = next((size for size in quantities(wanted.details) if math.isinf(size.high)), None)
        if bound is None:
            return None
        plain = replace(wanted, details=(), restricted=False, side=None if wanted.both else wanted.side, both=False)
        there = [f for f in self.asserted if self._contradiction(f, plain)]
        sizes = [quantities(f.details, bound.quantity) for f in there]
        for said, measured in zip(there, sizes, strict=True):
            if any(size.high > bound.low for size in measured):
                return _contradiction_by(said, f"{said.label}: of more than what none is said to exceed")
        if not there:
            return None
        return _entailed_by(there, "none measures more") if all(sizes) else _NEUTRAL

    def _by_normal_appearance(self, wanted: Finding) -> Entailment | None:
        """Return the entailment of an unremarkable structure by two denials: one of its form, and one of its internal appearance
        ("normal in size, of normal density")."""
        if wanted.concept != self.index.role("any_abnormality") or wanted.restricted or not wanted.sites:
            return None
        looks = [no for role in ("outer", "inner") if (no := self._denial_of(role, wanted)) is not None]
        return _entailed_by(looks, *(_denied_too(no, wanted) for no in looks)) if len(looks) == 2 else None

    def _denial_of(self, role: str, wanted: Finding) -> Finding | None:
        """Return a denial of the deviations with a role at the place of a finding."""
        kinds = self.index.flagged(role)
        names = {name for one in kinds for name in self.index.derived(one, wanted.sites)}
        denied = (no for no in map(denial_of_all, self.denied) if no.concept in names and self.index.is_any(no.concept, kinds))
        return next((no for no in denied if self.saying.denies(no, replace(wanted, concept=no.concept))), None)

    def _is_unchanged(self, said: Finding, wanted: Finding) -> bool:
        """Whether a structure is stated to deviate as before, which entails that it has not changed ("unchanged
        cardiomegaly")."""
        if wanted.concept != self.index.role("altered") or said.change != "stable" or not self._deviates(said):
            return False
        return bool(wanted.sites) and said.sites == wanted.sites and said.side == wanted.side

    def _all_lesser(self, said: Finding, wanted: Finding) -> bool:
        """Whether all such findings in the report are of a lower degree than the high degree that is denied ("small effusion",
        "no large effusion")."""
        asked = [self.qualities.degree(detail) for detail in wanted.details]
        if not wanted.restricted or wanted.change is not None or asked != [HIGH] or said.side not in (wanted.side, None):
            return False
        same = [f for f in self._findings_of_concept(wanted) if f.concept == said.concept and f.sites == wanted.sites]
        told = [[degree for d in f.details if (degree := self.qualities.degree(d))] for f in same]
        return bool(told) and all(degrees and max(degrees) < HIGH for degrees in told)

    def _has_changed(self, said: Finding) -> bool:
        """Whether a structure has become larger or smaller than before, or has otherwise changed in a quality."""
        return said.change not in (None, "stable") and self._deviates(said)

    # ---- relations -----------------------------------------------------------------------------------------------
    def _deviates(self, said: Finding) -> bool:
        return self.index.is_any(said.concept, self.index.deviations())

    def _is_inside(self, narrow: Finding, broad: Finding) -> bool:
        return sides_meet(narrow, broad) and self.saying.lies(narrow, broad)

    def _paired(self, sites: Iterable[str]) -> bool:
        return not self.index.marked("paired").isdisjoint(sites)

    def _is_related(self, said: Finding, wanted: Finding) -> bool:
        return self.relator.relate(said, wanted).relation in ("equivalent", "part_whole")

    def _contradiction(self, said: Finding, wanted: Finding, why: str = "") -> Entailment | None:
        """Return the contradiction by a finding of the report, if the two exclude each other."""
        relation = self.relator.relate(said, wanted)
        return _contradiction_by(said, *relation.proof, *filter(None, (why,))) if relation.relation == "contradiction" else None

    def _entailment_by(self, said: Finding, wanted: Finding) -> Entailment:
        why = f"{said.label} excludes {wanted.label}" if said.asserts else _denied_too(said, wanted)
        return _entailed_by([said], *(self.relator.relate(said, wanted).proof or (why,)))

    def _entails(self, said: Finding, wanted: Finding) -> bool:
        """Whether one of two assertions, or of two denials, entails the other, regardless of qualities."""
        entails = self.saying.asserts if said.asserts else self.saying.denies
        if entails(said, wanted):
            return True
        if self.relator.relate(said, wanted).relation != "equivalent":
            return False
        if not said.asserts:
            return self.saying.open_to(said, wanted)
        return said.certainty in ("definite", wanted.certainty)


def _is_above(detail: Detail) -> bool:
    """Whether a detail states how far above a point the tip of a device ends, and so that it ends in the usual place."""
    return detail.category == "distance" and "above" in detail.text


def _first_verdict(cases: Iterable[Entailment | None]) -> Entailment:
    """Return the verdict of the first case that applies."""
    return next((found for found in cases if found is not None), _NEUTRAL)


def _join_verdicts(verdict: Literal["entailed", "contradicted"], parts: Sequence[Entailment]) -> Entailment:
    """Return a verdict with the spans and proofs of its parts."""
    spans = dict.fromkeys(span for one in parts for span in one.by)
    return Entailment(verdict, tuple(spans), tuple(dict.fromkeys(line for one in parts for line in one.proof)))


def _contradiction_by(said: Finding, *why: str) -> Entailment:
    return Entailment("contradicted", ((said.start, said.end),), why)


def _entailed_by(findings: Iterable[Finding], *why: str) -> Entailment:
    return Entailment("entailed", tuple((f.start, f.end) for f in findings), why)


def _denied_too(said: Finding, wanted: Finding) -> str:
    return f"denied: {said.label}; and {wanted.label} with it"
