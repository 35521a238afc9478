"""What radiologists say of the errors that a verdict names: JSON lines that the pages of a run give out (docs/pages.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgscore.errors import InputError
from kgscore.io.records import read_rows
from kgscore.model import TIERS
from kgscore.verdict import ERRORS

ADDED, CASE = "added", "case"
_KINDS = (*ERRORS, ADDED, CASE)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What one reader (`by`) says of one error of a case: whether they `agree` with an error of the verdict (`kind` missed, wrong
    or invented; `number` is its place in the list of errors), what the list lacks (`added`), or that they judged the whole `case`
    (then `agree` is None)."""

    id: str
    by: str
    kind: str
    what: str = ""
    tier: int = 0
    number: int = 0
    agree: bool | None = None
    note: str = ""


def is_feedback(columns: Collection[str]) -> bool:
    """Return whether a table with these columns is feedback."""
    return {"id", "by", "kind"} <= set(columns)


def read_feedback(path: Path) -> list[Feedback]:
    """Return the lines of a file of feedback; of several on one error by one reader, the last.

    Raises:
        InputError: the file cannot be read, or a line is of another form.
    """
    found: dict[tuple[str, str, str, int], Feedback] = {}
    for where, row in read_rows(str(path)):
        if isinstance(row, str):
            raise InputError(f"{where}: {row}")
        one = _line(where, row)
        found[one.id, one.by, one.kind, one.number] = one
    if not found:
        raise InputError(f"{path}: holds no feedback; download it from the page of a case")
    return list(found.values())


def _line(where: str, row: Mapping[str, Any]) -> Feedback:
    kind, tier, agree = row.get("kind"), row.get("tier") or 0, row.get("agree")
    if kind not in _KINDS or row.get("id") is None:
        raise InputError(f"{where}: no feedback; a line has id, by and kind, one of {', '.join(_KINDS)}")
    if kind != CASE and tier not in TIERS:
        raise InputError(f"{where}: 'tier' must be a number from 1 (routine) to 4 (critical)")
    if agree is not None and not isinstance(agree, bool):
        raise InputError(f"{where}: 'agree' must be true or false")
    number = row.get("number") or 0
    if not isinstance(number, int):
        raise InputError(f"{where}: 'number' must be a whole number, the place of the error in the list")
    by, what, note = (str(row.get(name) or "") for name in ("by", "what", "note"))
    return Feedback(str(row["id"]), by, kind, what, tier, number, agree, note)


def error_counts(lines: Sequence[Feedback]) -> dict[str, dict[str, float]]:
    """Return by id the errors of a case according to its readers: in `total`, and those above routine (`significant`); means over
    the readers who judged the case in full. Errors are those agreed with and those added."""
    judged = {(one.id, one.by) for one in lines if one.kind == CASE}
    found: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for id, by in sorted(judged):
        found[id][by] = [0, 0]
    for one in lines:
        if (one.id, one.by) in judged and (one.agree or one.kind == ADDED):
            counts = found[one.id][one.by]
            counts[0] += 1
            counts[1] += one.tier > 1
    return {
        id: dict(zip(("total", "significant"), (sum(each) / len(by) for each in zip(*by.values(), strict=True)), strict=True))
        for id, by in found.items()
    }
