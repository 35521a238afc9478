"""The rules that correct a structure, by id and in order, where the words of a sentence settle it or rule it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kgscore.reading.composition.changes import change_of_quality, changes_of_structures
from kgscore.reading.composition.clauses import clauses
from kgscore.reading.composition.given import adjectives_claimed, changes_claimed, lacks_apart, left_out, looks_given
from kgscore.reading.composition.headed import headed
from kgscore.reading.composition.joined import joined_by_head
from kgscore.reading.composition.owned import left_behind
from kgscore.reading.composition.repairs import (
    at_itself,
    bare_place,
    hampering,
    of_technique,
    only_labels,
    said_of_it,
    straightened,
    valued,
)
from kgscore.reading.composition.scene import Scene
from kgscore.reading.composition.settled import alternating, named_apart, once, terse
from kgscore.reading.composition.shared import at_some_places, denied_at_several, denied_inside, placed_as, shared_modifiers
from kgscore.reading.composition.sides import on_own_side, on_own_sides, on_side_after
from kgscore.reading.composition.status import by_cue
from kgscore.reading.structure.values import Statement, Structure

Rule = Callable[[Scene, Structure], Structure]


def corrected(scene: Scene, structure: Structure, rules: Mapping[str, Rule]) -> tuple[Structure, tuple[str, ...]]:
    """Return a structure as the rules leave it, and the ids of those that changed it."""
    fired: list[str] = []
    for name, rule in rules.items():
        before, structure = structure, rule(scene, structure)
        if structure != before:
            fired.append(name)
    return structure, tuple(fired)


def _each(of: Callable[[Scene, Statement], Statement]) -> Rule:
    """Return a rule that looks at each statement by itself."""
    return lambda scene, structure: tuple(dict.fromkeys(of(scene, one) for one in structure))


def _split(of: Callable[[Scene, Statement], list[Statement]]) -> Rule:
    """Return a rule that makes several statements of one."""
    return lambda scene, structure: tuple(part for one in structure for part in of(scene, one))


def _without(test: Callable[[Scene, Structure, Statement], bool]) -> Rule:
    """Return a rule that drops the statements that fail a test."""
    return lambda scene, structure: tuple(one for one in structure if not test(scene, structure, one))


def _status(scene: Scene, structure: Structure) -> Structure:
    clause = clauses(scene)
    return tuple(by_cue(scene, one, clause) for one in structure)


RULES: Mapping[str, Rule] = {
    "straightening": straightened,
    "technique": _without(lambda scene, structure, one: of_technique(scene, one)),
    "valued": _without(valued),
    "hampering": _each(hampering),
    "only-labels": _without(only_labels),
    "bare-place": _without(bare_place),
    "said-of-it": _without(said_of_it),
    "at-itself": _each(at_itself),
    "terse": lambda scene, structure: structure or terse(scene),
    "change-of-quality": _each(change_of_quality),
    "change-of-structure": changes_of_structures,
    "side-of-finding": _each(on_own_side),
    "status": _status,
    "side-of-site": _each(on_own_sides),
    "shared-noun": _split(named_apart),
    "alternating": _split(alternating),
    "side-after": lambda scene, structure: tuple(one._replace(places=on_side_after(scene, structure, one)) for one in structure),
    "one-head": joined_by_head,
    "once": once,
    "predicates": headed,
    "left-out": left_out,
    "looks": looks_given,
    "adjectives": adjectives_claimed,
    "changes": changes_claimed,
    "lacks": lacks_apart,
    "shared-modifiers": shared_modifiers,
    "denied-at-several": placed_as(denied_at_several),
    "denied-inside": placed_as(denied_inside),
    "at-some-places": placed_as(at_some_places),
    "side-again": _each(on_own_side),
    "left-behind": left_behind,
}
