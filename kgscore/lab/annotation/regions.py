"""Marked sentences in the form of annotation tools: text regions, a status on those that head a statement, and ties.

In such a tool a region has one status, so a head with several statements becomes several regions over the same words; they
are merged again on import. Ties start at a head: `where` to each place, `part` to further names of that place, `side`, `how`
(modifier, change, quality) and `names` (another name, cause or reading).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kgscore.lab.annotation.marks import HEADS, Mark, Marked, Place, Statement, as_text, marked_sentence

KIND_NAMES: Mapping[str, str] = {
    "f": "Finding", "v": "Device", "p": "Procedure", "n": "Normal", "q": "Quality", "w": "Direction", "s": "Site", "d": "Side",
    "m": "Modifier", "c": "Change",
}  # fmt: skip
TIES = ("where", "part", "side", "how", "names")
_OF_NAMES = {name: kind for kind, name in KIND_NAMES.items()}


@dataclass(frozen=True, slots=True)
class Region:
    """A span of a sentence (`end` is exclusive) with a kind (`KIND_NAMES`), and the status of the statement that it heads."""

    id: str
    name: str
    start: int
    end: int
    status: str = ""


@dataclass(frozen=True, slots=True)
class Tie:
    """The relation of two regions (`TIES`); it starts at the head of a statement."""

    source: str
    target: str
    name: str


@dataclass(frozen=True, slots=True)
class _Where:
    """Places of one statement that one region can express: each of `sites`, or one of a site and its `parts`, on a side."""

    sites: list[str]
    parts: tuple[str, ...]
    side: str | None


def to_regions(marked: Marked) -> tuple[list[Region], list[Tie]]:
    """Return a marked sentence as regions and ties; the first region of a mark has its id."""
    heads: dict[str, list[tuple[str, _Where, Statement]]] = {}
    for statement in marked.statements:
        for where in _place_groups(statement.places):
            own = heads.setdefault(statement.head, [])
            own.append((f"{statement.head}.{len(own)}" if own else statement.head, where, statement))
    regions: list[Region] = []
    ties: list[Tie] = []
    for mark in marked.marks:
        name = KIND_NAMES[mark.kind]
        if mark.id not in heads:
            regions.append(Region(mark.id, name, mark.start, mark.end))
        for id, where, statement in heads.get(mark.id, ()):
            regions.append(Region(id, name, mark.start, mark.end, statement.status))
            ties += _ties(id, where, statement)
    return regions, ties


def _place_groups(places: Sequence[Place]) -> list[_Where]:
    found: list[_Where] = []
    for place in places:
        alike = next((one for one in found if one.sites and not one.parts and one.side == place.side), None)
        if alike is not None and len(place.sites) == 1:
            alike.sites.append(place.sites[0])
        else:
            found.append(_Where(list(place.sites[:1]), place.sites[1:], place.side))
    return found or [_Where([], (), None)]


def _ties(id: str, where: _Where, statement: Statement) -> Iterator[Tie]:
    yield from (Tie(id, site, "where") for site in where.sites)
    yield from (Tie(id, site, "part") for site in where.parts)
    yield from (Tie(id, side, "side") for side in (where.side,) if side)
    yield from (Tie(id, one, "how") for one in statement.modifiers)
    yield from (Tie(id, one, "names") for one in statement.names)


def from_regions(text: str, modality: str, register: str, regions: Sequence[Region], ties: Sequence[Tie], where: str) -> Marked:
    """Return the marked sentence for regions and ties.

    Raises:
        ValueError: they do not follow the guide; the message says what is wrong.
    """
    marks, ids = _marks(regions)
    if any(tie.name not in TIES or tie.target not in ids for tie in ties):
        raise ValueError(f"a tie leaves the sentence, or has an unknown name; ties are {', '.join(TIES)}")
    statements: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], list[Place]] = {}
    for region in regions:
        if ids[region.id][0] not in HEADS:
            continue
        if not region.status:
            raise ValueError(f"the {region.name.lower()} at {region.start} has no status")
        said = {name: [ids[tie.target] for tie in ties if (tie.source, tie.name) == (region.id, name)] for name in TIES}
        key = (ids[region.id], region.status, tuple(said["how"]), tuple(said["names"]))
        statements.setdefault(key, []).extend(_places(said))
    made = tuple(Statement(head, status, tuple(p), how, names) for (head, status, how, names), p in statements.items())
    return marked_sentence(as_text(Marked(text, modality, register, marks, made, where)).splitlines(), where)


def _marks(regions: Sequence[Region]) -> tuple[tuple[Mark, ...], dict[str, str]]:
    """Return the marks of regions, one per span, and by region the id of its mark."""
    names: dict[tuple[int, int, str], str] = {}
    count: dict[str, int] = {}
    for region in sorted(regions, key=lambda one: (one.start, one.end)):
        kind = _OF_NAMES.get(region.name)
        if kind is None:
            raise ValueError(f"'{region.name}' is not a kind; kinds are {', '.join(_OF_NAMES)}")
        if (region.start, region.end, kind) not in names:
            count[kind] = count.get(kind, 0) + 1
            names[region.start, region.end, kind] = f"{kind}{count[kind]}"
    marks = [Mark(name, start, end) for (start, end, _), name in names.items()]
    if any(one.end > other.start for one, other in pairwise(marks)):
        raise ValueError("two marks overlap")
    return tuple(marks), {one.id: names[one.start, one.end, _OF_NAMES[one.name]] for one in regions}


def _places(said: Mapping[str, Sequence[str]]) -> list[Place]:
    sides: Sequence[str | None] = said["side"] or [None]
    parts = tuple(said["part"])
    sites = [(*said["where"][:1], *parts), *((site,) for site in said["where"][1:])]
    return [Place(site, side) for side in sides for site in sites if site or side]
