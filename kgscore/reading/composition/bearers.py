"""Predicates of findings, which are about those that bear them ("wires intact", "the mass is larger"); the ends of devices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from kgscore.linking.lexicon import DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition.anatomy import names_in, sides_in, unsided
from kgscore.reading.composition.attributes import geometric
from kgscore.reading.composition.descriptors import MOVED, details_of, directional_change, state_detail
from kgscore.reading.composition.locations import Location
from kgscore.reading.composition.parsed_sentence import ASSERTED, ParsedSentence, exact_entry
from kgscore.reading.finding_draft import FindingDraft, Places, SiteAndSide
from kgscore.reading.structure.values import Parse, Place, Statement

# The heads of a sentence by the item that names them.
Made = dict[int, list[FindingDraft]]


def say_of_bearers(scene: ParsedSentence, structure: Parse, places: Sequence[Location], made: Made) -> None:
    """Attach normal words, descriptors and directions to the findings they are predicates of."""
    for one, place in zip(structure, places, strict=True):
        bearers = [head for at in place.bearers for head in made.get(at, ()) if head.kind == FINDING]
        if not bearers or one.status in ("none", "past"):
            continue
        said, item = [head for head in bearers if head.status == "present"] or bearers, scene.items[one.head]
        if one.status != "normal" or {NORMAL, DESCRIPTOR}.isdisjoint((item.kind, *item.types.keys() & {NORMAL})):
            _say(scene, one, place, said, made)
        elif _is_about(scene, one, bearers, made):
            _say_normal(scene, one, said)


def _say(scene: ParsedSentence, one: Statement, place: Location, said: list[FindingDraft], made: Made) -> None:
    if _described(scene, one, place, said) or _shaped(scene, one, place, said) or _moved(scene, one, said, made):
        made.pop(one.head, None)
    elif scene.kind(one.head) == DESCRIPTOR and not made.get(one.head) and one.status in ASSERTED:
        for head in said:
            head.details += details_of(scene, (one.head, *one.modifiers))

def _is_about(scene: ParsedSentence, one: Statement, bearers: Sequence[FindingDraft], made: Made) -> bool:
    """Whether a normal statement is about its bearers, and remove its own heads if they say nothing by themselves."""
    kinds, borne = {head.kind for head in made.get(one.head, ())}, {head.concept for head in bearers}

    if scene.kind(one.head) == NORMAL and FINDING in kinds:
        return False  # "the mass enhances homogeneously"
    about = QUALITY not in kinds or borne <= scene.vocabulary.devices
    if about or not all(breaks(scene, concept) for concept in borne):  # but "alignment of the fracture"
        made.pop(one.head, None)
    return about


def _say_normal(scene: ParsedSentence, one: Statement, said: Sequence[FindingDraft]) -> None:
    """Attach a normal word to findings: they are normal, or devices and lesions with a sound state."""
    item = scene.items[one.head]
    for head in said:
        if item.id != scene.role("plain_normal") or head.concept in scene.vocabulary.devices:
            head.details += details_of(scene, (one.head,)) if item.kind == DESCRIPTOR else [state_detail(scene, item)]
        elif head.status == "present":
            head.status = "normal"


def _shaped(scene: ParsedSentence, one: Statement, place: Location, said: Sequence[FindingDraft]) -> bool:
    """Attach a predicate of size or position to findings, and return whether it is one ("the cyst of the kidney is enlarged")."""
    told = scene.kind(one.head - 1) in ("cop", "neg", DESCRIPTOR) and geometric(scene, one.head)
    device = not scene.vocabulary.devices.isdisjoint(head.concept for head in said)
    way = {scene.role("grown"): "increased", scene.role("shrunken"): "decreased"}.get(scene.items[one.head].id)
    # A finding that is not enlarged stays as it is.
    shaped = {("present", True): said, ("present", False): said, ("absent", True): ()}.get((one.status, way is not None))
    if not told or device or shaped is None or one.places != (Place(place.bearers[:1], None),):
        return False
    for head in shaped:
        head.change = head.change or way
        head.details += () if way else details_of(scene, (one.head, *one.modifiers), head.concept)
    return True


def _moved(scene: ParsedSentence, one: Statement, said: Sequence[FindingDraft], made: Made) -> bool:
    """Attach a change to findings if a statement says no more ("the mass is larger", "has enlarged"); return whether it is so."""
    own = None if made.get(one.head) else MOVED.get(scene.kind(one.head))
    change = directional_change(scene, one.head) if scene.kind(one.head) == FINDING else own
    for head in said if change else ():
        head.change = change if one.status == "present" else "stable"
    return change is not None


def _described(scene: ParsedSentence, one: Statement, place: Location, said: Sequence[FindingDraft]) -> bool:
    """Attach a predicative adjective to its only bearers, and return whether it is one ("The nodule is calcified")."""
    item = scene.items[one.head]
    if not item.is_adjective or DESCRIPTOR not in item.types or (one.status, one.names, one.modifiers) != ("present", (), ()):
        return False
    own = item.id in scene.vocabulary.own | scene.flagged("lacks")  # "the cyst is nonenhancing"
    device = not scene.vocabulary.devices.isdisjoint(scene.ids(place.bearers))
    if own or device or not {*place.bearers}.issuperset(one.placed):
        return False
    for head in said:
        head.details += details_of(scene, (one.head,), head.concept)
    return True


def host_of(
    scene: ParsedSentence, at: int, said: Sequence[Statement], places: Sequence[Location], made: Made
) -> str | None:
    """Return the finding that a head without a site is at: its bearer or the break that it mentions ("repair of a hernia")."""
    for bearer in chain.from_iterable(place.bearers for place in places):
        own = scene.items[bearer].id if scene.kind(bearer) == FINDING else None
        return made[bearer][0].concept if made.get(bearer) else own
    return scene.role("broken") if _of_break(scene, at, said) else None


def _of_break(scene: ParsedSentence, at: int, statements: Sequence[Statement]) -> bool:
    """Whether statements are about a break mentioned in them ("alignment of the fracture ends")."""
    placed = [at for one in statements for at in one.placed]
    told = {at, *placed, *chain.from_iterable(one.modifiers for one in statements)}
    said = chain.from_iterable(map(scene.words, scene.of_kind(QUALITY, told)))
    entries = filter(None, (exact_entry(scene, (word,), FINDING) for word in said))
    return any(breaks(scene, name) for name in (*scene.ids(placed), *(entry.id for entry in entries)))


def breaks(scene: ParsedSentence, name: str) -> bool:
    """Whether a finding is a break."""
    return scene.index.is_a(name, scene.role("broken"))


def devices_at_ends(scene: ParsedSentence, head: FindingDraft, at: int, statements: Sequence[Statement]) -> list[FindingDraft]:
    """Place a device at its end, and return those at the other ends ("leads ending in the atrium and the ventricle")."""
    if head.concept not in scene.vocabulary.devices or head.inherited:
        return []
    sites = _sites_of_ends(scene, head, *_ends(scene, at, statements))
    if not sites:
        return []
    if not sides_in(sites):
        head.side = head.side or next(iter(sides_in(head.sites)), None)
    several = scene.text[: head.item.end].lower().endswith("s")
    tips, others = (sites[:1], sites[1:]) if several else (sites, [])
    head.sites, head.tips = sites[:1], [name for one in tips for name, _ in one]
    twins = [_ending(head, one) for one in others]
    own = _own_side(scene, at)
    if own and {*sides_in(head.sites)} - {own}:
        head.side, head.sites = own, unsided(head.sites)
    return twins


def _sites_of_ends(scene: ParsedSentence, head: FindingDraft, ends: set[str], tipped: bool) -> list[Places]:
    """Return the sites of a device that are its ends, or else those of its tip ("its tip in the azygos vein")."""
    sites = [one for one in head.sites if ends & names_in((one,))]
    if sites or not tipped or not head.sites or _is_at_home(scene, head):
        return sites
    return [((name, None),) for name in sorted(ends.intersection(scene.index.within))]


def _is_at_home(scene: ParsedSentence, head: FindingDraft) -> bool:
    """Whether a device is where it belongs, or its place is relative to another one."""
    relative = not {"distance", "position"}.isdisjoint(detail.category for detail in head.details)
    home = scene.index.default_sites(head.concept)
    return relative or any(scene.index.inside_any(name, home) for name in names_in(head.sites))


def attached_to(scene: ParsedSentence, head: FindingDraft, at: int, made: Made) -> bool:
    """Place the device before a line at its end, if there is one ("a port with its catheter tip in the vena cava")."""
    lines, before = scene.flagged("lines"), chain.from_iterable(made[item] for item in sorted(made) if item < at)
    whole = [one for one in before if one.concept in scene.vocabulary.devices][-1:]
    if not head.tips or head.concept not in lines or not whole or whole[0].concept in lines:
        return False
    whole[0].sites, whole[0].tips, whole[0].inherited = head.sites, head.tips, False
    return True


def _own_side(scene: ParsedSentence, at: int) -> str | None:
    """Return the side of a device itself, regardless of where it ends ("right PICC with its tip in the left subclavian vein")."""
    before = scene.beyond(at, -1, ("stop", DESCRIPTOR))
    told = scene.items[before].id if scene.kind(before) == "sideword" else scene.items[at].side
    return told if told in ("left", "right") else None


def _ending(head: FindingDraft, site: tuple[SiteAndSide, ...]) -> FindingDraft:
    same = {name: getattr(head, name) for name in ("status", "certainty", "change", "side", "definite")}
    tips, details = [name for name, _ in site], list(head.details)
    return FindingDraft(head.kind, head.concept, head.item, head.start, head.end, [site], details=details, tips=tips, **same)


def _ends(scene: ParsedSentence, at: int, statements: Sequence[Statement]) -> tuple[set[str], bool]:
    """Return the sites that follow the tip of a device, or those where such a device ends ("feeding tube in the stomach"), and
    whether its tip is said."""
    places = [place.items for one in statements for place in one.places if place.items]
    before = scene.beyond(at, -1, ("stop", "sideword", DESCRIPTOR, "prep"))  # "the tip of the left PICC is in …"
    tipped = [items for items in places if "tip" in scene.run(min(before, items[0] - 2), items[0])]
    found = {*scene.ids(chain.from_iterable(tipped or places))}
    return found if tipped else found.intersection(scene.index.tips.get(scene.items[at].id, ())), bool(tipped)
