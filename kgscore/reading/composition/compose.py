"""Composition of the heads of a sentence from its structure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN
from kgscore.model import Detail
from kgscore.ontology.alike import alike_of
from kgscore.reading.composition.anatomy import sides_in, with_side
from kgscore.reading.composition.assertion import caused
from kgscore.reading.composition.attributes import by_attribute
from kgscore.reading.composition.bearers import Made, attached_to, devices_at_ends, host_of, say_of_bearers
from kgscore.reading.composition.concepts import of_bounded_size
from kgscore.reading.composition.descriptors import LARGEST, details_of
from kgscore.reading.composition.drafts import drafts_of
from kgscore.reading.composition.extent import extend
from kgscore.reading.composition.locations import Location, location_of
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.composition.scope import apply_scope
from kgscore.reading.composition.sizes import sized
from kgscore.reading.finding_draft import CERTAINTY_PREFIX, FindingDraft, Places
from kgscore.reading.structure.values import Parse, Statement

# Kinds of items between the members of a list of findings.
_LISTED = frozenset(("and", "comma", "stop", DESCRIPTOR, "meas"))
# Kinds of items that end the scope of a side.
_PARTING = frozenset(("semi", "but", "sideword"))
# Kinds of items around a sign and its interpretation, and between them.
_IN_PHRASE = frozenset(("stop", ANATOMY, "sideword", DESCRIPTOR, "meas", "prep"))
_INTERPRETING = frozenset(("comma", "open", "dash", "infer"))
_PRONOUN = re.compile(r"(?:this|that|these|those|it|they)\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:the|this|that|these|those|its)\s+\Z", re.IGNORECASE)
# Kinds of items between "this" and its interpretation.
_TAKING = frozenset(("hedge", "infer", "stop", "cop", DESCRIPTOR, UNKNOWN))


def compose(scene: ParsedSentence, structure: Parse) -> list[FindingDraft]:
    """Return the heads of a sentence, in the order of the text, each with its details according to the structure."""
    made: Made = defaultdict(list)
    structure, reached = extend(scene, by_attribute(scene, structure))
    places = [location_of(scene, structure, one) for one in structure]
    said = _spoken(scene, structure, places)
    for one, place in said:
        if not (one.names or _belongs_to_largest(scene, structure, one, made) or _is_denied_by_normal(scene, structure, one)):
            made[one.head] += drafts_of(scene, one, place)
    say_of_bearers(scene, structure, places, made)
    for one, place in said:
        if one.names and not _explains(scene, one, place, made) and not _same_by_definition(scene, one, made):
            made[one.head] += _interpretations(scene, one, place)
    for at, details in reached.items():
        for head in made[at][:1]:
            head.details += details
    _finish(scene, structure, places, made)
    heads = sorted((*_consistent(scene, made), *sized(scene, structure)), key=lambda head: head.item.start)
    _lend(scene, heads)
    return apply_scope(scene, heads)


def _spoken(scene: ParsedSentence, structure: Parse, places: Sequence[Location]) -> list[tuple[Statement, Location]]:
    """Return the statements about the current state with their locations, and the signs that they explain as their names."""
    said = [number for number, one in enumerate(structure) if _speaks(scene, one) and not _only_bears(scene, structure, one)]
    names = [structure[number].names or _explained_finding(scene, structure, number, places) for number in said]
    return [(structure[at]._replace(names=own), places[at]) for at, own in zip(said, names, strict=True)]


def _speaks(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a statement is about the current state: a past operation has left a state."""
    if one.status != "past":
        return one.status != "none"
    item, words = scene.items[one.head], scene.knowledge.words
    stays = item.id in words.states or scene.knowledge.index.is_any(item.id, words.flagged("implants"))
    return item.kind == FINDING and stays and "history" not in scene.kinds


def _only_bears(scene: ParsedSentence, structure: Parse, one: Statement) -> bool:
    """Whether a statement only names the device that another one refers to ("lucency around the left S1 screw")."""
    words, name = scene.knowledge.words, scene.items[one.head].id
    if one.status != "presupposed" or name not in words.devices or name in words.states:
        return False
    told = (other for other in structure if other.status in ("present", "possible", "probable") and other is not one)
    return any(scene.items[other.head].kind == FINDING and one.head in other.placed for other in told)


def _explained_finding(scene: ParsedSentence, structure: Parse, number: int, places: Sequence[Location]) -> tuple[int, ...]:
    """Return the item of the sign that a hedged finding directly after it explains ("opacity, pneumonia favored"), if any."""
    one, generic = structure[number], scene.knowledge.words.generic
    item, place = scene.items[one.head], places[number]
    if one.status not in ("probable", "possible") or item.kind != FINDING or item.id in generic:
        return ()
    for other, there in zip(structure, places, strict=True):
        sign = other.head < one.head and other.status == "present" and scene.items[other.head].id in generic
        joints = {*scene.run(other.head + 1, one.head)} - _IN_PHRASE
        same = place.sites in ((), there.sites) and place.side in (None, there.side)
        if sign and same and not other.names and joints <= _INTERPRETING | {"hedge"} and joints & _INTERPRETING:
            return (other.head,)
    return ()


