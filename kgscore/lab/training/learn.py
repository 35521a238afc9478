"""Training of the structure model in PyTorch, and its weights as the small integers that the reader uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from kgscore.lab.training.samples import Batch, Batches, Samples
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
    MOST,
    PAIRS,
    Task,
    distance,
    heads_between,
    sections,
)

Projected = Mapping[str, torch.Tensor]  # by the part of a task (`sections`)
_NAMING = [COLUMNS.index(name) for name in NAMING]


@dataclass(frozen=True, slots=True)
class Settings:
    """Training settings: passes over the corpus, sentences per step, the maximum rate; the share of inputs dropped
    (`dropout`), of items whose word is hidden, of sentences joined with another, of items exchanged; the minimum frequency of a
    known code, the decay of the mean of the weights, and the seed."""

    epochs: int = 24
    batch: int = 128
    rate: float = 4e-3
    dropout: float = 0.33
    hidden: float = 0.2
    join: float = 0.25
    swap: float = 0.15
    least: int = 2
    averaged: float = 0.995
    seed: int = 7


class Dropped(nn.Module):
    """Dropout drawn by the byte: PyTorch's generator would take a quarter of the time of a step."""

    def __init__(self, share: float, random: np.random.Generator) -> None:
        super().__init__()
        self.out = round(256 * share)
        self.random = random

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Return the remaining values, scaled up accordingly."""
        kept = torch.from_numpy(self.random.integers(256, size=values.shape, dtype=np.uint8) >= self.out)
        return values * kept * (256 / (256 - self.out))


class Net(nn.Module):
    """The network of `kgscore.reading.structure.network` for training, with the `known` codes of each column."""

    def __init__(self, known: Sequence[Ints], dropout: float, random: np.random.Generator) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(sum(len(codes) + 1 for codes in known), EMBEDDING, mode="sum")
        nn.init.normal_(self.table.weight, 0, 0.15)
        self.norm = nn.LayerNorm(EMBEDDING)
        self.memory = nn.ModuleList([nn.LSTM(EMBEDDING, MEMORY) for _ in range(2)])
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
        self.drop, self.less = Dropped(dropout, random), Dropped(dropout / 2, random)

    def encode(self, rows: torch.Tensor, lengths: Ints) -> Projected:
        """Return the projections of each item for each part of a task."""
        vectors = self.drop(self.norm(self.table(rows)))
        where, at = _sentence_positions(lengths)
        ways = at, np.repeat(lengths, lengths) - 1 - at
        read = []
        # Padding comes after the input, in either direction, so that nothing needs packing.
        for memory, way in zip(self.memory, ways, strict=True):
            steps = torch.from_numpy(way * len(lengths) + where)
            padded = vectors.new_zeros((int(lengths.max()) * len(lengths), EMBEDDING)).index_copy(0, steps, vectors)
            read.append(memory(padded.view(-1, len(lengths), EMBEDDING))[0].view(-1, MEMORY).index_select(0, steps))
        projected = self.project(torch.cat([self.drop(torch.cat(read, dim=1)), vectors], dim=1))
        parts = projected.split([place.stop - place.start for place in self.places.values()], dim=1)
        return dict(zip(self.places, parts, strict=True))

    def items(self, projected: Projected) -> torch.Tensor:
        """Return the scores of the statuses of each item."""
        scores: torch.Tensor = self.item(self.drop(torch.relu(projected["item"])))
        return scores

    def pairs(self, task: Task, projected: Projected, status: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Return the scores of the answers of each pair; `status` is the decided status of the items."""
        name, asked = task.name, batch.asked[task.name]
        left, right = asked.at[:, 0], asked.at[:, 1]
        one, other = torch.from_numpy(left), torch.from_numpy(right)
        hidden = projected[f"{name}.one"].index_select(0, one) + projected[f"{name}.other"].index_select(0, other)
        if task.between:
            low, high = torch.minimum(one, other), torch.maximum(one, other)
            passed = torch.relu(projected[f"{name}.between"])
            running = functional.pad(passed.cumsum(dim=0), (0, 0, 1, 0))
            between = running.index_select(0, high) - running.index_select(0, low + 1)
            hidden = hidden + between / (high - low - 1).clamp(min=1).sqrt()[:, None]
            hidden = hidden + self.status[0](status[one]) + self.status[1](status[other])
            before = np.concatenate([[0], np.cumsum(status.numpy() > 0)])[None]
            hidden = hidden + self.heads(torch.from_numpy(heads_between(before, np.zeros_like(left), left, right)))
        hidden = hidden + self.fit[name](torch.from_numpy(asked.fit))
        return self._answer_scores(name, hidden, batch, left, right)

    def apart(self, projected: Projected, batch: Batch) -> torch.Tensor:
        """Return the scores of belonging to different statements."""
        name, at = APART.name, batch.asked[APART.name].at
        hidden = sum(
            projected[f"{name}.{part}"].index_select(0, torch.from_numpy(at[:, number]))
            for number, part in enumerate(("head", "one", "other"))
        )
        for number in (0, 1):
            hidden = hidden + self.toward[number](torch.from_numpy(distance(at[:, 0], at[:, number + 1])))
        return self._answer_scores(name, hidden, batch, at[:, 1], at[:, 2])

    def _answer_scores(self, name: str, hidden: torch.Tensor, batch: Batch, one: Ints, other: Ints) -> torch.Tensor:
        """Return the scores of answers, including features of the items in between."""
        low, high = np.minimum(one, other), np.maximum(one, other)
        between = torch.from_numpy(np.minimum(batch.counts[high] - batch.counts[low + 1], MOST))
        hidden = hidden + self.distance[name](torch.from_numpy(distance(one, other))) + self.counts[name](between)
        scores: torch.Tensor = self.answer[name](self.less(torch.relu(hidden)))
        return scores


