"""Composition of the heads of a sentence from its structure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise, product, starmap

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN
from kgscore.model import Detail
from kgscore.ontology.alike import alike_of
from kgscore.reading.composition.anatomy import names_in, sides_in, with_side
from kgscore.reading.composition.assertion import caused
from kgscore.reading.composition.attributes import by_attribute
from kgscore.reading.composition.bearers import Made, attached_to, devices_at_ends, host_of, say_of_bearers
from kgscore.reading.composition.concepts import of_bounded_size
from kgscore.reading.composition.descriptors import LARGEST, details_of
from kgscore.reading.composition.drafts import drafts_of
from kgscore.reading.composition.extent import extend
from kgscore.reading.composition.locations import Location, location_of
from kgscore.reading.composition.parsed_sentence import ASSERTED, ParsedSentence
from kgscore.reading.composition.scope import apply_scope
from kgscore.reading.composition.sizes import sized
from kgscore.reading.finding_draft import CERTAINTY_PREFIX, FindingDraft, Places
from kgscore.reading.structure.values import Parse, Statement

_LISTED = frozenset(("and", "comma", "stop", DESCRIPTOR, "meas"))  # kinds of items between the members of a list of findings
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
    """Return the statements about the current state with their locations."""
    said = [at for at, one in enumerate(structure) if _speaks(scene, one) and not _only_bears(scene, structure, one)]
    names = [structure[at].names or _explained_finding(scene, structure, at, places) for at in said]
    return [(structure[at]._replace(names=own), places[at]) for at, own in zip(said, names, strict=True)]


def _explained_finding(scene: ParsedSentence, structure: Parse, at: int, places: Sequence[Location]) -> tuple[int, ...]:
    """Return the sign that a hedged finding directly after it explains ("opacity, pneumonia favored"), if any."""
    one, place = structure[at], places[at]
    item = scene.items[one.head]
    if one.status not in ("probable", "possible") or item.kind != FINDING or item.id in scene.vocabulary.generic:
        return ()
    signs = (other for other, there in zip(structure, places, strict=True) if _is_near(place, there))
    return next(((sign.head,) for sign in signs if _is_sign_before(scene, sign, one.head)), ())


def _is_near(place: Location, there: Location) -> bool:
    return place.sites in ((), there.sites) and place.side in (None, there.side)


def _is_sign_before(scene: ParsedSentence, sign: Statement, head: int) -> bool:
    """Whether a statement is a sign, and only words of its place and of interpretation are between it and a head."""
    if sign.head >= head or sign.status != "present" or sign.names or scene.items[sign.head].id not in scene.vocabulary.generic:
        return False
    joints = {*scene.run(sign.head + 1, head)} - _IN_PHRASE
    return joints <= _INTERPRETING | {"hedge"} and not joints.isdisjoint(_INTERPRETING)


def _speaks(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a statement is about the current state: a past operation has left a state."""
    if one.status != "past":
        return one.status != "none"
    item = scene.items[one.head]
    stays = item.id in scene.vocabulary.states or scene.is_any(item.id, "implants")
    return stays and item.kind == FINDING and "history" not in scene.kinds


def _only_bears(scene: ParsedSentence, structure: Parse, one: Statement) -> bool:
    """Whether a statement only names the device that another one refers to ("lucency around the left S1 screw")."""
    if one.status != "presupposed" or scene.items[one.head].id not in scene.vocabulary.devices - scene.vocabulary.states:
        return False
    told = (other.head for other in structure if other.status in ASSERTED and one.head in other.placed)
    return bool(scene.of_kind(FINDING, told))


def _is_denied_by_normal(scene: ParsedSentence, structure: Parse, one: Statement) -> bool:
    """Whether a finding is denied by a normal word before it ("normal radiolucency", "normally lucent")."""
    before = (other for other in structure if other.head == one.head - 1 and other.status == "normal")
    adverb = one.head > 0 and scene.said(one.head - 1).lower() == "normally"
    return scene.items[one.head].kind == FINDING and any(adverb or one.head in other.modifiers for other in before)


def _last_named(scene: ParsedSentence, one: Statement, made: Made) -> tuple[list[FindingDraft], int]:
    """Return the heads that a statement repeats ("lymphadenopathy, the largest node 24 mm"), and the end of their words."""
    item, own = scene.items[one.head], made.get(one.head, [])
    if own or item.kind != ANATOMY:
        return own, item.end
    before = [at for at in made if at < one.head]
    end = max((scene.items[at].end for at in before), default=0)
    return [head for at in before for head in made[at] if (head.item.end, head.kind) == (end, FINDING)], end


def _belongs_to_largest(scene: ParsedSentence, structure: Parse, one: Statement, made: Made) -> bool:
    """Attach the size of the largest to the earlier finding, if there is one ("Several nodules, the largest 8 mm")."""
    (before, start), sizes = _last_named(scene, one, made), scene.of_kind("meas", one.modifiers)
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
        if large and head.concept == scene.role("visible_node"):
            head.concept = large[0].concept  # "several nodes, the largest 18 mm"


def _explained(scene: ParsedSentence, one: Statement, place: Location, made: Made) -> list[FindingDraft]:
    signs = _signs(scene, one, made)
    placed = [] if place.weak or not place.sites else [head.sites for head in signs if head.sites]
    return signs if not placed or any(_meet(scene, place.sites, own) for own in placed) else []


def _signs(scene: ParsedSentence, one: Statement, made: Made) -> list[FindingDraft]:
    """Return the signs that a statement is another name for, those of its own items if there are any."""
    named, generic = [head for at in one.names for head in made.get(at, ())], scene.vocabulary.generic
    signs = [head for head in named if (head.kind, head.status) == (FINDING, "present") and head.concept in generic]
    items = {id(scene.items[at]) for at in one.names}
    return [head for head in signs if id(head.item) in items] or signs


