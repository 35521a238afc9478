"""What a report says about a statement: entailed, contradicted or neutral."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kgscore.matching.axes import sides_meet
from kgscore.matching.denials import lifted
from kgscore.matching.qualities import Fit, Qualities
from kgscore.matching.relation import Relator
from kgscore.matching.saying import Saying
from kgscore.matching.signs import Signs
from kgscore.model import OTHER_SIDE, Entailment, Finding, Relation

_REST = "said of what remains, and no finding of the report is related to it"
_NEUTRAL = Entailment("neutral")
# A statement that says of one thing spoken of on which side that is.
_ON_SIDE = re.compile(
    r"the\s[^,;.]*\b(?:is|are|was|were|lies?|lay|sits?)\s(?:(?:located|situated|seen|found)\s)?(?:in|on|at)\s(?:the\s)?(?:left|right)\b",
    re.IGNORECASE,
)


def entailment(relator: Relator, report: Sequence[Finding], statement: Sequence[Finding], words: str = "") -> Entailment:
    """Return the verdict on a statement: every finding of it must be said; one that is denied contradicts it.

    An asserted finding is entailed by a narrower assertion that shows what it is said to show, a denied one by a broader denial.
    What is asserted outweighs a broader denial of the same report; a denial of what remains ("otherwise clear", "no other
    fracture") speaks of what no assertion of the report is related to. The `words` of the statement may tell that it only says of
    a thing spoken of on which side that is: elsewhere than on the one side where the report has it, it is not.
    """
    said = _Report(relator, _of_both(report), placed=_ON_SIDE.match(words) is not None)
    verdicts = [said.verdict(wanted) for wanted in _of_both(statement)]
    for one in verdicts:
        if one.verdict == "contradicted":
            return one
    if not verdicts or any(one.verdict == "neutral" for one in verdicts):
        return _NEUTRAL
    by = tuple(dict.fromkeys(span for one in verdicts for span in one.by))
    return Entailment("entailed", by, tuple(dict.fromkeys(line for one in verdicts for line in one.proof)))


def _of_both(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with the denials of both sides marked, however both were said ("neither", "the right and the left")."""
    sides: dict[tuple[object, ...], set[str | None]] = {}
    for finding in findings:
        if not finding.asserts:
            sides.setdefault(_unsided(finding), set()).add(finding.side)
    both = {"left", "right"}
    return [f if f.asserts or not both <= sides[_unsided(f)] else replace(f, both=True) for f in findings]


def _unsided(finding: Finding) -> tuple[object, ...]:
    return (finding.concept, finding.sites, finding.details, finding.change)


class _Report:
    """What one report says of single findings."""

    def __init__(self, relator: Relator, findings: Sequence[Finding], *, placed: bool = False) -> None:
        self.relator, self.placed = relator, placed
        self.index = relator.index
        self.qualities = Qualities(relator.index)
        self.saying = relator.index.once(Saying, lambda: Saying(relator.index))
        self.signs = relator.index.once(Signs, lambda: Signs(relator.index, self.saying))
        self.laid = relator.index.once("laid", lambda: {c.id for c in relator.index.concepts.values() if "lay" in c.values})
        self.asserted = [f for f in findings if f.asserts]
        self.denied = [f for f in findings if not f.asserts] + [no for f in self.asserted for no in self._whole(f)]

    def _whole(self, device: Finding) -> list[Finding]:
        """Return the denial that a device is broken of one that is said to be whole ("intact leads")."""
        sound = any(detail.category == "integrity" and detail.value in self.index.flagged("sound") for detail in device.details)
        broken = self.index.role("broken_device")
        no = replace(device, concept=broken, label=self.index.label(broken), status="absent", details=(), change=None)
        return [no] if sound and device.concept in self.saying.devices else []

    def verdict(self, wanted: Finding) -> Entailment:
        """Return whether the report entails or contradicts one finding: one of an open side is refuted where both sides are, and
        not by what remains on one of them."""
        found = self._of_assertion(wanted) if wanted.asserts else self._of_denial(wanted)
        if found.verdict != "neutral" or not wanted.asserts or wanted.side is not None or not self._paired(wanted):
            return found
        sides = [self._of_assertion(replace(wanted, side=side)) for side in ("right", "left")]
        if any(one.verdict != "contradicted" or _REST in one.proof for one in sides):
            return found
        spans = tuple(dict.fromkeys(span for one in sides for span in one.by))
        return Entailment("contradicted", spans, tuple(dict.fromkeys(line for one in sides for line in one.proof)))

    def _paired(self, wanted: Finding) -> bool:
        concepts = self.index.concepts
        return any(site in concepts and "paired" in concepts[site].flags for site in wanted.sites)

    def _of_assertion(self, wanted: Finding) -> Entailment:
        supports = [f for f in self.asserted if self._says(f, wanted)]
        fits = [(self.qualities.fit(f, wanted, self._around(f)), f) for f in supports]
        for fit, said in fits:
            if fit.kind == "same":
                return self._entailed(said, wanted)
        kin = [f for f in self.asserted if self._kin(f, wanted)]
        clash = self._unchanged(wanted) or self._clashing(wanted) or self._ends_elsewhere(wanted) or self._on_other_side(wanted)
        clash = clash or self._refuted(wanted, kin, self.denied) or self._not_shown(wanted, kin) or self._sound(wanted)
        if clash:
            return clash
        for fit, said in (*fits, *self._broader(wanted, kin)):
            if fit.kind == "conflict":
                return _held_against(said, fit.why)
        if not supports and not kin:
            rest = [lifted(f) for f in self.denied if f.details]
            found = self._refuted(wanted, (), [f for f in rest if not self._apart(wanted, f)], _REST)
            return found or self._denied_with(wanted) or self._by_signs(wanted)
        return self._by_signs(wanted)

    def _by_signs(self, wanted: Finding) -> Entailment:
        """Return the support of a diagnosis by its signs, or none: one of them shows what it is said to show."""
        for signs in self.signs.of(wanted, self.asserted):
            if wanted.change is None and any(self.qualities.fit(one, wanted).kind == "same" for one in signs):
                spans = tuple((one.start, one.end) for one in signs)
                return Entailment("entailed", spans, (f"{wanted.label}: by {' and '.join(one.label for one in signs)}",))
        return _NEUTRAL

    def _broader(self, wanted: Finding, kin: Sequence[Finding]) -> list[tuple[Fit, Finding]]:
        """Return how what the report says of the class of a finding, at the very place, fits it: a small pneumothorax is no large
        tension pneumothorax. Of lesions there may be another one."""
        index, counted = self.index, self.qualities.unfold.circumscribed
        same = [f for f in kin if f.sites == wanted.sites and f.side == wanted.side]
        broader = [f for f in same if index.is_a(wanted.concept or "", f.concept or "")]
        return [(self.qualities.fit(f, wanted), f) for f in broader if not index.is_any(f.concept or "", counted)]

    def _around(self, lesion: Finding) -> list[Finding]:
        """Return what is said of a lesion in findings of their own at its place, up to the next lesion: its calcification."""
        lumps = self.index.flagged("lumps")
        after = [f for f in self.asserted if f.start > lesion.start]
        ends = [f.start for f in after if self.index.is_any(f.concept or "", lumps)]
        near = [f for f in after if f.sites == lesion.sites and f.side == lesion.side and (not ends or f.start < min(ends))]
        return [f for f in near if self.index.is_any(f.concept or "", self.laid)]

    def _of_denial(self, wanted: Finding) -> Entailment:
        for said in self.asserted:
            relation = self.relator.relate(said, wanted)
            if relation.relation == "contradiction":
                return _contradicted(said, relation)
            if wanted.concept == self.index.role("altered") and self._changed(said) and self.saying.lies(said, wanted):
                return _held_against(said, f"{said.label}: {said.change} and no change exclude each other")
        for said in (*self.denied, *(lifted(f) for f in self.denied)):
            if self._says(said, wanted):
                return self._entailed(said, wanted)
        for said in self.asserted:
            if self.relator.excludes(said, wanted):
                return self._entailed(said, wanted)
        parts = [self._of_denial(part) for part in self.saying.parts_denied(wanted)]
        if parts and all(part.verdict == "entailed" for part in parts):
            return Entailment("entailed", tuple(span for part in parts for span in part.by), parts[0].proof)
        return _NEUTRAL

    def _changed(self, said: Finding) -> bool:
        """Whether a structure is said to be larger or smaller than before, or otherwise of another quality."""
        deviations = self.index.deviations()
        return said.change not in (None, "stable") and not self.index.ancestors[said.concept or ""].isdisjoint(deviations)

    def _unchanged(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a change by a report that says of the structure that nothing has changed."""
        if wanted.change in (None, "stable"):
            return None
        for said in self.denied:
            if said.concept == self.index.role("altered") and self.saying.lies(wanted, said):
                why = f"{self.index.label(said.sites[0])}: no change and {wanted.change} exclude each other"
                return _held_against(said, why)
        return None

    def _ends_elsewhere(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by the only device of its kind and side, if that ends elsewhere."""
        end = self.relator.end
        if not wanted.tip or not end(wanted):
            return None
        same = [f for f in self.asserted if f.concept == wanted.concept and f.side in (wanted.side, None)]
        if len(same) != 1 or not end(same[0]) or self.relator.axes.sites(end(same[0]), wanted.tip) is not None:
            return None
        label = self.index.label
        why = f"the only {wanted.label} of the report ends in {label(end(same[0])[0])}, not in {label(wanted.tip[0])}"
        return _held_against(same[0], why)

    def _on_other_side(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a statement of the side of a thing spoken of ("the haematoma is on the right side") by the
        report, where that has it, and on the other side only."""
        other = OTHER_SIDE.get(wanted.side or "")
        if not self.placed or other is None:
            return None
        there = [f for f in self.asserted if self._says(f, replace(wanted, side=other, details=()))]
        if not there or any(self._kin(f, wanted) for f in self.asserted):
            return None
        return _held_against(there[0], f"{there[0].label}: on the {other}, not on the {wanted.side}")

    def _not_shown(self, wanted: Finding, kin: Sequence[Finding]) -> Entailment | None:
        """Return the contradiction of what a lesion is said to show ("the mass enhances avidly") by a denial of that at the place
        of the only such lesion of the report ("it does not enhance")."""
        values, counted = [detail.value for detail in wanted.details], self.qualities.unfold.circumscribed
        for said in kin if len(kin) == 1 and self.index.is_any(kin[0].concept or "", counted) else ():
            for no in (no for no in self.denied if not self.index.is_any(no.concept or "", counted)):
                of_it = no.sites == said.sites and no.side == said.side and not no.details and no.status == "absent"
                shown = self.qualities.unfold(no).shown if of_it else ()
                own = [one for one in shown if not any(one != other and self.index.is_a(other, one) for other in shown)]
                if any(self.index.is_a(value, one) for value in values for one in own):
                    return _held_against(no, f"denied of {said.label}: {no.label}")
        return None

    def _sound(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction of a broken device by one at the same place of which the report says that it is whole."""
        if not self.index.is_a(wanted.concept or "", self.index.role("broken_device")):
            return None
        sound = self.index.flagged("sound")
        same = (f for f in self.asserted if f.sites == wanted.sites and f.side == wanted.side)
        whole = next((f for f in same if any(detail.value in sound for detail in f.details)), None)
        return _held_against(whole, f"{whole.label} are said to be whole") if whole is not None else None

    def _clashing(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by an assertion of the report: an opposite value, another change, a tip elsewhere."""
        for said in self.asserted:
            relation = self.relator.relate(said, wanted)
            if relation.relation == "contradiction":
                return _contradicted(said, relation)
        return None

    def _refuted(self, wanted: Finding, kin: Sequence[Finding], denied: Iterable[Finding], why: str = "") -> Entailment | None:
        """Return the contradiction by a denial of the report, unless the report itself asserts an exception that is kin."""
        for said in denied:
            relation = self.relator.relate(said, wanted)
            if relation.relation != "contradiction":
                continue
            if any(self.relator.relate(f, said).relation == "contradiction" for f in kin):
                continue
            return _contradicted(said, relation, why)
        return None

    def _apart(self, wanted: Finding, rest: Finding) -> bool:
        """Whether the report speaks of the place itself, a part of that of which the rest is said to be normal, or beside it."""
        inside, meet = self.index.inside, self.relator.axes.meet

        def spoken_of(site: str, place: str) -> bool:
            wholes = [whole for whole in rest.sites if site != whole]
            if not rest.sites or any(inside(site, whole) for whole in wholes):
                return inside(place, site)
            return any(meet(site, whole) for whole in wholes if not inside(whole, site)) and meet(place, site)

        sites = [site for said in self.asserted if sides_meet(said, wanted) for site in said.sites]
        return any(spoken_of(site, place) for site in sites for place in wanted.sites)

    def _denied_with(self, wanted: Finding) -> Entailment | None:
        """Return the contradiction by a denial that says that there is no such finding: of one of no place ("the lesion"), or of
        what a normal structure has not."""
        none = replace(wanted, status="absent", certainty="definite", details=(), change=None, restricted=False)
        everything = self.index.role("any_abnormality")
        for said in self.denied:
            here = bool(said.sites) and said.concept == everything  # a normal structure says nothing of other places
            if self.saying.chiefly(said, none) or (not wanted.sites and not here and self.saying.denies(said, none)):
                return _held_against(said, _denied_too(said, wanted))
        return None

    def _kin(self, said: Finding, wanted: Finding) -> bool:
        return self.relator.relate(said, wanted).relation in ("equivalent", "part_whole")

    def _entailed(self, said: Finding, wanted: Finding) -> Entailment:
        why = f"{said.label} excludes {wanted.label}" if said.asserts else _denied_too(said, wanted)
        return Entailment("entailed", ((said.start, said.end),), self.relator.relate(said, wanted).proof or (why,))

    def _says(self, said: Finding, wanted: Finding) -> bool:
        """Whether one finding of the report says the wanted one, qualities apart."""
        if said.asserts != wanted.asserts:
            return False
        if said.asserts and self.saying.asserts(said, wanted):
            return True
        if not said.asserts and self.saying.denies(said, wanted):
            return True
        if self.relator.relate(said, wanted).relation != "equivalent":
            return False
        if not said.asserts:
            return self.saying.open_to(said, wanted)
        return said.certainty == "definite" or said.certainty == wanted.certainty


def _contradicted(said: Finding, relation: Relation, why: str = "") -> Entailment:
    return _held_against(said, *relation.proof, *((why,) if why else ()))


def _held_against(said: Finding, *why: str) -> Entailment:
    return Entailment("contradicted", ((said.start, said.end),), why)


def _denied_too(said: Finding, wanted: Finding) -> str:
    return f"denied: {said.label}; and {wanted.label} with it"
