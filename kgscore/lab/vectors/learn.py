"""Training of vectors of words on the wordings of the ontology, in PyTorch.

As in SapBERT (Liu and others, 2021): wordings of one concept together, others of the batch apart, including hard negatives: the
nearest, related and opposite ones, and the same wording negated or with a side. A word is a matrix times its encoder vector
(if one is given), plus a learnt vector, plus its letter groups; so words missing from the ontology keep their meaning.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from random import Random
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from kgscore.lab.vectors.wordings import Wordings
from kgscore.linking.vectors import letter_groups

_MARKS = ("no", "left", "right")
_MEAN = 12  # wordings that represent a concept
_NEAREST = 8  # nearest concepts used as negatives


@dataclass(frozen=True, slots=True)
class Settings:
    """Training settings of the vectors: their width, rows of the letter groups, passes over the wordings, anchors per step,
    negatives for each, temperature, rate, the shares of words that are hidden and of pairs that are marked."""

    width: int = 128
    groups: int = 16_384
    epochs: int = 3
    batch: int = 96
    hard: int = 4
    temperature: float = 0.05
    rate: float = 3e-3
    hidden: float = 0.15
    marked: float = 0.1
    seed: int = 7


class Net(nn.Module):
    """Words as the sum of encoder vectors, learnt vectors and letter groups."""

    def __init__(self, words: Sequence[str], known: np.ndarray | None, settings: Settings) -> None:
        super().__init__()
        rows = [letter_groups(word, settings.groups) for word in words]
        self.letters = [torch.tensor(row) for row in rows]
        self.known = None if known is None else torch.tensor(known, dtype=torch.float32)
        self.own = nn.Embedding(len(words), settings.width, sparse=True)
        self.groups = nn.EmbeddingBag(settings.groups, settings.width, mode="mean", sparse=True)
        nn.init.normal_(self.own.weight, 0, 0.02 if known is not None else 0.1)
        nn.init.normal_(self.groups.weight, 0, 0.1)
        self.matrix = None if known is None else nn.Linear(known.shape[1], settings.width, bias=False)

    def words(self, numbers: torch.Tensor, hidden: torch.Tensor | None = None) -> torch.Tensor:
        """Return the vectors of words; for hidden ones, from their letters only."""
        letters = [self.letters[number] for number in numbers.tolist()]
        starts = torch.tensor([0, *np.cumsum([len(one) for one in letters])[:-1]])
        spelt: torch.Tensor = self.groups(torch.cat(letters), starts)
        seen = self.own(numbers)
        if self.matrix is not None and self.known is not None:
            seen = seen + self.matrix(self.known[numbers])
        return spelt + seen if hidden is None else spelt + seen * (~hidden)[:, None]

    def wordings(self, given: Sequence[Sequence[int]], hidden: float, random: torch.Generator) -> torch.Tensor:
        """Return the vectors of wordings, normalised to length 1."""
        flat = torch.tensor([number for one in given for number in one])
        numbers, at = torch.unique(flat, return_inverse=True)
        vectors = self.words(numbers, torch.rand(len(numbers), generator=random) < hidden if hidden else None)
        rows = torch.repeat_interleave(torch.arange(len(given)), torch.tensor([len(one) for one in given]))
        sums = torch.zeros(len(given), vectors.shape[1]).index_add(0, rows, vectors[at])
        return functional.normalize(sums, dim=1)


def learn_vectors(
    given: Wordings, kin: Mapping[str, Sequence[str]], encoded: Mapping[str, Any], settings: Settings,
    told: Callable[[int, float], None],
) -> dict[str, np.ndarray]:  # fmt: skip
    """Return the arrays of a file of vectors, learnt from the wordings that are kept. `encoded` holds an encoder's vectors of
    words, or nothing; `told` is called after each epoch with its number and mean loss."""
    torch.manual_seed(settings.seed)
    random, noise = Random(settings.seed), torch.Generator().manual_seed(settings.seed)
    words = sorted({word for text in given.kept for word in text.split()} | set(encoded) | set(_MARKS))
    place = {word: at for at, word in enumerate(words)}
    texts = {text: [place[word] for word in text.split()] for text in given.kept}
    called: dict[str, list[str]] = {}
    for text, concepts in given.kept.items():
        for concept in sorted(concepts):
            called.setdefault(concept, []).append(text)
    known = np.stack([encoded[word] for word in words]) if encoded else None
    net = Net(words, known, settings)
    order = sorted(given.kept)
    ways, slower = _optimisers(net, settings, settings.epochs * (len(order) // settings.batch))
    for epoch in range(1, settings.epochs + 1):
        near = _hard_negatives(net, called, texts)
        random.shuffle(order)
        losses = []
        for start in range(0, len(order) - settings.batch + 1, settings.batch):
            pairs = _pairs(order[start : start + settings.batch], given, called, near, kin, settings, random)
            loss = _loss(net, pairs, texts, place, settings, noise)
            for way in ways:
                way.zero_grad()
            loss.backward()
            for way in (*ways, *slower):
                way.step()
            losses.append(float(loss.detach()))
        told(epoch, fsum(losses) / len(losses))
    return export_arrays(net, words)


def _optimisers(net: Net, settings: Settings, steps: int) -> tuple[list[Any], list[Any]]:
    """Return the optimisers of the learnt vectors and of the matrix, if there is one, and the schedules that slow them down."""
    ways: list[Any] = [torch.optim.SparseAdam([net.own.weight, net.groups.weight], lr=settings.rate)]
    ways += [torch.optim.Adam(net.matrix.parameters(), lr=settings.rate / 3)] if net.matrix is not None else []
    return ways, [torch.optim.lr_scheduler.LambdaLR(way, lambda step: max(0.02, 1 - step / steps)) for way in ways]


Pair = tuple[str, str, frozenset[str], str]


def _pairs(
    anchors: Sequence[str], given: Wordings, called: Mapping[str, Sequence[str]], near: Mapping[str, Sequence[str]],
    kin: Mapping[str, Sequence[str]], settings: Settings, random: Random,
) -> list[Pair]:  # fmt: skip
    """Return pairs of wordings of each anchor's concept and of concepts hard to tell from it; some repeated with a mark."""
    pairs: list[Pair] = []
    for anchor in anchors:
        concept = random.choice(sorted(given.kept[anchor]))
        pairs.append((anchor, _other_wording(anchor, called[concept], random), given.kept[anchor], ""))
        hard = [*random.sample(near[concept], min(settings.hard - 1, len(near[concept])))]
        hard += [random.choice(kin[concept])] if kin.get(concept) else []
        for one in hard:
            text = random.choice(called[one]) if one in called else ""
            if text:
                pairs.append((text, _other_wording(text, called[one], random), given.kept[text], ""))
        if random.random() < settings.marked:
            one, other, concepts, _ = pairs[-1]
            pairs += [(one, other, concepts, mark) for mark in random.sample(_MARKS, 2)]
    return pairs


