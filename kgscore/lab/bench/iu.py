"""IU X-ray (Open-i): manual codes of chest radiographs compared with readings of their reports.

File form: JSON lines with `id`, `findings`, `impression` (one of them may be empty), `mesh` (MeSH codes, `normal` alone) and
`nih14` (labels of ChestX-ray14). Every code becomes a statement (`mappings/statements/iuxray_mesh.yaml`), and `entails`
decides whether the report entails it. Reports without text or codes are excluded.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.io.records import clean
from kgscore.lab.bench._ask import Ask, Figures, benchmark, evenly_spaced
from kgscore.lab.bench._contest import Grid, f1, shares
from kgscore.lab.bench.statements import VERDICTS
from kgscore.resources import yaml_of

SET = "chestxray14"
NORMAL = "normal"
UNINDEXED = "no indexing"
# Hernia is rarely meant; the eight are those that no other label of the set implies or is implied by.
LEFT_OUT = frozenset(("Hernia",))
UNTOUCHED = frozenset(
    ("Atelectasis", "Cardiomegaly", "Effusion", "Pneumonia", "Pneumothorax", "Edema", "Emphysema", "Pleural_Thickening")
)
FORMS, SUBSETS = ("codes", "bare"), ("nih13", "nih8")
COLUMNS = ("normal with an abnormal finding", "flagged")
_FEWEST = 10  # minimum codes of a heading that is listed separately
Wording = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CodeStatements:
    """A code as statements: `whole` with place, side and degree, `bare` without them; and the heading of the code."""

    heading: str
    whole: str
    bare: str


@dataclass(frozen=True, slots=True)
class _Report:
    """A report with its codes as statements and its labels; `normal`: coded as normal only."""

    id: str
    text: str
    codes: Sequence[CodeStatements]
    normal: bool
    labels: frozenset[str]


def _grids(figures: Figures) -> list[Grid]:
    coded = {form: figures[form] for form in FORMS} | {name: row for name, row in figures.items() if ": " in name}
    labels = {subset: figures[subset] for subset in SUBSETS}
    return [
        Grid("Reports as wholes: shares", COLUMNS, {"all": figures}),
        Grid("Labels: micro F1, uncertain counted as present", ("f1", "precision", "recall"), labels),
        Grid("Coded findings: verdicts of the report, as shares", VERDICTS, coded),
    ]


@benchmark("reader", "sampling", "sample", "show", grids=_grids)
def iu(ask: Ask) -> dict[str, Any]:
    """Return shares and F1, with intervals by report or code.

    `codes`: the shares of coded findings, with place, side and severity, entailed, contradicted and neutral; `bare`: the same
    without these; `heading: …`: `codes` of one heading. `normal with an abnormal finding`: the share of reports coded normal in
    which a finding is definitely asserted (some correctly). `nih13`, `nih8`: micro F1 of the labels, uncertain ones counted as
    present, of all but Hernia and of those unaffected by the hierarchy of labels. `flagged`: the share of reports found to
    contradict themselves. A code that is not entailed is printed as a JSON line."""
    reports = evenly_spaced(_reports(ask), ask.sample)
    scorer = ask.scorer()
    verdicts: list[tuple[str, str, str]] = []
    wholes: list[tuple[float, float]] = []
    labels: list[frozenset[str]] = []
    for one in reports:
        verdicts += _verdicts(one, scorer, ask.show)
        abnormal = any(f.asserts and f.certainty == "definite" and f.concept for f in scorer.read(one.text).findings)
        wholes.append((abnormal if one.normal else np.nan, bool(scorer.consistency(one.text))))
        labels.append(_labels_of(one, scorer))

    def share_figures(given: Sequence[str]) -> dict[str, Any]:
        return shares({name: [one == name for one in given] for name in VERDICTS}, ask.sampling, label="codes")

    headings = Counter(heading for heading, _, _ in verdicts)
    often = sorted((heading for heading, count in headings.items() if count >= _FEWEST), key=lambda one: (-headings[one], one))
    return {
        **shares(dict(zip(COLUMNS, zip(*wholes, strict=True), strict=True)), ask.sampling, label="reports"),
        **{form: share_figures([row[at] for row in verdicts]) for at, form in enumerate(FORMS, 1)},
        **dict(_labelled([one.labels for one in reports], labels)),
        **{f"heading: {heading}": share_figures([row[1] for row in verdicts if row[0] == heading]) for heading in often},
    }


def _verdicts(report: _Report, scorer: Scorer, show: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the heading of each code of a report, and the verdicts of its statements with place, side and degree and without."""
    for code in report.codes:
        whole, bare = (scorer.entails(report.text, said).verdict for said in (code.whole, code.bare))
        yield code.heading, whole, bare
        if show and whole != "entailed":
            line = {"id": report.id, "statement": code.whole, "got": whole, "bare": bare, "report": report.text}
            print(json.dumps(line, ensure_ascii=False))


