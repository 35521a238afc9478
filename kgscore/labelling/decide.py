"""Decides each label of a report: present, absent, uncertain or not mentioned, by subsumption, with the deciding words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        decisions = []
        for position, label in enumerate(self.set.labels):
            found = affirmed.get(position) or self._negation(label, denials)
            decisions.append(found or Decision(label.name, "not_mentioned"))
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
        found: dict[int, Decision] = {}
        for number, finding in enumerate(findings):
            if finding.asserts and finding.concept is not None:
                for position, decision in self._affirmed_labels(number, finding):
                    if position not in found or (found[position].value == "uncertain" and decision.value == "present"):
                        found[position] = decision
        return found

    def _affirmed_labels(self, number: int, finding: Finding) -> list[tuple[int, Decision]]:
        classes = self._classes(finding.concept, finding.sites)
        ways = [self.index.ancestors.get(name, frozenset()) for name in finding.alternatives]
        offered = frozenset[str]().union(*ways)
        hedged = finding.certainty in self.set.uncertain
        found = []
        for name in sorted(classes | offered):
            for position, one in self._by_class.get(name, ()):
                label = self.set.labels[position]
                # Alternatives have no words of their own, so only the class decides whether a label excludes them.
                if name not in classes and not (
                    label.offered and any(name in way and not _is_excluded(way, label) for way in ways)
                ):
                    continue
                if not self._is_at_site(finding, one) or (name in classes and self._matches_exclusion(finding, classes, label)):
                    continue
                value: Value = "present" if name in classes and not hedged else "uncertain"
                found.append((position, Decision(label.name, value, number, self._proof(finding, one, name in classes))))
        return found

    def _matches_exclusion(self, finding: Finding, classes: frozenset[str], label: Label) -> bool:
        """Return whether a finding falls under an exclusion of a label, or lacks the wording it requires."""
        if any(unless.finding in classes and self._is_at_site(finding, unless) for unless in label.unless):
            return True
        return bool(label.unsaid) and _begins_with(finding, label.unsaid)

    def _classes(self, concept: str | None, sites: tuple[str, ...]) -> frozenset[str]:
        """Return every class that a finding falls under, and those that it implies."""
        index = self.index
        classes = index.derived(concept, sites)
        implied = (above for name in classes for other in index.implied.get(name, ()) for above in index.ancestors[other])
        return classes.union(implied)

    def _is_at_site(self, finding: Finding, one: Expression) -> bool:
        """Return whether the site and the descriptors of a finding fall under those of an expression (ignoring the concepts)."""
        index = self.index
        if one.side is not None and finding.side != one.side:
            return False
        places = index.places(finding.sites, index.derived(finding.concept, finding.sites)) if one.sites else ()
        if not all(any(index.inside(place, site) for place in places) for site in one.sites):
            return False
        return all(any(index.is_a(detail.value, wanted) for detail in finding.details) for wanted in one.details)

    def _proof(self, finding: Finding, one: Expression, own: bool) -> tuple[str, ...]:
        index, proofs = self.index, self.relator.proofs
        wanted = self._plain_finding(one)
        if own:
            why = proofs.subsumption(finding, wanted) or f"{finding.label} implies {wanted.label}"
        else:
            why = f"{finding.label} is said to be perhaps {', '.join(index.label(name) for name in finding.alternatives)}"
        lines = [why, proofs.where(finding, wanted) if one.sites else ""]
        lines += [f"said to be {index.label(detail)}" for detail in one.details]
        return tuple(line for line in lines if line)

    # ---- negations -----------------------------------------------------------------------------------------------
    def _without_restrictions(self, finding: Finding) -> Finding:
        """Return a negation without restrictions that are irrelevant here: "otherwise", since exceptions are affirmed and take
        precedence; and, if the set labels mentions, any restriction."""
        if self.set.restricted_denials and finding.restricted:
            return replace(finding, details=(), restricted=False, change=None)
        return denial_of_all(finding)

    def _negation(self, label: Label, denials: Sequence[tuple[int, Finding]]) -> Decision | None:
        """Return the decision if the report negates a label, all of it or a main part of it."""
        ways = label.denied_by or label.any
        found = [self._negation_on_side(one, None, denials) or self._both_sides(one, denials) for one in ways]
        decided = [by for by in found if by]
        if not decided or (not label.denied_by and None in found):
            return None
        decided = decided[:1] if label.denied_by else decided
        number, _, proof = decided[0]
        weak = any(by[1].certainty == "possible" for by in decided)
        return Decision(label.name, "uncertain" if weak else "absent", number, proof)

    def _both_sides(self, one: Expression, denials: Sequence[tuple[int, Finding]]) -> tuple[int, Finding, tuple[str, ...]] | None:
        left, right = self._negation_on_side(one, "left", denials), self._negation_on_side(one, "right", denials)
        return (left[0], left[1], (*left[2], *right[2])) if left and right else None

    def _negation_on_side(
        self, one: Expression, side: Side | None, denials: Sequence[tuple[int, Finding]]
    ) -> tuple[int, Finding, tuple[str, ...]] | None:
        instance, deniers = self._plain_finding(one, side), self._deniers[one]
        for number, finding in denials:
            if finding.concept not in deniers:
                continue
            relation = self.relator.relate(instance, finding)
            if relation.relation == "contradiction":
                return number, finding, relation.proof
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


def _is_excluded(classes: frozenset[str], label: Label) -> bool:
    """Return whether one of these classes is among those that a label excludes at any site."""
    return any(unless.finding in classes and not unless.sites for unless in label.unless)


def _begins_with(finding: Finding, beginnings: Sequence[str]) -> bool:
    """Return whether a word of a finding, or several in a row, have this prefix."""
    words = " ".join(("", *finding.text.lower().replace("-", " ").replace("/", " ").split()))
    return any(f" {one}" in words for one in beginnings)
