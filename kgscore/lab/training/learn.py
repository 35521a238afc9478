"""Training of the structure model in PyTorch, and its weights as the small integers that the reader runs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from kgscore.lab.training.samples import Sample, Variants
from kgscore.reading.structure.columns import COLUMNS, COUNTED, NAMING, Ints
from kgscore.reading.structure.network import GRID, TABLE_GRID
from kgscore.reading.structure.shapes import (
    APART,
    DISTANCES,
    EMBEDDING,
    FITS,
    HEADS_BETWEEN,
    HIDDEN,
    ITEM_CLASSES,
    LINK,
    MEMORY,
    PAIRS,
    Task,
    between,
    distance,
    heads_between,
    sections,
)

_NAMING = [COLUMNS.index(name) for name in NAMING]


@dataclass(frozen=True, slots=True)
class Settings:
    """How the model is trained: passes over the corpus, sentences a step, the highest rate; the share of inputs that are left out
    (`dropout`), of items whose word is hidden, of sentences joined with another, of items exchanged; how often a code must occur
    to be known, how slowly the mean of the weights moves, and the seed."""

    epochs: int = 24
    batch: int = 64
    rate: float = 3.5e-3
    dropout: float = 0.33
    hidden: float = 0.2
    join: float = 0.25
    swap: float = 0.15
    least: int = 2
    averaged: float = 0.995
    seed: int = 7


class Net(nn.Module):
    """The network of `kgscore.reading.structure.network`, as it learns; `known` gives the codes of each column."""

    def __init__(self, known: Sequence[Ints], dropout: float) -> None:
        super().__init__()
        self.table = nn.Embedding(sum(len(codes) + 1 for codes in known), EMBEDDING)
        nn.init.normal_(self.table.weight, 0, 0.15)
        self.norm = nn.LayerNorm(EMBEDDING)
        self.memory = nn.LSTM(EMBEDDING, MEMORY, bidirectional=True, batch_first=True)
        self.places = sections()
        self.project = nn.Linear(2 * MEMORY + EMBEDDING, max(place.stop for place in self.places.values()))
        self.item = nn.Linear(HIDDEN, ITEM_CLASSES)
        tasks = (*PAIRS, APART)
        self.distance = nn.ModuleDict({task.name: nn.Embedding(DISTANCES, task.width) for task in tasks})
        self.counts = nn.ModuleDict({task.name: nn.Linear(len(COUNTED), task.width, bias=False) for task in tasks})
        self.fit = nn.ModuleDict({task.name: nn.Embedding(FITS, task.width) for task in PAIRS})
        self.answer = nn.ModuleDict({task.name: nn.Linear(task.width, task.classes) for task in tasks})
        self.status = nn.ModuleList([nn.Embedding(ITEM_CLASSES, LINK.width) for _ in range(2)])
        self.heads = nn.Embedding(HEADS_BETWEEN, LINK.width)
        self.toward = nn.ModuleList([nn.Embedding(DISTANCES, APART.width) for _ in range(2)])
        self.drop, self.less = nn.Dropout(dropout), nn.Dropout(dropout / 2)

    def encode(self, rows: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return what the tasks make of each item."""
        vectors = self.drop(self.norm(self.table(rows).sum(dim=2)))
        packed = nn.utils.rnn.pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        memory, _ = nn.utils.rnn.pad_packed_sequence(self.memory(packed)[0], batch_first=True)
        projected: torch.Tensor = self.project(torch.cat([self.drop(memory), vectors], dim=2))
        return projected

    def items(self, projected: torch.Tensor) -> torch.Tensor:
        """Return the scores of the statuses of each item."""
        scores: torch.Tensor = self.item(self.drop(torch.relu(projected[:, :, self.places["item"]])))
        return scores

    def pairs(self, task: Task, projected: torch.Tensor, status: torch.Tensor, asked: TaskRows) -> torch.Tensor:
        """Return the scores of the answers of each pair; `status` is what was decided of the items."""
        name, where, one, other = task.name, asked.where, asked.one, asked.other
        hidden = projected[where, one, self.places[f"{name}.one"]] + projected[where, other, self.places[f"{name}.other"]]
        if task.between:
            low, high = torch.minimum(one, other), torch.maximum(one, other)
            passed = torch.relu(projected[:, :, self.places[f"{name}.between"]])
            running = functional.pad(passed.cumsum(dim=1), (0, 0, 1, 0))
            steps = (high - low - 1).clamp(min=1).sqrt()[:, None]
            hidden = hidden + (running[where, high] - running[where, torch.minimum(low + 1, high)]) / steps
            hidden = hidden + self.status[0](status[where, one]) + self.status[1](status[where, other])
            hidden = hidden + self.heads(_heads(status, asked))
        hidden = hidden + self.distance[name](asked.distance) + self.fit[name](asked.fit) + self.counts[name](asked.counts)
        scores: torch.Tensor = self.answer[name](self.less(torch.relu(hidden)))
        return scores

    def apart(self, projected: torch.Tensor, asked: TaskRows) -> torch.Tensor:
        """Return the scores of what belongs to different statements."""
        name, where = APART.name, asked.where
        hidden = (
            projected[where, asked.head, self.places[f"{name}.head"]] + projected[where, asked.one, self.places[f"{name}.one"]]
        )
        hidden = hidden + projected[where, asked.other, self.places[f"{name}.other"]] + self.distance[name](asked.distance)
        hidden = hidden + self.toward[0](asked.toward[0]) + self.toward[1](asked.toward[1]) + self.counts[name](asked.counts)
        scores: torch.Tensor = self.answer[name](self.less(torch.relu(hidden)))
        return scores


