"""The structure of one sentence as positions of its items: the head of each statement, its status, sites and modifiers."""

from __future__ import annotations

from typing import NamedTuple

STATUSES = ("present", "possible", "probable", "absent", "unlikely", "normal", "presupposed", "past", "none")


class Place(NamedTuple):
    """A site: positions of the items that together name one place, and of the item that names the side.

    `items` may be empty ("on the left") and `side` None. The side item may be a structure with a side of its own: in "fluid
    and stranding around the right kidney", where it is one item, both findings have the place (kidney) and no side item.
    """

    items: tuple[int, ...]
    side: int | None

    @property
    def parts(self) -> tuple[int, ...]:
        """The items, or else the side alone."""
        return self.items or (() if self.side is None else (self.side,))


class Statement(NamedTuple):
    """A statement about one head: its status (one of `STATUSES`), places (each a statement of its own), modifiers, and the
    heads for which it is given as another name, cause or interpretation. All are positions of items."""

    head: int
    status: str
    places: tuple[Place, ...] = ()
    modifiers: tuple[int, ...] = ()
    names: tuple[int, ...] = ()

    @property
    def placed(self) -> list[int]:
        """The items of all places."""
        return [at for place in self.places for at in place.items]

    @property
    def sides(self) -> list[int]:
        """The items that name the sides of places."""
        return [place.side for place in self.places if place.side is not None]


# A head with several statements that differ in status, modifiers or names appears several times.
Parse = tuple[Statement, ...]


def mentioned_items(structure: Parse) -> set[int]:
    """Return the items that a structure covers: heads, modifiers and those that name places."""
    return {at for one in structure for at in (one.head, *one.modifiers, *one.placed)}
