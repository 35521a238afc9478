"""Checks of findings and devices: wordings, negation, parents, definitions, opposites, implications, parts and sides."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from zlib import crc32

from kgscore.authoring.ontology_checks.world import Check, World, article
from kgscore.ontology.index import ANYWHERE
from kgscore.ontology.tables import Form, Term

_SAME, _PART, _AGAINST, _APART = ("equivalent",), ("part_whole",), ("contradiction",), ("unrelated",)
# Checks that negate the finding.
_DENYING = frozenset(("denied", "definition denied", "implied", "part denied", "whole said", "side denied", "other side denied"))
# The number of parts of its site at which a finding is tested.
_PARTS = 2


def finding_checks(world: World, term: Term) -> Iterator[Check]:
    """Yield every check of a finding or a device."""
    makers = (_wordings, _denials, _parents, _definitions, _differentiae, _opposites, _implications, _places, _sides)
    made = () if world.general(term.id) else chain.from_iterable(make(world, term) for make in makers)
    denied = not world.kind_of(term.id, world.settings["assigned"])
    return (one for one in made if denied or one.kind not in _DENYING)


def predicate(world: World, site: str, word: str) -> str:
    """Return a sentence that applies a word to a structure: an adjective or a verb."""
    first = word.split()[0].lower()
    frame = "does" if first in world.settings["verbs"] or _third_person(first) else "is"
    return world.say(frame, site=world.index.label(site), word=word)


def _third_person(word: str) -> bool:
    """Return whether a word is a third-person verb like "dilates"; adjectives have no such ending."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "ous"))


def _wordings(world: World, term: Term) -> Iterator[Check]:
    """Every wording has the same meaning as the label, unless it is first one of another concept. One that is read from its
    words may name a part of the finding's site."""
    composed = world.is_composed(term.id, term.label)
    for form in (*term.synonyms, *term.hidden):
        if world.is_of_another(term.id, form.text):
            continue
        wanted = (*_SAME, *_PART) if composed or world.is_composed(term.id, form.text) else _SAME
        side = {None: "", "both": "bilateral "}.get(form.side, f"{form.side} ")  # implied by the wording
        yield Check("wording", term.id, form.text, world.finding(f"{side}{term.label}"), world.finding(form.text), wanted)
    site = world.bearers(term.id)[0]
    for form in term.adjectives:
        said = world.placed(term.label, site)
        yield Check("adjective", term.id, form.text, said, predicate(world, site, form.text), _SAME)


def _denials(world: World, term: Term) -> Iterator[Check]:
    """A finding can be negated by any of its wordings that is a noun phrase and holds no negation itself. The deviation of a
    quality is that of a structure: denied of none ("No abnormality in size."), it says nothing. A wording that may name a
    part of the site is held against itself: it denies what is there."""
    site = world.bearers(term.id)[0] if term.id in world.deviations and not world.index.default_sites(term.id) else None
    frames = ("placed", "placed_denied") if site else ("finding", "denied")
    place = {"site": world.index.label(site)} if site else {}
    for form in (Form(term.label), *term.synonyms, *term.hidden):
        if form.side is None and _is_deniable(world, term, form.text):
            name = form.text if world.is_composed(term.id, form.text) else term.label
            said, denied = world.say(frames[0], finding=name, **place), world.say(frames[1], finding=form.text, **place)
            yield Check("denied", term.id, form.text, said, denied, _AGAINST)


def _is_deniable(world: World, term: Term, text: str) -> bool:
    """Return whether "no" can stand before a wording, and the finding is what it denies."""
    denying = text.split()[0].lower() in world.settings["denying"]
    return not (denying or world.is_clause(text) or world.is_of_another(term.id, text))


def _parents(world: World, term: Term) -> Iterator[Check]:
    """A finding is a subclass of its ancestors; a concept that is not an abnormality by itself is not counted against it."""
    said = world.finding(term.label)
    for parent in world.terms[term.id].parents:
        above = world.terms.get(parent)
        if above is None or world.general(parent):
            continue
        alone = parent not in world.settings["unplaced"]
        if alone and above.parents and not all(world.general(name) for name in above.parents):
            yield Check("parent", term.id, parent, said, world.finding(above.label), _PART)
        for site in world.index.soft_sites.get(term.id, ())[:1]:
            yield Check("parent at site", term.id, parent, said, world.placed(above.label, site), ("part_whole", "equivalent"))


def _definitions(world: World, term: Term) -> Iterator[Check]:
    """A finding that meets a definition by its place is of the class; each of several definitions is sufficient. It is of the
    genus as well, unless the genus alone is another finding."""
    said = world.finding(term.label)
    alone = len(term.definitions) == 1
    wanted = _SAME if alone else (*_SAME, *_PART)
    for row in term.definitions:
        if row.site == ANYWHERE or row.genus not in world.terms or row.site not in world.terms:
            continue
        genus, about = world.index.label(row.genus), f"{row.genus} @ {row.site}"
        composed = world.placed(genus, row.site)
        before = world.say("before", finding=genus, site=world.index.label(row.site))
        yield from (Check("definition", term.id, about, said, words, wanted) for words in (before, composed))
        if not _is_another_alone(world, row.genus, row.site):
            yield Check("genus", term.id, about, composed, world.finding(genus), (*_PART, *_SAME))
        if alone:
            yield Check("definition denied", term.id, about, said, world.placed(genus, row.site, "placed_denied"), _AGAINST)


