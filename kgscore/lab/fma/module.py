"""A module folder made from the user's own copy of the FMA."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from kgscore.authoring.new import new_folder
from kgscore.lab.fma.terms import import_fma, table
from kgscore.linking.cues import read_cues
from kgscore.ontology.tables import read_tables
from kgscore.resources import resource

_HEAD = """# Anatomy from {file}, by `kgscore ontology import-fma`{under}.
# The Foundational Model of Anatomy is the University of Washington's; its licence holds for this file.
"""


def write_fma(file: Path, folder: Path, under: Collection[str] = ()) -> dict[str, int]:
    """Write the module that an FMA file gives into a new folder, and return how many classes were taken how.

    Raises:
        InputError: the folder cannot be made, or is there already.
        OntologyError: the file cannot be read, or a structure of `under` is not in it.
    """
    shipped = read_tables(resource("ontologies", "tables"))
    cues = {form for _, _, form in read_cues(resource("mappings", "reading", "cues.txt"))}
    found = import_fma(file, shipped, module=folder.name, under=under, avoid=cues)
    new_folder(folder)
    limited = f", what is a kind or a part of: {', '.join(under)}" if under else ""
    lines = [_HEAD.format(file=file.name, under=limited).rstrip(), *table(found.terms)]
    (folder / "anatomy.tbl").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return found.counts
