"""IU X-ray (Open-i): what people coded of a chest radiograph, against what is read in its text.

File form: JSON lines with `id`, `findings`, `impression` (one of them may be empty), `mesh` (MeSH codes, `normal` alone) and
`nih14` (labels of ChestX-ray14). Every code becomes a statement (`mappings/statements/iuxray_mesh.yaml`), and `entails` says of
it whether the report says so. Reports without text or codes are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.records import clean
from kgscore.studies.bench._ask import Ask, benchmark, must, records, spread
from kgscore.studies.bench._coded import Said, load_wording, said
from kgscore.studies.bench._contest import Grid, f1, grouped, shares
from kgscore.studies.bench.nli import VERDICTS

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


@benchmark("reader", "sampling", "sample", "show")
def run(ask: Ask) -> dict[str, Any]:
    """Return shares and F1, with intervals by report or code.

    `codes`: of the coded findings, with place, side and severity, those entailed, contradicted and neutral; `bare`: the same
    without these; `heading: …`: `codes` of one heading. `normal with an abnormal finding`: of the reports coded normal, those in
    which a finding is definitely asserted (some rightly). `nih13`, `nih8`: micro F1 of the labels, uncertain ones counted as
    present, of all but Hernia and of those that the hierarchy of labels does not touch. `flagged`: the reports that are said to
    contradict themselves. A code that is not entailed is printed as a JSON line."""
    reports = spread(_reports(ask), ask.sample)
    scorer = ask.scorer()
    found = [_read(scorer, report) for report in reports]
    both = list(zip(reports, found, strict=True))
    by: dict[str, list[str]] = {}
    for report, one in both:
        for code, whole, bare in zip(report.codes, one.codes, one.bare, strict=True):
            by.setdefault(code.heading, []).append(whole)
            if ask.show and whole != "entailed":
                line = {"id": report.id, "statement": code.whole, "got": whole, "bare": bare, "report": report.text}
                print(json.dumps(line, ensure_ascii=False))

    def verdicts(given: Sequence[str]) -> dict[str, Any]:
        return shares({name: [one == name for one in given] for name in VERDICTS}, ask.sampling, label="codes")

    wholes: dict[str, list[float]] = {
        "normal with an abnormal finding": [one.abnormal if report.normal else np.nan for report, one in both],
        "flagged": [one.flagged for one in found],
    }
    headings = sorted(by.items(), key=lambda item: (-len(item[1]), item[0]))
    return {
        **shares(wholes, ask.sampling, label="reports"),
        **{form: verdicts([verdict for one in found for verdict in getattr(one, form)]) for form in FORMS},
        **dict(_labelled(both)),
        **{f"heading: {heading}": verdicts(given) for heading, given in headings if len(given) >= _FEWEST},
    }


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the codes, the labels, and the reports as wholes."""
    coded = {**{form: figures[form] for form in FORMS}, **grouped(figures)}
    coded.pop("all")
    labels = {subset: figures[subset] for subset in SUBSETS}
    return [
        Grid("Reports as wholes: shares", COLUMNS, {"all": figures}),
        Grid("Labels: micro F1, uncertain counted as present", ("f1", "precision", "recall"), labels),
        Grid("Coded findings: what the report says of them, as shares", VERDICTS, coded),
    ]


def _reports(ask: Ask) -> list[_Report]:
    wording = load_wording()
    rows = records(ask.path, "findings", "impression")
    for field in ("mesh", "nih14"):
        must(ask.path, rows, field, list)
    found = []
    for number, row in enumerate(rows, 1):
        codes = [code.strip().lower() for code in row["mesh"]]
        text = " ".join(clean(row[part]) for part in ("findings", "impression") if row[part])
        if text and not any(UNINDEXED in code for code in codes):
            coded = [one for code in codes if code not in ("", NORMAL) and (one := said(code, wording)) is not None]
            found.append(_Report(str(row.get("id", number)), text, coded, codes == [NORMAL], frozenset(row["nih14"])))
    if not found:
        raise InputError(f"{ask.path}: no report has both text and codes; see docs/benchmarks.md")
    return found


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


def _labelled(both: Sequence[tuple[_Report, _Read]]) -> Iterator[tuple[str, dict[str, Any]]]:
    every = {label for report, _ in both for label in report.labels} - {NORMAL} - LEFT_OUT
    for subset, members in zip(SUBSETS, (every, UNTOUCHED), strict=True):
        hit = sum(len(report.labels & one.labels & members) for report, one in both)
        gold, got = (sum(len(side.labels & members) for side in sides) for sides in zip(*both, strict=True))
        yield subset, {"cases": len(both), **f1(hit, got, gold, nothing=None)}
