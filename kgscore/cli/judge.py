"""`kgscore judge`: a language model compares pairs of reports, as published."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import Failures, put, say, sink
from kgscore.cli._json import corrected_json
from kgscore.cli._language import with_model
from kgscore.cli._options import Engine, Modules, Profile, one_of
from kgscore.records import PAIR_FIELDS, BadRecord, Record, complaint, read_records

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.language.client import Client
    from kgscore.language.endpoint import Endpoint

_AT_ONCE = 256  # pairs that are judged before their lines are printed


@with_model
def judge(
    name: Annotated[str, typer.Argument(metavar="NAME", help="radsem-llm or fineradscore-llm.")],
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help="As for `kgscore score`.")],
    stages: Annotated[Path | None, typer.Option(metavar="FILE", help="radsem-llm: write the stage records.")] = None,
    profile: Profile = "default",
    module: Modules = None,
    reader: Annotated[str, typer.Option(hidden=True)] = "llm",
) -> None:
    """Let a language model compare pairs of reports, as the papers have it: one JSON line a pair, in input order.

    radsem-llm: the model rewrites both reports and labels pairs of statements; pairs that the ontology refutes are refused and
    listed; --stages keeps its answers, which `kgscore radsem score` scores again. fineradscore-llm: corrections line by line,
    printed as by `kgscore correct`.
    """
    from kgscore.language.client import client_of
    from kgscore.language.judges import JUDGES, RADSEM

    one_of("judge", name, JUDGES, "NAME")
    if stages is not None and name != RADSEM:
        raise typer.BadParameter(f"{name} has no stage records; its lines are the corrections", param_hint="--stages")
    endpoint: Endpoint = reader  # type: ignore[assignment]
    client, engine = client_of(endpoint), Engine(profile, module).scorer()
    failures = Failures()
    with ExitStack() as stack:
        stream = stack.enter_context(sink(stages)) if stages else None
        for record, line, kept in _judged(name, client, engine, pairs, endpoint.concurrency):
            put(line)
            if line["reason"]:
                (failures.add if line["status"] == "failed" else say)(complaint(record.where, record.id, line["reason"]))
            if stream:
                put(kept, stream)
    failures.finish()


def _judged(
    name: str, client: Client, engine: Scorer, pairs: str, at_once: int
) -> Iterator[tuple[Record | BadRecord, dict[str, Any], dict[str, Any]]]:
    """Yield each record with its line and its stage record, in order; some are judged at once."""
    from itertools import islice

    records = iter(read_records(pairs, PAIR_FIELDS))
    with ThreadPoolExecutor(at_once) as pool:
        while batch := list(islice(records, _AT_ONCE)):
            answers = pool.map(lambda record: _asked(name, client, record), batch)
            for record, answer in zip(batch, answers, strict=True):
                yield record, *_line(name, engine, record, answer)


def _asked(name: str, client: Client, record: Record | BadRecord) -> Any:
    """Return what the model says of a pair, or why it says nothing. Nothing here needs the ontology: this is done in threads."""
    from kgscore.language.answers import AnswerError
    from kgscore.language.judges import RADSEM, corrected, labelled

    if isinstance(record, BadRecord):
        return record.reason
    texts = {field: record.fields[field] for field in PAIR_FIELDS}
    try:
        return labelled(client, **texts) if name == RADSEM else corrected(client, **texts, id=record.id)
    except AnswerError as error:
        return str(error)


def _line(name: str, engine: Scorer, record: Record | BadRecord, answer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    from kgscore.language.judges import RADSEM, stage_record
    from kgscore.metrics.radsem_stages import score_stages

    if isinstance(answer, str):
        line: dict[str, Any] = {"id": record.id, "status": "failed", "reason": answer}
        return line, {"name": record.id, "status": "failed", "reason": answer}
    if name != RADSEM:
        result, wrong = answer
        return {**corrected_json(result), "refused": wrong}, {}
    stage = stage_record(answer, str(record.id), engine.relate, engine.read)
    scores = score_stages(stage)
    first = scores["radsem"]
    values = {f"{metric}-llm": found.value for metric, found in scores.items()}
    line = {"id": record.id, "status": first.status, "scores": values, "reason": first.reason, "refused": stage["refused"]}
    return line, stage
