"""IU X-ray (Open-i): what people coded of a chest radiograph, against what is read in its text.

File form: JSON lines with `id`, `findings`, `impression` (one of them may be empty), `mesh` (MeSH codes, `normal` alone) and
`nih14` (labels of ChestX-ray14). Every code becomes a statement (`mappings/statements/iuxray_mesh.yaml`), and `entails` says of
it whether the report says so. Reports without text or codes are left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.bench._coded import Said, Wording, load_wording, said
from kgscore.bench._contest import Grid, means
from kgscore.bench._text import REMEMBERED, may_list, records, spread
from kgscore.bench.nli import VERDICTS
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.records import clean
from kgscore.results.statistics import Sampling

SET = "chestxray14"
NORMAL = "normal"
UNINDEXED = "no indexing"
# Hernia is hardly ever meant; the eight are those that no other label of the set implies or is implied by.
LEFT_OUT = frozenset(("Hernia",))
UNTOUCHED = frozenset(
    ("Atelectasis", "Cardiomegaly", "Effusion", "Pneumonia", "Pneumothorax", "Edema", "Emphysema", "Pleural_Thickening")
)
SUBSETS = ("nih13", "nih8")
FORMS = ("codes", "bare")
COLUMNS = ("normal with an abnormal finding", "flagged")
_FEWEST = 10  # codes that a heading has, to be given by itself


@dataclass(frozen=True, slots=True)
class _Report:
    """A report with its codes as statements and its labels; `normal`: coded so, and nothing else."""

    id: str
    text: str
    codes: Sequence[Said]
    normal: bool
    labels: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Read:
    """What is read in a report: a verdict for each code, in both forms, and what is said of the whole."""

    codes: Sequence[str]
    bare: Sequence[str]
    abnormal: bool
    labels: frozenset[str]
    flagged: bool


def run(
    path: str | Path, *, profile: str = "default", sampling: Sampling | None = None, sample: int = 0, show: bool = False
) -> dict[str, Any]:
    """Return shares and F1, with intervals by report or code.

    `codes`: of the coded findings, with place, side and severity, those entailed, contradicted and neutral; `bare`: the same
    without these; `heading: …`: `codes` of one heading. `normal with an abnormal finding`: of the reports coded normal, those in
    which a finding is definitely asserted (some rightly). `nih13`, `nih8`: micro F1 of the labels, uncertain ones counted as
    present, of all but Hernia and of those that the hierarchy of labels does not touch. `flagged`: the reports that are said to
    contradict themselves.

    `sample`: only so many records, evenly spread. `show`: print each code that is not entailed as a JSON line.

    Raises:
        InputError: the file cannot be read or does not follow the form, or its misses may not be shown.
    """
    if show:
        may_list(path)
    reports = spread(_reports(path), sample)
    scorer = Scorer(profile, remember=REMEMBERED)
    found = [_read(scorer, report) for report in reports]
    if show:
        _print(reports, found)
    whole = {
        "normal with an abnormal finding": [
            one.abnormal if report.normal else np.nan for report, one in zip(reports, found, strict=True)
        ],
        "flagged": [one.flagged for one in found],
    }
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in whole.items()}
    return {
        "cases": len(reports),
        **means(columns, sampling, label="reports"),
        **{form: _verdicts([verdict for one in found for verdict in getattr(one, form)], sampling) for form in FORMS},
        **dict(_labelled(reports, found)),
        **dict(_headings(reports, found, sampling)),
    }


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the codes, the labels, and the reports as wholes."""
    coded = {form: figures[form] for form in FORMS}
    headings = {name: row for name, row in figures.items() if ": " in name}
    labels = {subset: figures[subset] for subset in SUBSETS}
    return [
        Grid("Reports as wholes: shares", COLUMNS, {"all": figures}),
        Grid("Labels: micro F1, uncertain counted as present", ("f1", "precision", "recall"), labels),
        Grid("Coded findings: what the report says of them, as shares", VERDICTS, {**coded, **headings}),
    ]


def _reports(path: str | Path) -> list[_Report]:
    wording = load_wording()
    found = []
    for number, row in enumerate(records(path, "findings", "impression"), 1):
        for field in ("mesh", "nih14"):
            if not isinstance(row.get(field), list):
                raise InputError(f"{path}: record {number}: '{field}' must be a list; see docs/benchmarks.md")
        codes = [code.strip() for code in row["mesh"]]
        text = " ".join(clean(row[part]) for part in ("findings", "impression") if row[part])
        if text and not any(UNINDEXED in code.lower() for code in codes):
            found.append(_report(str(row.get("id", number)), text, codes, row["nih14"], wording))
    if not found:
        raise InputError(f"{path}: no report has both text and codes; see docs/benchmarks.md")
    return found


def _report(id: str, text: str, codes: Sequence[str], labels: Sequence[str], wording: Wording) -> _Report:
    coded = [one for code in codes if code.lower() not in ("", NORMAL) and (one := said(code, wording)) is not None]
    return _Report(id, text, coded, [code.lower() for code in codes] == [NORMAL], frozenset(labels))


def _read(scorer: Scorer, report: _Report) -> _Read:
    findings = scorer.read(report.text).findings
    labels = scorer.labels(report.text, SET).values
    return _Read(
        [scorer.entails(report.text, code.whole).verdict for code in report.codes],
        [scorer.entails(report.text, code.bare).verdict for code in report.codes],
        any(one.status == "present" and one.certainty == "definite" and one.concept is not None for one in findings),
        frozenset(name for name, value in labels.items() if value in ("present", "uncertain")),
        bool(scorer.consistency(report.text)),
    )


def _verdicts(verdicts: Sequence[str], sampling: Sampling | None) -> dict[str, Any]:
    columns = {name: np.asarray([one == name for one in verdicts], dtype=np.float64) for name in VERDICTS}
    return {"cases": len(verdicts), **means(columns, sampling, label="codes")}


def _labelled(reports: Sequence[_Report], found: Sequence[_Read]) -> Iterator[tuple[str, dict[str, Any]]]:
    every = {label for report in reports for label in report.labels} - {NORMAL} - LEFT_OUT
    for subset, members in zip(SUBSETS, (every, UNTOUCHED), strict=True):
        counts: Counter[str] = Counter()
        for report, one in zip(reports, found, strict=True):
            gold, got = report.labels & members, one.labels & members
            counts.update(hit=len(gold & got), gold=len(gold), got=len(got))
        hit, gold_count, got_count = counts["hit"], counts["gold"], counts["got"]
        yield subset, {
            "cases": len(reports),
            "f1": round(2 * hit / (gold_count + got_count), 3) if gold_count + got_count else None,
            "precision": round(hit / got_count, 3) if got_count else None,
            "recall": round(hit / gold_count, 3) if gold_count else None,
        }


def _headings(
    reports: Sequence[_Report], found: Sequence[_Read], sampling: Sampling | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    by: dict[str, list[str]] = {}
    for report, one in zip(reports, found, strict=True):
        for code, verdict in zip(report.codes, one.codes, strict=True):
            by.setdefault(code.heading, []).append(verdict)
    for heading, verdicts in sorted(by.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(verdicts) >= _FEWEST:
            yield f"heading: {heading}", _verdicts(verdicts, sampling)


def _print(reports: Sequence[_Report], found: Sequence[_Read]) -> None:
    for report, one in zip(reports, found, strict=True):
        for code, whole, bare in zip(report.codes, one.codes, one.bare, strict=True):
            if whole != "entailed":
                line = {"id": report.id, "statement": code.whole, "got": whole, "bare": bare, "report": report.text}
                print(json.dumps(line, ensure_ascii=False))
