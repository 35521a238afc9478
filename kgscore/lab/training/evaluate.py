"""Agreement of a structure with the gold one: heads of statements, their status, and their parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

from kgscore.lab.training.align import Aligned
from kgscore.lab.training.decided import single
from kgscore.reading.structure.values import Parse

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
