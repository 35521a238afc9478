"""The context that earlier sentences of a report provide for later ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kgscore.reading.finding_draft import Places


class Frame(NamedTuple):
    """The sites and sides that titles and labels apply to the lines below them."""

    heading: tuple[Places, ...]
    heading_side: str | None
    title: tuple[Places, ...]
    title_side: str | None


NO_FRAME = Frame((), None, (), None)
# The region votes of an empty text.
NO_VOTES: Mapping[str, int] = {}


@dataclass(slots=True)
class Discourse:
    """The context from earlier sentences of the report: heading sites and side, the last sites, a limb's side, which findings
    are of the preceding sentence, and which were shown last; `examined` is the only region that the technique names. Words of
    a text `about` another one are interpreted in the regions of that."""

    heading: tuple[Places, ...] = ()
    heading_side: str | None = None
    last_sites: Places = ()
    near: Places = ()
    spoken: Places = ()
    topic: Places = ()
    level: str | None = None
    level_here: bool = False
    joint: str | None = None
    lesion_sites: Places = ()
    lesions_spread: bool = False
    limb_side: str | None = None
    last_side: str | None = None
    title: tuple[Places, ...] = ()
    title_side: str | None = None
    regions: tuple[str, ...] = ("core",)
    about: Mapping[str, int] = field(default_factory=dict)
    examined: Places = ()
    latest: tuple[int, int] = (0, 0)
    shown: tuple[int, int] = (0, 0)

    def frame(self) -> Frame:
        """Return the current titles and labels."""
        return Frame(self.heading, self.heading_side, self.title, self.title_side)

    def enter(self, frame: Frame) -> None:
        """Set the titles and labels."""
        self.heading, self.heading_side, self.title, self.title_side = frame

    def return_to(self, places: Places) -> None:
        """Set the places of the preceding sentence, if there are any."""
        self.last_sites, self.spoken, self.near = places or self.last_sites, places or self.spoken, places or self.near

    def around(self, *, heading: bool) -> str | None:
        """Return the current structure: of the heading, if it counts, or of the preceding sentence."""
        named = [name for alternative in self.heading for name, _ in alternative] if heading else []
        return next(iter(named or [name for name, _ in self.last_sites]), None)