@dataclass(frozen=True, slots=True)
class TaskRows:
    """The rows of one task in a batch of sentences, with what is known of each pair and the right answer."""

    where: torch.Tensor
    head: torch.Tensor
    one: torch.Tensor
    other: torch.Tensor
    distance: torch.Tensor
    toward: tuple[torch.Tensor, torch.Tensor]
    counts: torch.Tensor
    fit: torch.Tensor
    answers: torch.Tensor


def _heads(status: torch.Tensor, asked: TaskRows) -> torch.Tensor:
    before = functional.pad((status > 0).long().cumsum(dim=1), (1, 0)).numpy()
    where, one, other = (part.numpy() for part in (asked.where, asked.one, asked.other))
    return torch.from_numpy(heads_between(before, where, one, other))


def _task_rows(batch: Sequence[Sample], name: str) -> TaskRows | None:
    parts: list[tuple[Ints, ...]] = []
    for number, one in enumerate(batch):
        rows = one.rows[name]
        if rows.size:
            left, right = rows[:, -3], rows[:, -2]
            head = rows[:, 0]
            parts.append(
                (
                    np.full(len(rows), number),
                    head,
                    left,
                    right,
                    between(one.seen.counts[None], np.zeros_like(left), left, right),
                    one.fits(left, right),
                    rows[:, -1],
                )
            )
    if not parts:
        return None
    where, head, left, right, counts, fit, answers = (np.concatenate([part[at] for part in parts]) for at in range(7))
    numbers = [torch.from_numpy(a) for a in (where, head, left, right, distance(left, right), fit, answers)]
    toward = torch.from_numpy(distance(head, left)), torch.from_numpy(distance(head, right))
    counted = torch.from_numpy(counts).float()
    return TaskRows(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], toward, counted, numbers[5], numbers[6])


def known_codes(samples: Sequence[Sample], least: int) -> list[Ints]:
    """Return for each column the codes that occur at least so often."""
    out = []
    for column in range(len(COLUMNS)):
        codes, counts = np.unique(np.concatenate([one.seen.codes[:, column] for one in samples]), return_counts=True)
        out.append(codes[counts >= least])
    return out


def train(
    samples: Sequence[Sample],
    settings: Settings,
    told: Callable[[int, float], None] = lambda epoch, loss: None,
) -> dict[str, np.ndarray]:
    """Return the weights of one member trained on samples, rounded; `told` is called after each epoch with its number and loss.

    The same samples and settings give the same weights on one platform.
    """
    torch.manual_seed(settings.seed)
    random = Random(settings.seed)
    known = known_codes(samples, settings.least)
    firsts = np.cumsum([0, *(len(codes) + 1 for codes in known[:-1])])
    net = Net(known, settings.dropout)
    variants = Variants(samples, join=settings.join, swap=settings.swap)
    steps = settings.epochs * -(-len(samples) // settings.batch)
    optimizer = torch.optim.AdamW(net.parameters(), lr=settings.rate, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, steps)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=partial(_moved, settings.averaged))
    for epoch in range(settings.epochs):
        order = sorted(range(len(samples)), key=lambda n: len(samples[n].seen) + 4 * random.random())
        batches = [order[at : at + settings.batch] for at in range(0, len(order), settings.batch)]
        random.shuffle(batches)
        total = 0.0
        for numbers in batches:
            batch = [variants.of(samples[number], random) for number in numbers]
            loss = _loss(net, batch, known, firsts, settings.hidden)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            optimizer.step()
            schedule.step()
            mean.update_parameters(net)
            total += loss.item()
        told(epoch + 1, total / len(batches))
    return exported(mean.module)


