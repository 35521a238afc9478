"""Diagnoses that the signs in a report entail, although the report does not name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from kgscore.entailment.subsumption import subsumption_of
from kgscore.model import Finding
from kgscore.ontology.files import table
from kgscore.ontology.index import Index, shared
from kgscore.resources import resource

FILE = "signs.txt"


class Rule(NamedTuple):
    """A diagnosis, its signs, each one of several alternatives, and whether they must lie at the place of the diagnosis."""

    diagnosis: str
    signs: tuple[frozenset[str], ...]
    here: bool


def rules() -> list[Rule]:
    """Return the rules of the shipped file."""
    return [
        Rule(name, tuple(frozenset(one.strip() for one in sign.split("/")) for sign in signs.split("+")), where == "here")
        for name, signs, where in table(resource("mappings", FILE))
    ]


class Criteria:
    """Finds the signs of a diagnosis among the findings of a report."""

    def __init__(self, index: Index) -> None:
        self.index, self.saying = index, subsumption_of(index)
        self.rules = rules()

    def of(self, wanted: Finding, asserted: Sequence[Finding]) -> Iterator[list[Finding]]:
        """Yield findings that together entail the wanted one, one for each of its signs."""
        sure = [finding for finding in asserted if finding.certainty == "definite"]
        for rule in filter(lambda rule: self._is_diagnosis(rule, wanted), self.rules):
            fitting = [f for f in sure if self._fits(f, rule, wanted)]
            classes = [(f, self.saying.unfold(f).classes) for f in fitting]
            found = [next((f for f, own in classes if names & own), None) for names in rule.signs]
            if all(found):
                yield [one for one in found if one is not None]

    def _is_diagnosis(self, rule: Rule, wanted: Finding) -> bool:
        """Whether a finding is the diagnosis, or its defined subclass at that place (of the hip: hip osteoarthritis)."""
        index, name = self.index, wanted.concept or ""
        placed = index.is_a(name, rule.diagnosis) and name in index.derived(rule.diagnosis, wanted.sites)
        return name == rule.diagnosis or placed

    def _fits(self, finding: Finding, rule: Rule, wanted: Finding) -> bool:
        """Whether a sign is on the side of the diagnosis, and at its place or, if that is not required, in its region."""
        if wanted.side is not None and finding.side not in (None, wanted.side):
            return False
        if rule.here:
            place = replace(wanted, concept=rule.diagnosis)  # the subclass defined there has its place by default
            return finding.side == wanted.side and self.saying.lies(finding, place)
        own = self.index.sites_implied(rule.diagnosis)
        regions = {self._region(site) for site in wanted.sites if site not in own}
        return not regions or any(self._region(site) in regions | {"core"} for site in finding.sites)

    def _region(self, site: str) -> str:
        concept = self.index.concepts.get(site)
        return concept.module if concept is not None else "core"


criteria_of = shared(Criteria)
