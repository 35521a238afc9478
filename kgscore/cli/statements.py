"""`kgscore read`, `relate`, `entails` and `consistency`: what reports and statements say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import (
    Modules,
    Profile,
    ReaderName,
    each,
    each_report,
    finish,
    note_unread,
    put,
    reports,
    say,
    scorer,
)
from kgscore.cli._json import contradiction_json, entailment_json, reading_json, relation_json
from kgscore.records import BadRecord, Record, clean

if TYPE_CHECKING:
    from kgscore.engine import Scorer

Reports = Annotated[list[str], typer.Argument(metavar="FILE", help="Text files, or lines with id, report; '-': JSON lines.")]


def read(
    files: Reports,
    profile: Profile = "default",
    module: Modules = None,
    reader: ReaderName = "default",
    trace: Annotated[bool, typer.Option("--trace", help="Show how each sentence was read: items, structure, findings.")] = False,
) -> None:
    """Read reports into findings, entities and relations: one JSON line a report.

    Offsets are characters into the report; a text file's id is its path. --trace prints text: each sentence with its items,
    the arcs between them where the reader has a structure, and its findings.
    """
    engine = scorer(profile, modules=module, reader=reader)

    def answer(record: Record) -> Mapping[str, Any]:
        report = record.fields["report"]
        reading = engine.read(report)
        note_unread(record, report, len(reading.findings))
        return reading_json(record.id, reading)

    if trace:
        _trace(files, engine)
        return
    each_report(files, answer)


def _trace(files: list[str], engine: Scorer) -> None:
    """Print how each report is read."""
    from kgscore.reading.protocol import Traced
    from kgscore.reading.trace import shown

    failed = 0
    for record in reports(files):
        if isinstance(record, BadRecord):
            say(str(record))
            failed += 1
        elif not isinstance(engine.reader, Traced):
            raise typer.BadParameter("this reader does not tell how it reads", param_hint="--trace")
        else:
            print("\n\n".join((record.id, *(shown(step) for step in engine.reader.trace(record.fields["report"])))), end="\n\n")
    finish(failed)


def relate(
    a: Annotated[str, typer.Argument(metavar="A|FILE", help="The reference statement; or, alone, a file with id, a, b.")],
    b: Annotated[str | None, typer.Argument(metavar="B", help="The generated statement.")] = None,
    profile: Profile = "default",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Relate a generated statement B to a reference statement A: equivalent, part_whole, contradiction or unrelated.

    With one argument, it is a file (or '-') with id, a, b in each line, and each line gets an answer.
    """
    engine = scorer(profile, modules=module, reader=reader)
    if b is not None:
        put(relation_json("", engine.relate(clean(a), clean(b))))
        return
    each(a, ("a", "b"), lambda record: relation_json(record.id, engine.relate(record.fields["a"], record.fields["b"])))


def entails(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Lines with id, report, statement; '-': JSON lines.")],
    profile: Profile = "default",
    module: Modules = None,
    reader: ReaderName = "default",
) -> None:
    """Say whether each report says its statement: entailed, contradicted or neutral, with spans and proof."""
    engine = scorer(profile, modules=module, reader=reader)

    def answer(record: Record) -> Mapping[str, Any]:
        report = record.fields["report"]
        return entailment_json(record.id, report, engine.entails(report, record.fields["statement"]))

    each(file, ("report", "statement"), answer)


def consistency(files: Reports, profile: Profile = "default", module: Modules = None, reader: ReaderName = "default") -> None:
    """Find contradictions inside each report, with the two spans and the proof."""
    engine = scorer(profile, modules=module, reader=reader)

    def answer(record: Record) -> Mapping[str, Any]:
        report = record.fields["report"]
        found = engine.consistency(report)
        return {"id": record.id, "contradictions": [contradiction_json(report, one) for one in found]}

    each_report(files, answer)