def _is_denied_by_normal(scene: ParsedSentence, structure: Parse, one: Statement) -> bool:
    """Whether a finding is denied by a normal word before it ("normal radiolucency", "normally lucent")."""
    before = (other for other in structure if other.head == one.head - 1 and other.status == "normal")
    adverb = one.head > 0 and scene.said(one.head - 1).lower() == "normally"
    return scene.items[one.head].kind == FINDING and any(adverb or one.head in other.modifiers for other in before)


def _last_named(scene: ParsedSentence, one: Statement, made: Made) -> tuple[list[FindingDraft], int]:
    """Return the heads that a statement repeats ("lymphadenopathy, the largest node 24 mm"), and the end of their words."""
    item, own = scene.items[one.head], made.get(one.head)
    if own or item.kind != ANATOMY:
        return own or [], item.end
    end = max((scene.items[at].end for at in made if at < one.head), default=0)
    before = [head for at, heads in made.items() if at < one.head for head in heads]
    return [head for head in before if head.item.end == end and head.kind == FINDING], end


def _belongs_to_largest(scene: ParsedSentence, structure: Parse, one: Statement, made: Made) -> bool:
    """Attach the size of the largest to the earlier finding, if there is one ("Several nodules, the largest 8 mm")."""
    sizes, (before, start) = scene.of_kind("meas", one.modifiers), _last_named(scene, one, made)
    largest = LARGEST.search(scene.text[start : scene.items[sizes[0]].start].lower()) if before and sizes else None
    if largest is None:
        return False
    told = {place for other in structure if other.head == one.head and other != one for place in other.places}
    stated = (place for place in one.places if place.items and scene.items[place.items[-1]].end <= start + largest.start())
    if not told.issuperset(stated):
        return False  # "in the left kidney and the right kidney, the largest 2 cm": of the last member of a list
    _add_size(scene, one, before)
    return True


def _add_size(scene: ParsedSentence, one: Statement, heads: list[FindingDraft]) -> None:
    """Attach the size of the largest to findings; that of the largest node tells whether it is enlarged."""
    large = of_bounded_size(scene, one, scene.items[one.head])
    for head in heads:
        head.details += [d for d in details_of(scene, one.modifiers, head.concept) if d not in head.details]
        if large and head.concept == scene.knowledge.words.role("visible_node"):
            head.concept = large[0].concept  # "several nodes, the largest 18 mm"


def _explained(scene: ParsedSentence, one: Statement, place: Location, made: Made) -> list[FindingDraft]:
    """Return the signs that a statement at a place may interpret."""
    placed = [head.sites for head in _signs(scene, one, made) if head.sites]
    apart = placed and not place.weak and place.sites and not any(_meet(scene, place.sites, own) for own in placed)
    return [] if apart else _signs(scene, one, made)


def _signs(scene: ParsedSentence, one: Statement, made: Made) -> list[FindingDraft]:
    """Return the signs that a statement is another name for, those of its own items if there are any."""
    named, generic = chain.from_iterable(made.get(at, ()) for at in one.names), scene.knowledge.words.generic
    signs = [head for head in named if head.kind == FINDING and head.status == "present" and head.concept in generic]
    items = {id(scene.items[at]) for at in one.names}
    return [head for head in signs if id(head.item) in items] or signs


def _explains(scene: ParsedSentence, one: Statement, place: Location, made: Made) -> bool:
    """Attach an interpretation as a detail to a sign, and return whether there is one ("Opacity, likely pneumonia")."""
    if one.status not in ("present", "probable", "possible") or not (signs := _explained(scene, one, place, made)):
        return False
    found, labels = drafts_of(scene, one, place), scene.knowledge.words.labels
    if not found or any(head.kind != FINDING for head in found):
        return False
    prefix = "" if one.status == "probable" and _sure(scene, one) else CERTAINTY_PREFIX.get(one.status, "")
    for target in (head for head in signs if head.item is signs[-1].item):  # "masses, the right 3 cm and the left 2 cm"
        if not (target.sites or target.side or place.weak):  # "nodules consistent with granulomas in both lungs"
            target.sites, target.side = list(place.sites), place.side
        _infer(target, found, prefix, labels)
    return True


def _infer(target: FindingDraft, found: Iterable[FindingDraft], prefix: str, labels: Mapping[str, str]) -> None:
    """Add interpretations to a finding as details and alternatives, with their sizes."""
    for head in found:
        target.details.append(Detail("inference", head.concept, prefix + labels.get(head.concept, head.concept)))
        target.alternatives.append(head.concept)
        target.details += [detail for detail in head.details if detail.category == "length"]


