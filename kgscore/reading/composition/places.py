"""Where something is: the places of a structure as sites of the ontology with their sides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kgscore.reading.compose.phrases import Place
from kgscore.reading.composition.scene import Scene, completed, named
from kgscore.reading.items import Item
from kgscore.reading.sharing import spread_ranges
from kgscore.reading.spread import spread_levels
from kgscore.reading.structure.values import Place as Said
from kgscore.reading.structure.values import Statement, Structure

_SIDES = {"left": "left", "right": "right", "both": "both", "each": "both", "either": "both", "bilateral": "both"}
OF_MOVEMENT = {"left_to_right": "right", "right_to_left": "left", "leftward": "left", "rightward": "right"}
_OTHER = {"left": "right", "right": "left"}
_THIS = re.compile(r"\b(?:this|that|the same|these|said)\s+\Z", re.IGNORECASE)
_THROUGH = frozenset(("to", "through", "thru", "-", "–"))
_ASSERTING = ("present", "possible", "probable", "presupposed")
# Kinds of items that hold a finding, which may bear another.
_BEARING = frozenset(("F", "M", "W", "up", "down", "lost", "abnormal", "signalword"))


@dataclass(frozen=True, slots=True)
class Where:
    """Where a head is said to be: `sites`, one tuple a finding, or a `side` alone; `bearers` are the items of findings that it is
    said of. `weak` sites are those of a bearer or a label, and hold only where they fit."""

    sites: tuple[tuple[Place, ...], ...] = ()
    side: str | None = None
    bearers: tuple[int, ...] = ()
    weak: bool = False


def where(scene: Scene, structure: Structure, statement: Statement, seen: frozenset[int] = frozenset()) -> Where:
    """Return where a statement says that its head is."""
    own: list[tuple[Place, ...]] = []
    borne: list[tuple[Place, ...]] = []
    sides: list[str] = []
    bearers: list[int] = []
    inside: list[int] = []
    for place in _with_modifiers(scene, statement):
        side = _side(scene, place.side, statement)
        found = _sites(scene, place, side, pairs=len(statement.places) == 1 and statement.status in _ASSERTING)
        if _points_back(scene, place):
            before = _spoken_of(scene, structure, statement, seen)
            found = list(before.sites) or found
        own += (one for one in found if one not in own)
        inside += [at for at in place.items if scene.items[at].start >= scene.spoken]
        bearing = [at for at in place.items if scene.items[at].kind in _BEARING and _heads(structure, at)]
        if not found and not bearing and side is not None:
            sides.append(side)
        for at in bearing:
            bearers.append(at)
            if not found and at not in seen:
                around = _of_bearer(scene, structure, at, seen | {statement.head, at})
                borne += (_sided(one, side) for one in around.sites if one not in borne)
                sides += [around.side] if around.side and not around.sites else []
                sides += [side] if side and not around.sites else []
    side = _both(sides)
    if len(own) > 1:
        own = _innermost(scene, own)
    if own:
        return Where(tuple(one if side is None else _sided(one, side) for one in own), None, tuple(bearers), not inside)
    if borne:
        return Where(tuple(dict.fromkeys(borne)), None, tuple(bearers), weak=True)
    return Where((), side, tuple(bearers))


def _points_back(scene: Scene, place: Said) -> bool:
    """Whether a place is one spoken of before ("dissection of this vessel", "the same level")."""
    kinds = scene.knowledge.words.kinds
    items = [scene.items[at] for at in place.items]
    return len(items) == 1 and items[0].id in kinds and _THIS.search(scene.text, 0, items[0].start) is not None


def _spoken_of(scene: Scene, structure: Structure, statement: Statement, seen: frozenset[int]) -> Where:
    """Return where the last finding before is that has a place."""
    earlier = [one for one in structure if one.head < statement.head and one.head not in seen]
    for one in sorted(earlier, key=lambda other: -other.head):
        found = where(scene, structure, one, seen | {statement.head})
        if found.sites:
            return found
    return Where()


def _with_modifiers(scene: Scene, statement: Statement) -> tuple[Said, ...]:
    """Return the places of a statement, with the structures among its modifiers, which say more of each ("perihilar")."""
    more = tuple(at for at in statement.modifiers if scene.items[at].kind == "A")
    if not more:
        return statement.places
    joined = [Said(tuple(sorted({*place.items, *more})), place.side) for place in statement.places]
    return tuple(joined) or (Said(more, None),)


def _innermost(scene: Scene, sites: Sequence[tuple[Place, ...]]) -> list[tuple[Place, ...]]:
    """Return the places without those that only hold another one ("KIDNEYS: cyst in the left upper pole"), whose side that has
    where it has none."""
    index, kept = scene.knowledge.index, list(sites)
    for whole in sites:
        for at, part in enumerate(kept):
            around = [name for name, _ in whole]
            inner = [name for name, _ in part]
            held = all(any(one != name and index.inside(one, name) for one in inner) for name in around)
            if part != whole and held and whole in kept:
                side = next((found for _, found in whole if found), None)
                kept[at] = _sided(part, side)
                kept.remove(whole)
                break
    return kept


def _heads(structure: Structure, at: int) -> bool:
    return any(statement.head == at for statement in structure)


def _of_bearer(scene: Scene, structure: Structure, at: int, seen: frozenset[int]) -> Where:
    """Return where a finding is that another is said of: at all the places of its statements."""
    said = [one for one in structure if one.head == at]
    there = [one for one in said if one.status not in ("absent", "unlikely", "none")] or said
    found = [where(scene, structure, one, seen) for one in there]
    kept = [one for one in found if one.sites or one.side] or found
    sites = tuple(dict.fromkeys(site for one in kept for site in one.sites))
    return Where(sites, _both([one.side for one in kept if one.side]), (at,))


def _both(sides: Sequence[str]) -> str | None:
    """Return the one side of several, "both" where they differ."""
    return None if not sides else sides[0] if len(set(sides)) == 1 else "both"


def _sided(places: tuple[Place, ...], side: str | None) -> tuple[Place, ...]:
    """Return places with a side where they have none."""
    if side is None or any(found for _, found in places):
        return places
    return tuple((name, side) for name, _ in places)


def _side(scene: Scene, at: int | None, statement: Statement) -> str | None:
    """Return the side that an item says."""
    if at is None:
        return None
    item = scene.items[at]
    if item.id in OF_MOVEMENT and shifting(scene, scene.items[statement.head].id):
        return None  # a shift to the right is on no side
    if item.kind == "sideword" and item.id in ("same", "opposite"):
        before = next((one for one in reversed(_sides_before(scene, at)) if one in _OTHER), None)
        return before if item.id == "same" or before is None else _OTHER[before]
    return _SIDES.get(item.id) or OF_MOVEMENT.get(item.id) or item.side


def shifting(scene: Scene, concept: str) -> bool:
    """Whether a finding is a shift, of which a movement to a side tells the way."""
    is_any, flagged = scene.knowledge.index.is_any, scene.knowledge.words.flagged
    return is_any(concept, flagged("shifts")) and not is_any(concept, flagged("local_shifts"))


def _sides_before(scene: Scene, at: int) -> list[str]:
    return [item.id if item.kind == "sideword" else OF_MOVEMENT.get(item.id) or item.side or "" for item in scene.items[:at]]


def _sites(scene: Scene, place: Said, side: str | None, *, pairs: bool) -> list[tuple[Place, ...]]:
    """Return the sites of one place: mostly one; the members of a range of levels are several. The label's own words are the
    sites that its headings made of them. The plural of a pair is both of it where no other place is said (`pairs`)."""
    inside = [at for at in place.items if scene.items[at].start >= scene.spoken]
    if scene.label and place.items and not inside:
        return [_sided(one, side) for one in scene.label]
    stretch = _stretch(scene, place.items)
    if stretch:
        kinds = [(scene.items[at].id, side) for at in place.items if scene.items[at].kind == "A" and not _in_range(scene, at)]
        return [((item.id, item.side or side), *(one for one in kinds if one[0] != item.id)) for item in stretch]
    found: list[Place] = []
    for at in place.items:
        site = _site(scene, at, pairs=pairs)
        if site is not None:
            found.append((site[0], side if site[1] == "both" and side else site[1] or side))
    if not found:
        joined = _joined(scene, place.items)
        found = [(joined, side)] if joined else []
    if found and side is None:
        sides = {one for _, one in found if one}
        found = [(name, one or (min(sides) if len(sides) == 1 else None)) for name, one in found]
    words = scene.knowledge.words
    sided = words.paired | words.lateral
    return [tuple(dict.fromkeys((n, None if s == "both" and n not in sided else s) for n, s in found))] if found else []


def _site(scene: Scene, at: int, *, pairs: bool) -> Place | None:
    """Return the structure that an item names, and the side that it says itself."""
    item = scene.items[at]
    if item.kind == "A":
        after = scene.items[at + 1].kind if at + 1 < len(scene.items) else ""
        alone = item.first == item.last and after in ("and", "or", "comma", "slash")
        whole = completed(scene, at, "A") if item.adjective or alone else None
        name, side = (whole.id, whole.side or item.side) if whole else (item.id, item.side)
        both = pairs and side is None and name in scene.knowledge.words.paired and _plural(scene, item)
        return name, "both" if both else side
    if item.kind in ("M", "W", "num", "seq", "N", "up", "down"):
        other = item.types.get("A") if item.kind != "num" else None
        entry = completed(scene, at, "A") or other
        return (entry.id, entry.side or item.side) if entry else None
    if item.kind == "Q" and (about := next((e.site for e in item.types.values() if e.site), None)):
        return about, item.side
    return None


def _plural(scene: Scene, item: Item) -> bool:
    """Whether the noun of a structure is plural: "in the lower lobes" is in both."""
    nouns = [
        scene.tokens[item.last],
        *(scene.tokens[at - 1] for at in range(item.first + 1, item.last) if scene.tokens[at].norm == "of"),
    ]
    said = (scene.text[noun.start : noun.end].lower() for noun in nouns)
    return not item.adjective and any(
        word != noun.norm.lower() and word[:3] == noun.norm.lower()[:3] and word.endswith(("s", "i", "ae", "a"))
        for word, noun in zip(said, nouns, strict=True)
    )


def _joined(scene: Scene, items: Sequence[int]) -> str | None:
    """Return the structure that several items name together, where none does by itself."""
    for first in range(len(items)):
        for last in range(len(items) - 1, first - 1, -1):
            entry = named(scene, scene.words(items[first], items[last]), "A")
            if entry is not None:
                return entry.id
    return None


def _stretch(scene: Scene, items: Sequence[int]) -> list[Item]:
    """Return the members of a range of levels or numbered structures ("C3 through C6", "ribs 5-8"); none where there is none."""
    if not items:
        return []
    stretch = scene.items[items[0] : items[-1] + 1]
    if len(stretch) > 5 or not any(word in _THROUGH or "-" in word[1:] for item in stretch for word in _norms(scene, item)):
        return []
    inner = [replace(item) for item in stretch]
    tokens, lexicon = scene.tokens, scene.knowledge.lexicon
    spread = spread_ranges(spread_levels(inner, tokens, lexicon), tokens, lexicon)
    members = [item for item in spread if item.kind == "A"]
    return members if len(members) > max(1, sum(scene.items[at].kind == "A" for at in items)) else []


def _in_range(scene: Scene, at: int) -> bool:
    """Whether an item is a level or a number."""
    return any(any(letter.isdigit() for letter in word) for word in _norms(scene, scene.items[at]))


def _norms(scene: Scene, item: Item) -> Iterable[str]:
    return (token.norm.lower() for token in scene.tokens[item.first : item.last + 1])
