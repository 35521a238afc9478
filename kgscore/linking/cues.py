"""The cue words of the reader: core words, and frames that give the phrases in which they occur."""

from __future__ import annotations

import re
from pathlib import Path

from kgscore.errors import OntologyError
from kgscore.ontology.files import table
from kgscore.ontology.frames import wordings

# A line of this class names words for the frames below it.
WORDS = "words"
_NAMED = re.compile(r"<([\w ]+)>")


def read_cues(path: Path) -> list[tuple[str, str, str]]:
    """Return (class, value, form) for every form of a cue file, each form once in the order of the file.

    A form may be a frame (`kgscore.ontology.frames`), in which `<name>` stands for all words of the line `words | name | …`.

    Raises:
        OntologyError: a line does not have three cells, or a frame is invalid or names words that no line above it defines.
    """
    lists: dict[str, str] = {}
    found: dict[tuple[str, str, str], None] = {}
    for kind, value, forms in table(path):
        listed = [form.strip() for form in forms.split(";") if form.strip()]
        try:
            frames = [_NAMED.sub(lambda match: lists[match[1]], form) for form in listed]
        except KeyError as error:
            what = f"a frame of '{kind} | {value}' names words that no line above gives: {error}"
            raise OntologyError(f"{path.name}: {what}") from None
        if kind == WORDS:
            lists[value] = "/".join(frames)
        else:
            found.update(((kind, value, form), None) for frame in frames for form in wordings(frame, path.name))
    return list(found)


def forms_by_class(path: Path) -> dict[str, list[str]]:
    """Return the forms of a cue file by their class.

    Raises:
        OntologyError: as by `read_cues`.
    """
    found: dict[str, list[str]] = {}
    for name, _, form in read_cues(path):
        found.setdefault(name, []).append(form)
    return found