def _labels_of(report: _Report, scorer: Scorer) -> frozenset[str]:
    values = scorer.labels(report.text, SET).values
    return frozenset(name for name, value in values.items() if value in ("present", "uncertain"))


def _reports(ask: Ask) -> list[_Report]:
    wording = load_wording()
    rows = replace(ask, sample=0).records("findings", "impression", mesh=list, nih14=list)
    found = []
    for number, row in enumerate(rows, 1):
        codes = [code.strip().lower() for code in row["mesh"]]
        text = " ".join(clean(row[part]) for part in ("findings", "impression") if row[part])
        if text and not any(UNINDEXED in code for code in codes):
            coded = [one for code in codes if code not in ("", NORMAL) and (one := statements_of_code(code, wording)) is not None]
            found.append(_Report(str(row.get("id", number)), text, coded, codes == [NORMAL], frozenset(row["nih14"])))
    if not found:
        raise InputError(f"{ask.path}: no report has both text and codes; see docs/benchmarks.md")
    return found


def _labelled(gold: Sequence[frozenset[str]], got: Sequence[frozenset[str]]) -> Iterator[tuple[str, dict[str, Any]]]:
    every = frozenset[str]().union(*gold) - {NORMAL} - LEFT_OUT
    for subset, members in zip(SUBSETS, (every, UNTOUCHED), strict=True):
        hit = sum(len(one & other & members) for one, other in zip(gold, got, strict=True))
        found, due = (sum(len(labels & members) for labels in side) for side in (got, gold))
        yield subset, {"cases": len(gold), **f1(hit, found, due, nothing=None)}


def load_wording() -> Wording:
    """Return the wording of codes (`mappings/statements/iuxray_mesh.yaml`, whose comments explain its parts)."""
    found: Wording = yaml_of("mappings", "statements", "iuxray_mesh.yaml")
    return found


def statements_of_code(code: str, wording: Wording) -> CodeStatements | None:
    """Return a code as statements, or None if the wording has none for it.

    >>> statements_of_code("Opacity/lung/base/left/mild", load_wording())
    CodeStatements(heading='opacity', whole='Mild opacity in the left lung base.', bare='Opacity.')
    >>> statements_of_code("Scoliosis/thoracic vertebrae/right", load_wording()).whole
    'Dextroscoliosis of the thoracic spine.'
    """
    heading, *qualifiers = (part.strip().lower() for part in code.split("/"))
    side = next((one for one in qualifiers if one in wording["sides"]), "")
    degree = " ".join(one for one in qualifiers if one in wording["degrees"])
    qualified = [words for one in qualifiers if (words := wording["qualified"].get(f"{heading}/{one}"))]
    if qualified:
        finding = qualified[-1]
        whole = [side if side != "bilateral" else "", degree, finding]
    elif heading in wording["headings"]:
        known = wording["headings"][heading]
        finding = known["words"]
        whole = _placed(finding, _place(qualifiers, known.get("place"), wording), side, degree, wording)
    else:
        return None
    return CodeStatements(heading, _sentence(" ".join(word for word in whole if word)), _sentence(finding))


def _place(qualifiers: Sequence[str], usual: str | None, wording: Wording) -> Mapping[str, Any] | None:
    """Return the place of a code: a combined one, else the last (the general one only if alone), else that of its heading."""
    named = [one for one in qualifiers if one in wording["places"]]
    for one in wording["joined"]:
        if set(one["places"]) <= set(named):
            return {"words": one["words"]}
    if not named:
        return {"words": usual} if usual else None
    found: Mapping[str, Any] = wording["places"][named[0] if named[-1] == wording["general_place"] else named[-1]]
    return found


def _placed(finding: str, place: Mapping[str, Any] | None, side: str, degree: str, wording: Wording) -> list[str]:
    curve = wording["curves"].get(finding, {}).get(side, "")
    if place is None:
        return [degree, curve] if curve else [side, degree, finding]
    if curve and place.get("unsided"):
        return [degree, curve, "of the", place["words"]]
    return [degree, finding, "in the", "" if place.get("unsided") else side, place["words"]]


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
