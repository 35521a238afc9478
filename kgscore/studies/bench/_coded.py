"""MeSH codes of IU X-ray as statements: with place, side and degree, and bare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from kgscore.resources import resource


@dataclass(frozen=True, slots=True)
class Place:
    """How a place is said, and whether it takes a side."""

    words: str
    sided: bool = True


@dataclass(frozen=True, slots=True)
class Wording:
    """How codes are said (`mappings/statements`); headings, qualifiers and places by their lower-case names."""

    headings: Mapping[str, tuple[str, str | None]]
    qualified: Mapping[tuple[str, str], str]
    places: Mapping[str, Place]
    joined: Sequence[tuple[frozenset[str], str]]
    general: str
    curves: Mapping[str, Mapping[str, str]]
    sides: frozenset[str]
    degrees: frozenset[str]


@dataclass(frozen=True, slots=True)
class Said:
    """A code as statements: `whole` with place, side and degree, `bare` with none of them; and the heading of the code."""

    heading: str
    whole: str
    bare: str


@lru_cache(maxsize=4)
def load_wording(name: str = "iuxray_mesh") -> Wording:
    """Return a shipped wording."""
    given = yaml.safe_load(resource("mappings", "statements", f"{name}.yaml").read_text(encoding="utf-8"))
    places = {key: Place(place["words"], not place.get("unsided")) for key, place in given["places"].items()}
    return Wording(
        {heading: (one["words"], one.get("place")) for heading, one in given["headings"].items()},
        {_pair(key): words for key, words in given["qualified"].items()},
        places,
        [(frozenset(one["places"]), one["words"]) for one in given["joined"]],
        given["general_place"],
        given["curves"],
        frozenset(given["sides"]),
        frozenset(given["degrees"]),
    )


def said(code: str, wording: Wording) -> Said | None:
    """Return a code as statements, or None if the wording has none for it.

    >>> said("Opacity/lung/base/left/mild", load_wording())
    Said(heading='opacity', whole='Mild opacity in the left lung base.', bare='Opacity.')
    >>> said("Scoliosis/thoracic vertebrae/right", load_wording()).whole
    'Dextroscoliosis of the thoracic spine.'
    """
    heading, *qualifiers = (part.strip().lower() for part in code.split("/"))
    side = next((one for one in qualifiers if one in wording.sides), "")
    degree = " ".join(one for one in qualifiers if one in wording.degrees)
    named = [wording.qualified[heading, one] for one in qualifiers if (heading, one) in wording.qualified]
    if named:
        finding = named[-1]
        whole = _spaced(side if side != "bilateral" else "", degree, finding)
    elif heading in wording.headings:
        finding, usual = wording.headings[heading]
        place = _place([one for one in qualifiers if one in wording.places], wording) or (Place(usual) if usual else None)
        whole = _placed(finding, place, side, degree, wording)
    else:
        return None
    return Said(heading, _sentence(whole), _sentence(finding))


def _pair(key: Any) -> tuple[str, str]:
    heading, _, qualifier = str(key).rpartition("/")
    return heading, qualifier


def _place(named: Sequence[str], wording: Wording) -> Place | None:
    """Return the place of a code: places that together are one, else the last; the general one only where it stands alone."""
    for members, words in wording.joined:
        if members <= set(named):
            return Place(words)
    if not named:
        return None
    return wording.places[named[0] if named[-1] == wording.general else named[-1]]


def _placed(finding: str, place: Place | None, side: str, degree: str, wording: Wording) -> str:
    curve = wording.curves.get(finding, {}).get(side, "")
    if place is None:
        return _spaced(degree, curve) if curve else _spaced(side, degree, finding)
    if curve and not place.sided:
        return _spaced(degree, curve, "of the", place.words)
    return _spaced(degree, finding, "in the", side if place.sided else "", place.words)


def _spaced(*words: str) -> str:
    return " ".join(word for word in words if word)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
