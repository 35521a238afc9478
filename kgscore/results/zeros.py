"""Baselines of a metric for uninformed reports, against which its mean should be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kgscore.private_files import atomic_file
from kgscore.results.statistics import Summary

FILE = "zeros.json"


@dataclass(frozen=True, slots=True)
class Zero:
    """The mean of a metric over `references` of a run, for a normal report each (`normal`) and for another patient's report
    (`other`); None if there is none. `best` is the best possible score (None: unbounded)."""

    metric: str
    references: int
    normal: float | None
    other: float | None
    higher_is_better: bool
    best: float | None

    def rescaled(self, mean: float | None) -> float | None:
        """Return a mean on the scale from the better of the two (0) to the best score (1); below 0 if it is worse than both,
        None if there is no such scale."""
        known = [one for one in (self.normal, self.other) if one is not None]
        if mean is None or self.best is None or not known:
            return None
        zero = max(known) if self.higher_is_better else min(known)
        return None if zero == self.best else (mean - zero) / (self.best - zero)


def rows_with_baselines(rows: Sequence[Summary], zeros: Iterable[tuple[str, Sequence[Zero]]]) -> list[dict[str, Any]]:
    """Return summaries as plain rows; those over all pairs include the baselines of their run (by name)."""
    known = {(run, one.metric): one for run, found in zeros for one in found}
    plain = []
    for row in rows:
        zero = None if row.by else known.get((row.run, row.metric))
        told = (zero.references, zero.normal, zero.other, zero.rescaled(row.mean)) if zero else (None,) * 4
        plain.append(asdict(row) | dict(zip(("references", "all_normal", "another_patient", "rescaled"), told, strict=True)))
    return plain


def load_zeros(folder: Path, run: int, signature: Mapping[str, Any]) -> list[Zero] | None:
    """Return the cached baselines in a run folder; None if there are none for this signature."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))[str(run)]
        if found["signature"] == dict(signature):
            return [Zero(**row) for row in found["zeros"]]
    return None


def store_zeros(folder: Path, run: int, signature: Mapping[str, Any], zeros: Sequence[Zero]) -> None:
    """Write baselines to a run folder; a folder that is not writable is left unchanged."""
    known: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        known = json.loads((folder / FILE).read_text(encoding="utf-8"))
    known[str(run)] = {"signature": dict(signature), "zeros": [asdict(one) for one in zeros]}
    with suppress(OSError), atomic_file(folder / FILE) as stream:
        stream.write(json.dumps(known, ensure_ascii=False, indent=1).encode())
