"""Decides whether a report entails or contradicts a statement, or is neutral."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kgscore.entailment.attributes import HIGH, Attributes, Fit
from kgscore.entailment.counts import counted
from kgscore.entailment.criteria import Criteria
from kgscore.entailment.statement_cues import StatementCues, is_supported, sentence_at, statement_cues
from kgscore.entailment.subsumption import Subsumption
from kgscore.entailment.wording import partly_seen, with_alternatives, with_named_devices
from kgscore.matching.axes import sides_meet
from kgscore.matching.denials import denial_of_all
from kgscore.matching.partitions import of_wholes
from kgscore.matching.relation import Relator
from kgscore.matching.residues import modifiers, turned_round
from kgscore.matching.sided import of_named_side, on_side_of_report
from kgscore.model import OTHER_SIDE, Change, Detail, Entailment, Finding, Relation
from kgscore.quantities import quantity

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
    told, index = statement_cues(words), relator.index
    report = with_alternatives(counted(index, of_named_side(index, report, source), source), source)
    report = [f for f in with_named_devices(index, report, report) if not partly_seen(f, source, words)]
    statement = with_named_devices(index, counted(index, statement, words), report)
    if not told.each:
        statement = on_side_of_report(index, statement, report)
    said = _Report(relator, _of_both([*report, *of_wholes(index, report)]), told)
    if told.suspected:
        statement = [replace(one, certainty="possible") if one.certainty == "probable" else one for one in statement]
    statement = [part for one in statement for part in said.parted(one)]
    verdicts = [said.verdict(wanted) for wanted in _of_both(statement)]
    if not told.each and any(one.verdict == "neutral" for one in verdicts):
        unsided = _Report(relator, [f for f in _of_both(report) if f.side is None or not f.asserts], statement_cues(""))
        loose = [unsided.verdict(f) for f in _without_sides(statement)]
        verdicts = [
            other if one.verdict == "neutral" and other.verdict == "entailed" else one
            for one, other in zip(verdicts, loose, strict=True)
        ]
    if told.one_of_all:
        verdicts += [no for wanted in statement if (no := said.lies_elsewhere(wanted, single=told.one_of_all == "only"))]
    for one in verdicts:
        if one.verdict == "contradicted":
            return one
    if not verdicts or any(one.verdict == "neutral" for one in verdicts) or not is_supported(statement, words, source):
        return _NEUTRAL
    by = tuple(dict.fromkeys(span for one in verdicts for span in one.by))
    found = Entailment("entailed", by, tuple(dict.fromkeys(line for one in verdicts for line in one.proof)))
    if turned := turned_round(words, *(sentence_at(source, start) for start, _ in by)):
        return Entailment("contradicted", by, (f"{turned[1]} and {turned[0]} exclude each other",))
    return found if all(word in source.lower() for word in modifiers(residue, words)) else _NEUTRAL


def _of_both(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with bilateral denials marked, however both sides were stated ("neither", "the right and the left")."""
    sides: dict[tuple[object, ...], set[str | None]] = {}
    for finding in findings:
        if not finding.asserts:
            sides.setdefault(_unsided(finding), set()).add(finding.side)
    both = {"left", "right"}
    return [f if f.asserts or not both <= sides[_unsided(f)] else replace(f, both=True) for f in findings]


