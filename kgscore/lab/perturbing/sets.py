"""The kinds of sets: SSREE (RadSEM 4.2), HeadCT-ONE's variants (its 3.5, appendix B), errors after ReXErr (Rao et al. 2024)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from random import Random
from typing import Any

from kgscore.clinical.significance import Significances
from kgscore.engine import Scorer
from kgscore.errors import KgscoreError
from kgscore.lab import LEVELS
from kgscore.lab.perturbing.edits import Change
from kgscore.lab.perturbing.inventions import Inserter
from kgscore.lab.perturbing.means import Means, Words
from kgscore.lab.perturbing.source import Draft, Line, Source, Unit, findings_of, parse_source
from kgscore.ontology.modules import Module, distinct_modules, load_terms
from kgscore.ontology.tables import Term

ABNORMAL = 3
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "obs_error": ("omission", "false_prediction", "false_negation"),
    "anat_error": ("change_side", "change_location"),
    "desc_error": ("change_severity", "change_descriptor", "change_measurement", "change_comparison", "change_certainty"),
}
ERRORS = (*VARIANTS, "any_error")
MOST = 3
# The kinds of errors after ReXErr; slips are only made on request.
CLINICAL = (
    "add_device", "false_prediction", "false_positive", "false_negation", "omission", "wrong_finding", "change_device",
    "change_device_position", "change_severity", "change_location", "change_side", "change_measurement", "change_comparison",
    "add_comparison", "omit_comparison", "contradiction",
)  # fmt: skip
SLIPS = ("repetition", "typo", "homophone")
KINDS = (*CLINICAL, *SLIPS)
COUNT = 3
_REMEMBERED = 500


class Unfit(KgscoreError):
    """A report cannot be perturbed as required; the message gives the reason and quotes nothing of it."""


# ---- SSREE -----------------------------------------------------------------------------------------------------------
def ssree(inserter: Inserter, source: Source, seed: str) -> dict[str, Any]:
    """Return the five levels of a report by name: L1 is equivalent in other words and another order; in L2, L3 and L4 one, two
    and all abnormal findings are made normal; in L5 every statement is inverted; with notes on the changes, and the record."""
    findings = [f for line in source.lines for f in findings_of(line.units)]
    abnormal = sum(finding.asserts for finding in findings)
    if abnormal < ABNORMAL:
        raise Unfit(f"{abnormal} abnormal findings were read; levels 2 to 4 need {ABNORMAL}")
    if len(findings) == abnormal:
        raise Unfit("no normal or negated statement was read; level 5 needs one")
    plain = Draft(source)
    one, first = _make_normal(inserter, plain, (), seed)
    two, _ = _make_normal(inserter, one, (first,), seed)
    whole = {level: _make_all_normal(inserter, plain, f"{seed} {level}", inverted=level == "L5") for level in ("L4", "L5")}
    drafts = {"L1": plain, "L2": one, "L3": two, **whole}
    reworded = {level: _reword(inserter, draft, f"{seed} {level}") for level, draft in drafts.items()}
    if len({draft.text for draft in reworded.values()} | {source.text}) <= len(LEVELS):
        raise Unfit("two levels would be identical; the report has too few words that can be changed")
    notes = {level: [f"{change.before} -> {change.after}" for change in drafts[level].changes] for level in ("L2", "L3")}
    return _draft_texts(reworded, edited=notes)


def _reword(inserter: Inserter, draft: Draft, seed: str) -> Draft:
    random = Random(seed)
    return inserter.rewording.reorder(inserter.rewording.reworded(draft, random), random)


def _make_normal(inserter: Inserter, draft: Draft, done: Sequence[tuple[int, Unit]], seed: str) -> tuple[Draft, tuple[int, Unit]]:
    """Return a draft with one more finding made normal: in an unchanged line, or together with the one in its line."""
    random = Random(f"{seed} which")
    lines = enumerate(draft.source.lines)
    choices = [(number, unit) for number, line in lines for unit in line.units if unit.asserts and len(unit.findings) == 1]
    random.shuffle(choices)
    for number, unit in choices:
        if any(unit.numbers == other.numbers for _, other in done):
            continue
        again = [other for at, other in done if at == number]
        made = inserter.statements.turn(Draft(draft.source) if again else draft, number, [*again, unit], random, "false_negation")
        if made is not None:
            return made, (number, unit)
    raise Unfit(f"{'only one' if done else 'no'} abnormal finding can be made normal by itself")


def _make_all_normal(inserter: Inserter, draft: Draft, seed: str, *, inverted: bool) -> Draft:
    """Return a draft with all abnormal findings made normal, and with `inverted` all others abnormal."""
    random = Random(seed)
    for number, line in enumerate(draft.source.lines):
        units = [unit for unit in line.units if unit.asserts or inverted]
        kind = "inversion" if inverted else "false_negation"
        made = inserter.statements.turn(draft, number, units, random, kind, all_are=True) if units else draft
        if made is None:
            what = "a statement cannot be inverted" if inverted else "an abnormal finding cannot be made normal"
            numbers = ", ".join(str(n) for unit in units for n in unit.numbers)
            raise Unfit(f"{what} (sentence {number + 1}, findings {numbers})")
        draft = made
    return draft


def _draft_texts(drafts: Mapping[str, Draft], **notes: Any) -> dict[str, Any]:
    """Return the texts of drafts by name, notes on them, and the record of the changes."""
    return {**{name: draft.text for name, draft in drafts.items()}, **notes,
            "changed": {name: draft.as_json() for name, draft in drafts.items()}}  # fmt: skip


# ---- HeadCT-ONE ------------------------------------------------------------------------------------------------------
def headct(inserter: Inserter, source: Source, seed: str) -> dict[str, Any]:
    """Return a report reworded, and with one to three errors of a kind (or of any), with notes and the record of every change."""
    drafts = {"rephrased": _reword(inserter, Draft(source), f"{seed} rephrased")}
    if drafts["rephrased"].text == source.text:
        raise Unfit("the report cannot be reworded or reordered")
    for name in ERRORS:
        kinds = VARIANTS.get(name) or tuple(kind for kinds in VARIANTS.values() for kind in kinds)
        wanted = Random(f"{seed} {name} number").randint(1, MOST)
        drafts[name] = inserter.insert(Draft(source), kinds, wanted, f"{seed} {name}")
        if not drafts[name].changes:
            raise Unfit(f"{name}: nothing in the report can be changed this way ({', '.join(kinds)})")
    notes = {name: [f"{c.kind}: {c.before} -> {c.after}" for c in drafts[name].changes] for name in ERRORS}
    return _draft_texts(drafts, errors=notes)


# ---- ReXErr ----------------------------------------------------------------------------------------------------------
def rexerr(inserter: Inserter, source: Source, seed: str, kinds: Sequence[str] = CLINICAL, count: int = COUNT) -> dict[str, Any]:
    """Return a candidate with errors, line by line and as a text, the expected corrections, and the record of every change."""
    draft = inserter.insert(Draft(source), kinds, count, seed)
    if not draft.changes:
        raise Unfit(f"nothing in the report can be changed this way ({', '.join(kinds)})")
    lines, due = _corrections(draft)
    return {
        "candidate": lines,
        "expected": due,
        "error_report": draft.text,
        "errors_sampled": [change.kind for change in draft.changes],
        "changed": draft.as_json(),
    }


def _corrections(draft: Draft) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the lines of a candidate and the expected corrections of each: errors of meaning only."""
    lines: list[str] = []
    due: list[dict[str, Any]] = []

    def expect(line: int | None, action: str, text: str, change: Change) -> None:
        graded = {"severity": change.severity, "categories": list(change.categories), "kind": change.kind}
        due.append({"line": line, "action": action, "new_text": text, **graded})

    for number, line in enumerate(draft.source.lines):
        label = f"{line.label}: " if line.label else ""
        here = [change for change in draft.changes if change.severity is not None and _belongs_to_line(change, line)]
        added = [text for at, text in draft.added if at == number]
        if draft.line(number):
            lines.append(label + draft.line(number))
        for change in here:
            if change.kind == "omission":
                expect(None, "insert", label + line.text, change)
            elif not added:
                expect(len(lines) - 1, "substitute", label + line.text, change)
        for extra in added:
            lines.append(extra)
            for change in here:
                expect(len(lines) - 1, "delete", "", change)
    return lines, due


