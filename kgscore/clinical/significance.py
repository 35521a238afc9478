"""The significance of a finding: the tier of its concept, adjusted by rules for its description and for the patient.

4 critical (minutes), 3 urgent (hours), 2 notable (days or weeks), 1 routine. Of FineRadScore's grades these are emergent, urgent,
actionable and not actionable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from kgscore.clinical.context import UNKNOWN, Context
from kgscore.clinical.rules import FILE, Condition, Facts, Rule, facts_of, load_rules, normal_forms
from kgscore.errors import KgscoreError
from kgscore.model import TIERS, Finding
from kgscore.ontology.index import Index
from kgscore.quantities import quantities


@dataclass(frozen=True, slots=True)
class Significance:
    """The tier of a finding, 1 to 4, and its reasons: the concept that gives it, and each rule that changed it, by id."""

    tier: int
    reasons: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The name of the tier: critical, urgent, notable or routine."""
        return TIERS[self.tier]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A finding as input to the rules: its classes, details, places and measurements."""

    finding: Finding
    inherited: int
    classes: frozenset[str]
    details: frozenset[str]
    places: frozenset[str]
    tips: frozenset[str]
    measured: dict[str, float]
    categories: frozenset[int]


class Significances:
    """Determines the tiers of findings.

    Raises:
        KgscoreError: a rule names a concept that the ontology does not have, or is invalid in another way.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.rules = load_rules().rules
        self._general = [number for number, rule in enumerate(self.rules) if not rule.when.finding]
        self._of_class: dict[str, list[int]] = defaultdict(list)
        for number, rule in enumerate(self.rules):
            for name in rule.when.finding:
                self._of_class[name].append(number)
        for rule in self.rules:
            for part in (rule.when, rule.unless):
                for name in sorted(part.finding | part.detail | part.site | part.at | part.tip) if part else ():
                    if name not in index.concepts:
                        raise KgscoreError(f"{FILE}: rule '{rule.id}': '{name}' is not an id of the ontology")

    def of(
        self, finding: Finding, context: Context = UNKNOWN, categories: Collection[int] = (), other: Finding | None = None
    ) -> Significance:
        """Return the tier of a finding, with its reasons. A normal statement alone is routine; a wrong one is as severe as the
        finding that it denies: pass that finding instead.

        For an error about the finding, `categories` are those of FineRadScore, and `other` is the finding in its place.
        """
        tier, why = self.inherited(finding)
        reasons = [why]
        asked = self._question(finding, tier, other, categories)
        facts = facts_of(context)
        for rule in self._rules_about(asked.classes):
            if tier >= rule.when.tier_from and self._applies(rule, asked, facts):
                moved = rule.apply_to(tier)
                if moved != tier:
                    reasons.append(f"rule {rule.id}: {TIERS[moved]} ({rule.source})")
                tier = moved
        return Significance(tier, tuple(reasons))

    def _rules_about(self, classes: frozenset[str]) -> Iterator[Rule]:
        """Return the rules for one of these classes, or for any finding, in their order."""
        numbers = {number for name in classes if name in self._of_class for number in self._of_class[name]}
        return (self.rules[number] for number in sorted(numbers.union(self._general)))

    def inherited(self, finding: Finding) -> tuple[int, str]:
        """Return the tier of a finding's concept in the ontology (the most severe of its alternatives), and why."""
        index = self.index
        named = (finding.concept, *finding.alternatives) if finding.concept else (None,)
        concept = max(named, key=index.severity)
        tier = index.severity(concept)
        known = index.concepts.get(concept or "")
        if known is None or not known.graded_by:
            return tier, f"{TIERS[tier]} by default"
        above = "" if known.graded_by == known.id else f", inherited from {index.label(known.graded_by)}"
        return tier, f"{known.label}: {TIERS[tier]}{above} ({known.source or 'no source'})"

    def _question(self, finding: Finding, tier: int, other: Finding | None, categories: Collection[int]) -> _Asked:
        index = self.index
        values = tuple(d.value for d in finding.details)
        details = frozenset(above for value in values for above in index.ancestors.get(value, ()))
        sites = [site for one in (finding, other) if one for site in (*one.sites, *one.tip)]
        measured: dict[str, float] = {}
        for found in quantities(finding.details):
            if found.low >= measured.get(found.quantity, 0.0):
                measured[found.quantity] = found.low
        classes, places, tips = self._classes(finding), self._around(sites), self._around(finding.tip)
        return _Asked(finding, tier, classes, details, places, tips, measured, frozenset(categories))

    def _classes(self, finding: Finding) -> frozenset[str]:
        """Return the classes of a finding at its sites, and those of its alternatives."""
        index = self.index
        classes = index.derived(finding.concept, finding.sites) if finding.concept in index.concepts else frozenset()
        return classes.union(*(index.ancestors.get(name, ()) for name in finding.alternatives if name != finding.concept))

    def _around(self, sites: Iterable[str]) -> frozenset[str]:
        return frozenset(above for site in sites for above in self.index.within.get(site, (site,)))

    def _applies(self, rule: Rule, asked: _Asked, facts: Facts) -> bool:
        """Whether all conditions of a rule hold, and none of its exceptions."""
        if not all(self._checks(rule.when, asked, facts)):
            return False
        if rule.expects and rule.when.finding and not self._is_no_graver(asked, rule.when.finding):
            return False
        return rule.unless is None or not any(self._checks(rule.unless, asked, facts))

    def _is_no_graver(self, asked: _Asked, classes: frozenset[str]) -> bool:
        """Whether the ontology grades a finding no higher than one of its classes among these."""
        return any(asked.inherited <= self.index.severity(name) for name in classes & asked.classes)

    def _checks(self, when: Condition, asked: _Asked, facts: Facts) -> Iterator[bool]:
        """Yield for each given condition whether it holds."""
        finding = asked.finding
        sets = (
            (when.finding, asked.classes), (when.detail, asked.details), (when.site, asked.places), (when.tip, asked.tips),
            (when.indication, facts.indication), (when.procedure, facts.procedure), (when.past, facts.past),
            (when.setting, facts.settings), (when.any_of, asked.categories),
        )  # fmt: skip
        for wanted, found in sets:
            if wanted:
                yield not wanted.isdisjoint(found)
        for wanted, said in ((when.change, finding.change), (when.certainty, finding.certainty), (when.sex, facts.sex)):
            if wanted:
                yield said in wanted
        for value, low, below in (
            (asked.measured.get("length"), when.length_from, when.length_below),
            (asked.measured.get("percent"), when.percent_from, when.percent_below),
            (facts.age, when.age_from, when.age_below),
        ):
            if low is not None or below is not None:
                yield _is_between(value, low, below)
        if when.at:
            yield not when.at.isdisjoint(finding.sites)
        if when.only:
            yield bool(asked.categories) and asked.categories <= when.only
        if when.asserted is not None:
            yield when.asserted == finding.asserts
        if when.named:
            yield self._is_named(asked, facts.known if when.named == "known" else facts.asked)

    def _is_named(self, asked: _Asked, text: str) -> bool:
        """Whether a text names the finding, or a class of its region that it belongs to."""
        return bool(text.strip()) and any(name in text for name in self._names(asked.finding.concept, asked.classes))

    def _names(self, concept: str | None, classes: frozenset[str]) -> Iterator[str]:
        for name in classes:
            known = self.index.concepts[name]
            if name == concept or known.module != "core":
                yield normal_forms(known.label)


def _is_between(value: float | None, low: float | None, below: float | None) -> bool:
    """Whether a number is at least `low` and less than `below`, as far as these are given; False if it is unknown."""
    return value is not None and (low is None or value >= low) and (below is None or value < below)
