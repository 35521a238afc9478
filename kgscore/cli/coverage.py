"""`kgscore ontology coverage`: text that was not understood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import Failures, reports, say, write_json
from kgscore.cli._options import ENGINE, ColumnNames, Engine, Reports

if TYPE_CHECKING:
    from kgscore.authoring.coverage import Coverage


def coverage(
    files: Reports, columns: ColumnNames = None,
    top: Annotated[int | None, typer.Option(metavar="N", min=1, help="Only the N most frequent.")] = None,
    suggest: Annotated[int, typer.Option(metavar="N", min=0, help="At most N concepts for each.")] = 3,
    sentences: Annotated[bool, typer.Option("--sentences", help="List sentences that gave no finding, not words.")] = False,
    engine: Engine = ENGINE,
) -> None:
    """List the words that no concept covers, most frequent first: one JSON line each, with text, count, reports, the
    surrounding phrase, and suggestions.

    A suggestion is an existing concept with a similar spelling or shared words. With --sentences, list the sentences from which
    nothing was read, those with a finding or change word first. Standard error reports the share of findings linked to a
    concept, the number of sentences by kind (findings, headings, remarks by kind, not composed), and how much text was skipped
    as technique, history, comparison, advice, communication and other remarks."""
    from kgscore.authoring.coverage import Coverage

    found, failures = Coverage(engine.scorer()), Failures()
    for record in failures.left(reports(files, columns)):
        found.add(record.fields["report"])
    for lost in found.lost_sentences(top) if sentences else ():
        write_json(asdict(lost))
    for one in () if sentences else found.unknown(top, suggest):
        suggestions = [asdict(suggestion) for suggestion in one.suggestions]
        write_json({"text": one.text, "count": one.count, "reports": one.reports, "in": one.phrase, "suggestions": suggestions})
    for line in _summary(found):
        say(line)
    failures.finish()


def _summary(found: Coverage) -> Iterator[str]:
    share = f" ({found.linked / found.findings:.1%})" if found.findings else ""
    yield f"{found.reports} reports, {found.findings} findings, {found.linked} of them linked to a concept{share}"
    if total := found.fates.total():
        yield f"{total} sentences: {', '.join(f'{name} {count / total:.2%}' for name, count in found.fates.most_common())}"
        passed = (f"{kind} {words} words in {found.fates[kind]}" for kind, words in found.passed.most_common())
        if told := "; ".join(passed):
            yield f"sentences passed over: {told}"
        if lost_ones := found.lost_sentences():
            holding = sum(one.count for one in lost_ones if one.holds)
            yield f"{holding} of those not composed contain a finding or change word ({holding / total:.2%} of all)"
