"""What corrects a structure where the words of a sentence determine or exclude it, by id and in order: rules in data
(`mappings/reading/rules`), and between them steps that interpret words of status, side and coordination."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from kgscore.reading.composition import settled, shared, sides, temporality
from kgscore.reading.composition.assertion import assertion_by_cue
from kgscore.reading.composition.clauses import clauses
from kgscore.reading.composition.joined import joined_by_head
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.rules.files import rules_of
from kgscore.reading.structure.values import Parse, Statement

Step = Callable[[ParsedSentence, Parse], Parse]


def corrected(scene: ParsedSentence, structure: Parse, steps: Mapping[str, Step]) -> tuple[Parse, tuple[str, ...]]:
    """Return a structure after all steps, and the ids of those that changed it."""
    fired: list[str] = []
    for name, step in steps.items():
        before, structure = structure, step(scene, structure)
        if structure != before:
            fired.append(name)
    return structure, tuple(fired)


def _split(of: Callable[[ParsedSentence, Statement], list[Statement]]) -> Step:
    """Return a step that splits a statement into several."""
    return lambda scene, structure: tuple(part for one in structure for part in of(scene, one))


def _each(of: Callable[[ParsedSentence, Statement], Statement]) -> Step:
    """Return a step that maps each statement on its own."""
    return lambda scene, structure: tuple(of(scene, one) for one in structure)


def _status(scene: ParsedSentence, structure: Parse) -> Parse:
    clause = clauses(scene)
    return tuple(assertion_by_cue(scene, one, clause) for one in structure)


# What a function interprets, as no pattern of single mentions expresses it.
_STEPS: Mapping[str, Step] = {
    "terse": lambda scene, structure: structure or settled.terse(scene),  # a line without a verb
    "change-of-structure": temporality.changes_of_structures,
    "status": _status,  # words of denial, certainty and time, and how far they reach
    "side-of-site": _each(sides.on_own_sides),  # sides directly before the sites of a list
    "shared-noun": _split(settled.named_apart),  # words that members of a list share, looked up in the lexicon
    "alternating": _split(settled.alternating),
    "shared-side": _each(settled.sides_shared),
    "one-head": joined_by_head,  # several statements of one noun
    "once": settled.once,
    "shared-modifiers": shared.shared_modifiers,
    "at-each-level": shared.at_each_level,
    "denied-at-all": shared.denied_at_all,
}


@cache
def steps() -> Mapping[str, Step]:
    """Return the rules and steps in order."""
    found: dict[str, Step] = {rule.id: rule for rule in rules_of("early")}
    found.update(_STEPS)
    found.update((rule.id, rule) for rule in rules_of("late"))
    return {**found, "lacks": settled.lacks_apart}  # adjectives of absence, once all adjectives have their noun
