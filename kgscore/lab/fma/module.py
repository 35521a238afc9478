"""Creates a module folder from the user's own copy of the FMA."""

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
    """Write the module from an FMA file into a new folder, and return the numbers of classes by how they were imported.

    Raises:
        InputError: the folder cannot be created, or exists already.
        OntologyError: the file cannot be read, or a structure of `under` is not in it.
    """
    shipped = read_tables(resource("ontologies", "tables"))
    cues = {form for _, _, form in read_cues(resource("mappings", "reading", "cues.txt"))}
    found = import_fma(file, shipped, module=folder.name, under=under, avoid=cues)
    new_folder(folder)
    limited = f", limited to kinds and parts of: {', '.join(under)}" if under else ""
    lines = [_HEAD.format(file=file.name, under=limited).rstrip(), *table(found.terms)]
    (folder / "anatomy.tbl").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return found.counts
