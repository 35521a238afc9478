"""The JSON API."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, BeforeValidator, Field
from starlette.concurrency import run_in_threadpool

from kgscore.errors import ProfileError, QueryError, RunError
from kgscore.io.records import clean
from kgscore.metrics import names as metric_names
from kgscore.profile import profile_names
from kgscore.report.items import decode_items, tally
from kgscore.results.cases import RunInfo
from kgscore.results.cases import search as search_cases
from kgscore.results.tabular import json_line
from kgscore.serve.concepts import Concepts
from kgscore.serve.run_store import OpenRun, RunStore
from kgscore.serve.shipped import shipped_by_title


class Problem(BaseModel):
    """The reason why there is no answer, in one line."""

    error: str


router = APIRouter(
    responses={
        400: {"model": Problem, "description": "The request is not JSON in UTF-8"},
        404: {"model": Problem, "description": "The run, case or concept does not exist or cannot be opened"},
        422: {"model": Problem, "description": "The request cannot be answered"},
        503: {"model": Problem, "description": "Too many requests at the moment"},
    }
)
_LOOK_SECONDS = 0.25
_BLOCK = 10
Offset = Annotated[int, Query(ge=0)]
Limit = Annotated[int, Query(ge=1, le=500)]
Nearest = Annotated[int, Query(ge=1, le=50)]


# Same rules as for records: text that pydantic or JSON cannot represent is rejected here.
Report = Annotated[str, BeforeValidator(lambda given: clean(given) if isinstance(given, str) else given)]


class Pair(BaseModel):
    """Two reports to score, with a shipped profile and metrics."""

    reference: Report
    candidate: Report
    profile: str = Field(default="default", max_length=100, json_schema_extra={"enum": [*profile_names()]})
    metrics: list[str] = Field(default=["radsem"], max_length=20, json_schema_extra={"items": {"enum": [*metric_names(), "all"]}})


class Sparql(BaseModel):
    """A SPARQL query: SELECT, ASK, CONSTRUCT or DESCRIBE, with the values of its parameters by name."""

    query: str
    parameters: dict[str, str] = Field(default={}, max_length=20)
    limit: int = Field(default=200, ge=1)


class Sql(BaseModel):
    """An SQL query."""

    query: str
    limit: int = Field(default=200, ge=1)


def run_line(key: str, info: RunInfo) -> dict[str, Any]:
    """Return a summary of a run."""
    return {
        "key": key, "input": Path(info.input).name, "profile": Path(info.profile).name, "metrics": list(info.metrics),
        "started": info.started, "finished": info.finished or None, "counts": dict(info.counts),
        "signature": dict(info.signature),
    }  # fmt: skip


def _json(text: str | bytes, headers: dict[str, str] | None = None) -> Response:
    return Response(text, media_type="application/json", headers=headers)


def run_store_of(request: Request) -> RunStore:
    """Return the runs of the application."""
    shelf: RunStore = request.app.state.shelf
    return shelf


def concepts_of(request: Request) -> Concepts:
    """Return the ontology of the application."""
    concepts: Concepts = request.app.state.concepts
    return concepts


@router.get("/runs", tags=["runs"], summary="All runs")
def runs(request: Request) -> list[dict[str, Any]]:
    """Every run of every folder: key, input, profile, metrics, the number of cases by status, signature."""
    return [run_line(key, info) for key, info in run_store_of(request).runs()]


@router.get("/runs/{run}", tags=["runs"], summary="Summary of a run")
def run(request: Request, run: str) -> dict[str, Any]:
    """Means and medians of the scored cases, outcomes of the findings, the most frequent errors, why cases have no score."""
    volume = run_store_of(request).open_run(run)
    return run_line(run, volume.book.info) | {"note": volume.book.note, "overview": asdict(volume.overview)}


@router.get("/runs/{run}/columns", tags=["runs"], summary="All cases of a run, by column")
def columns(request: Request, run: str) -> Response:
    """The columns that the list of cases sorts and filters by; compressed with gzip."""
    return _json(run_store_of(request).open_run(run).packed, {"content-encoding": "gzip"})


@router.get("/runs/{run}/search", tags=["runs"], summary="Cases of a run by words of their reports")
def search(request: Request, run: str, q: Annotated[str, Query(max_length=500)] = "") -> dict[str, list[int]]:
    """The positions of the cases whose two reports together contain every word, ignoring case; parts of words count."""
    info = run_store_of(request).open_run(run).book.info
    return {"positions": search_cases(info.folder, info.run, q.split())}


@router.get("/runs/{run}/cases", tags=["runs"], summary="Cases of a run, in order")
def cases(request: Request, run: str, offset: Offset = 0, limit: Limit = 100) -> dict[str, Any]:
    """Cases from `offset` on: position, id, status, scores, the number of abnormal and negative findings by outcome, the tier of
    the most severe error (0: none) and its words."""
    volume = run_store_of(request).open_run(run)
    total = len(volume.columns["ids"])
    return {"total": total, "cases": [_case(volume, at) for at in range(offset, min(offset + limit, total))]}


def _case(volume: OpenRun, at: int) -> dict[str, Any]:
    held = volume.columns
    items = decode_items(held["items"][at], held["labels"])
    worst = max((one for one in items if one.grave), key=lambda one: one.grave, default=None)
    return {
        "position": at, "id": held["ids"][at], "status": held["status"][at],
        "scores": {name: values[at] for name, values in held["scores"].items()},
        "counts": tally(items), "denials": tally(items, denial=True), "tier": worst.grave if worst else 0,
        "gravest": f"{worst.kind} {worst.label}" if worst else "",
    }  # fmt: skip


@router.get("/runs/{run}/cases/{position}", tags=["runs"], summary="One case in full")
def case(request: Request, run: str, position: int) -> Response:
    """Both reports with their findings and verdicts, matches with proofs and costs, corrections, and the terms of each score."""
    volume = run_store_of(request).open_run(run)
    found = _block(volume, position // _BLOCK).get(position) if position >= 0 else None
    if found is None:
        raise RunError(f"run '{volume.key}' has no case at position {position}")
    return _json(found)


@lru_cache(maxsize=50)
def _block(volume: OpenRun, number: int) -> dict[int, bytes]:
    """Return the block of neighbouring cases at a position: reading ten costs little more than reading one."""
    views = volume.book.views(number * _BLOCK, (number + 1) * _BLOCK)
    return {view["position"]: json.dumps(view, ensure_ascii=False, allow_nan=False).encode() for view in views}


@router.get("/compare", tags=["runs"], summary="Comparison of two runs")
def compare(request: Request, a: str, b: str) -> dict[str, Any]:
    """Every metric over the pairs in both (by id and reference): the difference b minus a with its 95 % interval and p,
    how often b is better; cases by their most severe error; errors new in b, and resolved in b."""
    return asdict(run_store_of(request).compare(a, b).found)


@router.get("/compare/columns", tags=["runs"], summary="The cases of two runs, by column")
def compare_columns(request: Request, a: str, b: str) -> Response:
    """Positions in both runs, scores of both, the errors only in b and only in a; compressed with gzip."""
    return _json(run_store_of(request).compare(a, b).packed, {"content-encoding": "gzip"})


@router.get("/concepts", tags=["ontology"], summary="Search concepts")
def concepts(request: Request, q: str = "") -> list[dict[str, Any]]:
    """Concepts with this name (label, synonym, abbreviation), the best match first. Without words, the roots of the tree."""
    return concepts_of(request).search(q) if q.strip() else concepts_of(request).roots()


@router.get("/concepts/{concept}", tags=["ontology"], summary="One concept")
def concept(request: Request, concept: str) -> dict[str, Any]:
    """The description of a concept."""
    return concepts_of(request).page(concept)


@router.get("/concepts/{concept}/below", tags=["ontology"], summary="Kinds and parts of a concept")
def below(request: Request, concept: str) -> list[dict[str, Any]]:
    """The direct subclasses and parts of a concept."""
    return concepts_of(request).below(concept)


@router.get("/concepts/{concept}/nearest", tags=["ontology"], summary="Concepts similar in meaning to a concept")
def nearest(request: Request, concept: str, n: Nearest = 10) -> list[dict[str, Any]]:
    """The other concepts with the most similar names, the nearest first, each with its relation to this one. Similar does
    not mean related: opposites and siblings are similar too."""
    return concepts_of(request).nearest(concept, n)


@router.get("/nearest", tags=["ontology"], summary="Concepts similar in meaning to words")
def meant(request: Request, q: Annotated[str, Query(max_length=500)] = "", n: Nearest = 10) -> list[dict[str, Any]]:
    """The concepts most similar in meaning to some words, which need not be in the lexicon, the nearest first."""
    return concepts_of(request).similar_in_meaning(q, n)


@router.get("/concepts/{concept}/occurrences", tags=["ontology"], summary="Where a concept occurs")
def occurring(request: Request, concept: str) -> list[dict[str, Any]]:
    """By run: the number of findings of this concept or a descendant (at this structure, for anatomy), and the first 20."""
    wanted, structures = concepts_of(request).subsumed_ids(concept)
    return run_store_of(request).occurrences(concept, wanted, structures)


@router.get("/relation", tags=["ontology"], summary="Relation of two concepts")
def relation(request: Request, a: str, b: str) -> dict[str, Any]:
    """Same, subclass, part, opposed … with the steps that prove it, and the relation of statements made from the two."""
    return concepts_of(request).relation(a, b)


@router.get("/profiles", tags=["scoring"], summary="Profiles and metrics to score with")
def profiles() -> dict[str, list[str]]:
    """The names of the shipped profiles and of the metrics."""
    return {"profiles": profile_names(), "metrics": list(metric_names())}


@router.post("/score", tags=["scoring"], summary="Score two reports")
def score(request: Request, pair: Pair) -> dict[str, Any]:
    """The full case, as for a case of a run. Nothing is stored."""
    limits = request.app.state.settings.limits
    if pair.profile not in profile_names():
        raise ProfileError(f"profile '{pair.profile[:80]}': not one of {', '.join(profile_names())}")
    for name in ("reference", "candidate"):
        if len(getattr(pair, name)) > limits.characters:
            raise QueryError(f"the {name} report has more than {limits.characters:,} characters; shorten it")
    metrics = tuple(dict.fromkeys(pair.metrics)) or ("radsem",)
    found = request.app.state.scoring.score(pair.profile, metrics, pair.reference, pair.candidate, limits.score_seconds)
    return dict(found)


@router.get("/queries", tags=["queries"], summary="Shipped queries")
def queries() -> list[dict[str, Any]]:
    """The shipped queries, with title, text and parameters."""
    return [asdict(one) for one in shipped_by_title()]


@router.post("/runs/{run}/query", tags=["queries"], summary="Query the graph of a run in SPARQL")
async def sparql(request: Request, run: str, asked: Sparql) -> dict[str, Any]:
    """Read-only forms; no other server is contacted. The graph is that of the run's folder. Disconnecting ends the query.
    `concepts` has the id of each concept whose IRI is in a row."""
    shelf, queries = run_store_of(request), request.app.state.queries

    def answer(gone: Callable[[], bool]) -> dict[str, Any]:
        info = shelf.find(run)
        found: dict[str, Any] = queries.ask(info.folder, info.run, asked.query, asked.parameters, asked.limit, gone)
        return found | {"concepts": concepts_of(request).ids_of_iris(cell for row in found["rows"] for cell in row)}

    return await _while_read(request, answer)


@router.post("/runs/{run}/sql", tags=["queries"], summary="Query the tables of a run in SQL")
async def sql(request: Request, run: str, asked: Sql) -> Response:
    """One SELECT over the tables and views of the run's folder (docs/results.md), read-only. Disconnecting ends the query."""
    shelf, queries = run_store_of(request), request.app.state.queries
    found = await _while_read(request, lambda gone: queries.sql(shelf.find(run).folder, asked.query, asked.limit, gone))
    return _json(json_line(found))


async def _while_read(request: Request, answer: Callable[[Callable[[], bool]], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of `answer`, run in a thread; it is notified if the client disconnects."""
    gone = threading.Event()
    task = asyncio.create_task(run_in_threadpool(answer, gone.is_set))
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=_LOOK_SECONDS)
            if not task.done() and await request.is_disconnected():
                gone.set()
    except asyncio.CancelledError:
        gone.set()
        raise
    return task.result()
