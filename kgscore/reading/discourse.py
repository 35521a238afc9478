"""What earlier sentences of a report say about later ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kgscore.reading.finding_draft import SiteAndSide


class Frame(NamedTuple):
    """What titles and labels say of the lines below them."""

    heading: tuple[tuple[SiteAndSide, ...], ...]
    heading_side: str | None
    title: tuple[tuple[SiteAndSide, ...], ...]
    title_side: str | None


NO_FRAME = Frame((), None, (), None)
# How much is spoken of each region in no text.
NO_VOTES: Mapping[str, int] = {}


@dataclass(slots=True)
class Discourse:
    """What earlier sentences of the report say about later ones: heading sites and side, the last sites, a limb's side, which
    findings are of the sentence before, and which were shown last; `examined` is the one
    region that the technique names. A text `about` another one means its words as in the regions of that."""

    heading: tuple[tuple[SiteAndSide, ...], ...] = ()
    heading_side: str | None = None
    last_sites: tuple[SiteAndSide, ...] = ()
    near: tuple[SiteAndSide, ...] = ()
    spoken: tuple[SiteAndSide, ...] = ()
    topic: tuple[SiteAndSide, ...] = ()
    level: str | None = None
    level_here: bool = False
    joint: str | None = None
    lesion_sites: tuple[SiteAndSide, ...] = ()
    lesions_spread: bool = False
    limb_side: str | None = None
    last_side: str | None = None
    title: tuple[tuple[SiteAndSide, ...], ...] = ()
    title_side: str | None = None
    regions: tuple[str, ...] = ("core",)
    about: Mapping[str, int] = field(default_factory=dict)
    examined: tuple[SiteAndSide, ...] = ()
    latest: tuple[int, int] = (0, 0)
    shown: tuple[int, int] = (0, 0)

    def frame(self) -> Frame:
        """Return what titles and labels say here."""
        return Frame(self.heading, self.heading_side, self.title, self.title_side)

    def enter(self, frame: Frame) -> None:
        """Take over what titles and labels say."""
        self.heading, self.heading_side, self.title, self.title_side = frame

    def around(self, *, heading: bool) -> str | None:
        """Return the structure spoken of: by the heading, if it counts, or by the sentence before."""
        named = [name for alternative in self.heading for name, _ in alternative] if heading else []
        return next(iter(named or [name for name, _ in self.last_sites]), None)
