"""Places that a finding shares with another one said of the same lesion, or that it has inside another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence
from kgscore.reading.structure.values import Parse, Statement

# What stands between the signals of one lesion ("dark on T1 and mildly bright on T2").
_SIGNALS = LISTING | {"with", "have", "stop", "M", "prep", "seq", "F"}


def at_some_places(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> Statement | None:
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


def denied_inside(scene: ParsedSentence, structure: Sequence[Statement], number: int) -> Statement | None:
    """Return the normal statement before a denial of how something looks inside that says of nothing where: "the lungs are well
    aerated, with no abnormal density"."""
    one, before, words = structure[number], structure[number - 1] if number else None, scene.knowledge.words
    if before is None or one.places or one.status != "absent" or not before.places or scene.items[before.head].kind != "N":
        return None
    named = [scene.items[at].id for at in (one.head, *one.modifiers) if scene.items[at].kind == "F"]
    inside = any(scene.knowledge.index.is_any(name, words.flagged("inner")) for name in named)
    between = {item.kind for item in scene.items[before.head + 1 : one.head]}
    return before if inside and "neg" in between and between.isdisjoint(("semi", "A")) else None


def placed_as(
    find: Callable[[ParsedSentence, Sequence[Statement], int], Statement | None],
) -> Callable[[ParsedSentence, Parse], Parse]:
    """Return a rule that gives a statement the places of another one, found by the position of the former."""

    def placed(scene: ParsedSentence, structure: Parse) -> Parse:
        out = list(structure)
        for number, one in enumerate(out):
            other = find(scene, out, number)
            out[number] = one._replace(places=other.places) if other is not None else one
        return tuple(out)

    return placed
