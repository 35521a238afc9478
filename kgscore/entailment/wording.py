"""Adjusts findings by the words around them before entailment: alternatives, what was seen in part, devices without their full
name, counts ("two nodules"), and the side that a report is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from kgscore.entailment.statement_cues import sentence_at
from kgscore.model import OTHER_SIDE, Detail, Finding, Side
from kgscore.ontology.index import Index
from kgscore.resources import resource

COUNT = "count"
_ROW = re.compile(r"^number (\d+) \| ([a-z; -]+?) \|$", re.MULTILINE)
# "a" and "one of" are no counts; larger numbers are sizes or levels.
_LEAST, _MOST = 2, 12
_UNITS = r"(?:[cm]m|x|by|to|and|or|of|per|cc|m[lL]|weeks?|days?)\b|\w*(?:met(?:er|re)|percent|inch)"
_OR = re.compile(r"\s+or\s+(?:(?:a|an|the)\s+)?\Z", re.IGNORECASE)
_PARTLY_SEEN = re.compile(
    r"\b(?:visuali[sz]ed|imaged|included|visible|scanned|shown|seen)\s(?:upper\s|lower\s|proximal\s|distal\s)?(?:portion|part|segment|aspect)s?\b"
    r"|\b(?:portion|part|segment|aspect)s?\s(?:visuali[sz]ed|imaged|included|visible|seen|shown)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?:catheter|tube|line|drain|wire|lead)s?", re.IGNORECASE)


def with_alternatives(findings: Sequence[Finding], text: str) -> list[Finding]:
    """Return findings, with two that "or" joins each reduced to possible ("aspiration or atelectasis")."""
    pairs = [pair for pair in pairwise(findings) if _joined(*pair, text)]
    return [replace(one, certainty="possible") if any(one in pair for pair in pairs) else one for one in findings]


def _joined(one: Finding, other: Finding, text: str) -> bool:
    sure = one.asserts and other.asserts and one.certainty == other.certainty == "definite" and one.concept != other.concept
    return sure and one.end < other.start and _OR.fullmatch(text, one.end, other.start) is not None


def partly_seen(denial: Finding, source: str, statement: str) -> bool:
    """Return whether a normal statement covers only the part that was seen ("the visualized portion"), but the tested one all."""
    if denial.status != "normal" or _PARTLY_SEEN.search(statement):
        return False
    return _PARTLY_SEEN.search(sentence_at(source, denial.start)) is not None


def with_named_devices(index: Index, findings: Sequence[Finding], report: Sequence[Finding]) -> list[Finding]:
    """Return findings with a device of a general name ("the catheter") resolved to the only one of the report that fits."""
    return [_named(index, finding, report) for finding in findings]


def _named(index: Index, device: Finding, report: Sequence[Finding]) -> Finding:
    if not _is_bare(device) or not _is_line(index, device):
        return device
    others = {f.concept: f for f in report if f is not device and _is_line(index, f)}
    word = device.text.lower().split()[-1].rstrip("s")
    called = {name: f for name, f in others.items() if word in f"{f.label} {f.text}".lower()} or others
    called = {name: f for name, f in called.items() if not _is_bare(f)} or called
    if len(called) != 1:
        return device
    (said,) = called.values()
    return replace(device, concept=said.concept, label=said.label, side=device.side or said.side)


def _is_line(index: Index, finding: Finding) -> bool:
    return finding.asserts and index.is_any(finding.concept, index.flagged("lines"))


def _is_bare(device: Finding) -> bool:
    """Whether a device is named by its general kind only ("catheter")."""
    return _NAMED.fullmatch(device.text) is not None


def count_findings(index: Index, findings: Sequence[Finding], text: str) -> list[Finding]:
    """Return the findings of a text with their counts, where one begins with a number from two to twelve."""
    return [_with_count(finding, text, index.role("several")) for finding in findings]


def _with_count(finding: Finding, text: str, several: str) -> Finding:
    found = _number().match(text, finding.start) if finding.asserts else None
    number = found[1].lower() if found else "0"
    count = int(number) if number.isdigit() else _words()[number]
    details = (Detail(COUNT, f"{count} items", number), Detail("quantity", several, number))
    return replace(finding, details=(*finding.details, *details)) if _LEAST <= count <= _MOST else finding


@cache
def _words() -> dict[str, int]:
    """Return the numbers that have a word of their own (`mappings/reading/units.txt`)."""
    rows = _ROW.findall(resource("mappings", "reading", "units.txt").read_text(encoding="utf-8"))
    return {word.strip(): int(number) for number, words in rows for word in words.split(";")}


@cache
def _number() -> re.Pattern[str]:
    words = "|".join(map(re.escape, _words()))
    return re.compile(rf"(\d{{1,2}}|{words})\s+(?!{_UNITS})(?=[a-z])", re.IGNORECASE)


def with_named_side(index: Index, findings: Iterable[Finding], source: str) -> list[Finding]:
    """Return assertions without a side with the only side that the text gives for their site ("the left kidney")."""
    text = source.lower()
    return [replace(f, side=_named_side(index, f, text)) if f.asserts and f.side is None else f for f in findings]


def _named_side(index: Index, finding: Finding, text: str) -> Side | None:
    for site in (site for site in finding.sites if site in index.marked("paired")):
        label = re.escape(index.label(site))
        sides = {word for word in OTHER_SIDE if re.search(rf"\b{word} {label}\b", text)}
        if len(sides) == 1 and not re.search(rf"\b(?:both|bilateral|either|each) {label}", text):
            return next(side for side in OTHER_SIDE.values() if side in sides)
    return None


def with_side_of_report(index: Index, statement: Sequence[Finding], report: Sequence[Finding]) -> list[Finding]:
    """Return a statement without a side with the side of a report of one limb: what it says of both sides is of that one."""
    sides = {finding.side for finding in report} - {None}
    if len(sides) != 1 or not all(index.inside_any(site, index.flagged("limbs")) for f in statement for site in f.sites):
        return list(statement)
    side = sides.pop()
    found = [f if f.side is not None or not f.sites else replace(f, side=side) for f in statement]
    return [replace(f, both=False) for f in found if not f.both or f.side == side]
