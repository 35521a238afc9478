"""Many pairs of a few: references with the candidates of others."""

from __future__ import annotations

from collections.abc import Iterator

from kgscore.io.records import PAIR_FIELDS, Record, read_records


def crossed(path: str) -> Iterator[Record]:
    """Yield the pairs of a file, then each reference with the candidate of the next one, the one after that, and so on."""
    pairs = [record for record in read_records(path, PAIR_FIELDS) if isinstance(record, Record)]
    for shift in range(len(pairs)):
        for one, other in zip(pairs, pairs[shift:] + pairs[:shift], strict=True):
            fields = {"reference": one.fields["reference"], "candidate": other.fields["candidate"]}
            yield Record(one.where, f"{one.id}+{other.id}", fields)
