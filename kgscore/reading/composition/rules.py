"""The rules that correct a structure, by id and in order, where the words of a sentence settle it or rule it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kgscore.reading.composition import attachment, repairs, settled, shared, sides
from kgscore.reading.composition.assertion import assertion_by_cue
from kgscore.reading.composition.clauses import clauses
from kgscore.reading.composition.headed import headed
from kgscore.reading.composition.joined import joined_by_head
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.structure.values import Parse, Statement

Rule = Callable[[ParsedSentence, Parse], Parse]


def corrected(scene: ParsedSentence, structure: Parse, rules: Mapping[str, Rule]) -> tuple[Parse, tuple[str, ...]]:
    """Return a structure as the rules leave it, and the ids of those that changed it."""
    fired: list[str] = []
    for name, rule in rules.items():
        before, structure = structure, rule(scene, structure)
        if structure != before:
            fired.append(name)
    return structure, tuple(fired)


def _each(of: Callable[[ParsedSentence, Statement], Statement]) -> Rule:
    """Return a rule that looks at each statement by itself."""
    return lambda scene, structure: tuple(dict.fromkeys(of(scene, one) for one in structure))


def _split(of: Callable[[ParsedSentence, Statement], list[Statement]]) -> Rule:
    """Return a rule that makes several statements of one."""
    return lambda scene, structure: tuple(part for one in structure for part in of(scene, one))


def _without(test: Callable[[ParsedSentence, Parse, Statement], bool]) -> Rule:
    """Return a rule that drops the statements that fail a test."""
    return lambda scene, structure: tuple(one for one in structure if not test(scene, structure, one))


def _status(scene: ParsedSentence, structure: Parse) -> Parse:
    clause = clauses(scene)
    return tuple(assertion_by_cue(scene, one, clause) for one in structure)


RULES: Mapping[str, Rule] = {
    "hampering": _each(repairs.hampering),
    "only-labels": _without(repairs.only_labels),
    "score": _each(repairs.scored),
    "device": _each(repairs.of_its_device),
    "at-named": _each(repairs.at_named),
    "terse": lambda scene, structure: structure or settled.terse(scene),
    "status": _status,
    "side-of-site": _each(sides.on_own_sides),
    "shared-noun": _split(settled.named_apart),
    "one-head": joined_by_head,
    "predicates": headed,
    "left-out": settled.left_out,
    "looks": attachment.appearance_attached,
    "adjectives": attachment.adjectives_claimed,
    "lacks": attachment.lacks_apart,
    "denied-attribute": attachment.denied_attributes,
    "denied-inside": shared.placed_as(shared.denied_inside),
    "at-some-places": shared.placed_as(shared.at_some_places),
    "form-of-break": attachment.form_of_breaks,
}
