"""The rules of `mappings/significance.yaml`: they adjust the tier of a finding by its description and by the patient."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import Any

from kgscore.clinical.context import Context, settings_of, word_groups
from kgscore.errors import KgscoreError
from kgscore.model import TIERS
from kgscore.ontology.tables import sources
from kgscore.reading.tokens import phrase_key
from kgscore.resources import resource, yaml_of

FILE = "significance.yaml"
LOW, HIGH = min(TIERS), max(TIERS)
_NUMBERS = {word: tier for tier, word in TIERS.items()}
_CLAUSE = re.compile(r"[.;,\n()]|\b(?:and|but|now|with)\b", re.IGNORECASE)
_EFFECTS = ("set", "at_least", "at_most")


@dataclass(frozen=True, slots=True)
class Condition:
    """The conditions of a rule: all given ones must hold, each for one of its values. Ids are of the ontology and include their
    descendants.

    Of the finding: its class (`finding`), its `detail`s, `site` (of it, or of the finding in its place), `at` (a site that it
    names itself), the `tip` of a device, `change`, `certainty`, its largest `length` in millimetres and `percent`, `_from` and
    `_below`; `tier_from`, the least current tier. Of the patient: `age` in years, `sex`, `setting`, the groups of words in the
    `indication` and a `procedure` (`past`: at any time), and whether the finding itself is `named` there as "known", or at all
    ("asked"). Of an error: `only` and `any_of` its categories. `asserted` False applies to normal statements.
    """

    finding: frozenset[str] = frozenset()
    detail: frozenset[str] = frozenset()
    site: frozenset[str] = frozenset()
    at: frozenset[str] = frozenset()
    tip: frozenset[str] = frozenset()
    change: frozenset[str] = frozenset()
    certainty: frozenset[str] = frozenset()
    length_from: float | None = None
    length_below: float | None = None
    percent_from: float | None = None
    percent_below: float | None = None
    tier_from: int = LOW
    asserted: bool | None = None
    age_from: float | None = None
    age_below: float | None = None
    sex: frozenset[str] = frozenset()
    indication: frozenset[str] = frozenset()
    procedure: frozenset[str] = frozenset()
    past: frozenset[str] = frozenset()
    setting: frozenset[str] = frozenset()
    named: str = ""
    only: frozenset[int] = frozenset()
    any_of: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: `when` must hold and `unless` must not. It sets the tier, adds to it, or keeps it within bounds."""

    id: str
    source: str
    when: Condition
    unless: Condition | None = None
    set: int | None = None
    add: int = 0
    at_least: int = LOW
    at_most: int = HIGH

    @property
    def expects(self) -> bool:
        """Whether the rule lowers the tier for a reason other than the description of the finding. It then does not apply to
        findings that the ontology grades higher than the named class: 'gas' after an operation is no pneumothorax."""
        lowers = self.add < 0 or self.at_most < HIGH or self.set in (LOW, LOW + 1)
        return lowers and not self.when.detail and not self.when.change

    def apply_to(self, tier: int) -> int:
        """Return the tier after this rule, 1 to 4."""
        found = tier + self.add if self.set is None else self.set
        return min(self.at_most, max(self.at_least, found))


