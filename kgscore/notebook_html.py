"""HTML representations for notebooks: small tables, all text escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgscore.model import Finding, PairResult, Reading

ROWS = 20


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], count: int, what: str = "rows") -> str:
    """Return a table of the first rows, with the total number.

    >>> html_table(["a"], [["<b>"]], 1)
    '<table><tr><th>a</th></tr><tr><td>&lt;b&gt;</td></tr></table><p>1 rows</p>'
    """
    lines = [f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>"]
    lines += [f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>" for row in islice(rows, ROWS)]
    return f"<table>{''.join(lines)}</table><p>{count:,} {escape(what)}</p>"


def result_html(one: PairResult, clash: Callable[[Finding, Finding], str]) -> str:
    """Return a pair: its scores, and the outcome of its findings; `clash` gives that of two that contradict each other."""
    head = f"<p><b>{escape(one.id or 'pair')}</b>: {escape(': '.join(filter(None, (one.status, one.reason))))}</p>"
    values = [(name, score.value) for name, score in one.scores.items()]
    scores = html_table(["metric", "score"], values, len(values), "metrics")
    if one.reference is None or one.candidate is None:
        return head + scores
    said = f"<p>{escape(one.verdict.sentence)}</p>" if one.verdict else ""
    ours, theirs = one.findings
    left, right = ([finding.text for finding in findings] for findings in (ours, theirs))
    rows: list[tuple[str, str, str]] = [
        (clash(ours[k.reference], theirs[k.candidate]), left[k.reference], right[k.candidate]) for k in one.contradictions
    ]
    rows += [("missed", left[at], "") for at in one.unmatched_reference]
    rows += [("invented", "", right[at]) for at in one.unmatched_candidate]
    rows += [("correct" if k.relation.weight >= 1 else "minor", left[k.reference], right[k.candidate]) for k in one.links]
    return head + scores + said + html_table(["", "reference", "candidate"], rows, len(rows), "findings and pairs of findings")


def reading_html(one: Reading) -> str:
    """Return the findings of a report, and the number of words not understood."""
    head = ("text", "finding", "status", "certainty", "sites", "side", "change")
    rows = ((f.text, f.label, f.status, f.certainty, ", ".join(f.sites), f.side or "", f.change or "") for f in one.findings)
    return html_table(head, rows, len(one.findings), f"findings; not understood: {len(one.unlinked)} words or phrases")


def _cell(value: object) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
