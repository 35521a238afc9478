"""What a report states, as far as entailment asks for it: its assertions and denials, and their relations to other findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from kgscore.entailment.attributes import attributes_of
from kgscore.entailment.criteria import criteria_of
from kgscore.entailment.subsumption import subsumption_of
from kgscore.matching.axes import sides_meet
from kgscore.matching.relation import Relator
from kgscore.model import Entailment, Finding

NEUTRAL = Entailment("neutral")


class Report:
    """The findings of one report, and how they relate to those of a statement."""

    def __init__(self, relator: Relator, findings: Sequence[Finding]) -> None:
        self.relator = relator
        self.index = index = relator.index
        self.qualities, self.saying, self.signs = attributes_of(index), subsumption_of(index), criteria_of(index)
        self.laid = index.once("laid", lambda: {c.id for c in index.concepts.values() if "lay" in c.values})
        self.asserted = [f for f in findings if f.asserts]
        self.denied = [f for f in findings if not f.asserts] + [no for f in self.asserted for no in self._denials_of_damage(f)]

    def parted(self, wanted: Finding) -> list[Finding]:
        """Return a device stated to be intact as the device and the denials that it is broken; any other finding unchanged."""
        whole = self._denials_of_damage(wanted) if wanted.asserts else []
        details = tuple(detail for detail in wanted.details if detail.value not in self.index.flagged("sound"))
        return [replace(wanted, details=details), *whole] if whole else [wanted]

    def _denials_of_damage(self, device: Finding) -> list[Finding]:
        """Return the denials that an intact device is broken: those of the adjective for its site, else that of any break."""
        index, broken = self.index, self.index.role("broken_device")
        sound = device.values() & index.flagged("sound")
        if not sound or device.concept not in self.saying.devices:
            return []
        around = set().union(*(index.within.get(place, ()) for place in device.sites))
        rows = (row for value in sorted(sound) for row in index.denials.get(value, ()) if row.site in around)
        names = [row.genus for row in rows if index.is_a(row.genus, broken)] or [broken]
        no = replace(device, status="absent", details=(), change=None)
        return [replace(no, concept=name, label=index.label(name)) for name in names]

    def of_concept(self, wanted: Finding) -> Iterator[Finding]:
        """Yield the assertions of the concept of a finding."""
        return (f for f in self.asserted if f.concept == wanted.concept)

    def of_some(self, wanted: Finding) -> Finding | None:
        """Return the statement of an attribute that the report states of some findings and denies of others at the place
        ("enhancing and nonenhancing masses"), or None."""
        if not self.index.is_any(wanted.concept, self.index.flagged("attributes")):
            return None
        key = (wanted.concept, wanted.place)
        alike = [one for one in (*self.asserted, *self.denied) if (one.concept, one.place) == key]
        own = next((one for one in alike if one.asserts == wanted.asserts), None)
        return own if len({one.asserts for one in alike}) > 1 else None

    def is_lump(self, finding: Finding) -> bool:
        """Whether a finding is a circumscribed lesion."""
        return self.index.is_any(finding.concept, self.qualities.unfold.circumscribed)

    def deviates(self, said: Finding) -> bool:
        """Whether a finding is the deviation of a quality."""
        return self.index.is_any(said.concept, self.index.deviations())

    def is_inside(self, narrow: Finding, broad: Finding) -> bool:
        """Whether a finding is at the place and side of the other."""
        return sides_meet(narrow, broad) and self.saying.lies(narrow, broad)

    def paired(self, sites: Iterable[str]) -> bool:
        """Whether one of some structures is paired."""
        return not self.index.marked("paired").isdisjoint(sites)

    def is_related(self, said: Finding, wanted: Finding) -> bool:
        """Whether two findings agree, at least in part."""
        return self.relator.relate(said, wanted).relation in ("equivalent", "part_whole")

    def contradiction(self, said: Finding, wanted: Finding, *why: str) -> Entailment | None:
        """Return the contradiction by a finding of the report, if the two exclude each other."""
        relation = self.relator.relate(said, wanted)
        return contradiction_by(said, *relation.proof, *why) if relation.relation == "contradiction" else None

    def entailment_by(self, said: Finding, wanted: Finding) -> Entailment:
        """Return the entailment of a finding by one of the report."""
        why = f"{said.label} excludes {wanted.label}" if said.asserts else denied_too(said, wanted)
        return entailed_by([said], *(self.relator.relate(said, wanted).proof or (why,)))

    def entails(self, said: Finding, wanted: Finding) -> bool:
        """Whether one of two assertions, or of two denials, entails the other, regardless of qualities."""
        entails = self.saying.asserts if said.asserts else self.saying.denies
        if entails(said, wanted):
            return True
        if self.relator.relate(said, wanted).relation != "equivalent":
            return False
        return said.certainty in ("definite", wanted.certainty) if said.asserts else self.saying.open_to(said, wanted)


def first_verdict(cases: Iterable[Entailment | None]) -> Entailment:
    """Return the verdict of the first case that applies."""
    return next((found for found in cases if found is not None), NEUTRAL)


def contradiction_by(said: Finding, *why: str) -> Entailment:
    """Return the contradiction by a finding of the report."""
    return Entailment("contradicted", ((said.start, said.end),), why)


def first_contradiction(findings: Iterable[Finding], why: Callable[[Finding], str]) -> Entailment | None:
    """Return the contradiction by the first of some findings of the report, with the reason for it; None if there is none."""
    return next((contradiction_by(said, why(said)) for said in findings), None)


def entailed_by(findings: Iterable[Finding], *why: str) -> Entailment:
    """Return the entailment by findings of the report."""
    return Entailment("entailed", tuple((f.start, f.end) for f in findings), why)


def denied_too(said: Finding, wanted: Finding) -> str:
    """Return the reason why a denial covers a finding."""
    return f"denied: {said.label}; and {wanted.label} with it"
