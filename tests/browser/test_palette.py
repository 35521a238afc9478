"""The colours of the outcomes differ under simulated colour blindness, in both schemes."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from kgscore.report.html import source

OUTCOMES = ("correct", "minor", "missed", "invented", "wrong")
LEAST = 15.0
# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
SEEN = {
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
Triple = tuple[float, ...]


def times(matrix: tuple[Triple, ...], vector: Triple) -> Triple:
    return tuple(sum(one * other for one, other in zip(row, vector, strict=True)) for row in matrix)


def linear(colour: str) -> Triple:
    values = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values)


def lab(rgb: Triple) -> Triple:
    xyz = times(_XYZ, tuple(min(1.0, max(0.0, value)) for value in rgb))
    x, y, z = (
        value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
        for value in (one / white for one, white in zip(xyz, (0.9505, 1.0, 1.089), strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def schemes() -> dict[str, dict[str, str]]:
    light, dark = re.findall(r":root \{(.*?)\n? *\}", source("page.css"), re.DOTALL)[:2]
    return {
        name: {one: re.search(rf"--{one}: (#[0-9a-f]{{6}})", text)[1] for one in OUTCOMES}  # type: ignore[index]
        for name, text in (("light", light), ("dark", dark))
    }  # fmt: skip


@pytest.mark.parametrize("seen", [*SEEN, "all"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_outcomes_are_told_apart(scheme: str, seen: str) -> None:
    colours = {name: linear(colour) for name, colour in schemes()[scheme].items()}
    found = {name: lab(times(SEEN[seen], rgb) if seen in SEEN else rgb) for name, rgb in colours.items()}
    apart = {
        (one, other): sum((a - b) ** 2 for a, b in zip(found[one], found[other], strict=True)) ** 0.5
        for one, other in combinations(OUTCOMES, 2)
    }
    assert min(apart.values()) >= LEAST, min(apart.items(), key=lambda pair: pair[1])