def _sentence_positions(lengths: Ints) -> tuple[Ints, Ints]:
    where = np.repeat(np.arange(len(lengths)), lengths)
    return where, np.arange(len(where)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def known_codes(samples: Samples, least: int) -> list[Ints]:
    """Return, for each column, the codes with a minimum frequency."""
    out = []
    for column in range(len(COLUMNS)):
        codes, counts = np.unique(samples.codes[:-1, column], return_counts=True)
        out.append(codes[counts >= least])
    return out


def train(
    samples: Samples, settings: Settings, told: Callable[[int, float], None] = lambda epoch, loss: None
) -> dict[str, np.ndarray]:
    """Return the weights of one member, the same for the same samples; `told` is called after each epoch with its loss."""
    torch.manual_seed(settings.seed)
    random = np.random.default_rng(settings.seed)
    known = known_codes(samples, settings.least)
    firsts = np.cumsum([0, *(len(codes) + 1 for codes in known[:-1])])
    net = Net(known, settings.dropout, random)
    batches = Batches(samples, _rows_of(samples.codes, known, firsts), join=settings.join, swap=settings.swap)
    count = -(-len(samples) // settings.batch)
    optimizer = torch.optim.AdamW(net.parameters(), lr=settings.rate, weight_decay=1e-2, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, settings.epochs * count)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=partial(_moving_average, settings.averaged))
    for epoch in range(settings.epochs):
        total = 0.0
        for batch in batches.epoch(settings.batch, random):
            loss = _loss(net, batch, firsts, settings.hidden)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            optimizer.step()
            schedule.step()
            mean.update_parameters(net)
            total += loss.item()
        told(epoch + 1, total / count)
    return export_weights(mean.module)


def _moving_average(slowly: float, mean: torch.Tensor, now: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
    """Return the moving average of the weights, faster at the beginning."""
    taken = float(steps)
    return torch.lerp(mean, now, 1 - min(slowly, (1 + taken) / (10 + taken)))


def _loss(net: Net, batch: Batch, firsts: Ints, hidden: float) -> torch.Tensor:
    rows = torch.from_numpy(batch.rows)
    if hidden:
        whole = torch.rand(len(rows)) < hidden
        for column in _NAMING:
            rows[whole | (torch.rand(len(rows)) < hidden / 2), column] = int(firsts[column])
    projected = net.encode(rows, batch.lengths)
    scores = net.items(projected)
    loss = functional.cross_entropy(scores, torch.from_numpy(batch.status), reduction="sum")
    decided = scores.detach().argmax(dim=1)
    for task in (*PAIRS, APART):
        answers = torch.from_numpy(batch.asked[task.name].answer)
        if len(answers):
            found = net.apart(projected, batch) if task is APART else net.pairs(task, projected, decided, batch)
            weight = 1.0 if task is LINK else 0.5
            loss = loss + weight * functional.cross_entropy(found, answers, reduction="sum")
    return loss / (5 * len(batch.lengths))


def _rows_of(codes: Ints, known: Sequence[Ints], firsts: Ints) -> Ints:
    """Return the rows of the vector table for codes; the first row of a column is for unknown codes."""
    out = np.empty_like(codes)
    for column, own in enumerate(known):
        at = np.minimum(np.searchsorted(own, codes[:, column]), max(len(own) - 1, 0))
        found = own[at] == codes[:, column] if len(own) else np.zeros(len(codes), bool)
        out[:, column] = firsts[column] + np.where(found, at + 1, 0)
    return out


def vocabulary(known: Sequence[Ints]) -> dict[str, np.ndarray]:
    """Return what all members share: the known codes of each column, and where its rows of the table begin."""
    firsts = np.cumsum([0, *(len(codes) + 1 for codes in known[:-1])])
    return {"first": firsts.astype("<i4")} | {f"codes.{at}": codes.astype("<u4") for at, codes in enumerate(known)}


def export_weights(net: Any) -> dict[str, np.ndarray]:
    """Return the weights of a network as small integers, in the reader's form."""
    real: dict[str, torch.Tensor] = {
        "norm.weight": net.norm.weight,
        "norm.bias": net.norm.bias,
        "project.weight": net.project.weight.T,
        "project.bias": net.project.bias,
        "item.weight": net.item.weight.T,
        "item.bias": net.item.bias,
    }
    # PyTorch orders the gates in, forget, cell, out; the reader needs the three sigmoid gates together.
    order = torch.cat([torch.arange(2 * MEMORY), torch.arange(3 * MEMORY, 4 * MEMORY), torch.arange(2 * MEMORY, 3 * MEMORY)])
    halved = torch.cat([torch.full((3 * MEMORY,), 0.5), torch.ones(MEMORY)])
    for name, part in (("input", "weight_ih_l0"), ("recurrent", "weight_hh_l0")):
        real[f"memory.{name}"] = torch.stack([(getattr(memory, part)[order] * halved[:, None]).T for memory in net.memory])
    biases = [(memory.bias_ih_l0 + memory.bias_hh_l0)[order] * halved for memory in net.memory]
    real["memory.bias"] = torch.stack(biases)
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
    arrays = {name: _quantise(tensor, GRID, np.dtype("<i2")) for name, tensor in sorted(real.items())}
    arrays["table"] = _quantise(net.table.weight, TABLE_GRID, np.dtype("i1"))
    return arrays


def _quantise(tensor: torch.Tensor, grid: float, kind: np.dtype[Any]) -> np.ndarray:
    limit = np.iinfo(kind).max
    numbers: np.ndarray = np.clip(np.rint(tensor.detach().double().numpy() * grid), -limit, limit).astype(kind)
    return numbers