def _other_wording(text: str, among: Sequence[str], random: Random) -> str:
    others = [one for one in among if one != text]
    return random.choice(others) if others else text


def _loss(
    net: Net, pairs: Sequence[Pair], texts: Mapping[str, list[int]], place: Mapping[str, int], settings: Settings,
    noise: torch.Generator,
) -> torch.Tensor:  # fmt: skip
    before = [[place[mark]] if mark else [] for *_, mark in pairs]
    ones, others = [one for one, *_ in pairs], [other for _, other, *_ in pairs]
    both = [mark + texts[text] for mark, text in zip([*before, *before], [*ones, *others], strict=True)]
    vectors = net.wordings(both, settings.hidden, noise)
    count = len(pairs)
    scores = vectors[:count] @ vectors[count:].T / settings.temperature
    scores = scores.masked_fill(_share_a_concept(pairs) & ~torch.eye(count, dtype=torch.bool), -1e4)
    right = torch.arange(count)
    return (functional.cross_entropy(scores, right) + functional.cross_entropy(scores.T, right)) / 2


def _share_a_concept(pairs: Sequence[Pair]) -> torch.Tensor:
    """Return which two of the pairs have a concept in common, with the same mark."""
    meant = [[f"{one} {mark}" for one in concepts] for _, _, concepts, mark in pairs]
    often = Counter(one for row in meant for one in row)
    numbers = {name: at for at, name in enumerate(name for name, times in often.items() if times > 1)}
    means = torch.zeros(len(pairs), len(numbers))
    for row, names in enumerate(meant):
        means[row, [numbers[one] for one in names if one in numbers]] = 1
    return means @ means.T > 0


def _hard_negatives(net: Net, called: Mapping[str, Sequence[str]], texts: Mapping[str, list[int]]) -> dict[str, list[str]]:
    """Return for each concept those with the nearest wordings on average."""
    names = list(called)
    flat = [texts[text] for name in names for text in called[name][:_MEAN]]
    owner = torch.repeat_interleave(torch.arange(len(names)), torch.tensor([len(called[name][:_MEAN]) for name in names]))
    with torch.no_grad():
        noise = torch.Generator()
        vectors = torch.cat([net.wordings(flat[s : s + 4096], 0.0, noise) for s in range(0, len(flat), 4096)])
        table = functional.normalize(torch.zeros(len(names), vectors.shape[1]).index_add(0, owner, vectors), dim=1)
        found = {}
        for start in range(0, len(names), 1024):
            near = (table[start : start + 1024] @ table.T).topk(_NEAREST + 1, dim=1).indices.tolist()
            for row, ids in enumerate(near):
                found[names[start + row]] = [names[at] for at in ids if at != start + row]
    return found


def export_arrays(net: Net, words: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the learnt weights as small integers, in the form that is read."""
    with torch.no_grad():
        table = torch.cat([net.words(torch.arange(s, min(s + 4096, len(words)))) for s in range(0, len(words), 4096)]).numpy()
        groups = net.groups.weight.numpy()
    scale = 127 / np.quantile(np.abs(table), 0.9995)
    small = [np.clip(np.rint(one * scale), -127, 127).astype("i1") for one in (table, groups)]
    return {"names": np.frombuffer("\n".join(words).encode(), "u1"), "words": small[0], "groups": small[1]}
