"""The files of rules, `mappings/reading/rules/*.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from kgscore.reading.rules.engine import Condition, Rule
from kgscore.reading.rules.pattern import Names, needs_of, pattern_of, test_of
from kgscore.reading.structure.values import STATUSES
from kgscore.resources import yaml_of


def _condition(row: Mapping[str, Any], names: Names) -> Condition:
    modifiers, sites = ({name: test_of(one, names) for name, one in row.get(part, {}).items()} for part in ("modifiers", "sites"))
    head, without = test_of(row.get("head", "any"), names), test_of(row.get("without", "!any"), names)
    return Condition(head, frozenset(row.get("status", STATUSES)), tuple(row.get("lacks", ())), modifiers, sites, without)


@cache
def rules_of(name: str) -> tuple[Rule, ...]:
    """Return the rules of a file in `mappings/reading/rules`, in their order; reasons and examples are for people and tests."""
    table = yaml_of("mappings", "reading", "rules", f"{name}.yaml")
    names, made = {"classes": {}, "words": {}, **table}, list[Rule]()
    for row in table["rules"]:
        match, when, unless = (tuple(pattern_of(one, names) for one in row.get(part, ())) for part in ("match", "when", "unless"))
        said = row.get("statements", {})
        statements = {name: _condition(one, names) for name, one in said.items()}
        tests = [test for one in said.values() for part in ("modifiers", "sites") for test in one.get(part, {}).values()]
        tests += [one.get("head", "any") for one in said.values()]
        where = tuple((relation, one, other) for relation, one, other in map(str.split, row.get("where", ())))
        do = tuple(map(tuple, map(str.split, row["do"])))
        match = match or (pattern_of("^", names),)
        made.append(Rule(row["id"], match, statements, where, when, unless, do, needs_of(tests, names)))
    return tuple(made)
