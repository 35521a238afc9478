"""Checks of anatomy, using a finding that can occur at any structure: wordings, parts, subclasses, sides."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from kgscore.authoring.ontology_checks.world import Check, World
from kgscore.ontology.tables import Form, Term


def structure_checks(world: World, term: Term) -> Iterator[Check]:
    """Yield every check of a structure."""
    makers = () if world.general(term.id) else (_wordings, _wholes, _sides)
    return chain.from_iterable(make(world, term) for make in makers)


def _wordings(world: World, term: Term) -> Iterator[Check]:
    """A finding at a structure is the same under any name of it that is not first one of another, nor of a quality ("cardiac
    contour"). An adjective that makes another finding of it ("mediastinal lesion": a mediastinal mass) is not asked about."""
    for form in (*term.synonyms, *term.hidden):
        if world.is_of_another(term.id, form.text) or world.is_quality(form.text):
            continue
        yield Check("structure", term.id, form.text, _expected(world, term, form), _phrase(world, form.text), ("equivalent",))
    for form in term.adjectives:
        if world.is_named(f"{form.text} {world.probe}"):
            continue
        said = _phrase(world, form.text, adjective=True)
        yield Check("structure adjective", term.id, form.text, _expected(world, term, form), said, ("equivalent",))


def _phrase(world: World, word: str, adjective: bool = False) -> str:
    first = word.split()[0].lower()
    frame = "where" if first in world.settings["places"] else "before" if adjective else "placed"
    return world.say(frame, finding=world.probe, site=word)


def _expected(world: World, term: Term, form: Form) -> str:
    frame = {None: "placed", "both": "both"}.get(form.side, "sided")
    return world.say(frame, finding=world.probe, site=term.label, side=str(form.side))


def _wholes(world: World, term: Term) -> Iterator[Check]:
    """A finding in a part is in the whole, and is negated if the whole has none. What an organ consists of is no part."""
    said = world.say("placed", finding=world.probe, site=term.label)
    for above in dict.fromkeys((*term.parents, *term.parts)):
        if above not in world.terms or world.general(above) or world.one_place(term.id, above):
            continue
        yield Check("structure part", term.id, above, said, world.placed(world.probe, above), ("part_whole",))
        denied = world.placed(world.probe, above, "placed_denied")
        yield Check("structure part denied", term.id, above, said, denied, ("contradiction",))


def _sides(world: World, term: Term) -> Iterator[Check]:
    if not world.has_sides(term.id):
        return
    left, right = (world.say("sided", finding=world.probe, site=term.label, side=side) for side in ("left", "right"))
    unsaid = world.say("placed", finding=world.probe, site=term.label)
    denied = world.say("placed_denied", finding=world.probe, site=term.label)
    yield Check("structure side", term.id, "right", left, right, ("unrelated",))
    yield Check("structure no side", term.id, "left", left, unsaid, ("part_whole",))
    yield Check("structure side denied", term.id, "left", left, denied, ("contradiction",))
