"""Lines that only name sites: names of structures, and titles of examinations of a limb."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR
from kgscore.ontology.index import Index
from kgscore.reading.mentions import Mention

# Names of an examination.
FILM = re.compile(
    r"\b(?:films?|radiographs?|x-?rays?|views?|scans?|images?|CT|MRI|MR|ultrasound|sonogra\w+|duplex|study|exam\w*|MRA|CTA|PET"
    r"|scintigra\w+|mammo\w*|doppler|swallow|enema|urogra\w+)\b",
    re.IGNORECASE,
)
# Kinds of items in a line that only names sites, and in the title of an examination.
_PLACING = frozenset((ANATOMY, "sideword", "stop", "and", "comma", DESCRIPTOR, "slash", "colon"))
_TITLE = _PLACING | {"num", "prep", "drop", "dash", "open", "close"}


def is_location_line(index: Index, text: str, items: Sequence[Mention]) -> bool:
    """Return whether a line only names sites, or is the title of the examination of a limb ("LEFT WRIST, 2 VIEWS")."""
    kinds = {item.kind for item in items}
    return bool(kinds) and (kinds <= _PLACING or (kinds <= _TITLE and bool(FILM.search(text)) and is_limb_title(index, items)))


def is_limb_title(index: Index, items: Sequence[Mention]) -> bool:
    """Return whether items name structures, all of a limb."""
    sites = [item.id for item in items if item.kind == ANATOMY]
    return bool(sites) and all(index.inside_any(site, index.flagged("limbs")) for site in sites)
