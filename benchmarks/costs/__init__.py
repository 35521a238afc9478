"""What parts of kgscore cost, one program each: `python benchmarks/cost.py NAME FILE`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from kgscore.io.records import PAIR_FIELDS, Record, read_records

_T = TypeVar("_T")


def crossed(path: str) -> Iterator[Record]:
    """Yield the pairs of a file, then each reference with the candidate of the next one, the one after that, and so on."""
    pairs = [record for record in read_records(path, PAIR_FIELDS) if isinstance(record, Record)]
    for shift in range(len(pairs)):
        for one, other in zip(pairs, pairs[shift:] + pairs[:shift], strict=True):
            fields = {"reference": one.fields["reference"], "candidate": other.fields["candidate"]}
            yield Record(one.where, f"{one.id}+{other.id}", fields)


def timed(work: Callable[[], _T]) -> tuple[float, _T]:
    """Return the processor seconds that some work takes, and what it returns."""
    start = time.process_time()
    done = work()
    return time.process_time() - start, done
