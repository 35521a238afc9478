"""Rated pairs made ready for a fit: read, matched, or cut into units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.fitting.radot import Rated
from kgscore.layouts.pairs import read_pairs
from kgscore.layouts.tables import RatedPair, quality
from kgscore.metrics.base import Matched
from kgscore.metrics.radot_align import Aligner, Settings, Side
from kgscore.metrics.radot_tables import tables
from kgscore.metrics.radot_units import Units
from kgscore.records import BadRecord


@dataclass(frozen=True, slots=True)
class RatedTable:
    """Where rated pairs come from: a file or folder, its layout, columns by our names, and the rating that is fitted to (""
    stands for `human`, else `total`)."""

    source: str
    layout: str = "csv"
    columns: Mapping[str, str] | None = None
    target: str = ""

    def pairs(self) -> Iterator[RatedPair | BadRecord]:
        """Yield the pairs, or what is wrong with a record."""
        return read_pairs(self.source, self.layout, self.columns)

    def rating(self, pair: RatedPair) -> float:
        """Return the rating that is fitted to, higher is better.

        Raises:
            InputError: the table holds no such rating.
        """
        for target in (self.target,) if self.target else ("human", "total"):
            value = quality(pair, target)
            if value is not None:
                return value
        known = ", ".join(pair.ratings) or "none"
        raise InputError(f"{pair.where}: no rating '{self.target or 'human'}'; ratings there: {known}; choose one with --target")


def matched(scorer: Scorer, pair: RatedPair) -> Matched | None:
    """Return a pair read and matched, or None where the engine says that there is nothing to score."""
    texts = pair.reference, pair.candidate
    found = scorer.score(reference=texts[0], candidate=texts[1], id=pair.id)
    if found.reference is None or found.candidate is None:
        return None
    return Matched(found.reference, found.candidate, found.links, found.contradictions, *texts)


def aligner_for(engine: Scorer, form: str) -> Aligner:
    """Return what aligns pairs in a form, with the default profile's weights."""
    return Aligner(Units(engine.index, tables(), Settings(form=form).published, engine.profile.depth_decay))


def rated(table: RatedTable, engine: Scorer, aligner: Aligner) -> Iterator[Rated | BadRecord]:
    """Yield every pair of a table cut into units, with its error counts, or what is wrong with it.

    Raises:
        InputError: the table holds no counts of total and significant errors.
    """
    sides: dict[str, Side] = {}
    for pair in table.pairs():
        if isinstance(pair, BadRecord):
            yield pair
            continue
        if not {"total", "significant"} <= pair.ratings.keys():
            raise InputError(f"{pair.where}: the readout is fitted to error counts; the table needs total and significant")
        for text in (pair.reference, pair.candidate):
            if text not in sides:
                units = aligner.units.of(engine.read(text).findings, text)
                sides[text] = aligner.side(units, (1.0,) * len(units))
        left, right = sides[pair.reference], sides[pair.candidate]
        total, significant = pair.ratings["total"], pair.ratings["significant"]
        if left.units[0].finding is None:
            yield BadRecord(pair.where, pair.id, "the reference holds no finding; leave the pair out")
        else:
            yield Rated(pair.study, left, right, (total, significant, total - significant))
