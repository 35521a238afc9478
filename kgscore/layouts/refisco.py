"""ReFiSco: reports with the corrections that a radiologist made line by line, each with its clinical severity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgscore.layouts.tables import Layout, RatedPair, Table, cell, checked, number
from kgscore.records import BadRecord

# From this severity on an error is one to act upon (FineRadScore, appendix A).
ACTIONABLE = 2
_KEPT, _DELETED = "noedit", "delete"


@dataclass(frozen=True, slots=True)
class Due:
    """A correction that a reader made: of the line at this position (None: an insertion), with a severity from 0 to 4."""

    line: int | None
    action: str
    severity: int


@dataclass(frozen=True, slots=True)
class Annotated:
    """One reader's annotation of one report. Annotations of one `report` are of the same text by several readers."""

    where: str
    id: str
    study: str
    report: str
    lines: tuple[str, ...]
    due: tuple[Due, ...]
    corrected: tuple[str, ...]

    @property
    def severities(self) -> list[int]:
        """The severity of each line as the reader graded it, 0 where it was left alone."""
        graded = {one.line: one.severity for one in self.due}
        return [graded.get(number, 0) for number in range(len(self.lines))]

    @property
    def worst(self) -> int:
        """The highest severity of a correction, insertions too; 0 where there is none."""
        return max((one.severity for one in self.due), default=0)

    @property
    def reference(self) -> str:
        """What the corrections make of the report."""
        return _joined(self.corrected)

    @property
    def candidate(self) -> str:
        """The report as it was."""
        return _joined(self.lines)


def annotated(table: Table) -> Iterator[Annotated | BadRecord]:
    """Yield every annotation of every report, or what is wrong with it."""
    bad: list[BadRecord] = []
    names = {name: table.column(name) for name in ("study", "annotator", "source", "original", "edited", "severity")}
    reports: dict[tuple[str, str, str], list[tuple[str, Mapping[str, Any]]]] = {}
    for where, row in table.good(bad):
        group = (cell(row, names["study"]), cell(row, names["annotator"]), cell(row, names["source"]))
        reports.setdefault(group, []).append((where, row))
    for (study, annotator, source), lines in reports.items():
        report = f"{study} {source}".strip()
        yield _annotation((f"{report} {annotator}".strip(), study, report), lines, names, table.layout)
    yield from bad


def _annotation(
    named: tuple[str, str, str], rows: Sequence[tuple[str, Mapping[str, Any]]], names: Mapping[str, str], layout: Layout
) -> Annotated | BadRecord:
    lines: list[str] = []
    corrected: list[str] = []
    due: list[Due] = []
    for where, row in rows:
        original, edited = cell(row, names["original"]), cell(row, names["edited"])
        action = "".join(letter for letter in edited.lower() if letter.isalpha())
        if original:
            lines.append(original)
        if action in (_KEPT, "") or (action == _DELETED and not original):
            corrected += [original] if original else []
            continue
        severity = _severity(cell(row, names["severity"]), layout)
        if severity is None:
            known = ", ".join(layout.severities)
            return BadRecord(
                where, named[0], f"field '{names['severity']}' is no severity; it is 0 to 4 or one of {known}"
            )
        kept = action != _DELETED
        if kept:
            corrected.append(edited)
        kind = "insert" if not original else "substitute" if kept else "delete"
        due.append(Due(len(lines) - 1 if original else None, kind, severity))
    return Annotated(rows[0][0], *named, tuple(lines), tuple(due), tuple(corrected))


def refisco(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the reports of ReFiSco: the candidate is the report as it was, the reference what a reader's corrections make of it.

    `total` counts the lines corrected, `significant` those to act upon; `severity` adds up their severities (1 to 4).
    """
    seen: dict[str, str] = {}
    for one in annotated(tables["lines"]):
        if isinstance(one, BadRecord):
            yield one
            continue
        graded = [each.severity for each in one.due]
        significant = sum(severity >= ACTIONABLE for severity in graded)
        ratings = {
            "total": float(len(graded)), "significant": float(significant), "severity": float(sum(graded)),
            "max_severity": float(max(graded, default=0)), "insignificant": float(len(graded) - significant),
        }  # fmt: skip
        given = {"id": one.id, "reference": one.reference, "candidate": one.candidate}
        yield checked(one.where, given, seen, one.study, ratings)


def _severity(said: str, layout: Layout) -> int | None:
    words = " ".join(said.lower().replace("-", "").replace("error", " ").split())
    if words in ("", "no"):
        return 0
    if words in layout.severities:
        return layout.severities[words]
    value = number(said)
    return int(value) if value is not None and value in (0, 1, 2, 3, 4) else None


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(line if line.endswith((".", "!", "?", ":")) else f"{line}." for line in lines)
