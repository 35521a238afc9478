"""The structure of one sentence, as positions of its items: what heads a statement, its status, and what belongs to it."""

from __future__ import annotations

from typing import NamedTuple

STATUSES = ("present", "possible", "probable", "absent", "unlikely", "normal", "presupposed", "past", "none")


class Place(NamedTuple):
    """Where something is: positions of the items that together name one place, and of the item that says the side.

    `items` may be empty ("on the left") and `side` None. The side item may be a structure that says its side itself: of
    "fluid and stranding around the right kidney", read as one item, both findings have the place (kidney) and no side item.
    """

    items: tuple[int, ...]
    side: int | None


class Statement(NamedTuple):
    """What is said of one head: its status (one of `STATUSES`), places (each a statement of its own), modifiers, and the heads
    that it is offered for as another name, cause or reading. All are positions of items."""

    head: int
    status: str
    places: tuple[Place, ...] = ()
    modifiers: tuple[int, ...] = ()
    names: tuple[int, ...] = ()


# A head of which several things are said in several ways has several statements.
Parse = tuple[Statement, ...]


def mentioned_items(structure: Parse) -> set[int]:
    """Return the items that a structure speaks of: heads, modifiers and what names places."""
    return {
        at
        for one in structure
        for at in (one.head, *one.modifiers, *(item for place in one.places for item in place.items))
    }
