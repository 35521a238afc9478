"""The tiers and their rules as a page for reviewers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

from kgscore.clinical.rules import LOW, Condition, Rule, Rules
from kgscore.model import TIERS
from kgscore.ontology.index import Index
from kgscore.ontology.tables import FINDINGS, Term

_HEAD = """# All tiers and rules

<!-- made by `kgscore ontology tiers` -->

**No radiologist has reviewed this page yet.** [How much a finding matters](clinical.md#how-much-a-finding-matters) says how to
read and change it. Only what is assigned is listed: whatever stands below a finding in the ontology has its tier too, unless it
is listed itself.
"""
_RULE_HEAD = ("rule", "makes it", "when", "unless", "source")
_TIER_HEAD = ("finding", "a kind of", "kinds with it", "source")
_BOUNDS = {"from": "at least", "below": "less than"}


def page(index: Index, terms: Sequence[Term], rules: Rules, sources: dict[str, str]) -> str:
    """Return the page in Markdown: sources, rules in their order, and by region every finding with a tier of its own."""
    given = [term for term in terms if term.kind in FINDINGS and term.tier is not None]
    parts = [_HEAD, "## Sources\n", _table(("key", "source"), ((f"`{key}`", told) for key, told in sources.items()))]
    parts += ["## Rules\n", "In the order in which they are applied.\n", _table(_RULE_HEAD, _rule_rows(rules))]
    for region in dict.fromkeys(term.module for term in given):
        parts.append(f"## {region.capitalize()}\n")
        for tier, word in TIERS.items():
            rows = [_row(term, index) for term in given if term.module == region and term.tier == tier]
            if rows:
                parts += [f"### {region.capitalize()}: {word}\n", _table(_TIER_HEAD, sorted(rows))]
    return "\n".join(parts)


def _row(term: Term, index: Index) -> tuple[str, ...]:
    above = ", ".join(index.label(name) for name in term.parents)
    same = sum(one.graded_by == term.id for one in index.concepts.values()) - 1
    return term.label, above, str(same or ""), f"`{term.source}`"


def _rule_rows(rules: Rules) -> Iterator[tuple[str, ...]]:
    for rule in rules.rules:
        unless = _condition_text(rule.unless, " or ") if rule.unless else ""
        yield f"`{rule.id}`", _effect(rule), _condition_text(rule.when, " and "), unless, f"`{rule.source}`"


def _effect(rule: Rule) -> str:
    if rule.set is not None:
        return TIERS[rule.set]
    if rule.add:
        return f"{abs(rule.add)} {'higher' if rule.add > 0 else 'lower'}"
    return f"at least {TIERS[rule.at_least]}" if rule.at_least > LOW else f"at most {TIERS[rule.at_most]}"


def _condition_text(condition: Condition, joint: str) -> str:
    """Return the given conditions, in the words of the file."""
    found = []
    for one in fields(condition):
        value = getattr(condition, one.name)
        name, _, bound = one.name.partition("_")
        if one.name == "tier_from":
            if value > LOW:
                found.append(f"tier at least {TIERS[value]}")
        elif bound in _BOUNDS and value is not None:
            found.append(f"{name} {_BOUNDS[bound]} {value:g}")
        elif isinstance(value, frozenset) and value:
            found.append(f"{one.name} {', '.join(sorted(map(str, value)))}")
        elif value not in (None, "", frozenset()):
            found.append(f"{one.name} {str(value).lower()}")
    return joint.join(found).replace("_", " ")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"
