"""Tables of rated pairs: reports with the error counts that people, or corruptions, gave them."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from kgscore.engine import Scorer
from kgscore.fitting.radot import Rated
from kgscore.metrics.radot_align import Aligner, Settings, Side
from kgscore.metrics.radot_tables import tables
from kgscore.metrics.radot_units import Units
from kgscore.records import BadRecord, Record, read_records

_NUMBERS = ("total", "significant")
FIELDS = ("study", "reference", "candidate", *_NUMBERS)


def aligner_for(engine: Scorer, form: str) -> Aligner:
    """Return what aligns pairs in a form, with the default profile's weights."""
    return Aligner(Units(engine.index, tables(), Settings(form=form).published, engine.profile.depth_decay))


def rated(source: str, engine: Scorer, aligner: Aligner) -> Iterator[Rated | BadRecord]:
    """Yield every pair of a table read and cut into units, or what is wrong with it. Fields: id, study, reference, candidate, and
    the error counts total and significant (0 or more, significant not above total)."""
    sides: dict[str, Side] = {}
    for record in read_records(source, FIELDS, numbers=("study", *_NUMBERS)):
        if isinstance(record, BadRecord):
            yield record
            continue
        counts = _counts(record)
        if isinstance(counts, BadRecord):
            yield counts
            continue
        for text in (record.fields["reference"], record.fields["candidate"]):
            if text not in sides:
                units = aligner.units.of(engine.read(text).findings, text)
                sides[text] = aligner.side(units, (1.0,) * len(units))
        left, right = sides[record.fields["reference"]], sides[record.fields["candidate"]]
        if left.units[0].finding is None:
            yield BadRecord(record.where, record.id, "the reference holds no finding; leave the pair out")
        else:
            yield Rated(record.fields["study"], left, right, counts)


def _counts(record: Record) -> tuple[float, float, float] | BadRecord:
    try:
        total, significant = (float(record.fields[name]) for name in _NUMBERS)
    except ValueError:
        return BadRecord(record.where, record.id, "fields 'total' and 'significant' are error counts; make them numbers")
    if not (isfinite(total) and 0.0 <= significant <= total):
        return BadRecord(record.where, record.id, "'significant' must lie between 0 and 'total'")
    return total, significant, total - significant
