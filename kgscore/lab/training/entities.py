"""Structures as the papers' entities and relations: HeadCT-ONE's types (3.2) and RaTEScore's five (2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from kgscore.lab.training.align import Aligned
from kgscore.lab.training.evaluate import Share
from kgscore.linking.lexicon import ANATOMY, NORMAL, QUALITY
from kgscore.metrics.ratescore_entities import Diseases, entity_type
from kgscore.ontology.index import Index
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Parse, Statement

_DENIED = frozenset(("absent", "unlikely"))
_Said = tuple[str, tuple[object, ...]]


def by_type(sentences: Sequence[Aligned], predicted: Sequence[Parse], index: Index) -> Mapping[str, Share]:
    """Return the agreement of the entities and relations of structures with the gold: all of a paper, then by type. An entity
    is correct if its words (its item) and its type are, a relation if both its entities and its type are."""
    diseases = Diseases(index)
    found, given, right = Counter[str](), Counter[str](), Counter[str]()
    for one, structure in zip(sentences, predicted, strict=True):
        gold, said = (set(_annotations(each, one.sentence.items, index, diseases)) for each in (one.structure, structure))
        for counter, both in ((found, gold & said), (given, said), (right, gold)):
            counter.update(name for name, _ in both)
            counter.update(name.partition(": ")[0] for name, _ in both)
    return {name: Share(found[name], given[name], right[name]) for name in sorted({*right, *given}, key=_order)}


def _order(name: str) -> tuple[bool, bool, str]:
    return "RaTEScore" in name, "relations" in name, name


def _annotations(structure: Parse, items: Sequence[Mention], index: Index, diseases: Diseases) -> Iterator[_Said]:
    """Yield the entities and relations by paper and type, in comparable form."""
    headct = dict(_headct_entities(structure, items, index))
    yield from ((f"HeadCT-ONE entities: {kind}", (at, kind)) for at, kind in headct.items())
    for one, other, kind in _relations(structure, headct):
        yield f"HeadCT-ONE relations: {kind}", ((one, headct[one]), (other, headct[other]), kind)
    yield from ((f"RaTEScore entities: {kind}", (at, kind)) for at, kind in _ratescore_entities(structure, items, diseases))


def _headct_entities(structure: Parse, items: Sequence[Mention], index: Index) -> Iterator[tuple[int, str]]:
    """Yield the items that are entities, with their HeadCT-ONE types; if an item has several, the last counts."""
    for one in structure:
        yield from ((at, "descriptor") for at in _descriptor_items(one))
        yield from ((at, "anatomy") for place in one.places for at in place.items)
    for one in structure:
        if one.status == "normal":  # "normal size": an absent observation, and a descriptor of it
            yield from ((at, "observation_absent") for at in one.modifiers if items[at].kind == QUALITY)
            yield one.head, "descriptor" if items[one.head].kind == NORMAL else "observation_absent"
        elif one.status != "none":
            yield one.head, index.observation_type(items[one.head].id, one.status not in _DENIED)


def _descriptor_items(one: Statement) -> Iterator[int]:
    yield from one.modifiers
    yield from (place.side for place in one.places if place.side is not None)


def _relations(structure: Parse, entities: Mapping[int, str]) -> Iterator[tuple[int, int, str]]:
    """Yield the relations between entities: an observation's location, its descriptors, and what it suggests."""
    for one in (statement for statement in structure if statement.head in entities):
        where = [at for place in one.places for at in place.items]
        if entities[one.head] == "descriptor":
            qualities = [at for at in one.modifiers if entities.get(at) == "observation_absent"]
            yield from ((one.head, at, "modify") for at in qualities or where)
            yield from product(qualities, where, ("located_at",))
        else:
            yield from ((one.head, at, "located_at") for at in where)
            yield from ((at, one.head, "modify") for at in _descriptor_items(one))
            yield from ((at, one.head, "suggestive_of") for at in one.names if at in entities)


def _ratescore_entities(structure: Parse, items: Sequence[Mention], diseases: Diseases) -> Iterator[tuple[int, str]]:
    """Yield the items that are entities of RaTEScore, with their types."""
    for one in structure:
        yield from ((at, "anatomy") for place in one.places for at in place.items if items[at].kind == ANATOMY)
        if one.status == "normal":
            yield one.head, "non_abnormality"
        elif one.status != "none":
            yield one.head, entity_type(items[one.head].id, one.status not in _DENIED, diseases)
