"""The architecture of the network, for inference and training: its tasks, their widths and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from kgscore.reading.structure.columns import COLUMNS, COUNTED, Ints
from kgscore.reading.structure.decisions import LINKS
from kgscore.reading.structure.values import STATUSES

# Sizes of the item vectors, of the hidden state of one LSTM direction, and of the hidden layer that classifies items.
EMBEDDING, MEMORY, HIDDEN = 96, 64, 96
ITEM_CLASSES = len(STATUSES) + 1


class Task(NamedTuple):
    """A classification of pairs of items: its name, the width of its hidden layer, the number of classes, and whether the
    items between the two are inputs."""

    name: str
    width: int
    classes: int
    between: bool = False


LINK = Task("link", 96, len(LINKS), True)
PAIRS = (LINK, Task("join", 32, 2), Task("side", 32, 2), Task("turned", 32, ITEM_CLASSES))
# For a head and two other items: whether these belong to different statements.
APART = Task("apart", 32, 2)
_BINS = np.array((1, 2, 3, 4, 6, 8, 11, 15, 22))
DISTANCES = 2 * len(_BINS) + 1
MOST = 2
FITS = 3  # how well a finding and a structure fit together
# Maximum number of heads between two items that is distinguished, for either order of the two.
_MOST_HEADS = 4
HEADS_BETWEEN = 2 * (_MOST_HEADS + 1)


def sections() -> dict[str, slice]:
    """Return the slice of each task in the shared projection of items, and of the items between them."""
    widths = [("item", HIDDEN)]
    for task in PAIRS:
        widths += [(f"{task.name}.{part}", task.width) for part in ("one", "other", *(("between",) if task.between else ()))]
    widths += [(f"{APART.name}.{part}", APART.width) for part in ("head", "one", "other")]
    found, at = {}, 0
    for name, width in widths:
        found[name] = slice(at, at + width)
        at += width
    return found


def shapes() -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a member except its table of vectors."""
    inputs = sum(part.stop - part.start for part in sections().values())
    found: dict[str, tuple[int, ...]] = {
        "norm.weight": (EMBEDDING,), "norm.bias": (EMBEDDING,),
        "memory.input": (2, EMBEDDING, 4 * MEMORY), "memory.recurrent": (2, MEMORY, 4 * MEMORY), "memory.bias": (2, 4 * MEMORY),
        "project.weight": (EMBEDDING + 2 * MEMORY, inputs), "project.bias": (inputs,),
        "item.weight": (HIDDEN, ITEM_CLASSES), "item.bias": (ITEM_CLASSES,),
    }  # fmt: skip
    for task in (*PAIRS, APART):
        rows = {"counts": len(COUNTED), "distance": DISTANCES}
        rows |= {"distance one": DISTANCES, "distance other": DISTANCES} if task is APART else {"fit": FITS}
        if task.between:
            rows |= {"status one": ITEM_CLASSES, "status other": ITEM_CLASSES, "heads": HEADS_BETWEEN}
        found |= {f"{task.name}.{part}": (count, task.width) for part, count in rows.items()}
        found |= {f"{task.name}.weight": (task.width, task.classes), f"{task.name}.bias": (task.classes,)}
    return found


def check(arrays: Mapping[str, np.ndarray]) -> None:
    """Check that arrays are those of one or more members with their shared codes.

    Raises:
        ValueError: they are not.
    """
    known = [f"codes.{at}" for at in range(len(COLUMNS))]
    sizes = [arrays[name].size + 1 if name in arrays and arrays[name].ndim == 1 else 0 for name in known]
    members = {name.partition("/")[0] for name in arrays if "/" in name}
    own = {**shapes(), "table": (sum(sizes), EMBEDDING)}
    wanted = {f"{member}/{name}": shape for member in members for name, shape in own.items()} | {"first": (len(COLUMNS),)}
    given = {name: array.shape for name, array in arrays.items() if name not in known}
    if not members or given != wanted or not all(sizes):
        raise ValueError("arrays of other shapes")
    if arrays["first"].tolist() != [0, *accumulate(sizes[:-1])]:
        raise ValueError("codes of other rows")


def distance(one: Ints, other: Ints) -> Ints:
    """Return the bin of the signed distance from one position to another, 0 to `DISTANCES` - 1."""
    gap = other - one
    found: Ints = np.sign(gap) * np.searchsorted(_BINS, np.abs(gap), side="right") + len(_BINS)
    return found


def between(counts: Ints, where: Ints, one: Ints, other: Ints) -> Ints:
    """Return the number of items of each counted kind between two positions of a sentence, at most `MOST`; `counts` holds, for
    each sentence, the number of items of each kind before each position."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    found: Ints = np.minimum(counts[where, high] - counts[where, np.minimum(low + 1, high)], MOST)
    return found


def heads_between(heads: Ints, where: Ints, one: Ints, other: Ints) -> Ints:
    """Return a code for the number of heads between two positions of a sentence and their order, 0 to `HEADS_BETWEEN` - 1;
    `heads` counts for each sentence the heads before each position."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    count: Ints = np.minimum(heads[where, high] - heads[where, np.minimum(low + 1, high)], _MOST_HEADS)
    return count + (_MOST_HEADS + 1) * (other > one)
