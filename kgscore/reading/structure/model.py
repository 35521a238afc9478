"""The trained model: predicts the structure of typed sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.ontology.index import Index
from kgscore.reading.structure.columns import Columns, Seen
from kgscore.reading.structure.decisions import BEARER, MODIFIER, PLACE, SIDE, Decisions, Pair, composed
from kgscore.reading.structure.network import Encoded, Network
from kgscore.reading.structure.shapes import check
from kgscore.reading.structure.typed import TypedSentence
from kgscore.reading.structure.values import STATUSES, Parse
from kgscore.reading.structure.weights import Weights, read_weights
from kgscore.resources import resource

# Number of sentences per batch.
_AT_ONCE = 64
Triple = tuple[int, int, int]
# The group of an item linked to a head: its places, its sides, its modifiers.
_PART = {PLACE: 0, BEARER: 0, SIDE: 1, MODIFIER: 2}


class StructureModel:
    """Predicts the relations between the items of typed sentences. `hash` identifies the model file, `about` describes its
    training."""

    def __init__(self, weights: Weights, index: Index) -> None:
        self.hash = weights.hash
        self.about = weights.about
        self.columns = Columns(index)
        self.network = Network(weights, self.columns)

    @classmethod
    def load(cls, index: Index, path: Path | None = None) -> StructureModel:
        """Return the model in a file, by default the one shipped with kgscore.

        Raises:
            InputError: the file cannot be read, or is not a model.
        """
        return cls(read_weights(path or resource("models", "structure.model"), check=check), index)

    def predict(self, sentence: TypedSentence) -> Parse:
        """Return the structure of one sentence."""
        return self.predict_all([sentence])[0]

    def predict_all(self, sentences: Sequence[TypedSentence]) -> list[Parse]:
        """Return the structure of each sentence; a batch takes less time than single sentences, and gives the same result."""
        out: list[Parse] = [()] * len(sentences)
        order = sorted((n for n, one in enumerate(sentences) if one.items), key=lambda n: len(sentences[n].items))
        for first in range(0, len(order), _AT_ONCE):
            numbers = order[first : first + _AT_ONCE]
            seen = [self.columns.see(sentences[number]) for number in numbers]
            for number, decisions in zip(numbers, decide(self.network, seen), strict=True):
                out[number] = composed(decisions)
        return out


def decide(network: Network, seen: Sequence[Seen]) -> list[Decisions]:
    """Return the decisions of the network for some sentences."""
    encoded = network.encode(seen)
    out = [Decisions() for _ in seen]
    for one, statuses in zip(out, encoded.status, strict=True):
        one.head = {head: STATUSES[statuses[head] - 1] for head in np.flatnonzero(statuses).tolist()}
    for one, pair, answer in _answers(network, "link", encoded, out, map(linkable, out, seen)):
        one.link[pair] = answer
    for one, pair, _ in _answers(network, "join", encoded, out, map(joinable, out)):
        one.join.add(pair)
    for one, pair, _ in _answers(network, "side", encoded, out, map(sidable, out, seen)):
        one.side.add(pair)
    for one, pair, answer in _answers(network, "turned", encoded, out, map(turnable, out)):
        if STATUSES[answer - 1] != one.head[pair[0]]:
            one.turned[pair] = STATUSES[answer - 1]
    _drop_turns(out)
    for one, triple, _ in _answers(network, "apart", encoded, out, map(partable, out)):
        one.apart.add(triple)
    return out


def _answers(
    network: Network, task: str, encoded: Encoded, out: Sequence[Decisions], asked: Iterable[Iterable[tuple[int, ...]]]
) -> Iterator[tuple[Decisions, Any, int]]:
    """Yield the answers of a task other than 0: the decisions on the sentence, its items asked about, and the answer."""
    rows = [(number, *items) for number, found in enumerate(asked) for items in sorted(found)]
    if rows:
        answers = network.answers(task, encoded, np.array(rows, np.int64)).tolist()
        yield from ((out[number], tuple(items), answer) for (number, *items), answer in zip(rows, answers, strict=True) if answer)


def _linked(decisions: Decisions) -> list[tuple[int, list[int], list[int], list[int]]]:
    """Return each head with its places, sides and modifiers."""
    found: dict[int, tuple[list[int], list[int], list[int]]] = {head: ([], [], []) for head in decisions.head}
    for (head, item), link in sorted(decisions.link.items()):
        if link in _PART:
            found[head][_PART[link]].append(item)
    return [(head, *parts) for head, parts in found.items()]


def linkable(decisions: Decisions, seen: Seen) -> list[Pair]:
    """Return the pairs of a head and another item that may be part of its statement."""
    others = np.flatnonzero(~seen.skipped).tolist()
    return [(head, other) for head in sorted(decisions.head) for other in others if head != other]


def joinable(decisions: Decisions) -> set[Pair]:
    """Return the pairs of items that may name one place: two places of one head."""
    return {pair for _, places, _, _ in _linked(decisions) for pair in combinations(places, 2)}


def sidable(decisions: Decisions, seen: Seen) -> set[Pair]:
    """Return the pairs (place, side) of one head; a place with a side of its own may be the side of another."""
    return {
        (place, side)
        for _, places, sides, _ in _linked(decisions)
        for place in places
        for side in (*sides, *(other for other in places if other != place and seen.sided[other]))
    }


def turnable(decisions: Decisions) -> set[Pair]:
    """Return the pairs (head, place item) of heads with several places, each of which may have its own status."""
    linked = ((head, (*places, *sides)) for head, places, sides, _ in _linked(decisions))
    return {(head, item) for head, items in linked if len(items) > 1 for item in items}


def _drop_turns(out: list[Decisions]) -> None:
    """Keep the status of the head if every place of it would have another status."""
    for one in out:
        kept = {head for head, item in turnable(one) - one.turned.keys()} if one.turned else ()
        one.turned = {pair: status for pair, status in one.turned.items() if pair[0] in kept}


def partable(decisions: Decisions) -> set[Triple]:
    """Return the triples (head, one, other) where one is a modifier of the head and the other a place, side or modifier of it."""
    found: set[Triple] = set()
    for head, places, sides, modifiers in _linked(decisions):
        found.update((head, *pair) for pair in combinations(modifiers, 2))
        found.update((head, min(m, p), max(m, p)) for m in modifiers for p in (*places, *sides))
    return found