def _without_sides(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without a side where the same is asserted on both."""
    sides: dict[tuple[object, ...], set[str | None]] = {}
    for finding in findings:
        if finding.asserts:
            sides.setdefault(_unsided(finding), set()).add(finding.side)
    return [replace(f, side=None) if f.asserts and len(sides[_unsided(f)]) > 1 else f for f in findings]


def _unsided(finding: Finding) -> tuple[object, ...]:
    return (finding.concept, finding.sites, finding.details, finding.change)


class _Report:
    """Verdicts of one report on single findings."""

    def __init__(self, relator: Relator, findings: Sequence[Finding], told: StatementCues) -> None:
        self.relator, self.told = relator, told
        self.index = relator.index
        self.qualities = relator.index.once(Attributes, lambda: Attributes(relator.index))
        self.saying = relator.index.once(Subsumption, lambda: Subsumption(relator.index))
        self.signs = relator.index.once(Criteria, lambda: Criteria(relator.index, self.saying))
        self.laid = relator.index.once("laid", lambda: {c.id for c in relator.index.concepts.values() if "lay" in c.values})
        self.asserted = [f for f in findings if f.asserts]
        self.denied = [f for f in findings if not f.asserts] + [no for f in self.asserted for no in self._whole(f)]

    def parted(self, wanted: Finding) -> list[Finding]:
        """Return a device stated to be intact as the device and the denials that it is broken; any other finding unchanged."""
        whole = self._whole(wanted) if wanted.asserts else []
        details = tuple(detail for detail in wanted.details if detail.value not in self.index.flagged("sound"))
        return [replace(wanted, details=details), *whole] if whole else [wanted]

    def _whole(self, device: Finding) -> list[Finding]:
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
        other = _OTHER_WAY.get(self.told.unmoved or "") if wanted.change == "stable" else None
        found = self._verdict(replace(wanted, change=other)) if other else _NEUTRAL
        return found if found.verdict == "entailed" else self._verdict(wanted)

    def _verdict(self, wanted: Finding) -> Entailment:
        """Return whether the report entails or contradicts one finding; one of unstated side is contradicted if both sides are,
        and not only by a denial of the remainder on one of them."""
        found = self._of_assertion(wanted) if wanted.asserts else self._of_denial(wanted)
        if found.verdict != "neutral" or not wanted.asserts or wanted.side is not None or not self._paired(wanted):
            return found
        sides = [self._of_assertion(replace(wanted, side=side)) for side in ("right", "left")]
        if any(one.verdict != "contradicted" or _REST in one.proof for one in sides):
            return found
        spans = tuple(dict.fromkeys(span for one in sides for span in one.by))
        return Entailment("contradicted", spans, tuple(dict.fromkeys(line for one in sides for line in one.proof)))

    def lies_elsewhere(self, wanted: Finding, *, single: bool) -> Entailment | None:
        """Return the contradiction of a statement of where the only or the largest finding of its kind is, if the report has that
        kind, or the largest of it at its narrowest stated place, elsewhere only."""
        same = [f for f in self.asserted if wanted.asserts and f.sites and self.index.is_a(f.concept or "", wanted.concept or "")]
        if not single:
            lengths = {f: max((found.high for d in f.details if (found := quantity(d)) is not None), default=0.0) for f in same}
            longest = [f for f in same if lengths[f] and lengths[f] == max(lengths.values())]
            same = [f for f in longest if not any(self._within(other, f) for other in longest)]
        if not same or not wanted.sites or any(self._kin(f, wanted) for f in same):
            return None
        return _contradiction_by(same[0], f"{same[0].label}: in {self.index.label(same[0].sites[0])}")

    def _within(self, part: Finding, whole: Finding) -> bool:
        """Whether a finding is stated for a part of the site of the other."""
        return part.sites != whole.sites and self.saying.lies(part, whole) and not self.saying.lies(whole, part)

    def _paired(self, wanted: Finding) -> bool:
        concepts = self.index.concepts
        return any(site in concepts and "paired" in concepts[site].flags for site in wanted.sites)

    def _of_assertion(self, wanted: Finding) -> Entailment:
        if self.told.one_side and (elsewhere := self._on_other_side(wanted)) is not None:
            return elsewhere
        says = (f for f in self.asserted if self._says(f, wanted) and not self._ends_apart(f, wanted))
        supports = [f for f in says if self.relator.relate(f, wanted).relation != "contradiction"]
        fits = [(self.qualities.fit(f, wanted, self._around(f)), f) for f in supports]
        for fit, said in fits:
            if fit.kind == "same" and not (self.told.only and self._also_elsewhere(wanted)):
                return self._entailed(said, wanted)
        kin = [f for f in self.asserted if self._kin(f, wanted)]
        clash = self._unchanged(wanted) or self._clashing(wanted) or self._ends_elsewhere(wanted) or self._on_other_side(wanted)
        clash = clash or (self._also_elsewhere(wanted) if self.told.only else None)
        clash = clash or self._refuted(wanted, kin, self.denied) or self._not_shown(wanted, kin) or self._sound(wanted)
        if clash:
            return clash
        for fit, said in (*fits, *self._broader(wanted, kin)):
            if fit.kind == "conflict" and not self._another(said, wanted):
                return _contradiction_by(said, fit.why)
        if not supports and not kin:
            rest = [denial_of_all(f) for f in self.denied if f.details]
            found = self._refuted(wanted, (), [f for f in rest if not self._apart(wanted, f)], _REST)
            return found or self._denied_with(wanted) or self._by_signs(wanted)
        return self._by_signs(wanted)

    def _by_signs(self, wanted: Finding) -> Entailment:
        """Return the entailment of a diagnosis by its signs, of which one must show its qualities; otherwise neutral."""
        for signs in self.signs.of(wanted, self.asserted):
            if wanted.change is None and any(self.qualities.fit(one, wanted).kind == "same" for one in signs):
                spans = tuple((one.start, one.end) for one in signs)
                return Entailment("entailed", spans, (f"{wanted.label}: by {' and '.join(one.label for one in signs)}",))
        return _NEUTRAL

    def _broader(self, wanted: Finding, kin: Sequence[Finding]) -> list[tuple[Fit, Finding]]:
        """Return how findings of a broader class at exactly the same place fit a finding: a small pneumothorax is not a large
        tension pneumothorax. Lesions are excluded, since there may be another one."""
        index, counted = self.index, self.qualities.unfold.circumscribed
        same = [f for f in kin if f.sites == wanted.sites and f.side in (wanted.side, None)]
        broader = [f for f in same if index.is_a(wanted.concept or "", f.concept or "")]
        return [(self.qualities.fit(f, wanted), f) for f in broader if not index.is_any(f.concept or "", counted)]

    def _around(self, lesion: Finding) -> list[Finding]:
        """Return findings that describe a lesion at its place, up to the next lesion in the text: its calcification."""
        lumps = self.index.flagged("lumps")
        after = [f for f in self.asserted if f.start > lesion.start]
        ends = [f.start for f in after if self.index.is_any(f.concept or "", lumps)]
        near = [f for f in after if f.sites == lesion.sites and f.side == lesion.side and (not ends or f.start < min(ends))]
        return [f for f in near if self.index.is_any(f.concept or "", self.laid)]

    def _repeated(self, wanted: Finding) -> Entailment | None:
        """Return the entailment of a normal statement by the same one in the report, whatever else the report finds ("clear
        lungs")."""
        what = (wanted.concept, wanted.sites, wanted.side, wanted.details, wanted.status)
        same = (f for f in self.denied if (f.concept, f.sites, f.side, f.details, f.status) == what and wanted.status == "normal")
        said = next(same, None)
        return self._entailed(said, wanted) if said is not None else None

    def _of_denial(self, wanted: Finding) -> Entailment:
        found, placed = self._denial(wanted), self._where_spoken_of(wanted)
        return self._denial(placed) if found.verdict == "neutral" and placed is not None else found

    def _denial(self, wanted: Finding) -> Entailment:
        if (again := self._repeated(wanted)) is not None:
            return again
        gone = [f for f in self.denied if f.change == wanted.change == "resolved" and self._says(f, wanted)]
        if gone:
            return self._entailed(gone[0], wanted)
        bounded = self._of_bounded(wanted)
        if bounded is not None:
            return bounded
        for said in self.asserted:
            relation = self.relator.relate(said, wanted)
            if relation.relation == "contradiction":
                return _contradicted(said, relation)
            if wanted.concept == self.index.role("altered") and self._changed(said) and self._at(said, wanted):
                return _contradiction_by(said, f"{said.label}: {said.change} and no change exclude each other")
        for said in (*self.denied, *(denial_of_all(f) for f in self.denied)):
            if self._says(said, wanted):
                return self._entailed(said, wanted)
        for said in self.asserted:
            if self.relator.excludes(said, wanted):
                return self._entailed(said, wanted)
        for said in self.asserted:
            if self._stays(said, wanted) or self._no_more(said, wanted):
                return self._entailed(said, wanted)
        looks = self._looks_normal(wanted)
        if looks:
            spans = tuple((no.start, no.end) for no in looks)
            return Entailment("entailed", spans, tuple(_denied_too(no, wanted) for no in looks))
        parts = [self._of_denial(part) for part in self.saying.parts_denied(wanted)]
        if parts and all(part.verdict == "entailed" for part in parts):
            return Entailment("entailed", tuple(span for part in parts for span in part.by), parts[0].proof)
        return _NEUTRAL

    def _where_spoken_of(self, wanted: Finding) -> Finding | None:
        """Return a denial without a site ("no calculi") at the only site of the report, if that denies the same."""
        if wanted.sites or wanted.side is not None or self.asserted or wanted.concept is None:
            return None
        same = [f for f in self.denied if f.sites and self.index.is_a(f.concept or "", wanted.concept)]
        if not same or len({f.sites for f in self.denied}) > 1 or len({f.concept for f in same}) > 1:
            return None
        said = same[0]
        return replace(wanted, concept=said.concept, label=said.label, sites=said.sites, both=any(f.both for f in same))

    def _of_bounded(self, wanted: Finding) -> Entailment | None:
        """Return the verdict on a denial above a measurement ("no nodule exceeds 8 mm") by the measurements in the report; None
        if the denial has no such bound, or the report has no such finding."""
        bounds = [found for d in wanted.details if (found := quantity(d)) is not None and math.isinf(found.high)]
        plain = replace(wanted, details=(), restricted=False, side=None if wanted.both else wanted.side, both=False)
        there = [f for f in self.asserted if bounds and self.relator.relate(f, plain).relation == "contradiction"]
        if not there:
            return None
        measured = [[q for d in f.details if (q := quantity(d)) is not None and q.quantity == bounds[0].quantity] for f in there]
        for said, sizes in zip(there, measured, strict=True):
            if any(size.high > bounds[0].low for size in sizes):
                return _contradiction_by(said, f"{said.label}: of more than what none is said to exceed")
        spans = tuple((f.start, f.end) for f in there)
        return Entailment("entailed", spans, ("none measures more",)) if all(measured) else _NEUTRAL

    def _looks_normal(self, wanted: Finding) -> list[Finding]:
        """Return the denials that together call a structure unremarkable: one of its form, and one of its internal appearance
        ("normal in size, of normal density")."""
        if wanted.concept != self.index.role("any_abnormality") or wanted.restricted or not wanted.sites:
            return []
        denied = [denial_of_all(f) for f in self.denied]

        def of(role: str) -> Finding | None:
            names = {name for one in self.index.flagged(role) for name in self.index.derived(one, wanted.sites)}
            named = (f for f in denied if f.concept in names and self.index.is_any(f.concept or "", self.index.flagged(role)))
            return next((f for f in named if self.saying.denies(f, replace(wanted, concept=f.concept))), None)

        form, inside = of("outer"), of("inner")
        return [form, inside] if form is not None and inside is not None else []

    def _stays(self, said: Finding, wanted: Finding) -> bool:
        """Whether a structure is stated to deviate as before, which entails that it has not changed ("unchanged
        cardiomegaly")."""
        if wanted.concept != self.index.role("altered") or said.concept is None or said.change != "stable":
            return False
        deviates = not self.index.ancestors[said.concept].isdisjoint(self.index.deviations())
        return deviates and bool(wanted.sites) and said.sites == wanted.sites and said.side == wanted.side

    def _no_more(self, said: Finding, wanted: Finding) -> bool:
        """Whether all such findings in the report are of a lower degree than the high degree that is denied ("small effusion",
        "no large effusion")."""
        asked = [self.qualities.degree(detail) for detail in wanted.details]
        if not wanted.restricted or wanted.change is not None or asked != [HIGH] or said.side not in (wanted.side, None):
            return False
        same = [f for f in self.asserted if f.concept == said.concept == wanted.concept and f.sites == wanted.sites]
        told = [[degree for d in f.details if (degree := self.qualities.degree(d))] for f in same]
        return bool(told) and all(degrees and max(degrees) < HIGH for degrees in told)

    def _changed(self, said: Finding) -> bool:
        """Whether a structure has become larger or smaller than before, or has otherwise changed in a quality."""
        deviations = self.index.deviations()
        return said.change not in (None, "stable") and not self.index.ancestors[said.concept or ""].isdisjoint(deviations)

    def _at(self, narrow: Finding, broad: Finding) -> bool:
        return sides_meet(narrow, broad) and self.saying.lies(narrow, broad)

    def _unchanged(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a change by a denial of any change of the structure."""
        if wanted.change in (None, "stable"):
            return None
        for said in self.denied:
            if said.concept == self.index.role("altered") and self._at(wanted, said):
                where = self.index.label(said.sites[0]) if said.sites else "examination"
                why = f"{where}: no change and {wanted.change} exclude each other"
                return _contradiction_by(said, why)
        return None

    def _ends_elsewhere(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by the only device of its kind and side, if that ends elsewhere."""
        end = self.relator.end
        if self.qualities.ends_wrong(wanted):
            right = self.index.flagged("well_placed")
            same = [f for f in self.asserted if f.concept == wanted.concept and f.side in (wanted.side, None)]
            for said in (f for f in same if any(d.value in right or _is_above(d) for d in f.details)):
                return _contradiction_by(
                    said, f"{said.label}: well placed, it does not end in {self.index.label(end(wanted)[0])}"
                )
        if not wanted.tip or not end(wanted):
            return None
        every = [f for f in self.asserted if f.concept == wanted.concept and end(f)]
        if len(every) == 1 and not self._paired(every[0]) and OTHER_SIDE.get(wanted.side or "") == every[0].side is not None:
            why = f"the only {wanted.label} of the report ends on the {every[0].side}, not on the {wanted.side}"
            return _contradiction_by(every[0], why)
        paired = any("paired" in self.index.concepts[site].flags for site in wanted.tip)  # the side may be that of the vein
        mine = (None, wanted.side, *(OTHER_SIDE if wanted.side is None or paired else ()))
        same = [f for f in self.asserted if f.concept == wanted.concept and f.side in mine]
        if not same or not all(end(f) and not self.relator.axes.ends_meet(end(f), wanted.tip) for f in same):
            return None
        if len({f.side for f in same}) > 1:
            return None
        label = self.index.label
        why = f"the only {wanted.label} of the report ends in {label(end(same[0])[0])}, not in {label(wanted.tip[0])}"
        return _contradiction_by(same[0], why)

    def _ends_apart(self, said: Finding, wanted: Finding) -> bool:
        """Whether two findings concern a device with its tip at unrelated places."""
        return bool(said.tip and wanted.tip) and not self.relator.axes.ends_meet(said.tip, wanted.tip)

    def _on_other_side(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by a finding on the other side only: of a statement that only gives the side of something
        already mentioned ("the haematoma is on the right side"), or of a finding that occurs once. A statement of one side only
        is contradicted by any such finding on the other side."""
        other = OTHER_SIDE.get(wanted.side or "")
        single = self.index.is_any(wanted.concept or "", self.index.flagged("one_of_a_kind"))
        if not (self.told.placed or single) or other is None:
            return None
        opposite = replace(wanted, side=other, details=())
        is_a, name = self.index.is_a, wanted.concept or ""
        same = [f for f in self.asserted if single and f.side is not None and f.concept]
        kinds = [f for f in same if is_a(f.concept or "", name) or is_a(name, f.concept or "")]
        if any(f.side == wanted.side for f in kinds) and not self.told.one_side:
            return None
        there = [f for f in self.asserted if f in kinds or self._says(f, opposite)]
        if not there or (not self.told.one_side and any(self._kin(f, wanted) for f in self.asserted)):
            return None
        return _contradiction_by(there[0], f"{there[0].label}: on the {other}, not on the {wanted.side}")

    def _also_elsewhere(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a statement that a finding is in one place only, by the same finding elsewhere in the
        report."""
        if not wanted.asserts or not (wanted.sites or wanted.side):
            return None
        anywhere = replace(wanted, sites=(), side=None, details=())
        for said in self.asserted:
            near = not wanted.sites or any(self.relator.axes.meet(one, place) for one in said.sites for place in wanted.sites)
            if said.sites and not (near and sides_meet(said, wanted)) and self._says(said, anywhere):
                return _contradiction_by(said, f"{said.label}: not only where the statement says")
        return None

    def _not_shown(self, wanted: Finding, kin: Sequence[Finding]) -> Entailment | None:
        """Return the contradiction of a quality of a lesion ("the mass enhances avidly") by a denial of that quality at the place
        of the only such lesion of the report ("it does not enhance")."""
        values, counted = [detail.value for detail in wanted.details], self.qualities.unfold.circumscribed
        for said in kin if len(kin) == 1 and self.index.is_any(kin[0].concept or "", counted) else ():
            for no in (no for no in self.denied if not self.index.is_any(no.concept or "", counted)):
                of_it = no.sites == said.sites and no.side == said.side and not no.details and no.status == "absent"
                shown = self.qualities.unfold(no).shown if of_it else ()
                own = [one for one in shown if not any(one != other and self.index.is_a(other, one) for other in shown)]
                if any(self.index.is_a(value, one) for value in values for one in own):
                    return _contradiction_by(no, f"denied of {said.label}: {no.label}")
        return None

    def _sound(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a broken device by one at the same place that the report states to be intact."""
        if not self.index.is_a(wanted.concept or "", self.index.role("broken_device")):
            return None
        sound = self.index.flagged("sound")
        same = (f for f in self.asserted if f.sites == wanted.sites and f.side == wanted.side)
        whole = next((f for f in same if any(detail.value in sound for detail in f.details)), None)
        return _contradiction_by(whole, f"{whole.label} are said to be whole") if whole is not None else None

    def _clashing(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by an assertion of the report: an opposite value, another change, a tip elsewhere."""
        for said in self.asserted:
            relation = self.relator.relate(said, wanted)
            if relation.relation == "contradiction" and not self._another(said, wanted):
                return _contradicted(said, relation)
        return None

    def _another(self, said: Finding, wanted: Finding) -> bool:
        """Whether a new finding of a place may differ from an old one of a part of that place."""
        parts = wanted.sites != said.sites and all(self.index.inside_any(site, wanted.sites) for site in said.sites)
        return wanted.change == "new" and said.change not in (None, "new") and bool(wanted.sites) and parts

    def _refuted(self, wanted: Finding, kin: Sequence[Finding], denied: Iterable[Finding], why: str = "") -> Entailment | None:
        """Return the contradiction by a denial of the report, unless the report itself asserts a related exception."""
        for said in denied:
            relation = self.relator.relate(said, wanted)
            if relation.relation != "contradiction":
                continue
            whole = replace(said, side=None) if said.both and wanted.side is None else said
            if any(self._excepts(f, whole, wanted) for f in kin):
                continue
            return _contradicted(said, relation, why)
        return None

    def _excepts(self, found: Finding, no: Finding, wanted: Finding) -> bool:
        """Whether a finding of the report is an exception to its denial: it contradicts the denial, or follows from the finding
        asked for ("clear lungs", "granulomatous disease")."""
        follows = not self.index.is_a(wanted.concept or "", found.concept or "") and self._says(wanted, found)
        return follows or self.relator.relate(found, no).relation == "contradiction"

    def _apart(self, wanted: Finding, rest: Finding) -> bool:
        """Whether the report has findings at the site itself, in a part of the structure whose remainder is normal, or
        overlapping it."""
        inside, meet = self.index.inside, self.relator.axes.meet

        def spoken_of(site: str, place: str) -> bool:
            wholes = [whole for whole in rest.sites if site != whole]
            if not rest.sites or any(inside(site, whole) for whole in wholes):
                return inside(place, site)
            return any(meet(site, whole) for whole in wholes if not inside(whole, site)) and meet(place, site)

        sites = [site for said in self.asserted if sides_meet(said, wanted) for site in said.sites]
        return any(spoken_of(site, place) for site in sites for place in wanted.sites)

    def _denied_with(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by a denial of such a finding: of one without a site ("the lesion"), or by a normal structure
        that cannot have it."""
        none = replace(wanted, status="absent", certainty="definite", details=(), change=None, restricted=False)
        anything = self.index.role("any_abnormality")
        for said in self.denied:
            if said.concept == anything and said.sites and not wanted.sites:
                continue  # A normal part is not what the statement is about.
            if self.saying.chiefly(said, none) or (not wanted.sites and self.saying.denies(said, none)):
                return _contradiction_by(said, _denied_too(said, wanted))
        return None

    def _kin(self, said: Finding, wanted: Finding) -> bool:
        return self.relator.relate(said, wanted).relation in ("equivalent", "part_whole")

    def _entailed(self, said: Finding, wanted: Finding) -> Entailment:
        why = f"{said.label} excludes {wanted.label}" if said.asserts else _denied_too(said, wanted)
        return Entailment("entailed", ((said.start, said.end),), self.relator.relate(said, wanted).proof or (why,))

    def _says(self, said: Finding, wanted: Finding) -> bool:
        """Whether one of two assertions, or of two denials, entails the other, regardless of qualities."""
        if said.asserts and self.saying.asserts(said, wanted):
            return True
        if not said.asserts and self.saying.denies(said, wanted):
            return True
        if self.relator.relate(said, wanted).relation != "equivalent":
            return False
        if not said.asserts:
            return self.saying.open_to(said, wanted)
        return said.certainty == "definite" or said.certainty == wanted.certainty


def _is_above(detail: Detail) -> bool:
    """Whether a detail states how far above a point the tip of a device ends, and so that it ends in the usual place."""
    return detail.category == "distance" and "above" in detail.text


def _contradicted(said: Finding, relation: Relation, why: str = "") -> Entailment:
    return _contradiction_by(said, *relation.proof, *((why,) if why else ()))


def _contradiction_by(said: Finding, *why: str) -> Entailment:
    return Entailment("contradicted", ((said.start, said.end),), why)


def _denied_too(said: Finding, wanted: Finding) -> str:
    return f"denied: {said.label}; and {wanted.label} with it"
