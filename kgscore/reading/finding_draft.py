"""A finding in the making: what composition says of it before it is placed and built."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kgscore.model import Detail
from kgscore.reading.mentions import Mention

SiteAndSide = tuple[str, str | None]
# How it is told that another reading of a finding is not sure.
CERTAINTY_PREFIX = {"probable": "likely ", "possible": "possible "}


@dataclass(slots=True)
class FindingDraft:
    """One finding in the making. `sites` is a list of alternatives (coordination); each is the nested sites of one finding.
    `lent` is concept and side of the finding that this one goes with, and whether it is its cause or right beside it; where no
    place is said, it is at that of `host`. `whole`: it is said of
    all that was examined; `overall`: of no lesion spoken of before; `taken`: what was spoken of before is taken for it ("this may
    be a pneumonia"). `built` remembers its findings, by what stood around it."""

    kind: str
    concept: str
    item: Mention
    start: int
    end: int
    sites: list[tuple[SiteAndSide, ...]] = field(default_factory=list)
    side: str | None = None
    status: str = "present"
    certainty: str = "definite"
    details: list[Detail] = field(default_factory=list)
    change: str | None = None
    alternatives: list[str] = field(default_factory=list)
    quality: str | None = None
    compare: tuple[str, str] | None = None
    inherited: bool = False
    shared: bool = False
    otherwise: bool = False
    whole: bool = False
    overall: bool = False
    taken: bool = False
    tips: list[str] = field(default_factory=list)
    tip_at_home: bool = False
    dead: bool = False
    definite: bool = False
    direction: Mention | None = None
    normals: list[str] = field(default_factory=list)
    lent: tuple[str, str, bool] | None = None
    host: str | None = None
    built: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)


class Placed(NamedTuple):
    """A concept at its sites; `sides` has a finding each, and `both` tells that they stand for both at once. `said` is the
    concept before its sites made another of it."""

    concept: str
    sites: tuple[str, ...]
    sides: tuple[str | None, ...]
    both: bool
    said: str = ""
