"""The clinical severity of a difference: that of the finding in the ontology, moved by the rules of `mappings/severity.yaml`.

1 not actionable, 2 actionable but not urgent, 3 urgent, 4 emergent (FineRadScore, appendix A).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from kgscore.errors import InputError, KgscoreError
from kgscore.metrics.lines import Line, line_at
from kgscore.model import Finding
from kgscore.ontology.index import Index
from kgscore.resources import resource

LOW, HIGH = 1, 4


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of the patient: age in years, the indication in words, the setting ("icu", "emergency", "outpatient")."""

    age: float | None = None
    indication: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: all conditions that are given must hold. Ids are of the ontology and stand for all below them.

    `at`: a site that the finding names itself; `only`: the categories that the difference may have; `any_of`: of which it
    has one; `asserted` False speaks of normal statements. `words` matches the indication.
    """

    name: str
    concept: tuple[str, ...] = ()
    detail: tuple[str, ...] = ()
    site: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    change: tuple[str, ...] = ()
    certainty: tuple[str, ...] = ()
    only: tuple[int, ...] = ()
    any_of: tuple[int, ...] = ()
    asserted: bool | None = None
    words: str = ""
    setting: tuple[str, ...] = ()
    age_from: float | None = None
    age_below: float | None = None
    set: int | None = None
    add: int = 0
    at_least: int = LOW
    at_most: int = HIGH


class Severities:
    """Grades differences.

    Raises:
        KgscoreError: a rule names a concept that the ontology does not have, or a key that rules do not have.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.rules, self.known, self.compared, self.degrees = _rules()
        for rule in self.rules:
            for name in (*rule.concept, *rule.detail, *rule.site, *rule.at):
                if name not in index.concepts:
                    raise KgscoreError(f"severity.yaml: rule '{rule.name}': '{name}' is no id of the ontology")

    def grade(self, finding: Finding, other: Finding | None, categories: Collection[int], context: Context) -> int:
        """Return 1 to 4 for a difference of these categories about a finding; `other` is what stood in its place."""
        named = (finding.concept, *finding.alternatives)
        found = max(self.index.severity(name) for name in named) if finding.concept else self.index.severity(None)
        for rule in self.rules:
            if self._holds(rule, finding, other, categories) and _in_context(rule, context):
                found = found + rule.add if rule.set is None else rule.set
                found = min(rule.at_most, max(rule.at_least, found))
        return min(HIGH, max(LOW, found))

    def known_only(self, findings: Sequence[Finding], text: str, lines: Sequence[Line]) -> frozenset[int]:
        """Return the positions of findings that are said to be known already ("again seen") and not to have changed or stayed."""
        if not lines:
            return frozenset()
        return frozenset(i for i, f in enumerate(findings) if f.change in (None, "stable") and self._known(f, text, lines))

    def _known(self, finding: Finding, text: str, lines: Sequence[Line]) -> bool:
        line = lines[line_at(lines, finding.start)]
        said = text[line.start : line.end]
        return bool(self.known.search(said)) and not self.compared.search(said)

    def _holds(self, rule: Rule, finding: Finding, other: Finding | None, categories: Collection[int]) -> bool:
        index = self.index
        if rule.asserted is not None and rule.asserted != finding.asserts:
            return False
        if rule.only and not set(categories) <= set(rule.only):
            return False
        if rule.any_of and not set(categories) & set(rule.any_of):
            return False
        if rule.change and finding.change not in rule.change:
            return False
        if rule.certainty and finding.certainty not in rule.certainty:
            return False
        if rule.concept and not self._is(finding, rule.concept):
            return False
        if rule.detail and not any(index.is_a(d.value, name) for d in finding.details for name in rule.detail):
            return False
        if rule.at and not set(rule.at) & set(finding.sites):
            return False
        places = [site for one in (finding, other) if one for site in (*one.sites, *one.tip)]
        return not rule.site or any(index.inside(place, name) for place in places for name in rule.site)

    def _is(self, finding: Finding, classes: tuple[str, ...]) -> bool:
        if finding.concept is None:
            return False
        own = self.index.derived(finding.concept, finding.sites)
        return any(name in own or any(self.index.is_a(a, name) for a in finding.alternatives) for name in classes)


def _in_context(rule: Rule, context: Context) -> bool:
    if rule.words and not re.search(rule.words, context.indication, re.IGNORECASE):
        return False
    if rule.setting and context.setting.lower() not in rule.setting:
        return False
    if rule.age_from is not None and (context.age is None or context.age < rule.age_from):
        return False
    return rule.age_below is None or (context.age is not None and context.age < rule.age_below)


def rules_hash() -> str:
    """Return a hash of the rules, for the signature of scores that use them."""
    return hashlib.sha256(resource("mappings", "severity.yaml").read_bytes()).hexdigest()[:12]


@cache
def _rules() -> tuple[tuple[Rule, ...], re.Pattern[str], re.Pattern[str], Mapping[str, int]]:
    """Return the rules, the words that make a finding a known one and a compared one, and the scale of degrees."""
    import yaml

    data = yaml.safe_load(resource("mappings", "severity.yaml").read_text(encoding="utf-8"))
    rows = data["rules"]
    known_words, compared = (re.compile(data[name], re.IGNORECASE) for name in ("known", "compared"))
    known = {f.name for f in fields(Rule)}
    found = []
    for row in rows:
        unknown = sorted(set(row) - known)
        if unknown or "name" not in row:
            wrong = f"unknown key '{unknown[0]}'" if unknown else "no name"
            raise KgscoreError(f"severity.yaml: rule '{row.get('name', '')}': {wrong}")
        values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        found.append(Rule(**values))
    return tuple(found), known_words, compared, data["degrees"]


def context_of(values: Mapping[str, Any]) -> Context:
    """Return the context that a record or the command line gives.

    Raises:
        InputError: an unknown key, or a value of another type; the message quotes keys only.

    >>> context_of({"age": "71", "setting": "icu"})
    Context(age=71.0, indication='', setting='icu')
    """
    unknown = sorted(set(values) - {f.name for f in fields(Context)})
    if unknown:
        raise InputError(f"context: unknown key '{unknown[0]}'; known keys: age, indication, setting")
    age = values.get("age")
    try:
        years = None if age is None else float(age)
    except (TypeError, ValueError):
        raise InputError("context: 'age' must be a number of years") from None
    texts = {name: values.get(name) or "" for name in ("indication", "setting")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise InputError(f"context: '{name}' must be text")
    return Context(years, texts["indication"], texts["setting"])