def _moved(slowly: float, mean: torch.Tensor, now: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
    """Return the mean of weights moved towards those of now, faster in the beginning."""
    taken = float(steps)
    return mean + (now - mean) * (1 - min(slowly, (1 + taken) / (10 + taken)))


def _loss(net: Net, batch: Sequence[Sample], known: Sequence[Ints], firsts: Ints, hidden: float) -> torch.Tensor:
    lengths = torch.tensor([len(one.seen) for one in batch])
    rows = torch.zeros((len(batch), int(lengths.max()), len(COLUMNS)), dtype=torch.long)
    status = torch.full(rows.shape[:2], -100)
    for number, one in enumerate(batch):
        rows[number, : len(one.seen)] = torch.from_numpy(_rows_of(one.seen.codes, known, firsts))
        status[number, : len(one.seen)] = torch.from_numpy(one.status)
    if hidden:
        whole = torch.rand(rows.shape[:2]) < hidden
        for column in _NAMING:
            rows[:, :, column][whole | (torch.rand(rows.shape[:2]) < hidden / 2)] = int(firsts[column])
    projected = net.encode(rows, lengths)
    scores = net.items(projected)
    loss = functional.cross_entropy(scores.reshape(-1, ITEM_CLASSES), status.reshape(-1), ignore_index=-100, reduction="sum")
    inside = torch.arange(rows.shape[1])[None] < lengths[:, None]
    decided = scores.detach().argmax(dim=2) * inside
    for task in PAIRS:
        asked = _task_rows(batch, task.name)
        if asked is not None:
            weight = 1.0 if task.name == "link" else 0.5
            loss = loss + weight * functional.cross_entropy(
                net.pairs(task, projected, decided, asked), asked.answers, reduction="sum"
            )
    asked = _task_rows(batch, APART.name)
    if asked is not None:
        loss = loss + 0.5 * functional.cross_entropy(net.apart(projected, asked), asked.answers, reduction="sum")
    return loss / (5 * len(batch))


def _rows_of(codes: Ints, known: Sequence[Ints], firsts: Ints) -> Ints:
    """Return the rows of the table of vectors for codes; the first row of a column is for what is not known."""
    out = np.empty_like(codes)
    for column, own in enumerate(known):
        at = np.minimum(np.searchsorted(own, codes[:, column]), max(len(own) - 1, 0))
        found = own[at] == codes[:, column] if len(own) else np.zeros(len(codes), bool)
        out[:, column] = firsts[column] + np.where(found, at + 1, 0)
    return out


def exported(net: Any) -> dict[str, np.ndarray]:
    """Return the weights of a network as small integers, in the form that the reader runs on."""
    real: dict[str, torch.Tensor] = {
        "norm.weight": net.norm.weight,
        "norm.bias": net.norm.bias,
        "project.weight": net.project.weight.T,
        "project.bias": net.project.bias,
        "item.weight": net.item.weight.T,
        "item.bias": net.item.bias,
    }
    # The gates of PyTorch stand as in, forget, cell, out; the reader wants the three that open together.
    order = torch.cat([torch.arange(2 * MEMORY), torch.arange(3 * MEMORY, 4 * MEMORY), torch.arange(2 * MEMORY, 3 * MEMORY)])
    halved = torch.cat([torch.full((3 * MEMORY,), 0.5), torch.ones(MEMORY)])
    for name, part in (("input", "weight_ih_l0"), ("recurrent", "weight_hh_l0"), ("bias", "")):
        both = []
        for way in ("", "_reverse"):
            if part:
                both.append((getattr(net.memory, part + way)[order] * halved[:, None]).T)
            else:
                both.append((getattr(net.memory, f"bias_ih_l0{way}") + getattr(net.memory, f"bias_hh_l0{way}"))[order] * halved)
        real[f"memory.{name}"] = torch.stack(both)
    for task in (*PAIRS, APART):
        real[f"{task.name}.distance"] = net.distance[task.name].weight
        real[f"{task.name}.counts"] = net.counts[task.name].weight.T
        real[f"{task.name}.weight"] = net.answer[task.name].weight.T
        real[f"{task.name}.bias"] = net.answer[task.name].bias
        if task in PAIRS:
            real[f"{task.name}.fit"] = net.fit[task.name].weight
    real[f"{LINK.name}.status one"], real[f"{LINK.name}.status other"] = net.status[0].weight, net.status[1].weight
    real[f"{LINK.name}.heads"] = net.heads.weight
    real[f"{APART.name}.distance one"], real[f"{APART.name}.distance other"] = net.toward[0].weight, net.toward[1].weight
    arrays = {name: _whole(tensor, GRID, np.dtype("<i2")) for name, tensor in sorted(real.items())}
    arrays["table"] = _whole(net.table.weight, TABLE_GRID, np.dtype("i1"))
    return arrays


def vocabulary(known: Sequence[Ints]) -> dict[str, np.ndarray]:
    """Return what all members share: the codes that are known in each column, and where its rows of the table begin."""
    firsts = np.cumsum([0, *(len(codes) + 1 for codes in known[:-1])])
    return {"first": firsts.astype("<i4")} | {f"codes.{at}": codes.astype("<u4") for at, codes in enumerate(known)}


def _whole(tensor: torch.Tensor, grid: float, kind: np.dtype[Any]) -> np.ndarray:
    limit = np.iinfo(kind).max
    numbers: np.ndarray = np.clip(np.rint(tensor.detach().double().numpy() * grid), -limit, limit).astype(kind)
    return numbers
