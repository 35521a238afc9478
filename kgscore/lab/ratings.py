"""Human ratings, read from a file and compared with the scores of a run; and what radiologists say of the errors that a verdict
names: JSON lines that the pages of a run give out (docs/pages.md)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from math import fsum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from kgscore.errors import InputError, did_you_mean
from kgscore.io.records import read_rows
from kgscore.lab.correlation import Correlation, correlate, preferences
from kgscore.lab.published import preferences as preference_files
from kgscore.lab.published.downloads import HIGHER, read_pairs, recognise_layout, split_errors
from kgscore.model import TIERS
from kgscore.results.joined_tables import read_table
from kgscore.results.rows import Rows
from kgscore.results.scores import Floats, Scores
from kgscore.results.statistics import Sampling
from kgscore.verdict import ERRORS

BETTER, WORSE = "better", "worse"
_AS_NAMED: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Ratings:
    """A file of human ratings: for each id the value of each numeric column, or choices of the better of two ids.

    For columns in `lower` less is better (error counts). `problems` lists the unusable rows, one line each.
    """

    file: Path
    columns: dict[str, dict[str, float]]
    texts: dict[str, dict[str, str]]
    choices: tuple[tuple[str, str], ...] = ()
    lower: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def read_ratings(
    file: Path, columns: Sequence[str] = (), layout: str = "", called: Mapping[str, str] = _AS_NAMED, scale: str = "1:5"
) -> Ratings:
    """Return the ratings in a CSV, TSV, JSON lines or Parquet file: a row for each `id` with numeric columns (all of them, or
    `columns`), averaged over rows of the same id; or rows of `better` and `worse` ids.

    With `layout`, or if the file or folder name identifies it, the ratings are those of a published set
    (`lab.published`); `called` maps columns of the layout, `scale` gives the numbers of preferences.
    """
    layout = layout or recognise_layout(file) or ""
    if layout == preference_files.LAYOUT:
        return _preferred(file, called, scale)
    if layout:
        return _published_ratings(file, layout, columns, called)
    if called:
        raise InputError(f"{file}: OURS=NAME names a column of a layout; name the layout with --layout")
    table = read_table(file)
    if BETTER in table.names and WORSE in table.names:
        pairs = zip(table.column(BETTER), table.column(WORSE), strict=True)
        return Ratings(file, {}, {}, tuple((str(better), str(worse)) for better, worse in pairs))
    return _judged(file, columns) if is_feedback(table.names) else _rated_by_id(file, table, columns)


def _rated_by_id(file: Path, table: Rows, columns: Sequence[str]) -> Ratings:
    if "id" not in table.names:
        raise InputError(f"{file}: has no column 'id'; give id and columns of ratings, or better and worse")
    _check_known(f"{file}: has no column", columns, table.names)
    known = {at: str(id) for at, id in enumerate(table.column("id")) if id is not None}
    cells = {name: table.column(name) for name in table.names if name != "id"}
    chosen = columns or [name for name, values in cells.items() if _numeric(values)]
    found = {name: _means(file, name, known, values) for name, values in cells.items() if name in chosen}
    if not found:
        raise InputError(f"{file}: has no column of ratings; give numbers besides id, or columns better and worse")
    return Ratings(file, found, {name: {known[at]: _text(values[at]) for at in known} for name, values in cells.items()})


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _check_known(lacks: str, wanted: Sequence[str], known: Collection[str]) -> None:
    """Reject a name that is not known; `lacks` begins the message."""
    for name in wanted:
        if name not in known:
            raise InputError(f"{lacks} '{name}'; {did_you_mean(name, known) or 'it has ' + (', '.join(known) or 'none')}")


def _judged(file: Path, columns: Sequence[str]) -> Ratings:
    counts = error_counts(read_feedback(file))
    kept = {name: {id: given[name] for id, given in counts.items()} for name in columns or ("total", "significant")}
    return Ratings(file, kept, {}, lower=tuple(kept))


def _preferred(file: Path, called: Mapping[str, str], scale: str) -> Ratings:
    found, bad = split_errors(preference_files.read_preferences(file, called, preference_files.scale_of(scale)))
    choices = tuple(choice for one in found if (choice := one.choice) is not None)
    return Ratings(file, {}, {}, choices, problems=tuple(map(str, bad)))


def _published_ratings(file: Path, layout: str, columns: Sequence[str], called: Mapping[str, str]) -> Ratings:
    pairs, bad = split_errors(read_pairs(file, layout, called))
    figures: dict[str, dict[str, float]] = {}
    for pair in pairs:
        for name, value in pair.ratings.items():
            figures.setdefault(name, {})[pair.id] = value
    _check_known(f"{file}: layout {layout}: has no rating", columns, figures)
    kept = columns or [name for name in figures if not name.startswith("category_")]
    if not kept:
        raise InputError(f"{bad[0] if bad else file}: layout {layout}: no pair with a rating could be read")
    lower = tuple(name for name in kept if name not in HIGHER)
    study = {pair.id: pair.study for pair in pairs}
    return Ratings(file, {name: figures[name] for name in kept}, {"study": study}, lower=lower, problems=tuple(map(str, bad)))


def _numeric(values: Sequence[Any]) -> bool:
    given = [value for value in values if value is not None]
    return bool(given) and all(isinstance(value, (int, float, Decimal)) for value in given)


def _means(file: Path, name: str, ids: Mapping[int, str], values: Sequence[Any]) -> dict[str, float]:
    numbers: dict[str, list[float]] = {}
    for at, id in ids.items():
        try:
            number = float(math.nan if values[at] in (None, "") else values[at])
        except (TypeError, ValueError):
            raise InputError(f"{file}: row {at + 1}: column '{name}' is not a number; leave missing values empty") from None
        if math.isfinite(number):
            numbers.setdefault(id, []).append(number)
    return {id: fsum(given) / len(given) for id, given in numbers.items()}


def correlate_run(
    scores: Scores, ratings: Ratings, *, higher_is_better: dict[str, bool], lower_is_better: Sequence[str] = (),
    group: str | None = None, sampling: Sampling | None = None,
) -> list[Correlation]:
    """Return the agreement of every metric of a run with every column of ratings.

    Both are signed so that higher is better: metrics by `higher_is_better`, columns named in `lower_is_better` (error counts).
    `group` is a column of the ratings or of the input with the study: preferences are then compared within it only.
    """
    _check_columns(ratings, lower_is_better)
    oriented = {metric: values if higher_is_better.get(metric, True) else -values for metric, values in scores.values.items()}
    first = _first_cases(scores)
    if ratings.choices:
        return [
            preferences(_scores_by_id(values, first), ratings.choices, metric=metric, sampling=sampling)
            for metric, values in oriented.items()
        ]
    _check_ids(scores, ratings)
    groups = None if group is None else _groups(scores, ratings, group)
    how = sampling or Sampling()
    clusters = None if how.cluster is None else scores.column(how.cluster)
    found = []
    for human in (name for name in ratings.columns if name != group):  # the study number is not a rating
        rated = np.full(len(scores.ids), math.nan)
        rated[list(first.values())] = signed_ratings(ratings, human, list(first), lower_is_better)
        for metric, values in oriented.items():
            found += correlate(values, rated, metric=metric, human=human, groups=groups, clusters=clusters, sampling=how)
    return found


def _first_cases(scores: Scores) -> dict[str, int]:
    """Return the position of the case with each id; a later one with the same id is a failed record."""
    return {id: at for at, id in reversed([*enumerate(scores.ids)]) if id is not None}


def _check_columns(ratings: Ratings, columns: Sequence[str]) -> None:
    for name in columns:
        if name not in ratings.columns:
            raise InputError(f"{ratings.file}: has no column of ratings '{name}'; it has {', '.join(ratings.columns) or 'none'}")


def _check_ids(scores: Scores, ratings: Ratings) -> None:
    if set(scores.ids).isdisjoint(chain(*ratings.columns.values())):
        hint = " (of a download: those of `kgscore published NAME DOWNLOAD --pairs FILE`)" if ratings.lower else ""
        raise InputError(f"{ratings.file}: none of its ids is in {scores.name.name}; ids must match the scored pairs{hint}")


def _scores_by_id(values: Floats, positions: Mapping[str, int]) -> dict[str, float]:
    return {id: float(values[at]) for id, at in positions.items() if math.isfinite(values[at])}


def signed_ratings(ratings: Ratings, column: str, ids: Sequence[str], lower: Sequence[str]) -> list[float]:
    """Return the ratings of ids signed so that higher is better, NaN if there is none."""
    sign = -1.0 if column in (*lower, *ratings.lower) else 1.0
    return [sign * ratings.columns[column].get(id, math.nan) for id in ids]


def _groups(scores: Scores, ratings: Ratings, group: str) -> list[str]:
    if group in ratings.texts:
        return [ratings.texts[group].get(str(id), f"\0{at}") for at, id in enumerate(scores.ids)]
    return scores.column(group)


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
    """Return the lines of a file of feedback; of several on one error by one reader, the last."""
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
    kind, tier, agree, number = row.get("kind"), row.get("tier") or 0, row.get("agree"), row.get("number") or 0
    fine = {
        f"no feedback; a line has id, by and kind, one of {', '.join(_KINDS)}": kind in _KINDS and row.get("id") is not None,
        "'tier' must be a number from 1 (routine) to 4 (critical)": kind == CASE or tier in (*TIERS,),
        "'agree' must be true or false": agree is None or isinstance(agree, bool),
        "'number' must be a whole number, the place of the error in the list": isinstance(number, int),
    }
    for said, is_so in fine.items():
        if not is_so:
            raise InputError(f"{where}: {said}")
    by, what, note = (str(row.get(name) or "") for name in ("by", "what", "note"))
    return Feedback(str(row["id"]), by, str(kind), what, tier, number, agree, note)


def error_counts(lines: Sequence[Feedback]) -> dict[str, dict[str, float]]:
    """Return by id the errors agreed with or added, `total` and `significant`: means over readers who judged the whole case."""
    readers = sorted({(one.id, one.by) for one in lines if one.kind == CASE})
    errors = [one for one in lines if (one.id, one.by) in readers and (one.agree or one.kind == ADDED)]
    total, significant = Counter(one.id for one in errors), Counter(one.id for one in errors if one.tier > 1)
    count = Counter(id for id, _ in readers)
    return {id: {"total": total[id] / of, "significant": significant[id] / of} for id, of in count.items()}
