"""HeadCT-ONE-style entities and relations of a sentence, from its items and the heads composed from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.model import Entity, EntityRelation
from kgscore.ontology.index import Index
from kgscore.reading.build import Source
from kgscore.reading.finding_draft import FindingDraft
from kgscore.reading.mentions import Mention

# The roles of the descriptors for kinds of cues.
_DESCRIBING = {"change": "saying_change", "up": "saying_more", "down": "saying_less", "hedge": "saying_doubt"}


def entities_of(
    items: Sequence[Mention],
    heads: Sequence[FindingDraft],
    source: Source,
    index: Index,
    entities: list[Entity],
    relations: list[EntityRelation],
) -> None:
    """Append the entities and relations of one sentence (HeadCT-ONE 3.2): anatomy, observations and devices present or
    absent, procedures and descriptors; `modify`, `located_at`, `suggestive_of`, `associated_with`."""
    status: dict[int, FindingDraft] = {}
    for head in heads:
        status.setdefault(head.item.start, head)
    places: dict[str, list[int]] = {}
    observations: list[tuple[int, Mention]] = []
    number: dict[int, int] = {}
    for item in items:
        kind = _type(item, status.get(item.start), index)
        if kind is None or item.start == item.end:  # a shared noun is an item where it is written
            continue
        number[item.start] = len(entities)
        if kind == "anatomy":
            places.setdefault(item.id, []).append(len(entities))
        elif kind != "descriptor":
            observations.append((len(entities), item))
        concept = item.id if item.id in index.concepts else index.role(_DESCRIBING.get(item.kind, "")) or item.id
        text, offset = source.text[item.start : item.end], source.offset
        entities.append(Entity(text, offset + item.start, offset + item.end, kind, concept))  # type: ignore[arg-type]
    found = [*_related(items, heads, source, entities, number, places, observations), *_described(items, number, entities)]
    relations += [EntityRelation(*one) for one in dict.fromkeys(found) if one[0] != one[1]]  # type: ignore[arg-type]


def _related(
    items: Sequence[Mention],
    heads: Sequence[FindingDraft],
    source: Source,
    entities: Sequence[Entity],
    number: Mapping[int, int],
    places: Mapping[str, Sequence[int]],
    observations: Sequence[tuple[int, Mention]],
) -> Iterator[tuple[int, int, str]]:
    """Yield the sites of observations, what they suggest, and which others they are associated with."""
    previous: int | None = None
    for head in heads:
        own = number.get(head.item.start)
        if own is None:
            continue
        yield from ((own, place, "located_at") for one in head.sites for name, _ in one for place in places.get(name, ()))
        yield from ((own, at, "suggestive_of") for name in head.alternatives for at, item in observations if item.id == name)
        if previous is not None and _joined_by_with(items, source, entities[previous], entities[own]):
            yield previous, own, "associated_with"
        previous = own


def _type(item: Mention, head: FindingDraft | None, index: Index) -> str | None:
    if item.kind == ANATOMY:
        return "anatomy"
    if item.kind == FINDING:
        if item.adjective and head is None:
            return "descriptor"
        return index.observation_type(item.id, head is None or head.status == "present")
    if item.kind == QUALITY:
        return "observation_absent" if head is None or head.status != "present" else "observation_present"
    if item.kind in (DESCRIPTOR, NORMAL, "meas", "up", "down", "change", "hedge"):
        return "descriptor"
    return None


def _described(items: Sequence[Mention], number: Mapping[int, int], entities: Sequence[Entity]) -> Iterator[tuple[int, int, str]]:
    """Yield what descriptors modify: the nearest observation or structure of their sentence, preferably one that follows."""
    targets = [item for item in items if item.kind in (ANATOMY, FINDING, QUALITY) and item.start in number]
    for item in items:
        own = number.get(item.start)
        if own is None or entities[own].type != "descriptor" or not targets:
            continue
        heads = [t for t in targets if t.kind != ANATOMY] or targets
        nearest = min(heads, key=lambda t: abs(t.start - item.end) + (0 if t.start > item.start else 6))
        yield own, number[nearest.start], "modify"


def _joined_by_with(items: Sequence[Mention], source: Source, one: Entity, other: Entity) -> bool:
    return any(item.kind == "with" and one.end <= source.offset + item.start < other.start for item in items)
