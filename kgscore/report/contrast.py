"""Comparison of two runs for a page: the metrics, and case by case the new and the resolved errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgscore.report.items import decode_items, encode_items, worst_tier
from kgscore.results.cases import LOST, Item
from kgscore.results.comparison import Comparison, Paired

Columns = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Contrast:
    """Run `b` compared with run `a`: every metric in both, over the pairs in both. `grave` counts by tier (4, 3) the
    cases whose most severe error has that tier, in a and in b; `new` and `gone` the errors of that tier that b adds and omits."""

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
    """Return the comparison over all pairs; `columns` come from `contrast_columns`, `worst` from both runs."""
    counts = [Counter(worst_tier(_items_of_case(one, place[n])) for place in pairs.at) for n, one in enumerate(worst)]
    new, gone = (Counter(code % 5 for codes in columns[name] for code in codes) for name in ("items", "gone"))
    return Contrast(
        *names, compared, pairs.notes(), len(pairs.at), pairs.only_one, pairs.only_other, pairs.other_reference,
        {tier: (counts[0][tier], counts[1][tier]) for tier in (4, 3)}, {tier: new[tier] for tier in (4, 3)},
        {tier: gone[tier] for tier in (4, 3)},
    )  # fmt: skip


def contrast_columns(a: Columns, b: Columns, pairs: Paired) -> dict[str, Any]:
    """Return the columns of the pairs in both runs: positions in both (`at`), scores by metric, and as numbers (see
    `kgscore.report.items.encode_items`) the errors only in b (`items`) and only in a (`gone`)."""
    labels: dict[str, int] = {}
    items, gone = [], []
    for at_a, at_b in pairs.at:
        mine, theirs = (Counter(_case_errors(one, at)) for one, at in ((a, at_a), (b, at_b)))
        items.append(encode_items((theirs - mine).elements(), labels))
        gone.append(encode_items((mine - theirs).elements(), labels))
    left, right = [at for at, _ in pairs.at], [at for _, at in pairs.at]
    scores = {
        name: [_at(left, values), _at(right, b["scores"][name])] for name, values in a["scores"].items() if name in b["scores"]
    }
    return {
        "ids": _at(left, a["ids"]), "first": _at(left, a["first"]), "at": list(map(list, pairs.at)), "scores": scores,
        "items": items, "gone": gone, "labels": list(labels),
        "fields": {name: _at(left, values) for name, values in a["fields"].items()},
    }  # fmt: skip


def _at(places: Sequence[int], values: Sequence[Any]) -> list[Any]:
    return [values[at] for at in places]


def _case_errors(columns: Columns, at: int) -> list[Item]:
    """Return the errors about abnormal findings of a case, the most severe first."""
    return [one for one in _items_of_case(columns, at) if not one.denial and one.kind in LOST]


def _items_of_case(columns: Columns, at: int) -> list[Item]:
    return decode_items(columns["items"][at], columns["labels"])
