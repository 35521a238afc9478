"""Adjusts findings by the words around them before entailment: alternatives, structures seen in part, and devices that are
mentioned without their full name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from kgscore.entailment.statement_cues import sentence_at
from kgscore.model import Finding
from kgscore.ontology.index import Index

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
