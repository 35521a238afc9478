"""ReXErr-like errors (Rao et al. 2024) in any report, of known category and severity, as corrections that are due.

The kinds of ReXErr and what stands for them here: add medical device (`add_device`), false prediction (`false_prediction`, and
`false_positive` for a denial made an assertion), false negation (`false_negation`), change name of device (`change_device`) and
its position (`change_device_position`), severity, location (`change_location`, `change_side`), measurement; add contradictions
and repetitions, typo and homophone, the last three only where they are asked for. Beside them: `omission`, `wrong_finding`, and
comparisons changed, added and left out (the categories of ReXVal).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgscore.perturbing.edits import Change
from kgscore.perturbing.inserting import Inserter
from kgscore.perturbing.outcome import Unfit
from kgscore.perturbing.source import Draft, Line, Source

CLINICAL = (
    "add_device", "false_prediction", "false_positive", "false_negation", "omission", "wrong_finding", "change_device",
    "change_device_position", "change_severity", "change_location", "change_side", "change_measurement", "change_comparison",
    "add_comparison", "omit_comparison", "contradiction",
)  # fmt: skip
SLIPS = ("repetition", "typo", "homophone")
KINDS = (*CLINICAL, *SLIPS)
COUNT = 3


class RexErr:
    """Puts errors into a report and lists the corrections that are due."""

    def __init__(self, inserter: Inserter, kinds: Sequence[str] = CLINICAL, count: int = COUNT) -> None:
        self.inserter = inserter
        self.kinds = tuple(kinds)
        self.count = count

    def make(self, source: Source, seed: str) -> dict[str, Any]:
        """Return the candidate with errors, line by line and as a text, the corrections that are due, and the record of every
        change.

        Raises:
            Unfit: no error of these kinds can be put in.
        """
        draft = self.inserter.insert(Draft(source), self.kinds, self.count, seed)
        if not draft.changes:
            raise Unfit(f"nothing in the report can be changed in such a way ({', '.join(self.kinds)})")
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
        text = draft.line(number)
        added = [text for at, text in draft.added if at == number]
        if text:
            lines.append(label + text)
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
