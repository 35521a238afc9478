"""Decides each label of a report: present, absent, uncertain or not mentioned, by subsumption, with the deciding words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kgscore.errors import InputError
from kgscore.labelling.sets import Expression, Label, LabelSet, check_set
from kgscore.matching.denials import denial_of_all
from kgscore.matching.relation import Relator
from kgscore.model import Detail, Finding, Side, as_plain
from kgscore.ontology.index import Index

Value = Literal["present", "absent", "uncertain", "not_mentioned"]
# CheXpert's numbers; not mentioned is blank.
NUMBERS: Mapping[str, int | None] = {"present": 1, "absent": 0, "uncertain": -1, "not_mentioned": None}
# A denying finding with its position, and with the proof.
_Denials = Sequence[tuple[int, Finding]]
_Denied = tuple[int, Finding, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Decision:
    """The value of one label; `finding` is the position in the reading of the deciding finding (None: no finding, or a rule),
    `because` the proof."""

    label: str
    value: Value
    finding: int | None = None
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one report under a set. `status` is `read`, or `empty` or `failed` with a `reason` and no values."""

    set: str
    status: Literal["read", "empty", "failed"]
    decisions: tuple[Decision, ...] = ()
    findings: tuple[Finding, ...] = ()
    reason: str = ""

    @property
    def values(self) -> dict[str, Value]:
        """The value of every label, in the order of the set."""
        return {one.label: one.value for one in self.decisions}

    @property
    def numbers(self) -> dict[str, int | None]:
        """The values as in CheXpert: 1 present, 0 absent, -1 uncertain, None not mentioned."""
        return {one.label: NUMBERS[one.value] for one in self.decisions}

    to_dict = as_plain


