"""Pairs given from Python: mappings, a data frame, an Arrow table, or two lists, series or arrays of texts.

Their libraries are not imported: values are accessed through the methods that they share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kgscore.errors import InputError
from kgscore.io.columns import list_names
from kgscore.io.formats import kind_of
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, check_rows, pairs_of

_TAKEN = "give mappings with id, reference, candidate, a data frame or an Arrow table"
_TO_LIST = ("to_pylist", "tolist", "to_list")  # of Arrow; numpy and pandas; polars


def pairs_in_memory(pairs: object, references: object, candidates: object) -> Iterator[Record | BadRecord]:
    """Yield the records of pairs, or of references and candidates, in the forms accepted by `kgscore.score_many`. Raises
    InputError if neither or both are given, they have the wrong type or different lengths, or a study has several references."""
    if pairs is not None and references is None and candidates is None:
        return check_rows(_rows(pairs), PAIR_FIELDS)
    if pairs is None and references is not None and candidates is not None:
        return pairs_of(texts_of("references", references), texts_of("candidates", candidates))
    raise InputError("give pairs (mappings with id, reference, candidate; a table), or two lists: references=…, candidates=…")


def texts_of(name: str, given: Any) -> list[Any]:
    """Return the texts of a list, a series, an array or another iterable; missing ones (None, NaN) are kept as None. Raises
    InputError if it has another type, or holds lists of texts.

    >>> texts_of("references", (text for text in ("Cardiomegaly.", None)))
    ['Cardiomegaly.', None]
    """
    table = hasattr(given, "columns") or hasattr(given, "column_names")
    if table or not _is_iterable(given):
        raise InputError(f"{name}: is {kind_of(given)}; give {'one column of it' if table else 'a list of texts'}")
    made = next((getattr(given, method) for method in _TO_LIST if hasattr(given, method)), None)
    found = list(given if made is None else made())
    for number, one in enumerate(found, 1):
        if isinstance(one, (list, tuple)) or getattr(one, "ndim", 0) != 0:
            raise InputError(f"{name}: several {name.rstrip('s')}s for one study (item {number:,} is {kind_of(one)}); give one")
    return found


def length_of(*given: object) -> int | None:
    """Return the length of the first argument that has one, None if none has."""
    return next((len(one) for one in given if hasattr(one, "__len__")), None)


def _is_iterable(given: object) -> bool:
    """Return whether a value is an iterable of items, and not a text, a mapping or an array scalar."""
    return isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)) and getattr(given, "ndim", 1) != 0


def _rows(pairs: Any) -> Iterable[Any]:
    """Return the rows of a table, numbered from 1 if it has no ids; an iterable of mappings is returned unchanged."""
    if hasattr(pairs, "to_pylist") and hasattr(pairs, "schema"):  # Arrow
        return _with_ids(pairs.to_pylist(), pairs.schema.names)
    if hasattr(pairs, "columns") and hasattr(pairs, "to_dict"):  # pandas, polars
        if getattr(getattr(pairs, "index", None), "name", None) == "id" and "id" not in pairs.columns:
            pairs = pairs.reset_index()
        names = [str(name) for name in pairs.columns]
        values = zip(*(pairs[name] for name in pairs.columns), strict=True)
        return _with_ids((dict(zip(names, row, strict=True)) for row in values), names)
    if not _is_iterable(pairs):
        raise InputError(f"pairs: is {kind_of(pairs)}; {_TAKEN}")
    return pairs  # type: ignore[no-any-return]


def _with_ids(rows: Iterable[Mapping[str, Any]], names: list[str]) -> Iterator[Mapping[str, Any]]:
    if any(names.count(name) != 1 for name in PAIR_FIELDS):
        raise InputError(f"pairs: the table has the columns {list_names(names)}; it needs reference and candidate, each once")
    return iter(rows) if "id" in names else ({"id": number, **row} for number, row in enumerate(rows, 1))