def _explains(scene: ParsedSentence, one: Statement, place: Location, made: Made) -> bool:
    """Attach an interpretation as a detail to a sign, and return whether there is one ("Opacity, likely pneumonia")."""
    signs = _explained(scene, one, place, made) if one.status in ASSERTED else []
    found = drafts_of(scene, one, place) if signs else []
    if {head.kind for head in found} != {FINDING}:
        return False
    cue = scene.kind(scene.next_of(one.head, -1, ("infer", "hedge", "semi")))  # "consistent with" is no hedge
    prefix = "" if (one.status, cue) == ("probable", "infer") else CERTAINTY_PREFIX.get(one.status, "")
    for target in (head for head in signs if head.item is signs[-1].item):  # "masses, the right 3 cm and the left 2 cm"
        if not (target.sites or target.side):  # "nodules consistent with granulomas in both lungs"
            target.sites, target.side = list(place.sites), place.side
        _infer(target, found, prefix, scene.vocabulary.labels)
    return True


def _infer(target: FindingDraft, found: Iterable[FindingDraft], prefix: str, labels: Mapping[str, str]) -> None:
    for head in found:
        target.details.append(Detail("inference", head.concept, prefix + labels.get(head.concept, head.concept)))
        target.alternatives.append(head.concept)
        target.details += [detail for detail in head.details if detail.category == "length"]


def _meet(scene: ParsedSentence, ones: Iterable[Places], others: Iterable[Places]) -> bool:
    """Whether two findings have their places in common, or single places of one side of which one lies in the other or is named
    for it ("opacity at the right base, likely right lower lobe pneumonia")."""
    alike = alike_of(scene.index).places

    def is_near(one: Places, other: Places) -> bool:
        if one == other or len(one) > 1 or len(other) > 1:
            return one == other
        (place, side), (counterpart, its_side) = one[0], other[0]
        near = scene.index.either_inside(place, counterpart) or counterpart in alike.get(place, ())
        return near and (side == its_side or None in (side, its_side))

    return any(starmap(is_near, product(ones, others)))


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
    index, name = scene.index, scene.items[one.head].id
    for head in chain.from_iterable(made.get(at, ()) for at in one.names):
        if name in [index.fold(head.concept, tuple(site for site, _ in places)) for places in head.sites]:
            return True
        if head.concept == index.role("missing") and index.is_a(name, head.concept):
            head.concept = name
            return True
    return False


def _lend(scene: ParsedSentence, heads: list[FindingDraft]) -> None:
    """Record for each head the side of the finding that it accompanies: "left hydronephrosis due to a ureteral stone"."""
    for before, head in pairwise(heads):
        between = scene.between(before.item.start, head.item.start)
        if "opposite" in sides_in(before.sites):  # "the contralateral kidney and ureter"
            lateral = scene.vocabulary.lateral
            head.sites = [with_side(one, "opposite") if names_in((one,)) <= lateral else one for one in head.sites]
        if before.status == head.status == "present":
            head.lent = _lent(scene, before, head, between) or (before.lent if between <= _LISTED else head.lent)


def _lent(scene: ParsedSentence, before: FindingDraft, head: FindingDraft, between: set[str]) -> tuple[str, str, bool] | None:
    """Return concept and side of the finding that a head accompanies, and whether it is its cause or beside it; or None."""
    beside = scene.role("beside") in [detail.value for detail in head.details]  # "adjacent atelectasis"
    sides = {*(sides_in(before.sites) or (before.side,))}
    accompanies = beside or not between.isdisjoint(("cause", "with"))
    if not accompanies or len(sides) > 1 or before.kind != FINDING or "semi" in between or not (side := sides.pop()):
        return None
    return before.concept, side, beside or "cause" in between


def _finish(scene: ParsedSentence, structure: Parse, places: Sequence[Location], made: Made) -> None:
    """Complete heads from the whole sentence: where a device ends, what it is on, and whether it is only a reference."""
    for at in sorted(made):
        numbers = [number for number, one in enumerate(structure) if one.head == at]
        said, taken = [structure[number] for number in numbers], _is_alternative(scene, at)
        presupposed = "presupposed" in [one.status for one in said]
        for head in tuple(made[at]):
            head.definite, head.taken = presupposed or bool(_POINTING.search(scene.text[: head.start])), taken
            made[at] += devices_at_ends(scene, head, at, said)
            head.dead = attached_to(scene, head, at, made)
            head.host = None if head.sites else host_of(scene, at, said, [places[number] for number in numbers], made)


def _is_alternative(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is an alternative to an earlier one ("this may be a scar", "basal atelectasis or scar")."""
    anything = scene.role("any_finding")  # "these findings"
    before = ["stop" if item.id == anything else item.kind for item in scene.items[:at]]
    hedged = not {"hedge", "infer"}.isdisjoint(before) and _TAKING.issuperset(before)
    beside = before[-2:-1] == [FINDING] and before[-1] in ("or", "slash", "versus")
    return beside or (hedged and bool(_PRONOUN.match(scene.text.lstrip())))


def _consistent(scene: ParsedSentence, made: Made) -> list[FindingDraft]:
    """Return the heads in order, without those denied by another statement ("the enhancing plaque no longer enhances")."""
    heads = [(head, scene.items[at]) for at in sorted(made) for head in made[at] if not head.dead]
    denied = {("present", head.concept) for head, _ in heads if head.status == "absent"}
    return [head for head, item in heads if head.item is item or (head.status, head.concept) not in denied]
