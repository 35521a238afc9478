"""`kgscore correct` and `judge`: line-by-line corrections of candidates, and comparison by a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import Failures, lines_of, output_stream, pair_source, write_json
from kgscore.cli._json import corrections_json
from kgscore.cli._language import with_model
from kgscore.cli._options import WORK, Candidate, ColumnNames, Engine, Modules, Pairs, Profile, Reference, Work, check_known
from kgscore.errors import InputError
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, read_records

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.language.client import Client
    from kgscore.language.endpoint import Endpoint

_AT_ONCE = 256  # pairs judged before their lines are printed
_LACKING: Mapping[str, Any] = {"corrections": [], "score": None, "max_severity": None}
Context = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="KEY=VALUE", help="age, indication or setting, for records without them; repeatable."),
]


@with_model
def correct(
    pairs: Pairs = None, reference: Reference = None, candidate: Candidate = None, columns: ColumnNames = None,
    context: Context = None, work: Work = WORK,
) -> None:
    """Correct candidates line by line, with a severity each: one JSON line a pair, in input order.

    A candidate is a text, cut at full stops, or a list of lines. The score is the sum of severities: 0 if there is nothing to
    correct, lower is better. A record may hold a context: an object with age, sex, indication, procedure, setting."""
    source = pair_source(pairs, reference, candidate, columns=columns)
    records = source.records(lists=("candidate",), extra=("context",))
    answer, failures = partial(_line, _context_fields(context or ())), Failures()
    for _, line in lines_of(records, answer, work, failures, metrics=("fineradscore",), lacking=_LACKING):
        write_json(line)
    failures.finish()


def _context_fields(context: Sequence[str]) -> dict[str, str]:
    if not all("=" in one for one in context):
        raise typer.BadParameter("give KEY=VALUE: age=71, setting=icu …", param_hint="--context")
    return {key.strip(): value.strip() for key, _, value in (one.partition("=") for one in context)}


def _line(given: Mapping[str, str], engine: Scorer, record: Record) -> dict[str, Any]:
    from kgscore.clinical.context import context_of

    own = record.extra.get("context") or {}
    try:
        if not isinstance(own, Mapping):
            raise InputError("field 'context' must be an object with age, sex, indication, procedure, setting")
        context = context_of({**given, **own}) if given or own else None
    except InputError as error:
        return {"id": record.id, "status": "failed", **_LACKING, "reason": str(error)}
    candidate = record.lines.get("candidate", record.fields["candidate"])
    result = engine.correct(reference=record.fields["reference"], candidate=candidate, id=record.id, context=context)
    return corrections_json(result)


@with_model
def judge(
    name: Annotated[str, typer.Argument(metavar="NAME", help="radsem-llm or fineradscore-llm.")],
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help="As for `kgscore score`.")],
    stages: Annotated[Path | None, typer.Option(metavar="FILE", help="radsem-llm: write the stage records.")] = None,
    profile: Profile = "default", module: Modules = None,
    reader: Annotated[str, typer.Option(hidden=True)] = "llm",
) -> None:
    """Compare pairs of reports with a language model, as in the papers: one JSON line a pair, in input order.

    radsem-llm: the model rewrites both reports and labels pairs of statements; pairs that the ontology refutes are rejected and
    listed; --stages saves its answers, which `kgscore radsem score` can score again. fineradscore-llm: line-by-line
    corrections, printed as by `kgscore correct`."""
    from kgscore.language.client import client_of
    from kgscore.language.judges import JUDGES, RADSEM

    check_known("judge", name, JUDGES, "NAME")
    if stages is not None and name != RADSEM:
        raise typer.BadParameter(f"{name} has no stage records; its output is the corrections", param_hint="--stages")
    endpoint: Endpoint = reader  # type: ignore[assignment]
    client, engine = client_of(endpoint), Engine(profile, module).scorer()
    failures = Failures()
    with ExitStack() as stack:
        stream = stack.enter_context(output_stream(stages)) if stages else None
        for record, line, kept in _judge_records(name, client, engine, pairs, endpoint.concurrency):
            write_json(line)
            if line["reason"]:
                failures.see(record.where, record.id, line["reason"], line["status"])
            if stream:
                write_json(kept, stream)
    failures.finish()


def _judge_records(
    name: str, client: Client, engine: Scorer, pairs: str, at_once: int
) -> Iterator[tuple[Record | BadRecord, dict[str, Any], dict[str, Any]]]:
    """Yield each record with its line and its stage record, in order; pairs are judged concurrently in batches."""
    records = iter(read_records(pairs, PAIR_FIELDS))
    with ThreadPoolExecutor(at_once) as pool:
        while batch := list(islice(records, _AT_ONCE)):
            answers = pool.map(lambda record: _model_answer(name, client, record), batch)
            for record, answer in zip(batch, answers, strict=True):
                yield record, *_judge_line(name, engine, record, answer)


def _model_answer(name: str, client: Client, record: Record | BadRecord) -> Any:
    """Return the model's answer for a pair, or the reason for having none. It runs in threads and does not use the ontology."""
    from kgscore.language.answers import AnswerError
    from kgscore.language.judges import RADSEM, correct_candidate, label_pair

    if isinstance(record, BadRecord):
        return record.reason
    texts = {field: record.fields[field] for field in PAIR_FIELDS}
    try:
        return label_pair(client, **texts) if name == RADSEM else correct_candidate(client, **texts, id=record.id)
    except AnswerError as error:
        return str(error)


def _judge_line(name: str, engine: Scorer, record: Record | BadRecord, answer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    from kgscore.language.judges import RADSEM, stage_record
    from kgscore.metrics.radsem_stages import score_stages

    if isinstance(answer, str):
        failed = {"status": "failed", "reason": answer}
        return {"id": record.id, **failed}, {"name": record.id, **failed}
    if name != RADSEM:
        result, wrong = answer
        return {**corrections_json(result), "refused": wrong}, {}
    stage = stage_record(answer, str(record.id), engine.relate, engine.read)
    scores = score_stages(stage)
    first, values = scores["radsem"], {f"{metric}-llm": found.value for metric, found in scores.items()}
    line = {"id": record.id, "status": first.status, "scores": values, "reason": first.reason, "refused": stage["refused"]}
    return line, stage
