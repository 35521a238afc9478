"""What corrects a structure by the words of a sentence, in order: rules (`mappings/reading/rules`), and steps between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from kgscore.reading.composition import coordination, descriptors, sides
from kgscore.reading.composition.assertion import assertion_by_cue
from kgscore.reading.composition.bare_lines import terse
from kgscore.reading.composition.joined import joined_by_head
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.composition.scope import clauses
from kgscore.reading.rules.engine import rules_of
from kgscore.reading.rules.pattern import View
from kgscore.reading.structure.values import Parse, Statement

Step = Callable[[View], Parse]


def corrected(scene: ParsedSentence, structure: Parse, steps: Mapping[str, Step]) -> tuple[Parse, tuple[str, ...]]:
    """Return a structure after all steps, and the ids of those that changed it."""
    view, fired = View(scene, structure, _asked()), list[str]()
    for name, step in steps.items():
        after = step(view)
        if after != view.structure:
            view = View(scene, after, view.asked)
            fired.append(name)
    return view.structure, tuple(fired)


def _split(of: Callable[[ParsedSentence, Statement], list[Statement]]) -> Step:
    return lambda view: tuple(part for one in view.structure for part in of(view.scene, one))


def _each(of: Callable[[ParsedSentence, Statement], Statement]) -> Step:
    return lambda view: tuple(of(view.scene, one) for one in view.structure)


def _whole(of: Callable[[ParsedSentence, Parse], Parse]) -> Step:
    return lambda view: of(view.scene, view.structure)


def _status(view: View) -> Parse:
    clause = clauses(view.scene)
    return tuple(assertion_by_cue(view.scene, one, clause) for one in view.structure)


# What a function interprets, as no pattern of single mentions expresses it.
_STEPS: Mapping[str, Step] = {
    "terse": lambda view: view.structure or terse(view.scene),  # a line without a verb
    "change-of-structure": _whole(descriptors.changes_of_structures),
    "status": _status,  # words of denial, certainty and time, and how far they reach
    "side-of-site": _each(sides.on_own_sides),  # sides directly before the sites of a list
    "shared-noun": _split(coordination.named_apart),  # words that members of a list share, looked up in the lexicon
    "alternating": _split(coordination.alternating),
    "shared-side": _each(coordination.sides_shared),
    "one-head": _whole(joined_by_head),  # several statements of one noun
    "shared-modifiers": _whole(coordination.shared_modifiers),
    "at-each-level": _whole(coordination.at_each_level),
}


@cache
def _asked() -> frozenset[tuple[str, str]]:
    return frozenset().union(*(rule.asked for rule in (*rules_of("early"), *rules_of("late"))))


@cache
def steps() -> Mapping[str, Step]:
    """Return the rules and steps in order."""
    found: dict[str, Step] = {rule.id: rule for rule in rules_of("early")}
    found.update(_STEPS)
    found.update((rule.id, rule) for rule in rules_of("late"))
    return found
