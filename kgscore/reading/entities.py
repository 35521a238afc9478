"""HeadCT-ONE-style entities and relations of a sentence, from its items and the heads composed from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.model import Entity, EntityRelation
from kgscore.ontology.index import Index
from kgscore.reading.build import Source
from kgscore.reading.finding_draft import FindingDraft
from kgscore.reading.mentions import Mention

# The roles of the descriptors for kinds of cues.
_DESCRIBING = {"change": "saying_change", "up": "saying_more", "down": "saying_less", "hedge": "saying_doubt"}


def entities_of(
    parsed: Iterable[tuple[Source, Sequence[Mention], Sequence[FindingDraft]]], index: Index
) -> tuple[list[Entity], list[EntityRelation]]:
    """Return the entities and relations of some sentences (HeadCT-ONE 3.2): anatomy, observations and devices present or
    absent, procedures and descriptors; `modify`, `located_at`, `suggestive_of`, `associated_with`."""
    entities: list[Entity] = []
    relations: list[EntityRelation] = []
    for source, items, heads in parsed:
        first = {head.item.start: head for head in reversed(heads)}
        number: dict[int, int] = {}
        mine: dict[int, Entity] = {}
        for item in items:
            kind = _type(item, first.get(item.start), index)
            if kind is None or item.start == item.end:  # a shared noun is an item where it is written
                continue
            concept = item.id if item.id in index.concepts else index.role(_DESCRIBING.get(item.kind, "")) or item.id
            span = source.offset + item.start, source.offset + item.end
            number[item.start] = at = len(entities) + len(mine)
            mine[at] = Entity(source.text[item.start : item.end], *span, kind, concept)  # type: ignore[arg-type]
        found = [*_related(items, heads, source, number, mine), *_described(items, number, mine)]
        relations += [EntityRelation(*one) for one in dict.fromkeys(found) if one[0] != one[1]]  # type: ignore[arg-type]
        entities += mine.values()
    return entities, relations


def _related(
    items: Sequence[Mention], heads: Sequence[FindingDraft], source: Source, number: Mapping[int, int], mine: Mapping[int, Entity]
) -> Iterator[tuple[int, int, str]]:
    """Yield the sites of observations, what they suggest, and which others they are associated with."""
    previous: int | None = None
    for head in heads:
        own = number.get(head.item.start)
        if own is None:
            continue
        sites = [name for alternative in head.sites for name, _ in alternative]
        yield from ((own, at, "located_at") for at in _mentions(mine, sites, True))
        yield from ((own, at, "suggestive_of") for at in _mentions(mine, head.alternatives, False))
        if previous is not None and _joined_by_with(items, source, mine[previous], mine[own]):
            yield previous, own, "associated_with"
        previous = own


def _mentions(mine: Mapping[int, Entity], concepts: Iterable[str], anatomy: bool) -> list[int]:
    """Return the entities of concepts, either structures or observations."""
    found = [(at, one.concept) for at, one in mine.items() if one.type != "descriptor" and (one.type == "anatomy") == anatomy]
    return [at for concept in concepts for at, name in found if name == concept]


def _joined_by_with(items: Sequence[Mention], source: Source, one: Entity, other: Entity) -> bool:
    return any(item.kind == "with" and one.end <= source.offset + item.start < other.start for item in items)


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


def _described(items: Sequence[Mention], number: Mapping[int, int], mine: Mapping[int, Entity]) -> Iterator[tuple[int, int, str]]:
    """Yield what descriptors modify: the nearest observation or structure of their sentence, preferably one that follows."""
    targets = [item for item in items if item.kind in (ANATOMY, FINDING, QUALITY) and item.start in number]
    for item in items:
        own = number.get(item.start)
        if own is None or mine[own].type != "descriptor" or not targets:
            continue
        heads = [t for t in targets if t.kind != ANATOMY] or targets
        nearest = min(heads, key=lambda t: abs(t.start - item.end) + (0 if t.start > item.start else 6))
        yield own, number[nearest.start], "modify"
