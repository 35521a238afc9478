"""`kgscore coverage`: what was not understood."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from kgscore.cli._common import Profile, finish, put, say, scorer, text_record
from kgscore.records import BadRecord, is_lines, read_records


def coverage(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Text files, or lines with id and report, or reference and candidate.")
    ],
    top: Annotated[int | None, typer.Option("--top", metavar="N", min=1, help="Only the N most frequent.")] = None,
    profile: Profile = "default",
) -> None:
    """List the words that no concept covers, the most frequent first: one JSON line with text, count and reports each.

    Standard error gets the share of findings that are linked to a concept.
    """
    engine = scorer(profile)
    count: Counter[str] = Counter()
    reports: Counter[str] = Counter()
    findings = linked = read = failed = 0
    for source in files:
        choices = (("report",), ("reference", "candidate"))
        for record in read_records(source, *choices) if is_lines(source) else [text_record(source)]:
            if isinstance(record, BadRecord):
                failed += 1
                say(str(record))
                continue
            for report in record.fields.values():
                reading = engine.read(report)
                read += 1
                findings += len(reading.findings)
                linked += sum(finding.concept is not None for finding in reading.findings)
                words = [" ".join(unlinked.text.lower().split()) for unlinked in reading.unlinked]
                count.update(words)
                reports.update(set(words))
    for text, times in sorted(count.items(), key=lambda item: (-item[1], item[0]))[:top]:
        put({"text": text, "count": times, "reports": reports[text]})
    share = f" ({linked / findings:.1%})" if findings else ""
    say(f"{read} reports, {findings} findings, {linked} of them linked to a concept{share}")
    finish(failed)
