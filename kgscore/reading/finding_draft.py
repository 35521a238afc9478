"""The draft of a finding: the output of composition before placement and building."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kgscore.model import Detail
from kgscore.reading.mentions import Mention

SiteAndSide = tuple[str, str | None]
Places = tuple[SiteAndSide, ...]
# Prefix of an uncertain interpretation of a finding.
CERTAINTY_PREFIX = {"probable": "likely ", "possible": "possible "}


@dataclass(slots=True)
class FindingDraft:
    """The draft of one finding. `sites` is a list of alternatives (coordination); each is the nested sites of one finding.
    `lent` is concept and side of the finding that this one accompanies, and whether that is its cause or directly beside it;
    without a site it is at that of `host`. `whole`: it applies to the whole examination; `overall`: not to a lesion mentioned
    before; `taken`: it is an interpretation of an earlier finding ("this may be a pneumonia"). `built` caches its findings, by
    context."""

    kind: str
    concept: str
    item: Mention
    start: int
    end: int
    sites: list[Places] = field(default_factory=list)
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
    """A concept at its sites; `sides` has one element per finding, and `both` is True if they stand for both at once. `said`
    is the concept before its sites refined it."""

    concept: str
    sites: tuple[str, ...]
    sides: tuple[str | None, ...]
    both: bool
    said: str = ""
