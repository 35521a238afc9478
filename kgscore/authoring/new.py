"""Creates a new module: a folder with commented starter tables (or Turtle), example sentences and pairs, and a README."""

from __future__ import annotations

import re
from pathlib import Path

from kgscore.errors import InputError
from kgscore.ontology.modules import shipped_names
from kgscore.resources import resource

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def new_module(folder: Path, *, turtle: bool = False) -> list[Path]:
    """Create a module in a new folder, with the folder's name, and return the files. Raises InputError if the name is invalid, or
    the folder is not empty."""
    new_folder(folder)
    made = []
    for source in sorted(resource("examples", "new_module_turtle" if turtle else "new_module").iterdir()):
        target = folder / (f"{folder.name}.ttl" if source.suffix == ".ttl" else source.name)
        text = source.read_text(encoding="utf-8").replace("NAME", folder.name)
        target.write_text(text, encoding="utf-8", newline="\n")
        made.append(target)
    return made


def new_folder(folder: Path) -> None:
    """Create an empty folder for a module. Raises InputError if the name is invalid, or the folder is not empty."""
    name = folder.name
    if not _NAME.match(name):
        raise InputError(f"{folder}: '{name}' is not a valid module name; use lower-case letters, digits and '_', a letter first")
    if name in shipped_names():
        raise InputError(f"{folder}: '{name}' is the name of a shipped module; choose another")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: already exists; choose another name or empty it")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({(error.strerror or 'unknown').lower()}); choose another place") from None
