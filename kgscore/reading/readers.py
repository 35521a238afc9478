"""The available readers, by name."""

from __future__ import annotations

from pathlib import Path

from kgscore.errors import InputError
from kgscore.linking.lexicon import Lexicon
from kgscore.ontology.index import Index
from kgscore.reading.reader import REMEMBERED, Reader

DEFAULT = "default"
_PARSER = "parser"


def reader_of(name: str, index: Index, lexicon: Lexicon, remembered: int = REMEMBERED) -> Reader:
    """Return a reader by its name: `default` composes sentences with the shipped model, the path of a model file with that model.
    The reading of the last `remembered` sentences is cached.

    Raises:
        InputError: there is no reader of this name, or the file is not a model.
    """
    path = None if name == DEFAULT else Path(name)
    if path is not None and not path.is_file():
        raise InputError(f"no reader '{name}', and no file; there are: {DEFAULT}, or the path of a model")
    # numpy takes a tenth of a second to import.
    from kgscore.reading.structure.model import StructureModel

    model = StructureModel.load(index, path)
    return Reader(index, lexicon, model.predict_all, {"reader": _PARSER, "reader_model": model.hash}, remembered)


def place_of(name: str) -> str:
    """Return a reader's name as stored in a run: the path of a model as an absolute one."""
    return name if name == DEFAULT else str(Path(name).resolve())