@dataclass(frozen=True, slots=True)
class Facts:
    """The patient facts that rules use: age and sex, settings, the groups of words in the indication, in a recent procedure, and
    in a procedure or disease of any time; and what is asked and what is known, in normal forms."""

    age: float | None
    sex: str
    settings: frozenset[str]
    indication: frozenset[str]
    procedure: frozenset[str]
    past: frozenset[str]
    asked: str
    known: str


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules in their order, with the groups of words that identify the context."""

    rules: tuple[Rule, ...]
    words: Mapping[str, re.Pattern[str]]
    long_ago: re.Pattern[str] = field(repr=False)
    not_so: re.Pattern[str] = field(repr=False)
    known: re.Pattern[str] = field(repr=False)

    def facts(self, context: Context) -> Facts:
        """Return the facts of a context. Words in a negated clause are ignored; words in a clause about long ago count only as
        the past."""
        asked = [c for c in _CLAUSE.split(context.indication) if not self.not_so.search(c)]
        done = [c for c in _CLAUSE.split(context.procedure) if not self.not_so.search(c)]
        now = [c for c in asked if not self.long_ago.search(c)]
        lately = now + [c for c in done if not self.long_ago.search(c)]
        settings = settings_of(context.setting)
        return Facts(
            context.age, context.sex, settings, self._facts_in(now), self._facts_in(lately), self._facts_in(asked + done),
            normal_forms("; ".join(now)), normal_forms("; ".join(c for c in asked if self.known.search(c))),
        )

    def _facts_in(self, clauses: list[str]) -> frozenset[str]:
        text = "; ".join(clauses)
        return frozenset(name for name, words in self.words.items() if words.search(text))


@lru_cache(maxsize=10_000)
def normal_forms(text: str) -> str:
    """Return a text as the normal forms of its words, in which names are searched.

    >>> normal_forms("Known oedema")
    ' known edema '
    """
    return f" {' '.join(phrase_key(text))} "


def rules_hash() -> str:
    """Return a hash of the rules, for the signature of scores that use them."""
    return hashlib.sha256(resource("mappings", FILE).read_bytes()).hexdigest()[:12]


@cache
def load_rules() -> Rules:
    """Return the rules of `mappings/significance.yaml`.

    Raises:
        KgscoreError: a rule has no id, a duplicate id, no known source, or an unknown key, tier or group of words.
    """
    data = yaml_of("mappings", FILE)
    words, known = word_groups("words"), sources()
    rules: list[Rule] = []
    for row in data["rules"]:
        rule = _rule(row, known)
        if any(rule.id == other.id for other in rules):
            raise _rule_error(rule.id, "another rule has this id")
        for group in (one for c in (rule.when, rule.unless) if c for one in c.indication | c.procedure | c.past):
            if group not in words:
                raise _rule_error(rule.id, f"no group of words '{group}'")
        rules.append(rule)
    marks = (re.compile(rf"\b(?:{'|'.join(data[name])})", re.IGNORECASE) for name in ("long_ago", "not_so", "known"))
    return Rules(tuple(rules), words, *marks)


def _rule(row: Mapping[str, Any], known: Mapping[str, str]) -> Rule:
    values = dict(row)
    id, source, unless = values.pop("id", ""), values.pop("source", ""), values.pop("unless", None)
    if not id:
        raise _rule_error(str(row), "no id")
    if source not in known:
        raise _rule_error(id, f"no source '{source}'")
    effects = {name: _tier(id, values.pop(name)) for name in _EFFECTS if name in values}
    add = values.pop("add", 0)
    when = _condition(id, values)
    return Rule(id, source, when, _condition(id, unless) if unless else None, add=add, **effects)


def _condition(id: str, row: Mapping[str, Any]) -> Condition:
    known = {f.name for f in fields(Condition)}
    unknown = sorted(set(row) - known)
    if unknown:
        raise _rule_error(id, f"unknown key '{unknown[0]}'")
    values: dict[str, Any] = {key: frozenset(value) if isinstance(value, list) else value for key, value in row.items()}
    if "tier_from" in values:
        values["tier_from"] = _tier(id, values["tier_from"])
    return Condition(**values)


def _tier(id: str, word: str) -> int:
    if word not in _NUMBERS:
        raise _rule_error(id, f"no tier '{word}'; the tiers are {', '.join(_NUMBERS)}")
    return _NUMBERS[word]


def _rule_error(id: str, what: str) -> KgscoreError:
    return KgscoreError(f"{FILE}: rule '{id}': {what}")


@lru_cache(maxsize=1000)
def facts_of(context: Context) -> Facts:
    """Return the facts of a context under the shipped rules."""
    return load_rules().facts(context)
