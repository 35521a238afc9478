"""`kgscore coverage`, also `kgscore ontology coverage`: what was not understood."""

from __future__ import annotations

from typing import Annotated

import typer

from kgscore.cli._common import REPORTS_OR_PAIRS, Modules, Profile, finish, put, reports, say, scorer
from kgscore.records import BadRecord


def coverage(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE", help="Text files, or lines with id and report, or reference and candidate.")
    ],
    top: Annotated[int | None, typer.Option("--top", metavar="N", min=1, help="Only the N most frequent.")] = None,
    suggest: Annotated[int, typer.Option("--suggest", metavar="N", min=0, help="At most N concepts for each.")] = 3,
    profile: Profile = "default",
    module: Modules = None,
) -> None:
    """List the words that no concept covers, the most frequent first: one JSON line each, with text, count, reports,
    the phrase it stands in, and suggestions.

    A suggestion is an existing concept: near in spelling, or sharing words. Standard error gets the share of findings that
    are linked to a concept.
    """
    from kgscore.authoring.coverage import Coverage

    found = Coverage(scorer(profile, modules=module))
    failed = 0
    for record in reports(files, *REPORTS_OR_PAIRS):
        if isinstance(record, BadRecord):
            failed += 1
            say(str(record))
            continue
        for report in record.fields.values():
            found.add(report)
    for one in found.unknown(top, suggest):
        suggestions = [
            {"concept": s.concept, "kind": s.kind, "form": s.form, "by": s.by, "score": s.score} for s in one.suggestions
        ]
        put({"text": one.text, "count": one.count, "reports": one.reports, "in": one.phrase, "suggestions": suggestions})
    share = f" ({found.linked / found.findings:.1%})" if found.findings else ""
    say(f"{found.reports} reports, {found.findings} findings, {found.linked} of them linked to a concept{share}")
    finish(failed)
