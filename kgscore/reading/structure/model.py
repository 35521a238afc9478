"""The trained model: predicts the structure of typed sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from kgscore.ontology.index import Index
from kgscore.reading.structure.columns import Columns, Ints, Seen
from kgscore.reading.structure.decisions import BEARER, MODIFIER, PLACE, SIDE, Decisions, Pair, composed
from kgscore.reading.structure.network import TASKS, Encoded, Network, Pairs
from kgscore.reading.structure.shapes import check
from kgscore.reading.structure.typed import TypedSentence
from kgscore.reading.structure.values import STATUSES, Parse
from kgscore.reading.structure.weights import Weights, read_weights
from kgscore.resources import resource

# Number of sentences per batch.
_AT_ONCE = 32
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
    for number in range(len(seen)):
        heads = np.flatnonzero(encoded.status[number])
        out[number].head = {int(head): STATUSES[encoded.status[number, head] - 1] for head in heads}
    _link(network, encoded, out)
    for (number, pair), answer in _answers(network, "join", encoded, map(joinable, out)):
        if answer:
            out[number].join.add(pair)
    for (number, pair), answer in _answers(network, "side", encoded, map(sidable, out, seen)):
        if answer:
            out[number].side.add(pair)
    for (number, pair), answer in _answers(network, "turned", encoded, map(turnable, out)):
        if answer and STATUSES[answer - 1] != out[number].head[pair[0]]:
            out[number].turned[pair] = STATUSES[answer - 1]
    _drop_turns(out)
    _part(network, encoded, out)
    return out


def _link(network: Network, encoded: Encoded, out: list[Decisions]) -> None:
    """Decide the link of every other item to each head."""
    parts = []
    for number, one in enumerate(out):
        heads = np.array(sorted(one.head), np.int64)
        others = np.flatnonzero(~encoded.seen[number].skipped)
        first, second = np.repeat(heads, len(others)), np.tile(others, len(heads))
        apart = first != second
        parts.append((np.full(int(apart.sum()), number), first[apart], second[apart]))
    pairs = Pairs(*(np.concatenate([part[at] for part in parts]) for at in range(3)))
    if len(pairs.one):
        answers = network.pairs(TASKS["link"], encoded, pairs)
        for at in np.flatnonzero(answers):
            out[int(pairs.sentence[at])].link[int(pairs.one[at]), int(pairs.other[at])] = int(answers[at])


def _answers(network: Network, task: str, encoded: Encoded, asked: Iterable[set[Pair]]) -> Iterator[tuple[tuple[int, Pair], int]]:
    """Yield the answers of a task for pairs of items of each sentence, with the number of the sentence and the pair."""
    pairs = [(number, pair) for number, found in enumerate(asked) for pair in sorted(found)]
    if pairs:
        rows = np.array([(number, *pair) for number, pair in pairs], np.int64)
        answers = network.pairs(TASKS[task], encoded, Pairs(rows[:, 0], rows[:, 1], rows[:, 2]))
        yield from zip(pairs, answers.tolist(), strict=True)


def _part(network: Network, encoded: Encoded, out: list[Decisions]) -> None:
    """Decide which items of a head belong to different statements."""
    rows = [(number, *triple) for number, one in enumerate(out) for triple in sorted(partable(one))]
    if rows:
        table: Ints = np.array(rows, np.int64)
        answers = network.apart(encoded, table[:, 0], table[:, 1], table[:, 2], table[:, 3])
        for (number, *triple), answer in zip(rows, answers.tolist(), strict=True):
            if answer:
                out[number].apart.add((triple[0], triple[1], triple[2]))


def _linked(decisions: Decisions) -> list[tuple[int, list[int], list[int], list[int]]]:
    """Return each head with its places, sides and modifiers."""
    found: dict[int, tuple[list[int], list[int], list[int]]] = {head: ([], [], []) for head in decisions.head}
    for (head, item), link in sorted(decisions.link.items()):
        if link in _PART:
            found[head][_PART[link]].append(item)
    return [(head, *parts) for head, parts in found.items()]


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
    return {
        (head, item)
        for head, places, sides, _ in _linked(decisions)
        if len(places) + len(sides) > 1
        for item in (*places, *sides)
    }


def _drop_turns(out: list[Decisions]) -> None:
    """Keep the status of the head if every place of it would have another status."""
    for one in out:
        able = turnable(one) if one.turned else ()
        for head in {head for head, _ in one.turned}:
            own = {pair for pair in able if pair[0] == head}
            if own <= one.turned.keys():
                for pair in own:
                    del one.turned[pair]


def partable(decisions: Decisions) -> set[Triple]:
    """Return the triples (head, one, other) where one is a modifier of the head and the other a place, side or modifier of it."""
    found: set[Triple] = set()
    for head, places, sides, modifiers in _linked(decisions):
        found.update((head, *pair) for pair in combinations(modifiers, 2))
        found.update((head, min(m, p), max(m, p)) for m in modifiers for p in (*places, *sides))
    return found