class Labeller:
    """Decides the labels of one set over one ontology. Raises InputError if the set refers to something missing from the
    ontology."""

    def __init__(self, labels: LabelSet, index: Index, relator: Relator) -> None:
        problems = check_set(labels, index)
        if problems:
            raise InputError(problems[0])
        self.set, self.index, self.relator = labels, index, relator
        # The labels that a class can affirm, and the classes that can negate an expression: only those are examined.
        self._by_class: dict[str, list[tuple[int, Expression]]] = {}
        for position, label in enumerate(labels.labels):
            for one in label.any:
                self._by_class.setdefault(one.finding, []).append((position, one))
        expressions = {one for label in labels.labels for one in (*label.any, *label.denied_by)}
        instances = {one: self._plain_finding(one) for one in expressions}
        acute = {index.role("all_acute")}
        self._deniers = {one: self._classes(one.finding, each.sites) | acute for one, each in instances.items()}

    def label(self, findings: Sequence[Finding]) -> tuple[Decision, ...]:
        """Return the decision for each label, in the order of the set: affirmed takes precedence over uncertain, and that over
        negated."""
        affirmed = self._affirmations(findings)
        denials = [(n, self._without_restrictions(f)) for n, f in enumerate(findings) if not f.asserts and f.concept is not None]
        decisions = [affirmed.get(at) or self._negation(label, denials) for at, label in enumerate(self.set.labels)]
        pairs = zip(self.set.labels, decisions, strict=True)
        return tuple(_by_rule(label, decisions) if label.rule else one for label, one in pairs)

    def implied(self) -> dict[str, frozenset[str]]:
        """Return, for each label, the labels implied by the ontology, including itself: those that all its classes affirm too."""
        found = {}
        for label in self.set.labels:
            each = [{one.label for one in self._affirmations([self._plain_finding(way)]).values()} for way in label.any]
            found[label.name] = frozenset({label.name}.union(set.intersection(*each) if each else ()))
        return found

    def _affirmations(self, findings: Sequence[Finding]) -> dict[int, Decision]:
        """Return the affirmed labels by position: for each the first decision that says present, else the first."""
        asserted = ((number, one) for number, one in enumerate(findings) if one.asserts and one.concept is not None)
        found = [one for asked in asserted for one in self._affirmed_labels(*asked)]
        affirmed: dict[int, Decision] = {}
        for position, decision in sorted(found, key=lambda one: one[1].value != "present"):
            affirmed.setdefault(position, decision)
        return affirmed

    def _affirmed_labels(self, number: int, finding: Finding) -> Iterator[tuple[int, Decision]]:
        classes = self._classes(finding.concept, finding.sites)
        ways = [self.index.ancestors.get(name, frozenset()) for name in finding.alternatives]
        sure = finding.certainty not in self.set.uncertain
        for name in sorted(classes.union(*ways)):
            own = name in classes
            for position, one in self._by_class.get(name, ()):
                label = self.set.labels[position]
                meant = not self._matches_exclusion(finding, classes, label) if own else _is_offered(name, ways, label)
                if meant and self._is_at_site(finding, one):
                    value: Value = "present" if own and sure else "uncertain"
                    yield position, Decision(label.name, value, number, self._proof(finding, one, own))

    def _matches_exclusion(self, finding: Finding, classes: frozenset[str], label: Label) -> bool:
        """Return whether a finding falls under an exclusion of a label, or lacks the wording it requires."""
        if any(unless.finding in classes and self._is_at_site(finding, unless) for unless in label.unless):
            return True
        return bool(label.unsaid) and _begins_with(finding, label.unsaid)

    def _classes(self, concept: str | None, sites: tuple[str, ...]) -> frozenset[str]:
        """Return every class that a finding falls under, and those that it implies."""
        classes = self.index.derived(concept, sites)
        implied = (other for name in classes for other in self.index.implied.get(name, ()))
        return classes.union(*(self.index.ancestors[other] for other in implied))

    def _is_at_site(self, finding: Finding, one: Expression) -> bool:
        """Return whether the site and the descriptors of a finding fall under those of an expression (ignoring the concepts)."""
        index = self.index
        if one.side not in (None, finding.side):
            return False
        places = index.places(finding.sites, index.derived(finding.concept, finding.sites)) if one.sites else ()
        found = all(any(index.inside(place, site) for place in places) for site in one.sites)
        return found and all(any(index.is_a(detail.value, wanted) for detail in finding.details) for wanted in one.details)

    def _proof(self, finding: Finding, one: Expression, own: bool) -> tuple[str, ...]:
        label, proofs, wanted = self.index.label, self.relator.proofs, self._plain_finding(one)
        if own:
            why = proofs.subsumption(finding, wanted) or f"{finding.label} implies {wanted.label}"
        else:
            why = f"{finding.label} is said to be perhaps {', '.join(map(label, finding.alternatives))}"
        where = proofs.where(finding, wanted) if one.sites else ""
        return tuple(filter(None, (why, where, *(f"said to be {label(detail)}" for detail in one.details))))

    def _without_restrictions(self, finding: Finding) -> Finding:
        """Return a negation without restrictions that are irrelevant here: "otherwise", since exceptions are affirmed and take
        precedence; and, if the set labels mentions, any restriction."""
        if self.set.restricted_denials and finding.restricted:
            return replace(finding, details=(), restricted=False, change=None)
        return denial_of_all(finding)

    def _negation(self, label: Label, denials: _Denials) -> Decision:
        """Return the decision on a label that is not affirmed: the report may negate all of it, or a main part of it."""
        enough = 1 if label.denied_by else max(1, len(label.any))
        found = [by for one in label.denied_by or label.any if (by := self._denial_of(one, denials))]
        if len(found) < enough:
            return Decision(label.name, "not_mentioned")
        weak = any(finding.certainty == "possible" for _, finding, _ in found[:enough])
        return Decision(label.name, "uncertain" if weak else "absent", found[0][0], found[0][2])

    def _denial_of(self, one: Expression, denials: _Denials) -> _Denied | None:
        """Return the denial of a class, or those of its left and its right side as one."""
        if whole := self._denial_on_side(one, None, denials):
            return whole
        left, right = self._denial_on_side(one, "left", denials), self._denial_on_side(one, "right", denials)
        return (left[0], left[1], (*left[2], *right[2])) if left and right else None

    def _denial_on_side(self, one: Expression, side: Side | None, denials: _Denials) -> _Denied | None:
        instance, deniers = self._plain_finding(one, side), self._deniers[one]
        for number, finding in denials:
            if finding.concept in deniers and (found := self.relator.relate(instance, finding)).relation == "contradiction":
                return number, finding, found.proof
        return None

    def _plain_finding(self, one: Expression, side: Side | None = None) -> Finding:
        """Return a finding of exactly the class of an expression, at its only default place."""
        index = self.index
        usual = index.soft_sites.get(one.finding, ())
        details = tuple(Detail(self._category(name), name, index.label(name)) for name in one.details)
        sites = one.sites or (usual if len(usual) == 1 else ())
        return Finding("", 0, 0, one.finding, index.label(one.finding), sites, side or one.side, details=details)

    def _category(self, descriptor: str) -> str:
        path = [name for name in self.index.ancestors[descriptor] if "descriptor" in self.index.concepts[name].parents]
        return min(path, default=descriptor)


def _by_rule(label: Label, decisions: Sequence[Decision]) -> Decision:
    """Return "No Finding": present if no other label is present or uncertain, not mentioned otherwise (CheXpert, section 3)."""
    against = [d for d in decisions if d.label not in (label.name, *label.aside) and d.value in ("present", "uncertain")]
    if against:
        return Decision(label.name, "not_mentioned", None, (f"{against[0].label} is {against[0].value}",))
    return Decision(label.name, "present", None, ("no other label is present or uncertain",))


def _is_offered(name: str, ways: Iterable[frozenset[str]], label: Label) -> bool:
    """Return whether one of the alternatives (which have no words of their own), given by their classes, affirms a label."""
    excluded = {unless.finding for unless in label.unless if not unless.sites}
    return label.offered and any(name in way and excluded.isdisjoint(way) for way in ways)


def _begins_with(finding: Finding, beginnings: Sequence[str]) -> bool:
    """Return whether a word of a finding, or several in a row, have this prefix."""
    words = " ".join(("", *finding.text.lower().replace("-", " ").replace("/", " ").split()))
    return any(f" {one}" in words for one in beginnings)
