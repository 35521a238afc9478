"""IU X-ray: are the findings read from a report those by which people coded it (MeSH)?

The mapping from codes to classes of the ontology is the label set `iuxray_mesh` (`mappings/labels`). A report read as
consolidation has an opacity too, which a coder who wrote the narrower code did not write: so codes and labels are compared with
all that they imply by the ontology, and beside that as they are written, with the narrowest only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from kgscore.batch import scorer_for
from kgscore.labelling.sets import Label, load_set
from kgscore.layouts.mesh import Coded, matches, read_coded
from kgscore.layouts.tables import LONGEST
from kgscore.published.base import Found, Request, f1_figures, parted
from kgscore.results.figure import Figure

SET = "iuxray_mesh"
_TOLD = 20
_READER = "reading"


def run(name: str, request: Request) -> Found:
    """Return micro and macro F1 over all codes and the F1 of each; the codes that no label stands for are told."""
    found, bad = parted(read_coded(request.source, request.columns))
    scorer = scorer_for(request.settings)
    labels = load_set(SET).labels
    implied = scorer.implied_labels(SET)
    unknown: Counter[str] = Counter()
    sides: list[tuple[set[str], set[str]]] = []
    unread = 0
    for number, one in enumerate(found, 1):
        said = scorer.labels(one.report, SET)
        request.tell(number)
        gold = _labels_of(one, labels, unknown)
        if said.status != "read":
            unread += 1
        elif gold:
            sides.append((gold, {label for label, value in said.values.items() if value in ("present", "uncertain")}))
    names = [label.name for label in labels]
    figures = [
        *_figures("codes and what they imply", names, [(_whole(a, implied), _whole(b, implied)) for a, b in sides], request),
        *_figures("codes as written", names, [(_narrow(a, implied), _narrow(b, implied)) for a, b in sides], request),
    ]
    return Found(figures, bad, _notes(found, unknown, unread, len(sides)))


def _labels_of(one: Coded, labels: Sequence[Label], unknown: Counter[str]) -> set[str]:
    """Return the labels that the codes of a report stand for; count those that stand for none."""
    gold: set[str] = set()
    for code in one.codes:
        mine = {label.name for label in labels if any(matches(code, pattern) for pattern in label.codes or (label.name,))}
        gold |= mine
        if not mine:
            heading = code.split("/")[0]
            unknown[heading if len(heading) <= LONGEST else "a text too long for a heading"] += 1
    return gold


def _whole(labels: Iterable[str], implied: Mapping[str, frozenset[str]]) -> set[str]:
    return {other for label in labels for other in implied[label]}


def _narrow(labels: set[str], implied: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the labels that no other one implies; of two that imply each other, both."""
    return {one for one in labels if not any(one in implied[other] and other not in implied[one] for other in labels)}


def _figures(task: str, names: Sequence[str], sides: Sequence[tuple[set[str], set[str]]], request: Request) -> list[Figure]:
    if not sides:
        return []
    rows = [[[n in a and n in b, n in b and n not in a, n in a and n not in b] for n in names] for a, b in sides]
    counts = np.asarray(rows, dtype=np.int64)
    figures = f1_figures(task, "all codes", _READER, counts, request, macro=True)
    for place, name in enumerate(names):
        mine = counts[:, place : place + 1]
        if mine.any():
            figures += [one for one in f1_figures(task, name, _READER, mine, request) if one.measure == "f1"]
    return figures


def _notes(found: Sequence[Coded], unknown: Counter[str], unread: int, used: int) -> list[str]:
    notes = [f"{used} of {len(found)} reports have a code that stands for a label and were read"]
    if unread:
        notes.append(f"{unread} reports could not be read and are left out")
    if unknown:
        told = ", ".join(f"{code} ({count})" for code, count in unknown.most_common(_TOLD))
        more = f" and {len(unknown) - _TOLD} more" if len(unknown) > _TOLD else ""
        notes.append(f"headings that no label stands for: {told}{more}; they are left out (mappings/labels/{SET}.yaml)")
    return notes
