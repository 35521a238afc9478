"""HTML representations for notebooks: small tables, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgscore.model import Finding, PairResult, Reading, clash_outcome

ROWS = 20


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], count: int, what: str = "rows") -> str:
    """Return a table of the first rows, with the total number.

    >>> html_table(["a"], [["<b>"]], 1)
    '<table><tr><th>a</th></tr><tr><td>&lt;b&gt;</td></tr></table><p>1 rows</p>'
    """
    lines = [f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>"]
    for number, row in enumerate(rows):
        if number == ROWS:
            break
        lines.append(f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>")
    return f"<table>{''.join(lines)}</table><p>{count:,} {escape(what)}</p>"


def result_html(one: PairResult) -> str:
    """Return a pair: its scores, and the outcome of its findings."""
    head = f"<p><b>{escape(one.id or 'pair')}</b>: {escape(': '.join(filter(None, (one.status, one.reason))))}</p>"
    values = [(name, score.value) for name, score in one.scores.items()]
    scores = html_table(["metric", "score"], values, len(values), "metrics")
    if one.reference is None or one.candidate is None:
        return head + scores
    said = f"<p>{escape(one.verdict.sentence)}</p>" if one.verdict else ""
    ours, theirs = one.findings
    left, right = ([finding.text for finding in findings] for findings in (ours, theirs))
    rows: list[tuple[str, str, str]] = [
        (clash_outcome(ours[k.reference], theirs[k.candidate]), left[k.reference], right[k.candidate]) for k in one.contradictions
    ]
    rows += [("missed", left[at], "") for at in one.unmatched_reference]
    rows += [("invented", "", right[at]) for at in one.unmatched_candidate]
    rows += [("correct" if k.relation.weight >= 1 else "minor", left[k.reference], right[k.candidate]) for k in one.links]
    return head + scores + said + html_table(["", "reference", "candidate"], rows, len(rows), "findings and pairs of findings")


def reading_html(one: Reading) -> str:
    """Return the findings of a report, and the number of words not understood."""
    rows = map(_finding, one.findings)
    return html_table(_HEAD, rows, len(one.findings), f"findings; not understood: {len(one.unlinked)} words or phrases")


_HEAD = ("text", "finding", "status", "certainty", "sites", "side", "change")


def _finding(one: Finding) -> tuple[object, ...]:
    return one.text, one.label, one.status, one.certainty, ", ".join(one.sites), one.side or "", one.change or ""


def _cell(value: object) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
