"""Marked sentences in the form of annotation tools: text regions, a status on those that head a statement, and ties.

In such a tool a region has one status, so a head with several statements becomes several regions over the same words; they
are merged again on import. Ties start at a head: `where` to each place, `part` to further names of that place, `side`, `how`
(modifier, change, quality) and `names` (another name, cause or reading).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from kgscore.errors import InputError
from kgscore.lab.annotation.marks import HEADS, Mark, Marked, Place, Statement, as_text, marked_sentence, require

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


class _Where(NamedTuple):
    """Places of one statement that one region can express: each of `sites`, or one of a site and its `parts`, on a side."""

    sites: list[str]
    parts: tuple[str, ...]
    side: str | None


def to_regions(marked: Marked) -> tuple[list[Region], list[Tie]]:
    """Return a marked sentence as regions and ties; the first region of a mark has its id."""
    heads: dict[str, list[tuple[_Where, Statement]]] = {}
    for statement in marked.statements:
        heads.setdefault(statement.head, []).extend((where, statement) for where in _place_groups(statement.places))
    regions: list[Region] = []
    ties: list[Tie] = []
    for mark in marked.marks:
        name = KIND_NAMES[mark.kind]
        if mark.id not in heads:
            regions.append(Region(mark.id, name, mark.start, mark.end))
        for number, (where, statement) in enumerate(heads.get(mark.id, ())):
            id = f"{mark.id}.{number}" if number else mark.id
            regions.append(Region(id, name, mark.start, mark.end, statement.status))
            sides = (where.side,) if where.side else ()
            targets = (where.sites, where.parts, sides, statement.modifiers, statement.names)
            ties += [Tie(id, one, tie) for tie, named in zip(TIES, targets, strict=True) for one in named]
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


def from_regions(text: str, modality: str, register: str, regions: Sequence[Region], ties: Sequence[Tie], where: str) -> Marked:
    """Return the marked sentence for regions and ties."""
    try:
        marks, statements = _read(regions, ties)
        return marked_sentence(as_text(Marked(text, modality, register, marks, statements, where)).splitlines(), where)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def _read(regions: Sequence[Region], ties: Sequence[Tie]) -> tuple[tuple[Mark, ...], tuple[Statement, ...]]:
    marks, ids = _marks(regions)
    known = all(tie.name in TIES and tie.target in ids for tie in ties)
    require(known, f"a tie leaves the sentence, or has an unknown name; ties are {', '.join(TIES)}")
    statements: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], list[Place]] = {}
    for region in regions:
        if ids[region.id][0] in HEADS:
            require(region.status, f"the {region.name.lower()} at {region.start} has no status")
            said = {name: [ids[tie.target] for tie in ties if (tie.source, tie.name) == (region.id, name)] for name in TIES}
            key = (ids[region.id], region.status, tuple(said["how"]), tuple(said["names"]))
            statements.setdefault(key, []).extend(_places(said))
    return marks, tuple(Statement(head, status, tuple(p), how, names) for (head, status, how, names), p in statements.items())


def _marks(regions: Sequence[Region]) -> tuple[tuple[Mark, ...], dict[str, str]]:
    names: dict[tuple[int, int, str], str] = {}
    count: Counter[str] = Counter()
    for region in sorted(regions, key=lambda one: (one.start, one.end)):
        require(region.name in _OF_NAMES, f"'{region.name}' is not a kind; kinds are {', '.join(_OF_NAMES)}")
        kind = _OF_NAMES[region.name]
        if (region.start, region.end, kind) not in names:
            count[kind] += 1
            names[region.start, region.end, kind] = f"{kind}{count[kind]}"
    marks = [Mark(name, start, end) for (start, end, _), name in names.items()]
    require(all(one.end <= other.start for one, other in pairwise(marks)), "two marks overlap")
    return tuple(marks), {one.id: names[one.start, one.end, _OF_NAMES[one.name]] for one in regions}


def _places(said: Mapping[str, Sequence[str]]) -> list[Place]:
    sides: Sequence[str | None] = said["side"] or [None]
    sites = [(*said["where"][:1], *said["part"]), *((site,) for site in said["where"][1:])]
    return [Place(site, side) for side in sides for site in sites if site or side]