def _is_another_alone(world: World, genus: str, site: str) -> bool:
    """Return whether a genus without the site is another finding: one that says nothing, or at a place of its own ("emphysema" of
    the neck, and pulmonary emphysema), or a denial ("absent enhancement")."""
    denying = world.kind_of(genus, tuple(world.index.flagged("lacks")))
    return denying or world.general(genus) or genus in world.settings["unplaced"] or world.elsewhere(genus, site)


def _differentiae(world: World, term: Term) -> Iterator[Check]:
    """A finding that meets a definition by its descriptor is of the class, said before the genus and after it."""
    said, several = world.finding(term.label), len(term.definitions) + len(term.differentiae) > 1
    for one in term.differentiae:
        if one.genus in world.terms and one.value in world.terms:
            genus, value = world.index.label(one.genus), world.index.label(one.value)
            wanted = (*_SAME, *_PART) if several or world.is_inexact(term.id, f"{value} {genus}") else _SAME
            for words in (world.finding(f"{value} {genus}"), *_predications(world, genus, one.value)):
                yield Check("definition", term.id, f"{one.genus} + {one.value}", said, words, wanted)


def _predications(world: World, genus: str, value: str) -> Iterator[str]:
    """Yield the sentences that say a descriptor after its genus: "a fracture, healed", "the fracture is healed". A finding that
    is one has many adjectives, and a noun is not said so ("the catheter is jugular approach")."""
    word = world.terms[value].label
    if world.terms[value].kind == "descriptors" and not world.is_noun(word):
        yield world.say("describing", article=article(genus), finding=genus, word=word)
        yield world.say("is", site=genus, word=word)


def _opposites(world: World, term: Term) -> Iterator[Check]:
    """Two opposite values of one bearer cannot both hold."""
    for name in sorted(world.index.opposites.get(term.id, ())):
        other = world.terms[name]
        site = world.bearers(term.id if world.index.soft_sites.get(term.id) else name)[0]
        yield Check("opposite", term.id, name, world.placed(term.label, site), world.placed(other.label, site), _AGAINST)


def _implications(world: World, term: Term) -> Iterator[Check]:
    """The implications of a finding cannot be negated next to it."""
    said = world.finding(term.label)
    for name in term.implies:
        if name in world.terms:
            yield Check("implied", term.id, name, said, world.say("denied", finding=world.terms[name].label), _AGAINST)


def _places(world: World, term: Term) -> Iterator[Check]:
    """The same finding at a part and at the whole: part–whole; negated for the whole and asserted for the part: contradiction.
    One of a stretch of the spine is not one of its parts; a part that the finding implies (a wall) adds nothing to it."""
    if any("whole" in world.terms[name].flags for name in world.index.ancestors[term.id] if name in world.terms):
        return
    if world.kind_of(term.id, tuple(world.index.flagged("of_stretches") | world.index.flagged("lacks"))):
        return
    site, label = world.bearers(term.id)[0], term.label
    for part in _some_parts(world, term.id, site):
        at_whole, at_part = world.placed(label, site), world.placed(label, part)
        yield Check("part", term.id, part, at_whole, at_part, _PART)
        yield Check("part denied", term.id, part, at_part, world.placed(label, site, "placed_denied"), _AGAINST)
        yield Check("whole said", term.id, part, at_whole, world.placed(label, part, "placed_denied"), _APART)


def _some_parts(world: World, concept: str, site: str) -> list[str]:
    """Return parts and subclasses of a site, different ones for every finding, the same in every run."""
    implied = world.index.sites_implied(concept)

    def is_the_whole(part: str) -> bool:
        made = part in world.index.made.get(site, ()) and world.has_sides(part)  # denied of the lobes, denied of the liver
        return part in implied or made or world.one_place(part, site)

    below = [name for name in world.below.get(site, ()) if not (world.general(name) or is_the_whole(name))]
    start = crc32(concept.encode()) % len(below) if below else 0
    return [below[(start + step) % len(below)] for step in range(min(_PARTS, len(below)))]


def _sides(world: World, term: Term) -> Iterator[Check]:
    """On the other side it is a different finding; without a side it is broader, and its negation covers both sides."""
    site = world.bearers(term.id)[0]
    if not world.has_sides(site):
        return
    one, other = ("left", "right") if crc32(term.id.encode()) % 2 else ("right", "left")
    place = world.index.label(site)
    here, there = (world.say("sided", finding=term.label, side=side, site=place) for side in (one, other))
    yield Check("other side", term.id, site, here, there, _APART)
    yield Check("no side", term.id, site, here, world.placed(term.label, site), _PART)
    yield Check("side denied", term.id, site, here, world.placed(term.label, site, "placed_denied"), _AGAINST)
    denied = world.say("sided_denied", finding=term.label, side=other, site=place)
    yield Check("other side denied", term.id, site, here, denied, _APART)
