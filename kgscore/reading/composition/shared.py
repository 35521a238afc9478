"""What members of a list share that the structure gives to one of them: degrees, changes, and the noun of devices; and the places
that a later denial leaves out."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.ontology.index import level_of
from kgscore.reading.composition.scene import LISTING, Scene, completed
from kgscore.reading.structure.values import Place, Statement, Structure

_BETWEEN = LISTING | {"sideword", "stop"}
# What stands between the signals of one lesion ("dark on T1 and mildly bright on T2").
_SIGNALS = LISTING | {"with", "have", "stop", "M", "prep", "seq", "F"}


def shared(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which adjectives that share a noun share what stands before them ("a small amount of pericardial and
    pleural effusion"), as do alternatives ("mild infiltrate versus atelectasis"), and what has changed after them."""
    out = list(structure)
    for number, one in enumerate(out):
        other = _next_member(scene, out, number)
        if other is not None:
            out[other] = _given(scene, one, out[other], [at for at in one.modifiers if at < one.head])
            out[number] = _given(scene, out[other], one, [at for at in out[other].modifiers if at > out[other].head], ("change",))
            continue
        lists = (
            _denied_at_several, _denied_inside, _denied_of_the_same, _at_some_levels, _signal_of_discs, _at_some_places,
        )  # fmt: skip
        before = next((found for find in lists if (found := find(scene, out, number)) is not None), None)
        if before is not None:
            out[number] = one._replace(places=before.places)
    return tuple(_of_the_ducts(scene, out, one) for one in out)


def _of_the_ducts(scene: Scene, structure: Sequence[Statement], one: Statement) -> Statement:
    """Return a width that is denied after something else of ducts and their organ as one of the ducts ("no stone in the bladder
    or ureters, and no dilatation")."""
    items, index, words = scene.items, scene.knowledge.index, scene.knowledge.words
    wide = items[one.head].kind == "F" and index.is_a(items[one.head].id, words.role("widened"))
    joint = one.head - 1
    while joint > 0 and items[joint].kind in ("M", "stop", "seen", "prep"):
        joint -= 1
    before = joint - 1
    while before > 0 and items[before].kind in ("stop", "seen"):
        before -= 1
    if not wide or one.status != "absent" or before < 0 or items[joint].kind != "neg" or items[before].kind not in LISTING:
        return one
    earlier = (place for other in structure if other.status == "absent" and other.head < before for place in other.places)
    listed = [place for place in dict.fromkeys((*one.places, *earlier)) if all(at < joint for at in place.items)]
    named = ((place, [items[at].id for at in place.items if items[at].kind == "A"]) for place in listed)
    ducts = tuple(place for place, names in named if any(index.is_any(name, words.flagged("ducts")) for name in names))
    told = bool(one.places) and all(place.items and max(place.items) < joint for place in one.places)
    return one._replace(places=ducts) if told and ducts else one


