"""Findings implied by the size of a structure without other statements about it: "CBD 9 mm" is a dilated duct."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kgscore.linking.lexicon import FINDING, NORMAL, QUALITY
from kgscore.ontology.index import Index

Meaning = tuple[tuple[str, str], ...]


class NormalRange(NamedTuple):
    """The largest normal and the smallest abnormal size of a structure in mm, and the items that each stands for; of a quality
    in per cent, the smallest normal and the largest abnormal value."""

    normal: float
    abnormal: float
    within: Meaning
    beyond: Meaning


def normal_ranges_of(index: Index, rows: Iterable[tuple[str, str, str]]) -> dict[str, NormalRange]:
    """Return the limits of each structure, from the narrowest row that contains it, and of each quality in per cent."""
    found: dict[str, NormalRange] = {}
    for about, within, beyond in rows:
        name, normal, abnormal = about.split()
        limit = NormalRange(float(normal), float(abnormal), _meaning_of(index, within), _meaning_of(index, beyond))
        found.update((site, limit) for site, wholes in index.within.items() if name in wholes)
        if name in index.qualities:
            found[name] = limit
    return found


def _meaning_of(index: Index, words: str) -> Meaning:
    """Return the kind and id of each word: a quality, its value, a normal word or a finding."""
    kinds = {"up": "up", **dict.fromkeys(index.qualities, QUALITY), **dict.fromkeys(index.denials, NORMAL)}
    return tuple((kinds.get(word, FINDING), word) for word in words.split())
