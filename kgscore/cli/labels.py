"""`kgscore labels`: label reports with a published label set or the user's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kgscore.cli._common import Failures, lines_of, reports, say, write_json
from kgscore.cli._language import with_model
from kgscore.cli._options import WORK, ColumnNames, Reports, Work
from kgscore.escaping import SafeCsv
from kgscore.io.records import Record

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.labelling.decide import Decision, Labels


@with_model
def labels(
    files: Reports,
    label_set: Annotated[
        str, typer.Option("--set", metavar="SET", help="A shipped set, or a .yaml or .sssom.tsv file.")
    ] = "chexpert14",
    form: Annotated[
        Literal["jsonl", "csv"], typer.Option("--format", help="csv: 1 present, 0 absent, -1 uncertain, blank.")
    ] = "jsonl",
    explain: Annotated[bool, typer.Option("--explain", help="Show the words and the proof behind each label.")] = False,
    mentioned: Annotated[bool, typer.Option("--mentioned", help="Omit labels that are not mentioned.")] = False,
    columns: ColumnNames = None, work: Work = WORK,
) -> None:
    """Label each report with every label of a set: present, absent, uncertain or not_mentioned.

    Shipped: chexpert14, chestxray14, ctrate18, rsna_ich, headct_one, birads, lungrads, iuxray_mesh, oifm."""
    from kgscore.labelling.decide import NUMBERS
    from kgscore.labelling.sets import load_set

    if (explain or mentioned) and form == "csv":
        raise typer.BadParameter("a table has one column per label and cannot hold proofs; omit --format csv")
    found = load_set(label_set)
    if found.notice:
        say(found.notice)
    failures, names = Failures(), [label.name for label in found.labels]
    answer = partial(_line, label_set, explain, mentioned)
    table = SafeCsv(sys.stdout) if form == "csv" else None
    if table:
        table.row(["id", "status", *names])
    for _, line in lines_of(reports(files, columns), answer, work, failures):
        if table:
            values = map(line.get("labels", {}).get, names)
            table.row([line["id"], line["status"], *map(NUMBERS.get, values)])
        else:
            write_json(line)
    failures.finish()


def _line(label_set: str, explain: bool, mentioned: bool, engine: Scorer, record: Record) -> Mapping[str, Any]:
    report = record.fields["report"]
    result = engine.labels(report, label_set)
    values = {name: value for name, value in result.values.items() if not (mentioned and value == "not_mentioned")}
    line = {"id": record.id, "set": result.set, "status": result.status, "labels": values, "reason": result.reason}
    why = {one.label: dict(_explanations(one, report, result)) for one in result.decisions if one.because}
    return {**line, "decided": why} if explain else line


def _explanations(decision: Decision, report: str, result: Labels) -> Iterator[tuple[str, Any]]:
    yield "value", decision.value
    if decision.finding is not None:
        finding = result.findings[decision.finding]
        yield from (("text", report[finding.start : finding.end]), ("start", finding.start), ("end", finding.end))
        yield from (("status", finding.status), ("certainty", finding.certainty))
    yield "proof", list(decision.because)
