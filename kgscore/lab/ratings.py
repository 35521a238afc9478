"""Human ratings: read from a file, and compared with the scores of a run."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.errors import InputError, did_you_mean
from kgscore.lab.correlation import Correlation, correlate, preferences
from kgscore.lab.feedback import error_counts, is_feedback, read_feedback
from kgscore.lab.published import preferences as preference_files
from kgscore.lab.published.downloads import HIGHER, read_pairs, recognise_layout, split_errors
from kgscore.results.joined_tables import read_table
from kgscore.results.rows import Rows
from kgscore.results.scores import Floats, Scores
from kgscore.results.statistics import Sampling

BETTER, WORSE = "better", "worse"


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
    file: Path, columns: Sequence[str] = (), layout: str = "", called: Mapping[str, str] | None = None, scale: str = "1:5"
) -> Ratings:
    """Return the ratings in a CSV, TSV, JSON lines or Parquet file: a row for each `id` with numeric columns (all of them, or
    `columns`), averaged over rows of the same id; or rows of `better` and `worse` ids.

    With `layout`, or if the file or folder name identifies it, the ratings are those of a published set
    (`lab.published`); `called` maps columns of the layout, `scale` gives the numbers of preferences.

    Raises:
        InputError: the file cannot be read, lacks a column, or has text instead of a number.
    """
    layout = layout or recognise_layout(file) or ""
    if layout:
        return _published_ratings(file, layout, columns, called or {}, scale)
    if called:
        raise InputError(f"{file}: OURS=NAME names a column of a layout; name the layout with --layout")
    table = read_table(file)
    if BETTER in table.names and WORSE in table.names:
        pairs = zip(table.column(BETTER), table.column(WORSE), strict=True)
        return Ratings(file, {}, {}, tuple((str(better), str(worse)) for better, worse in pairs))
    return _judged(file, columns) if is_feedback(table.names) else _rated_by_id(file, table, columns)


def _rated_by_id(file: Path, table: Rows, columns: Sequence[str]) -> Ratings:
    """Return the numeric columns of a table with ids, or those named, and the texts of all."""
    if "id" not in table.names:
        raise InputError(f"{file}: has no column 'id'; give id and columns of ratings, or better and worse")
    _check_known(f"{file}: has no column", columns, table.names)
    ids = [None if one is None else str(one) for one in table.column("id")]
    found: dict[str, dict[str, float]] = {}
    texts: dict[str, dict[str, str]] = {}
    for name in [one for one in table.names if one != "id"]:
        values = table.column(name)
        texts[name] = {id: "" if value is None else str(value) for id, value in zip(ids, values, strict=True) if id is not None}
        if name in columns or (not columns and _numeric(values)):
            found[name] = _means(file, name, ids, values)
    if not found:
        raise InputError(f"{file}: has no column of ratings; give numbers besides id, or columns better and worse")
    return Ratings(file, found, texts)


def _check_known(lacks: str, wanted: Sequence[str], known: Collection[str]) -> None:
    """Reject a name that is not known; `lacks` begins the message."""
    for name in wanted:
        if name not in known:
            raise InputError(f"{lacks} '{name}'; {did_you_mean(name, known) or 'it has ' + (', '.join(known) or 'none')}")


def _judged(file: Path, columns: Sequence[str]) -> Ratings:
    """Return the errors of each case that was judged in full, as feedback counts them."""
    counts = error_counts(read_feedback(file))
    kept = {name: {id: given[name] for id, given in counts.items()} for name in columns or ("total", "significant")}
    return Ratings(file, kept, {}, lower=tuple(kept))


def _published_ratings(file: Path, layout: str, columns: Sequence[str], called: Mapping[str, str], scale: str) -> Ratings:
    if layout == preference_files.LAYOUT:
        found, bad = split_errors(preference_files.read_preferences(file, called, preference_files.scale_of(scale)))
        choices = tuple(choice for one in found if (choice := one.choice) is not None)
        return Ratings(file, {}, {}, choices, problems=tuple(map(str, bad)))
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


def _means(file: Path, name: str, ids: Sequence[str | None], values: Sequence[Any]) -> dict[str, float]:
    sums: dict[str, list[float]] = {}
    for row, (id, value) in enumerate(zip(ids, values, strict=True), 1):
        if id is None or value is None or value == "":
            continue
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputError(f"{file}: row {row}: column '{name}' is not a number; leave missing values empty") from None
        if math.isfinite(number):
            sums.setdefault(id, []).append(number)
    return {id: fsum(given) / len(given) for id, given in sums.items()}


def correlate_run(
    scores: Scores, ratings: Ratings, *, higher_is_better: dict[str, bool], lower_is_better: Sequence[str] = (),
    group: str | None = None, sampling: Sampling | None = None,
) -> list[Correlation]:
    """Return the agreement of every metric of a run with every column of ratings.

    Both are signed so that higher is better: metrics by `higher_is_better`, columns named in `lower_is_better` (error counts).
    `group` is a column of the ratings or of the input with the study: preferences are then compared within it only.

    Raises:
        InputError: no id is in both, or a column is missing.
        RunError: the input lacks a column.
    """
    for name in lower_is_better:
        if name not in ratings.columns:
            raise InputError(f"{ratings.file}: has no column of ratings '{name}'; it has {', '.join(ratings.columns) or 'none'}")
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
