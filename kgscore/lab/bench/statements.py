"""Benchmarks on single reports: verdicts on statements, self-contradiction, labels."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np

from kgscore import metrics as registry
from kgscore.io.records import clean
from kgscore.lab.bench._ask import Ask, Figures, benchmark, groups
from kgscore.lab.bench._contest import Grid, figures_by_group, share, shares_by_part
from kgscore.labelling.agreement import Counts, compare, summary, support
from kgscore.labelling.sets import load_set

VERDICTS = ("entailed", "contradicted", "neutral")
_TURNED = {("entailed", "contradicted"), ("contradicted", "entailed")}
COLUMNS = ("right", "contradictions found", "consistent left alone", "flagged")


def _grids(figures: Figures) -> list[Grid]:
    given = {
        f"is {gold}": {"cases": sum(row.values()), **{f"read {k}": share(v, sum(row.values()), 0.0) for k, v in row.items()}}
        for gold, row in figures["confusion"].items()
    }
    return [
        Grid("Statements about reports: verdicts right, and reversed", ("right", "turned round"), figures_by_group(figures)),
        Grid("Verdicts: what is read of each, as shares", [f"read {verdict}" for verdict in VERDICTS], given),
    ]


@benchmark("reader", "sampling", "sample", "show", grids=_grids)
def nli(ask: Ask) -> dict[str, Any]:
    """Return the share of right verdicts, and of reversed ones (entailed taken for contradicted or vice versa), over
    all statements, with intervals by case, and by verdict, kind and construct; the `confusion` matrix of
    verdicts; and the accuracy of always giving the most frequent verdict. A miss is printed as a JSON line.

    File form: `report`, `statement` and `verdict` (entailed, contradicted or neutral), and optionally `kind`, `construct` or
    `modality`.
    """
    rows = ask.records("report", "statement", "verdict", verdict=VERDICTS)
    scorer = ask.scorer()
    gold = [row["verdict"] for row in rows]
    got = [scorer.entails(clean(row["report"]), clean(row["statement"])).verdict for row in rows]
    for row, verdict in zip(rows, got, strict=True) if ask.show else ():
        if verdict != row["verdict"]:
            print(json.dumps({**row, "got": verdict}, ensure_ascii=False))
    pairs = list(zip(gold, got, strict=True))
    counted: Counter[tuple[str, str]] = Counter(pairs)
    columns = {"right": [one == other for one, other in pairs], "turned round": [pair in _TURNED for pair in pairs]}
    return {
        **shares_by_part(columns, groups(rows, ("verdict", "kind", "construct", "modality")), ask.sampling, label="statements"),
        "reports": len({row["report"] for row in rows}),
        "always the commonest": share(max(Counter(gold).values()), len(rows)),
        "confusion": {wanted: {found: counted[wanted, found] for found in VERDICTS} for wanted in VERDICTS},
    }


@benchmark(
    "reader", "sampling", "sample", "show",
    grids=lambda figures: [Grid("Self-contradiction: reports judged rightly", COLUMNS, figures_by_group(figures))],
)  # fmt: skip
def consistency(ask: Ask) -> dict[str, Any]:
    """Return the share of reports judged correctly, of contradictory reports found, of consistent reports not flagged, and
    of all reports flagged, with intervals by case, and by modality and construct. A wrong judgement is printed with
    the contradicting words, as a JSON line.

    File form: `report` and whether it `contradicts` itself (true or false; or `consistent`, the reverse), and optionally
    `modality`, `region` or `construct`. Without either, only the share of flagged reports is computed.
    """
    rows = ask.records("report", contradicts=bool, consistent=bool)
    scorer = ask.scorer()
    pairs: list[tuple[bool | None, bool]] = []
    for row in rows:
        report = clean(row["report"])
        found = scorer.consistency(report)
        pairs.append((row.get("contradicts", not row["consistent"] if "consistent" in row else None), bool(found)))
        if ask.show and pairs[-1][0] not in (None, bool(found)):
            against = [[report[start:end] for start, end in (one.first, one.second)] for one in found]
            print(json.dumps({**row, "flagged": bool(found), "held against each other": against}, ensure_ascii=False))
    # A case only counts in the share of its kind.
    columns: dict[str, list[float]] = {
        "right": [np.nan if wanted is None else wanted is flag for wanted, flag in pairs],
        "contradictions found": [flag if wanted is True else np.nan for wanted, flag in pairs],
        "consistent left alone": [not flag if wanted is False else np.nan for wanted, flag in pairs],
        "flagged": [flag for _, flag in pairs],
    }
    return shares_by_part(columns, groups(rows, ("modality", "region", "construct")), ask.sampling, label="consistency")


@benchmark("reader", "show")
def labels(ask: Ask) -> dict[str, Any]:
    """Return micro and macro F1 of all labels and of each subset, the support of each label, and the pairs without labels.

    File form: `reference` and `candidate`. The set is that of the profile (`metrics: label_f1: {labels: …}`), by default
    CheXpert's 14 with the published subset of five.
    """
    scorer = ask.scorer()
    options = registry.options("label_f1", scorer.profile)
    found = load_set(options.labels)
    pairs: list[dict[str, Counts]] = []
    unused = 0
    for record in ask.records():
        one, other = (scorer.labels(record[side], options.labels) for side in ("reference", "candidate"))
        if one.status != "read" or other.status != "read":
            unused += 1
            continue
        pairs.append(compare(one.values, other.values, uncertain=options.uncertain))
        if ask.show:
            print(record.get("id"), {name: counts for name, counts in pairs[-1].items() if counts != Counts()})
    names = {"all": tuple(label.name for label in found.labels), **(found.subsets or {})}
    figures = {subset: summary(pairs, members) for subset, members in names.items()}
    return {"set": found.name, **figures, "support": dict(support(pairs)), "pairs without labels": unused}
