"""What the size of a structure says where nothing else is said of it: "CBD 9 mm" is a dilated duct."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kgscore.ontology.index import Index

Said = tuple[tuple[str, str], ...]


class Limit(NamedTuple):
    """The largest normal and the smallest abnormal size of a structure in mm, and the items that either stands for; of a quality
    that is told in per cent, the smallest normal and the largest abnormal share."""

    normal: float
    abnormal: float
    within: Said
    beyond: Said


def limits_of(index: Index, rows: Iterable[tuple[str, str, str]]) -> dict[str, Limit]:
    """Return the limits of each structure, those of the narrowest row that it is in, and of each quality told in per cent."""
    found: dict[str, Limit] = {}
    for about, within, beyond in rows:
        name, normal, abnormal = about.split()
        limit = Limit(float(normal), float(abnormal), _said(index, within), _said(index, beyond))
        found.update((site, limit) for site, wholes in index.within.items() if name in wholes)
        if name in index.qualities:
            found[name] = limit
    return found


def _said(index: Index, words: str) -> Said:
    """Return the kind and id of each of some words: a quality, its value, a normal word or a finding."""
    kinds = {"up": "up", **dict.fromkeys(index.qualities, "Q"), **dict.fromkeys(index.denials, "N")}
    return tuple((kinds.get(word, "F"), word) for word in words.split())
