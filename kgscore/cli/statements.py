"""`kgscore read`, `relate`, `entails` and `consistency`: analyse reports and statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import Failures, columns_of, note_unread, output_stream, print_lines, reports, say, write_json
from kgscore.cli._json import contradiction_json, entailment_json, reading_json, relation_json
from kgscore.cli._language import estimate, with_model
from kgscore.cli._options import WORK, ColumnNames, DryRun, Reports, Work
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, clean, read_records

if TYPE_CHECKING:
    from kgscore.engine import Scorer

_STATEMENTS = ("a", "b")


@with_model
def read(
    files: Reports, columns: ColumnNames = None, work: Work = WORK,
    trace: Annotated[bool, typer.Option("--trace", help="Show how each sentence was read: items, structure, findings.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="With --trace: draw it as an HTML page.")] = None,
    dry_run: DryRun = False,
) -> None:
    """Read reports into findings, entities and relations: one JSON line a report.

    Offsets are characters into the report; a text file's id is its path. For pairs, both reports are read. --trace prints text:
    each sentence with its items, the arcs between them if the reader has a structure, and its findings or classification.
    --trace --html FILE draws it as a page."""
    if html is not None and not trace:
        raise typer.BadParameter("requires --trace", param_hint="--html")
    found = reports(files, columns)
    if dry_run:
        estimate(work.reader, work.engine.scorer(), found)
        return
    if trace:
        _trace(found, work.engine.scorer(), html)
        return
    print_lines(found, _read, work, _note_report)


def _read(engine: Scorer, record: Record) -> Mapping[str, Any]:
    return reading_json(record.id, engine.read(record.fields["report"]))


def _note_report(record: Record, answer: Mapping[str, Any]) -> None:
    note_unread(record, record.fields["report"], len(answer["findings"]))


def _trace(records: Iterable[Record | BadRecord], engine: Scorer, html: Path | None) -> None:
    from kgscore.reading.protocol import Traced
    from kgscore.reading.reading_svg import Drawing, drawing_of
    from kgscore.reading.trace import step_text

    failures = Failures()
    drawings: dict[str, list[Drawing]] = {}
    for record in failures.left(records):
        if not isinstance(engine.reader, Traced):
            raise typer.BadParameter("this reader does not support tracing", param_hint="--trace")
        steps = engine.reader.trace(record.fields["report"])
        if html is None:
            print("\n\n".join((record.id, *map(step_text, steps))), end="\n\n")
        else:
            drawings[record.id] = [drawing_of(step) for step in steps]
    if html is not None:
        from kgscore.report.html import environment

        with output_stream(html) as stream:
            stream.write(environment().get_template("trace.html.j2").render(reports=drawings).encode())
        say(f"{html}: {len(drawings)} report{'s' if len(drawings) != 1 else ''}; it contains their text")
    failures.finish()


@with_model
def relate(
    a: Annotated[str, typer.Argument(metavar="A|FILE", help="The reference statement; or a file with id, a, b.")],
    b: Annotated[str | None, typer.Argument(metavar="B", help="The generated statement.")] = None,
    columns: ColumnNames = None, work: Work = WORK,
) -> None:
    """Relate a generated statement B to a reference statement A: equivalent, part_whole, contradiction or unrelated.

    With one argument, it is a file (or '-') with id, a, b (or reference, candidate) per line; one answer is printed per line.
    A statement that was not read is unrelated, with a note on standard error."""
    if b is None:
        records = read_records(a, _STATEMENTS, PAIR_FIELDS, columns=columns_of(columns))
        print_lines(records, _relate, work, _note_statements)
        return
    record = Record("", "", {"a": clean(a), "b": clean(b)})
    answer = _relate(work.engine.scorer(), record)
    _note_statements(record, answer)
    write_json(answer)


def _relate(engine: Scorer, record: Record) -> Mapping[str, Any]:
    a, b = record.fields.values()
    first, second = engine.read(a), engine.read(b)
    unread = [name for name, reading in zip(record.fields, (first, second), strict=True) if not reading.findings]
    found = relation_json(record.id, engine.relate_readings(first, second, (a, b)))
    return {**found, "unread": unread} if unread else found


def _note_statements(record: Record, answer: Mapping[str, Any]) -> None:
    for name in answer.get("unread", ()):
        note_unread(record, record.fields[name], 0, name)


@with_model
def entails(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Lines with id, report, statement, or pairs; '-': JSON lines.")],
    columns: ColumnNames = None, work: Work = WORK,
) -> None:
    """Decide whether each report entails its statement: entailed, contradicted or neutral, with spans and proof.

    For a pair, the report is the reference and the statement the candidate."""
    records = read_records(file, ("report", "statement"), PAIR_FIELDS, columns=columns_of(columns))
    print_lines(records, _entails, work)


def _entails(engine: Scorer, record: Record) -> Mapping[str, Any]:
    report, statement = record.fields.values()
    return entailment_json(record.id, report, engine.entails(report, statement))


@with_model
def consistency(files: Reports, columns: ColumnNames = None, work: Work = WORK) -> None:
    """Find contradictions inside each report, with the two spans and the proof."""
    print_lines(reports(files, columns), _consistency, work)


def _consistency(engine: Scorer, record: Record) -> Mapping[str, Any]:
    report = record.fields["report"]
    return {"id": record.id, "contradictions": [contradiction_json(report, one) for one in engine.consistency(report)]}
