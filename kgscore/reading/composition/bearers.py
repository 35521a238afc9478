"""Predicates of findings, which are about those that bear them ("wires intact", "the mass is larger"); the ends of devices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from kgscore.linking.lexicon import DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition.anatomy import names_in, sides_in, unsided
from kgscore.reading.composition.assertion import ASSERTING
from kgscore.reading.composition.attributes import geometric
from kgscore.reading.composition.descriptors import MOVED, details_of, directional_change, state_detail
from kgscore.reading.composition.locations import Location
from kgscore.reading.composition.parsed_sentence import ParsedSentence, exact_entry
from kgscore.reading.finding_draft import FindingDraft, SiteAndSide
from kgscore.reading.structure.values import Parse, Place, Statement

# The heads of a sentence by the item that names them.
Made = dict[int, list[FindingDraft]]
_SILENT = ("none", "past")


def say_of_bearers(scene: ParsedSentence, structure: Parse, places: Sequence[Location], made: Made) -> None:
    """Attach normal words, descriptors and directions to the findings they are predicates of."""
    for one, place in zip(structure, places, strict=True):
        bearers = [head for at in place.bearers for head in made.get(at, ()) if head.kind == FINDING]
        if bearers and one.status not in _SILENT:
            said, item = [head for head in bearers if head.status == "present"] or bearers, scene.items[one.head]
            if one.status != "normal" or not (item.kind in (NORMAL, DESCRIPTOR) or NORMAL in item.types):
                _say(scene, structure, one, place, said, made)
            elif _is_about(scene, one, bearers, made):
                _say_normal(scene, one, said)


def _say(scene: ParsedSentence, structure: Parse, one: Statement, place: Location, said: list[FindingDraft], made: Made) -> None:
    """Attach a predicate to findings: an adjective, a size, a change or a descriptor."""
    if _described(scene, structure, one, place, said) or _shaped(scene, one, place, said) or _moved(scene, one, said, made):
        made.pop(one.head, None)
    elif scene.items[one.head].kind == DESCRIPTOR and not made.get(one.head) and one.status in ASSERTING:
        for head in said:
            head.details += details_of(scene, (one.head, *one.modifiers))


def _is_about(scene: ParsedSentence, one: Statement, bearers: Sequence[FindingDraft], made: Made) -> bool:
    """Whether a normal statement is about its bearers, and remove its own heads if they say nothing by themselves."""
    own, devices = made.get(one.head, []), scene.knowledge.words.devices
    if scene.items[one.head].kind == NORMAL and any(head.kind == FINDING for head in own):
        return False  # "the mass enhances homogeneously"
    about = all(head.kind != QUALITY for head in own) or all(head.concept in devices for head in bearers)
    if about or not all(breaks(scene, head.concept) for head in bearers):  # but "alignment of the fracture"
        made.pop(one.head, None)
    return about


def _say_normal(scene: ParsedSentence, one: Statement, said: Sequence[FindingDraft]) -> None:
    """Attach a normal word to findings: they are normal, or devices and lesions with a sound state."""
    item, words = scene.items[one.head], scene.knowledge.words
    plain = item.kind == NORMAL and item.id == words.role("plain_normal")
    for head in said:
        if not plain or head.concept in words.devices:
            head.details += details_of(scene, (one.head,)) if item.kind == DESCRIPTOR else [state_detail(scene, item)]
        elif head.status == "present":
            head.status = "normal"


def _shaped(scene: ParsedSentence, one: Statement, place: Location, said: Sequence[FindingDraft]) -> bool:
    """Attach a predicate of size or position to findings, and return whether it is one ("the cyst of the kidney is enlarged")."""
    words, name = scene.knowledge.words, scene.items[one.head].id
    told = scene.kind(one.head - 1) in ("cop", DESCRIPTOR) and geometric(scene, one.head)
    device = any(head.concept in words.devices for head in said)
    if one.places != (Place(place.bearers[:1], None),) or one.status != "present" or not told or device:
        return False
    ways = {words.role("grown"): "increased", words.role("shrunken"): "decreased"}
    for head in said:
        head.change = head.change or ways.get(name)
        head.details += () if name in ways else details_of(scene, (one.head, *one.modifiers), head.concept)
    return True


def _moved(scene: ParsedSentence, one: Statement, said: Sequence[FindingDraft], made: Made) -> bool:
    """Attach a change to findings if a statement says no more ("the mass is larger", "has enlarged"); return whether it is so."""
    kind = scene.items[one.head].kind
    own = MOVED.get(kind) if not made.get(one.head) else None
    change = directional_change(scene, one.head) if kind == FINDING else own
    for head in said if change is not None else ():
        head.change = change if one.status == "present" else "stable"
    return change is not None


def _described(scene: ParsedSentence, structure: Parse, one: Statement, place: Location, said: Sequence[FindingDraft]) -> bool:
    """Attach a predicative adjective to its only bearers, and return whether it is one ("The nodule is calcified")."""
    item, words = scene.items[one.head], scene.knowledge.words
    if not item.is_adjective or DESCRIPTOR not in item.types or one.status != "present":
        return False
    own = item.id in words.own or item.id in words.flagged("lacks")  # "the cyst is nonenhancing"
    alone = sum(other.head == one.head for other in structure) == 1 and not one.names and not one.modifiers
    if own or not alone or not {*place.bearers}.issuperset(one.placed) or not _are_lesions(scene, place.bearers):
        return False
    for head in said:
        head.details += details_of(scene, (one.head,), head.concept)
    return True


def _are_lesions(scene: ParsedSentence, bearers: Sequence[int]) -> bool:
    """Whether items are nouns of findings, and no devices."""
    items, devices = [scene.items[at] for at in bearers], scene.knowledge.words.devices
    return all(item.is_noun and item.id not in devices for item in items)


def host_of(scene: ParsedSentence, at: int, said: Sequence[tuple[Statement, Location]], made: Made) -> str | None:
    """Return the finding that a head without a site is at: its bearer or the break that it mentions ("repair of a hernia")."""
    bearer = next((bearer for _, place in said for bearer in place.bearers), None)
    if bearer is None:
        return scene.knowledge.words.role("broken") if _of_break(scene, at, [one for one, _ in said]) else None
    own = scene.items[bearer].id if scene.items[bearer].kind == FINDING else None
    return made[bearer][0].concept if made.get(bearer) else own


def _of_break(scene: ParsedSentence, at: int, statements: Sequence[Statement]) -> bool:
    """Whether statements are about a break mentioned in them ("alignment of the fracture ends")."""
    placed = [*chain.from_iterable(one.placed for one in statements)]
    told = {at, *placed, *chain.from_iterable(one.modifiers for one in statements)}
    said = chain.from_iterable(scene.words(one) for one in scene.of_kind(QUALITY, told))
    entries = [entry for word in said if (entry := exact_entry(scene, (word,), FINDING)) is not None]
    return any(breaks(scene, name) for name in (*scene.ids(placed), *(entry.id for entry in entries)))


def breaks(scene: ParsedSentence, name: str) -> bool:
    """Whether a finding is a break."""
    return scene.knowledge.index.is_a(name, scene.knowledge.words.role("broken"))


def devices_at_ends(scene: ParsedSentence, head: FindingDraft, at: int, statements: Sequence[Statement]) -> list[FindingDraft]:
    """Place a device at its end, and return those at the other ends ("leads ending in the atrium and the ventricle")."""
    if head.concept not in scene.knowledge.words.devices or head.inherited:
        return []
    ends, tipped = _ends(scene, at, statements)
    sites = [one for one in head.sites if ends & names_in((one,))]
    relative = any(detail.category in ("distance", "position") for detail in head.details)
    index = scene.knowledge.index
    home = any(index.inside_any(name, index.default_sites(head.concept)) for name in names_in(head.sites))
    if tipped and head.sites and not (sites or home or relative):  # "a line in the subclavian vein, its tip in the azygos vein"
        sites = [((name, None),) for name in sorted(ends.intersection(index.concepts))]
    if not sites:
        return []
    if not sides_in(sites):
        head.side = head.side or next(iter(sides_in(head.sites)), None)
    several = scene.text[: head.item.end].lower().endswith("s")
    head.sites, head.tips = sites[:1], [name for one in sites[: 1 if several else None] for name, _ in one]
    twins = [_ending(head, one) for one in sites[1:] if several]
    own = _own_side(scene, at)
    if own is not None and {*sides_in(head.sites)} - {own}:
        head.side, head.sites = own, unsided(head.sites)
    return twins


def attached_to(scene: ParsedSentence, head: FindingDraft, at: int, made: Made) -> bool:
    """Place the device before a line at its end, if there is one ("a port with its catheter tip in the vena cava")."""
    words = scene.knowledge.words
    lines = words.flagged("lines")
    if not head.tips or head.concept not in lines:
        return False
    whole = [one for item in sorted(made) if item < at for one in made[item] if one.concept in words.devices]
    if not whole or whole[-1].concept in lines:
        return False
    whole[-1].sites, whole[-1].tips, whole[-1].inherited = head.sites, head.tips, False
    return True


def _own_side(scene: ParsedSentence, at: int) -> str | None:
    """Return the side of a device itself, regardless of where it ends ("right PICC with its tip in the left subclavian vein")."""
    before = scene.beyond(at, -1, ("stop", DESCRIPTOR))
    told = scene.items[before].id if scene.kind(before) == "sideword" else scene.items[at].side
    return told if told in ("left", "right") else None


def _ending(head: FindingDraft, site: tuple[SiteAndSide, ...]) -> FindingDraft:
    """Return another device like a head, with a different end."""
    twin = FindingDraft(head.kind, head.concept, head.item, head.start, head.end, [site])
    twin.status, twin.certainty, twin.change, twin.side = head.status, head.certainty, head.change, head.side
    twin.details, twin.tips, twin.definite = list(head.details), [name for name, _ in site], head.definite
    return twin


def _ends(scene: ParsedSentence, at: int, statements: Sequence[Statement]) -> tuple[set[str], bool]:
    """Return the sites that follow the tip of a device, or those where such a device ends ("feeding tube in the stomach"), and
    whether its tip is said."""
    places = [place.items for one in statements for place in one.places if place.items]
    before = scene.beyond(at, -1, ("stop", "sideword", DESCRIPTOR, "prep"))  # "the tip of the left PICC is in …"
    tipped = [items for items in places if "tip" in scene.run(min(before, items[0] - 2), items[0])]
    found = {scene.items[one].id for items in tipped or places for one in items}
    return found if tipped else found.intersection(scene.knowledge.index.tips.get(scene.items[at].id, ())), bool(tipped)