def _at_some_levels(scene: Scene, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the statement before one whose list of discs it has but a part of ("C4-5 and C5-6 bulge with vacuum"), or whose
    list of structures, of which it denies more ("liver and spleen normal without calcification")."""
    one, items = structure[number], scene.items
    own = {at for place in one.places for at in place.items}
    for before in reversed(structure[:number]):
        told = {at for place in before.places for at in place.items}
        implied = scene.knowledge.index.sites_implied(items[one.head].id)
        denied = before.status == "normal" and one.status == "absent" and not implied
        discs = {at for at in told if items[at].id.startswith("disc_") and level_of(items[at].id)}
        listed = {at for at in told if items[at].kind == "A"} if denied else discs if before.status == one.status else set()
        if not own < told or not own & listed or not (denied or own & listed < listed) or max(told) > one.head:
            continue
        apart = {items[at].kind for at in range(min(listed), max(listed)) if at not in told}
        between = {item.kind for item in items[max(listed) + 1 : one.head]}
        if apart <= _BETWEEN and "A" not in between and "semi" not in between:
            return before
    return None


def _at_some_places(scene: Scene, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the statement of another signal of a lesion, or of the lesion itself, that has more of the places of their list
    ("foci that are dark on T1 and bright on T2 in the pons, the thalamus and the insula")."""
    one, items, words = structure[number], scene.items, scene.knowledge.words
    heads, own = {other.head for other in structure}, {at for place in one.places for at in place.items}
    for other in structure:
        first, last = sorted((one.head, other.head))
        signal = not {items[first].id, items[last].id}.isdisjoint(words.own)
        told = tuple(place for place in other.places if heads.isdisjoint(place.items))
        more = {at for place in told for at in place.items}
        alike = first < last and one.status == other.status == "present" and signal
        if not alike or not own - heads < more or any(first < at < last for at in more):
            continue
        if _SIGNALS.issuperset(item.kind for item in items[first : last + 1]):
            borne = tuple(place for place in one.places if not heads.isdisjoint(place.items))
            return other._replace(places=(*borne, *told))
    return None


def _signal_of_discs(scene: Scene, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the statement of discs before a signal without a place that goes with it ("protrusions at C3/4 and C6/7, with low
    signal on T2")."""
    one, before, index = structure[number], structure[number - 1] if number else None, scene.knowledge.index
    if before is None or one.status != "present" or before.status != "present":
        return None
    own = {at for place in one.places for at in place.items} - {before.head}
    told = [at for place in before.places for at in place.items if scene.items[at].kind == "A"]
    discs = bool(told) and all(index.is_a(scene.items[at].id, index.role("any_disc")) for at in told)
    signal = scene.items[one.head].kind == "F" and index.is_any(scene.items[one.head].id, {index.role("any_signal")})
    if not discs or not signal or not own < {*told} or max(told) > one.head:
        return None
    between = {item.kind for item in scene.items[max(told) + 1 : one.head]}
    return before if "with" in between and between.isdisjoint(("A", "F", "semi", "neg")) else None


def _denied_at_several(scene: Scene, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the denial before one without a place that has several: "no stone in the kidneys or ureters, and no dilatation"."""
    one, before, index = structure[number], structure[number - 1] if number else None, scene.knowledge.index
    if before is None or one.places or one.status != "absent" or before.status != "absent" or len(before.places) < 2:
        return None
    last, name = max((at for place in before.places for at in place.items), default=one.head), scene.items[one.head].id
    placed = bool(index.soft_sites.get(name)) or bool(index.sites_implied(name)) or scene.items[one.head].kind != "F"
    listed = all(len(place.items) == 1 and scene.items[place.items[0]].kind == "A" for place in before.places)
    between = [item.kind for item in scene.items[last + 1 : one.head]]
    denied = "neg" in between and "semi" not in between
    return before if not placed and listed and before.head < last < one.head and denied else None


def _denied_inside(scene: Scene, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the normal statement before a denial of how something looks inside that says of nothing where: "the lungs are well
    aerated, with no abnormal density"."""
    one, before, words = structure[number], structure[number - 1] if number else None, scene.knowledge.words
    if before is None or one.places or one.status != "absent" or not before.places or scene.items[before.head].kind != "N":
        return None
    named = [scene.items[at].id for at in (one.head, *one.modifiers) if scene.items[at].kind == "F"]
    inside = any(scene.knowledge.index.is_any(name, words.flagged("inner")) for name in named)
    between = {item.kind for item in scene.items[before.head + 1 : one.head]}
    return before if inside and "neg" in between and between.isdisjoint(("semi", "A")) else None


def _denied_of_the_same(scene: Scene, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the denial of a form right before one of how something looks inside, with what it names as the place: "no hilar
    enlargement or increased density"."""
    one, before, index = structure[number], structure[number - 1] if number else None, scene.knowledge.index
    if before is None or one.status != "absent" or before.status != "absent" or any(place.items for place in one.places):
        return None
    inside = scene.items[one.head].kind == "F" and index.is_any(scene.items[one.head].id, scene.knowledge.words.flagged("inner"))
    form = scene.items[before.head].kind == "F" and index.is_any(
        scene.items[before.head].id, scene.knowledge.words.flagged("outer")
    )
    listed = [item.kind for item in scene.items[before.head + 1 : one.head]] == ["or"]
    if not inside or not form or not listed or not index.sites_implied(scene.items[before.head].id):
        return None
    sides = [place.side for place in one.places] or [None]
    return before._replace(places=tuple(Place((before.head,), side) for side in sides))


def _next_member(scene: Scene, structure: Sequence[Statement], number: int) -> int | None:
    """Return the statement of the next member of a list that shares the noun of a finding, or is an alternative to it."""
    one = structure[number]
    for at in range(number + 1, len(structure)):
        other = structure[at]
        between = [item.kind for item in scene.items[one.head + 1 : other.head]]
        if other.status != one.status or other.head <= one.head or scene.items[other.head].kind != "F":
            continue
        noun = scene.items[one.head].kind == "A" and completed(scene, one.head, "F") is not None
        listed = noun and bool(between) and _BETWEEN.issuperset(between) and not LISTING.isdisjoint(between)
        return at if listed or between == ["versus"] else None
    return None


def _given(
    scene: Scene, one: Statement, other: Statement, modifiers: Sequence[int], kinds: tuple[str, ...] = ("M", "change")
) -> Statement:
    """Return a statement with modifiers of another one, if it has none of their kind by itself."""
    wanted = {*kinds} - {scene.items[at].kind for at in other.modifiers}
    given = (at for at in modifiers if scene.items[at].kind in wanted)
    return other._replace(modifiers=tuple(sorted({*other.modifiers, *given})))
