"""Two runs against each other for a page: what the metrics say, and case by case which errors are new and which are gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgscore.report.items import gravest, packed, unpacked
from kgscore.results.cases import LOST, Item
from kgscore.results.comparison import Comparison, Paired

Columns = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Contrast:
    """Run `b` against run `a`: every metric that both have, over the pairs that both hold. `grave` counts by tier (4, 3) the
    cases whose gravest error it is, in a and in b; `new` and `gone` the errors of that tier that b adds and leaves out."""

    a: str
    b: str
    metrics: Sequence[Comparison]
    notes: Sequence[str]
    pairs: int
    only_a: int
    only_b: int
    other_reference: int
    grave: Mapping[int, tuple[int, int]]
    new: Mapping[int, int]
    gone: Mapping[int, int]


def contrast(
    names: tuple[str, str], columns: Columns, compared: Sequence[Comparison], pairs: Paired, worst: Sequence[Columns]
) -> Contrast:
    """Return what is to be said of all pairs; `columns` are those of `contrast_columns`, `worst` those of both runs."""
    counts = [Counter(gravest(_items(one, place[n])) for place in pairs.at) for n, one in enumerate(worst)]
    new, gone = (Counter(code % 5 for codes in columns[name] for code in codes) for name in ("items", "gone"))
    return Contrast(
        *names, compared, pairs.notes(), len(pairs.at), pairs.only_one, pairs.only_other, pairs.other_reference,
        {tier: (counts[0][tier], counts[1][tier]) for tier in (4, 3)}, {tier: new[tier] for tier in (4, 3)},
        {tier: gone[tier] for tier in (4, 3)},
    )  # fmt: skip


def contrast_columns(a: Columns, b: Columns, pairs: Paired) -> dict[str, Any]:
    """Return the columns of the pairs that both runs hold: positions in both (`at`), scores by metric, and as numbers (see
    `kgscore.report.items.packed`) the errors that only b makes (`items`) and those that only a makes (`gone`)."""
    labels: dict[str, int] = {}
    items, gone = [], []
    for at_a, at_b in pairs.at:
        mine, theirs = (Counter(_lost(one, at)) for one, at in ((a, at_a), (b, at_b)))
        items.append(packed((theirs - mine).elements(), labels))
        gone.append(packed((mine - theirs).elements(), labels))
    left, right = [at for at, _ in pairs.at], [at for _, at in pairs.at]
    return {
        "ids": [a["ids"][at] for at in left],
        "first": [a["first"][at] for at in left],
        "at": [list(at) for at in pairs.at],
        "scores": {
            name: [[values[at] for at in left], [b["scores"][name][at] for at in right]]
            for name, values in a["scores"].items() if name in b["scores"]
        },
        "items": items,
        "gone": gone,
        "labels": list(labels),
        "fields": {name: [values[at] for at in left] for name, values in a["fields"].items()},
    }  # fmt: skip


def _lost(columns: Columns, at: int) -> list[Item]:
    """Return the errors about abnormal findings of a case, the gravest first."""
    return [one for one in _items(columns, at) if not one.denial and one.kind in LOST]


def _items(columns: Columns, at: int) -> list[Item]:
    return unpacked(columns["items"][at], columns["labels"])
