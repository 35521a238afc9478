"""The readers that there are, by name."""

from __future__ import annotations

from collections.abc import Mapping

from kgscore.errors import InputError
from kgscore.linking.lexicon import Lexicon
from kgscore.ontology.index import Index
from kgscore.reading import rules
from kgscore.reading.protocol import Reader

DEFAULT = "default"
NAMES = (DEFAULT,)


def reader_of(name: str, index: Index, lexicon: Lexicon) -> Reader:
    """Return a reader by its name.

    Raises:
        InputError: there is none of this name.
    """
    if name != DEFAULT:
        raise InputError(f"no reader '{name}'; there are: {', '.join(NAMES)}")
    return rules.Reader(index, lexicon)


def reader_named(signature: Mapping[str, str]) -> str:
    """Return the name by which the reader of a signature is asked for, or the default's where it was a model of one's own."""
    return signature.get("reader", "") if signature.get("reader") in NAMES else DEFAULT
