"""The readers that there are, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kgscore.errors import InputError
from kgscore.linking.lexicon import Lexicon
from kgscore.ontology.index import Index
from kgscore.reading import rules
from kgscore.reading.composition.sentences import Statements
from kgscore.reading.protocol import Reader

DEFAULT = "default"
PARSER = "parser"
NAMES = (DEFAULT, PARSER)


def reader_of(name: str, index: Index, lexicon: Lexicon) -> Reader:
    """Return a reader by its name: `default` walks through sentences, `parser` composes them of the structure that the shipped
    model finds, and the path of a model file does so by that model.

    Raises:
        InputError: there is none of this name, or the file is no model.
    """
    if name == DEFAULT:
        return rules.Reader(index, lexicon)
    path = None if name == PARSER else Path(name)
    if path is not None and not path.is_file():
        raise InputError(f"no reader '{name}'; there are: {', '.join(NAMES)}, or the path of a model")
    # numpy takes a tenth of a second to import, and the default reader needs none.
    from kgscore.reading.structure.model import StructureModel

    model = StructureModel.load(index, path)
    composition = Statements(index, lexicon, model.predict_all, rules.REMEMBERED)
    return rules.Reader(index, lexicon, composition=composition, identity={"reader": PARSER, "reader_model": model.hash})


def reader_named(signature: Mapping[str, str]) -> str:
    """Return the name by which the reader of a signature is asked for, or the default's where there is none of this name."""
    name = {"rules": DEFAULT}.get(signature.get("reader", ""), signature.get("reader", ""))
    return name if name in NAMES else DEFAULT
