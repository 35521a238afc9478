"""Counts: the number at the start of a finding ("two nodules"), compared like a measurement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from kgscore.model import Detail, Finding
from kgscore.ontology.index import Index
from kgscore.resources import resource

COUNT = "count"
_ROW = re.compile(r"^number (\d+) \| ([a-z; -]+?) \|$", re.MULTILINE)
# "a" and "one of" are no counts; larger numbers are sizes or levels.
_LEAST, _MOST = 2, 12
_UNITS = r"(?:[cm]m|x|by|to|and|or|of|per|cc|m[lL]|weeks?|days?)\b|\w*(?:met(?:er|re)|percent|inch)"


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