def _belongs_to_line(change: Change, line: Line) -> bool:
    """Return whether a change belongs to this line; an insertion is at the end of its line."""
    start, end = change.span
    return line.start <= start and end <= line.end and (start < line.end or start == end)


# ---- from records to records -------------------------------------------------------------------------------------------
class Broken(KgscoreError):
    """A bug was hit by one report; the others are processed. The message quotes nothing of it."""


def perturber(
    kind: str, *, seed: int = 0, errors: Sequence[str] = CLINICAL, count: int = COUNT, profile: str = "default",
    modules: Sequence[str] = (),
) -> Callable[[str, str, str], dict[str, Any]]:  # fmt: skip
    """Return a function that perturbs reports: it makes a record from a report, its id and its modality. The same report, id and
    seed give the same record, whatever else is in the file.

    Args:
        kind: `ssree`, `headct` or `rexerr`.
        seed: an integer, the random seed.
        errors, count: of `rexerr`: the kinds of errors, and how many per report.
        profile, modules: as for `Scorer`.
    """
    scorer = Scorer(profile, (), modules, remember=_REMEMBERED)
    means = build_means(scorer, (*scorer.profile.modules, *modules))
    inserter = Inserter(means)
    made_by = {"kind": kind, "seed": seed, **{name: scorer.signature[name] for name in ("kgscore", "knowledge")}}
    # The name of a record, the field of its report, and what makes the rest of it.
    makers: dict[str, tuple[str, str, Callable[..., dict[str, Any]]]] = {
        "ssree": ("case", "reference", ssree),
        "headct": ("id", "report", headct),
        "rexerr": ("id", "reference", partial(rexerr, kinds=errors, count=count)),
    }
    name, text, make = makers[kind]

    def perturb(report: str, id: str, modality: str) -> dict[str, Any]:
        try:
            source = parse_source(report, means.read, means.lexicon)
            if not source.reading.findings:
                raise Unfit("no finding was read; kgscore reads English findings")
            made = make(inserter, source, f"{seed} {kind} {id}")
        except (KgscoreError, MemoryError):
            raise
        except Exception as error:
            raise Broken(f"internal error ({type(error).__name__}); please report it") from None
        return {name: id, "modality": modality, text: report, **made, "made_by": made_by}

    return perturb


@lru_cache(maxsize=2)
def _terms(modules: tuple[Module, ...]) -> Sequence[Term]:
    """Return the terms of the ontology with modules, cached by the hashes of their contents."""
    return load_terms(modules)[0]


def build_means(scorer: Scorer, modules: Sequence[str]) -> Means:
    """Return the resources for changing reports, from a scorer."""
    words = Words(_terms(tuple(distinct_modules(modules))), scorer.index)
    return Means(scorer.read, scorer.index, scorer.lexicon, scorer.relator, words, Significances(scorer.index))
