"""The kinds of sets: SSREE (RadSEM 4.2), HeadCT-ONE's variants (its 3.5, appendix B), errors after ReXErr (Rao et al. 2024)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from kgscore.errors import KgscoreError
from kgscore.studies.perturbing.edits import Change, Version
from kgscore.studies.perturbing.inventions import Inserter
from kgscore.studies.perturbing.source import Draft, Line, Source, Unit

LEVELS = ("L1", "L2", "L3", "L4", "L5")
ABNORMAL = 3
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "obs_error": ("omission", "false_prediction", "false_negation"),
    "anat_error": ("change_side", "change_location"),
    "desc_error": ("change_severity", "change_descriptor", "change_measurement", "change_comparison", "change_certainty"),
}
ERRORS = (*VARIANTS, "any_error")
MOST = 3
# The kinds of errors after ReXErr; slips are made only where they are asked for.
CLINICAL = (
    "add_device", "false_prediction", "false_positive", "false_negation", "omission", "wrong_finding", "change_device",
    "change_device_position", "change_severity", "change_location", "change_side", "change_measurement", "change_comparison",
    "add_comparison", "omit_comparison", "contradiction",
)  # fmt: skip
SLIPS = ("repetition", "typo", "homophone")
KINDS = (*CLINICAL, *SLIPS)
COUNT = 3


class Unfit(KgscoreError):
    """A report cannot be perturbed as wanted; the message says why and quotes nothing of it."""


# ---- SSREE -----------------------------------------------------------------------------------------------------------
def ssree(inserter: Inserter, source: Source, seed: str) -> dict[str, Any]:
    """Return the five levels of a report by name: L1 says the same in other words and another order; in L2, L3 and L4 one, two
    and all abnormal findings are made normal; in L5 every statement is inverted; with notes of what was turned, and the record.

    Raises:
        Unfit: the report says too little, or something in it cannot be turned.
    """
    findings = [f for line in source.lines for unit in line.units for f in unit.findings]
    abnormal = sum(finding.asserts for finding in findings)
    if abnormal < ABNORMAL:
        raise Unfit(f"{abnormal} abnormal findings were read; levels 2 to 4 take {ABNORMAL}")
    if len(findings) == abnormal:
        raise Unfit("no normal or negated statement was read; level 5 takes one")
    plain = Draft(source)
    one, first = _one(inserter, plain, (), seed)
    two, _ = _one(inserter, one, (first,), seed)
    whole = {level: _all(inserter, plain, f"{seed} {level}", inverted=level == "L5") for level in ("L4", "L5")}
    drafts = {"L1": plain, "L2": one, "L3": two, **whole}
    versions = {level: _reworded(inserter, draft, f"{seed} {level}").version() for level, draft in drafts.items()}
    if len({version.text for version in versions.values()} | {source.text}) <= len(LEVELS):
        raise Unfit("two levels would be the same text; the report has too few words that can be changed")
    notes = {level: [f"{change.before} -> {change.after}" for change in drafts[level].changes] for level in ("L2", "L3")}
    return {**_texts(versions), "edited": notes, "changed": {level: version.as_json() for level, version in versions.items()}}


def _reworded(inserter: Inserter, draft: Draft, seed: str) -> Draft:
    """Return a draft in other words and another order."""
    random = Random(seed)
    return inserter.rewording.reordered(inserter.rewording.reworded(draft, random), random)


def _one(inserter: Inserter, draft: Draft, done: Sequence[tuple[int, Unit]], seed: str) -> tuple[Draft, tuple[int, Unit]]:
    """Return a draft with one abnormal finding more made normal: of a line that stands as it was, else together with the one
    of its own line."""
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


def _all(inserter: Inserter, draft: Draft, seed: str, *, inverted: bool) -> Draft:
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


def _texts(versions: Mapping[str, Version]) -> dict[str, Any]:
    return {name: version.text for name, version in versions.items()}


# ---- HeadCT-ONE ------------------------------------------------------------------------------------------------------
def headct(inserter: Inserter, source: Source, seed: str) -> dict[str, Any]:
    """Return a report in other words, and with one to three errors of observation, anatomy, descriptor, or of any of these; with
    notes on the errors, and the record of every change.

    Raises:
        Unfit: no error of a kind can be put in, or the report cannot be reworded.
    """
    drafts = {"rephrased": _reworded(inserter, Draft(source), f"{seed} rephrased")}
    if drafts["rephrased"].version().text == source.text:
        raise Unfit("the report cannot be put in other words or another order")
    for name in ERRORS:
        kinds = VARIANTS.get(name) or tuple(kind for kinds in VARIANTS.values() for kind in kinds)
        wanted = Random(f"{seed} {name} number").randint(1, MOST)
        drafts[name] = inserter.insert(Draft(source), kinds, wanted, f"{seed} {name}")
        if not drafts[name].changes:
            raise Unfit(f"{name}: nothing in the report can be changed in such a way ({', '.join(kinds)})")
    versions = {name: draft.version() for name, draft in drafts.items()}
    notes = {name: [f"{c.kind}: {c.before} -> {c.after}" for c in versions[name].changes] for name in ERRORS}
    return {**_texts(versions), "errors": notes, "changed": {name: version.as_json() for name, version in versions.items()}}


# ---- ReXErr ----------------------------------------------------------------------------------------------------------
def rexerr(
    inserter: Inserter, source: Source, seed: str, kinds: Sequence[str] = CLINICAL, count: int = COUNT
) -> dict[str, Any]:
    """Return a candidate with errors, line by line and as a text, the corrections that are due, and the record of every change.

    Raises:
        Unfit: no error of these kinds can be put in.
    """
    draft = inserter.insert(Draft(source), kinds, count, seed)
    if not draft.changes:
        raise Unfit(f"nothing in the report can be changed in such a way ({', '.join(kinds)})")
    lines, due = _corrections(draft)
    version = draft.version()
    return {
        "candidate": lines,
        "expected": due,
        "error_report": version.text,
        "errors_sampled": [change.kind for change in version.changes],
        "changed": version.as_json(),
    }


def _corrections(draft: Draft) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the lines of a candidate and what is due at each: errors of meaning only."""
    lines: list[str] = []
    due: list[dict[str, Any]] = []
    for number, line in enumerate(draft.source.lines):
        label = f"{line.label}: " if line.label else ""
        here = [change for change in draft.changes if change.severity is not None and _of(change, line)]
        added = [text for at, text in draft.added if at == number]
        if draft.line(number):
            lines.append(label + draft.line(number))
        for change in here:
            if change.kind == "omission":
                due.append(_due(None, "insert", label + line.text, change))
            elif not added:
                due.append(_due(len(lines) - 1, "substitute", label + line.text, change))
        for extra in added:
            lines.append(extra)
            due += [_due(len(lines) - 1, "delete", "", change) for change in here]
    return lines, due


def _of(change: Change, line: Line) -> bool:
    """Whether a change is of this line: what is put in stands at the end of its own line."""
    start, end = change.span
    return line.start <= start and end <= line.end and (start < line.end or start == end)


def _due(line: int | None, action: str, text: str, change: Change) -> dict[str, Any]:
    return {
        "line": line, "action": action, "new_text": text, "severity": change.severity, "categories": list(change.categories),
        "kind": change.kind,
    }  # fmt: skip