def _meet(scene: ParsedSentence, ones: Iterable[Places], others: Iterable[Places]) -> bool:
    """Whether two findings have their places in common, or single places of one side of which one lies in the other or is named
    for it ("opacity at the right base, likely right lower lobe pneumonia")."""
    index = scene.knowledge.index
    alike = alike_of(index).places

    def is_near(one: Places, other: Places) -> bool:
        if one == other or len(one) > 1 or len(other) > 1:
            return one == other
        (place, side), (counterpart, its_side) = one[0], other[0]
        near = index.inside(place, counterpart) or index.inside(counterpart, place) or counterpart in alike.get(place, ())
        return near and (side == its_side or None in (side, its_side))

    return any(is_near(one, other) for one in ones for other in others)


def _interpretations(scene: ParsedSentence, one: Statement, place: Location) -> list[FindingDraft]:
    """Return the heads of an interpretation, which is probable if nothing else is said."""
    heads = drafts_of(scene, one, place)
    if scene.kind(one.head + 1) == "colon" or caused(scene, one):  # "Portal hypertension: …"
        return heads
    for head in heads:
        if head.certainty == "definite" and head.status == "present":
            head.certainty = "probable"
    return heads


def _same_by_definition(scene: ParsedSentence, one: Statement, made: Made) -> bool:
    """Whether a finding restates an earlier one ("The veins are dilated, i.e. a varicocele"), or explains and replaces it."""
    index, name = scene.knowledge.index, scene.items[one.head].id
    for head in chain.from_iterable(made.get(at, ()) for at in one.names):
        if any(index.fold(head.concept, tuple(site for site, _ in places)) == name for places in head.sites):
            return True
        if head.concept == index.role("missing") and index.is_a(name, head.concept):
            head.concept = name
            return True
    return False


def _sure(scene: ParsedSentence, one: Statement) -> bool:
    """Whether the interpretation of a finding has no hedge: it is given by a cue such as "consistent with"."""
    cues = [kind for kind in scene.run(0, one.head) if kind in ("infer", "hedge", "semi")]
    return cues[-1:] == ["infer"]


def _lend(scene: ParsedSentence, heads: list[FindingDraft]) -> None:
    """Record for each head the side of the finding that it accompanies: "left hydronephrosis due to a ureteral stone"."""
    for before, head in pairwise(heads):
        between = {item.kind for item in scene.items if before.item.start < item.start < head.item.start}
        if "opposite" in sides_in(before.sites) and not between & _PARTING:  # "the contralateral kidney and ureter"
            head.sites = [_opposite(scene, one) for one in head.sites]
        if before.status == head.status == "present":
            head.lent = _lent(scene, before, head, between) or (before.lent if between <= _LISTED else head.lent)


def _opposite(scene: ParsedSentence, places: Places) -> Places:
    """Return paired structures without sides as those of the opposite side."""
    unsided = all(side is None and name in scene.knowledge.words.lateral for name, side in places)
    return with_side(places, "opposite") if unsided else places


def _lent(scene: ParsedSentence, before: FindingDraft, head: FindingDraft, between: set[str]) -> tuple[str, str, bool] | None:
    """Return concept and side of the finding that a head accompanies, and whether it is its cause or beside it; or None."""
    beside = any(detail.value == scene.knowledge.words.role("beside") for detail in head.details)  # "adjacent atelectasis"
    sides = {*(sides_in(before.sites) or (before.side,))}
    side = sides.pop() if len(sides) == 1 and before.kind == FINDING and "semi" not in between else None
    return (before.concept, side, beside or "cause" in between) if side and (beside or between & {"cause", "with"}) else None


def _finish(scene: ParsedSentence, structure: Parse, places: Sequence[Location], made: Made) -> None:
    """Complete heads from the whole sentence: where a device ends, what it is on, and whether it is only a reference."""
    for at in sorted(made):
        said = [(one, place) for one, place in zip(structure, places, strict=True) if one.head == at]
        presupposed, taken = any(one.status == "presupposed" for one, _ in said), _is_alternative(scene, at)
        for head in tuple(made[at]):
            head.definite, head.taken = presupposed or bool(_POINTING.search(scene.text[: head.start])), taken
            made[at] += devices_at_ends(scene, head, at, [one for one, _ in said])
            head.dead = attached_to(scene, head, at, made)
            head.host = None if head.sites else host_of(scene, at, said, made)


def _is_alternative(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is an alternative to an earlier one ("this may be a scar", "basal atelectasis or scar")."""
    anything = scene.knowledge.words.role("any_finding")  # "these findings"
    before = ["stop" if item.id == anything else item.kind for item in scene.items[:at]]
    hedged = not {"hedge", "infer"}.isdisjoint(before) and _TAKING.issuperset(before)
    beside = before[-2:-1] == [FINDING] and before[-1] in ("or", "slash", "versus")
    return beside or (hedged and bool(_PRONOUN.match(scene.text.lstrip())))


def _consistent(scene: ParsedSentence, made: Made) -> list[FindingDraft]:
    """Return the heads in order, without those denied by another statement ("the enhancing plaque no longer enhances")."""
    heads = [(at, head) for at in sorted(made) for head in made[at] if not head.dead]
    denied = {head.concept for _, head in heads if head.status == "absent"}
    return [h for at, h in heads if h.item is scene.items[at] or h.status != "present" or h.concept not in denied]
