"""Frames of wordings: several wordings in one, by alternatives and words that may be missing."""

from __future__ import annotations

import re
from itertools import product

from kgscore.errors import OntologyError

_CHOICE = re.compile(r"([{\[][^{}\[\]]*[}\]])")
_MARKS = re.compile(r"[{}\[\]]")


def wordings(frame: str, where: str = "frame") -> list[str]:
    """Return the wordings of a frame, read from `where`: `{a/b}` is one of several words, `[a/b]` one of them or none.

    Raises:
        OntologyError: a brace or bracket has no counterpart, or is inside another.

    >>> wordings("{no/without} [clear] sign of")
    ['no clear sign of', 'no sign of', 'without clear sign of', 'without sign of']
    """
    pieces = _CHOICE.split(frame)
    if any(_MARKS.search(piece) for piece in pieces[::2]):
        raise OntologyError(f"{where}: '{frame}': write {{a/b}} for one of several words, [a/b] for one of them or none")
    choices = [[*part[1:-1].split("/"), *([""] if part[0] == "[" else [])] if n % 2 else [part] for n, part in enumerate(pieces)]
    return [" ".join("".join(chosen).split()) for chosen in product(*choices)]
