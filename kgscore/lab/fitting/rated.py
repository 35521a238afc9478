"""Rated pairs prepared for a fit (read, matched, or cut into units, with their ratings), and the result of a fit:
a profile file with its provenance in comments."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.io.records import BadRecord
from kgscore.lab.fitting.goals import Goal, goal
from kgscore.lab.fitting.radot import Rated
from kgscore.lab.published import preferences
from kgscore.lab.published.base import SCALE
from kgscore.lab.published.downloads import RatedPair, files_of, judged_pairs, map_usable, quality, read_pairs
from kgscore.lab.ratings import error_counts, read_feedback
from kgscore.metrics.base import Matched
from kgscore.metrics.radot_align import Aligner, Side

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class RatedTable:
    """A source of rated pairs: a file or folder, its layout, column names, the rating to fit ("" stands for `preference`,
    `human`, else `total`), the ends of the scale of preferences, and the feedback file whose error counts are the ratings."""

    source: str
    layout: str = "csv"
    columns: Mapping[str, str] | None = None
    target: str = ""
    scale: tuple[float, float] = SCALE
    feedback: Path | None = None

    @property
    def preferences(self) -> bool:
        """Whether the table states which of two candidates is better."""
        return self.layout == preferences.LAYOUT

    def pairs(self) -> Iterator[RatedPair | BadRecord]:
        """Yield the pairs, or what is wrong with a record. Of a preference both candidates are pairs, rated from their side."""
        if self.feedback is not None:
            return judged_pairs(self.source, self.columns, error_counts(read_feedback(self.feedback)))
        if not self.preferences:
            return read_pairs(self.source, self.layout, self.columns)
        sides = preferences.rated(self.source, self.columns, self.scale)
        return map_usable(sides, lambda side: replace(side, study=side.reference))

    def rating(self, ratings: Mapping[str, float], where: str) -> str:
        """Return the name of the rating to fit."""
        for target in (self.target,) if self.target else ("preference", "human", "total"):
            if target in ratings:
                return target
        known = ", ".join(ratings) or "none"
        raise InputError(f"{where}: no rating '{self.target or 'human'}'; available ratings: {known}; choose one with --target")


@dataclass(frozen=True, slots=True)
class Gathered(Generic[_T]):
    """Prepared pairs of several tables, the rating to fit, those to monitor, and how many pairs are unusable or empty."""

    ready: list[_T]
    goal: Goal
    beside: list[Goal]
    failed: int
    unused: int


def gather_pairs(
    tables: Sequence[RatedTable],
    ready: Callable[[RatedPair], _T | None],
    wrong: Callable[[BadRecord], None],
    tell: Callable[[int], None] = lambda done: None,
) -> Gathered[_T]:
    """Return the prepared pairs of tables; the first table has the rating to fit, all other ratings are monitored."""
    pairs: list[_T] = []
    goals: list[Goal] = []
    failed = unused = done = 0
    for table in tables:
        rated: dict[str, list[tuple[int, RatedPair]]] = {}
        wanted = ""
        for pair in table.pairs():
            done += 1
            tell(done)
            if isinstance(pair, BadRecord):
                failed += 1
                wrong(pair)
                continue
            if table is tables[0]:
                wanted = wanted or table.rating(pair.ratings, pair.where)
            one = ready(pair)
            if one is None:
                unused += 1
                continue
            for name in pair.ratings:
                rated.setdefault(name, []).append((len(pairs), pair))
            pairs.append(one)
        if table is tables[0] and wanted not in rated:
            raise InputError(f"{table.source}: no usable pair")
        names = [name for name in rated if name == wanted or not name.startswith("category_")]
        goals += [_goal(name, table, rated[name], table is tables[0]) for name in sorted(names, key=lambda name: name != wanted)]
    return Gathered(pairs, goals[0], goals[1:], failed, unused)


def _goal(name: str, table: RatedTable, rated: Sequence[tuple[int, RatedPair]], first: bool) -> Goal:
    said = name if first else f"{name} of {Path(table.source).name}"
    human = [quality(pair, name) or 0.0 for _, pair in rated]
    studies = [pair.study for _, pair in rated]
    groups = [pair.id.rpartition(" ")[0] for _, pair in rated] if table.preferences else None
    return goal(said, [at for at, _ in rated], human, studies, groups)


def match_pair(scorer: Scorer, pair: RatedPair) -> Matched | None:
    """Return a pair read and matched, or None if there is nothing to score."""
    texts = pair.reference, pair.candidate
    found = scorer.score(reference=texts[0], candidate=texts[1], id=pair.id)
    if found.reference is None or found.candidate is None:
        return None
    return Matched(found.reference, found.candidate, found.links, found.contradictions, *texts)


def read_rated_units(table: RatedTable, engine: Scorer, aligner: Aligner) -> Iterator[Rated | BadRecord]:
    """Yield every pair of a table cut into units, with its error counts, or an error."""
    sides: dict[str, Side] = {}

    def ready(pair: RatedPair) -> Rated | BadRecord:
        if not {"total", "significant"} <= pair.ratings.keys():
            raise InputError(f"{pair.where}: the readout is fitted to error counts; the table needs total and significant")
        for text in (pair.reference, pair.candidate):
            if text not in sides:
                units = aligner.units.of(engine.read(text).findings, text)
                sides[text] = aligner.side(units, (1.0,) * len(units))
        left, right = sides[pair.reference], sides[pair.candidate]
        total, significant = pair.ratings["total"], pair.ratings["significant"]
        if left.units[0].finding is None:
            return BadRecord(pair.where, pair.id, "the reference has no finding; remove the pair")
        return Rated(pair.study, left, right, (total, significant, total - significant))

    return map_usable(table.pairs(), ready)


def file_hashes(source: str, layout: str) -> str:
    """Return the files of a table with their hashes, as text."""
    found = files_of(source, layout).values()
    return "; ".join(f"{path.name}, sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in found)


def base_profile(profile: str, out: Path) -> str:
    """Return the base of the new profile; a file path is relative to the new profile."""
    return os.path.relpath(profile, out.parent) if profile.endswith((".yaml", ".yml")) else profile


def write_profile(out: Path, values: Mapping[str, Any], provenance: Mapping[str, Any]) -> None:
    """Write a profile with its provenance above it."""
    lines = [f"# {key}: {' '.join(str(said).split())}\n" for key, said in provenance.items()]
    text = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=1000, default_flow_style=None)
    try:
        out.write_text("".join(lines) + text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror})") from error
