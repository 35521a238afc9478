"""The rules that correct a structure where the words of a sentence determine or exclude it, by id and in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kgscore.reading.composition import given, owned, repairs, settled, shared, sides, temporality
from kgscore.reading.composition.assertion import assertion_by_cue
from kgscore.reading.composition.clauses import clauses
from kgscore.reading.composition.headed import headed
from kgscore.reading.composition.joined import joined_by_head
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.structure.values import Parse, Statement

Rule = Callable[[ParsedSentence, Parse], Parse]


def corrected(scene: ParsedSentence, structure: Parse, rules: Mapping[str, Rule]) -> tuple[Parse, tuple[str, ...]]:
    """Return a structure after all rules, and the ids of those that changed it."""
    fired: list[str] = []
    for name, rule in rules.items():
        before, structure = structure, rule(scene, structure)
        if structure != before:
            fired.append(name)
    return structure, tuple(fired)


def _each(of: Callable[[ParsedSentence, Statement], Statement]) -> Rule:
    """Return a rule that maps each statement on its own."""
    return lambda scene, structure: tuple(dict.fromkeys(of(scene, one) for one in structure))


def _split(of: Callable[[ParsedSentence, Statement], list[Statement]]) -> Rule:
    """Return a rule that splits a statement into several."""
    return lambda scene, structure: tuple(part for one in structure for part in of(scene, one))


def _without(test: Callable[[ParsedSentence, Parse, Statement], bool]) -> Rule:
    """Return a rule that drops the statements for which a test is true."""
    return lambda scene, structure: tuple(one for one in structure if not test(scene, structure, one))


def _status(scene: ParsedSentence, structure: Parse) -> Parse:
    clause = clauses(scene)
    return tuple(assertion_by_cue(scene, one, clause) for one in structure)


RULES: Mapping[str, Rule] = {
    "hampering": _each(repairs.hampering),
    "only-labels": _without(repairs.only_labels),
    "score": _each(repairs.scored),
    "at-itself": _each(repairs.at_itself),
    "device": _each(repairs.of_its_device),
    "at-named": _each(repairs.at_named),
    "terse": lambda scene, structure: structure or settled.terse(scene),
    "change-of-quality": _each(temporality.change_of_quality),
    "change-of-structure": temporality.changes_of_structures,
    "status": _status,
    "side-of-site": _each(sides.on_own_sides),
    "shared-noun": _split(settled.named_apart),
    "alternating": _split(settled.alternating),
    "rather-elsewhere": _split(shared.denied_elsewhere),
    "shared-parts": _each(settled.with_shared_parts),
    "one-head": joined_by_head,
    "once": settled.once,
    "denied-with-normal": repairs.denied_with_normal,
    "predicates": headed,
    "left-out": given.left_out,
    "to-their-nouns": given.to_their_nouns,
    "looks": given.looks_given,
    "degrees": given.degrees_apart,
    "adjectives": given.adjectives_claimed,
    "changes": given.changes_claimed,
    "lacks": given.lacks_apart,
    "denied-attribute": given.attributes_denied,
    "shared-modifiers": shared.shared_modifiers,
    "denied-at-several": shared.placed_as(shared.denied_at_several),
    "denied-inside": shared.placed_as(shared.denied_inside),
    "at-each-level": shared.at_each_level,
    "at-some-levels": shared.placed_as(shared.at_some_levels),
    "at-some-places": shared.placed_as(shared.at_some_places),
    "side-of-finding": _each(sides.on_own_side),
    "ends-list": _each(owned.with_noun),
    "form-of-break": owned.of_breaks,
    "after-operation": owned.without_changes,
    "operated-on": owned.operated,
    "left-behind": owned.left_behind,
}
