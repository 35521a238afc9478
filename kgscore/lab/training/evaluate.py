"""Agreement of a structure with the gold one: heads of statements, their status, and their parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, product

from kgscore.lab.training.align import Aligned, single
from kgscore.linking.lexicon import ANATOMY, NORMAL, QUALITY
from kgscore.metrics.ratescore_entities import Diseases, entity_type
from kgscore.ontology.index import Index
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Parse, Statement

LENGTHS = ((1, 9), (10, 17), (18, 29), (30, 999))
RELATIONS = ("place", "site", "side", "modifier", "name")
_Said = tuple[int, str, tuple[tuple[tuple[int, ...], int], ...], tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Share:
    """Counts of correct, predicted and gold items; all rates are 0 to 1, higher is better."""

    found: int
    said: int
    gold: int

    @property
    def precision(self) -> float | None:
        """The share of predicted items that are correct; None if nothing was predicted."""
        return self.found / self.said if self.said else None

    @property
    def recall(self) -> float | None:
        """The share of gold items that were predicted; None if there are none."""
        return self.found / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None if nothing was predicted and there is no gold."""
        return 2 * self.found / (self.said + self.gold) if self.said + self.gold else None

    def plain(self) -> dict[str, float | None]:
        """Return the rates, unrounded, and the number of gold items."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1, "gold": self.gold}


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of structures with gold: heads as entities, fully correct statements, each relation (`RELATIONS`: a place with
    all its items and its side; single site items; sides; modifiers; names), the share of found heads with the right status, and
    of fully correct sentences."""

    sentences: int
    wholly: int
    heads: Share
    status: int
    statements: Share
    relations: Mapping[str, Share]

    def plain(self) -> dict[str, object]:
        """Return the figures as plain values, unrounded."""
        shares = {"heads": self.heads, "statements": self.statements, **self.relations}
        rates = {name: share.plain() for name, share in shares.items()}
        status = self.status / self.heads.found if self.heads.found else None
        return {
            "sentences": self.sentences,
            "wholly_right": self.wholly / self.sentences if self.sentences else None,
            "status": status,
            **rates,
        }


def agreement(pairs: Iterable[tuple[Parse, Parse]]) -> Agreement:
    """Return the agreement of structures: pairs of gold and predicted, for the same sentence."""
    found, given, right = Counter[str](), Counter[str](), Counter[str]()
    sentences = wholly = status = 0
    for gold, predicted in pairs:
        one, other = canonical(gold), canonical(predicted)
        sentences += 1
        wholly += one == other
        parts, others = _parts(one), _parts(other)
        for name in parts:
            found[name] += len(parts[name] & others[name])
            given[name] += len(others[name])
            right[name] += len(parts[name])
        both = {said[0] for said in one} & {said[0] for said in other}
        status += sum(_statuses(one, head) == _statuses(other, head) for head in both)
    shares = {name: Share(found[name], given[name], right[name]) for name in ("heads", "statements", *RELATIONS)}
    return Agreement(sentences, wholly, shares["heads"], status, shares["statements"], {name: shares[name] for name in RELATIONS})


def canonical(structure: Parse) -> frozenset[_Said]:
    """Return a structure as a set of statements with one place each, so that their grouping does not matter."""
    return frozenset(
        (
            one.head,
            one.status,
            tuple((place.items, -1 if place.side is None else place.side) for place in one.places),
            tuple(sorted(one.modifiers)),
            tuple(sorted(one.names)),
        )
        for one in single(structure)
    )


def _parts(statements: frozenset[_Said]) -> dict[str, set[tuple[object, ...]]]:
    return {
        "heads": {(one[0],) for one in statements},
        "statements": set(statements),
        "place": {(one[0], place) for one in statements for place in one[2]},
        "site": {(one[0], item) for one in statements for items, _ in one[2] for item in items},
        "side": {(one[0], side) for one in statements for _, side in one[2] if side >= 0},
        "modifier": {(one[0], item) for one in statements for item in one[3]},
        "name": {(one[0], item) for one in statements for item in one[4]},
    }


def _statuses(statements: frozenset[_Said], head: int) -> set[str]:
    return {one[1] for one in statements if one[0] == head}


def by_group(sentences: Sequence[Aligned], predicted: Sequence[Parse]) -> dict[str, Agreement]:
    """Return the agreement over all sentences, then by length in words, by register and by the status of gold statements."""
    pairs = [(one.structure, found) for one, found in zip(sentences, predicted, strict=True)]
    out = {"all": agreement(pairs)}
    words = [len(one.marked.text.split()) for one in sentences]
    for low, high in LENGTHS:
        name = f"{low} to {high} words" if high < LENGTHS[-1][1] else f"{low} words and more"
        out[name] = agreement(compress(pairs, (low <= count <= high for count in words)))
    registers = [one.marked.register for one in sentences]
    for register in sorted(set(registers)):
        out[register] = agreement(compress(pairs, (one == register for one in registers)))
    for status in sorted({one.status for gold, _ in pairs for one in gold}):
        out[f"status {status}"] = agreement(_of_status(pairs, status))
    return {name: found for name, found in out.items() if found.sentences}


def _of_status(pairs: Sequence[tuple[Parse, Parse]], status: str) -> Iterable[tuple[Parse, Parse]]:
    """Yield, for each pair, the predictions about the heads with a status in the gold structure."""
    for gold, predicted in pairs:
        heads = {one.head for one in gold if one.status == status}
        if heads:
            yield tuple(one for one in gold if one.head in heads), tuple(one for one in predicted if one.head in heads)


_DENIED = frozenset(("absent", "unlikely"))
_Entity = tuple[str, tuple[object, ...]]


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


def _annotations(structure: Parse, items: Sequence[Mention], index: Index, diseases: Diseases) -> Iterator[_Entity]:
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
