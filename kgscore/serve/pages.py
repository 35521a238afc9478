"""The pages: the same templates, styles and scripts as in the HTML file, with data from the API."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import asdict
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from kgscore.errors import RunError
from kgscore.metrics import names as metric_names
from kgscore.profile import profile_names
from kgscore.report.html import SCRIPTS, TEMPLATES, environment, metric_facts
from kgscore.report.overview import MetricFigures
from kgscore.results.exchange import describe_tables
from kgscore.serve.api import run_line, run_store_of
from kgscore.serve.run_store import OpenRun
from kgscore.serve.shipped import queries_by_topic

router = APIRouter(include_in_schema=False)
_OWN = Path(__file__).with_name("templates")
_KINDS = {".js": "text/javascript", ".css": "text/css"}
_STATIC = {*SCRIPTS, "page.css", "explorer.css", "run.js", "runs.js", "ontology.js", "try.js", "query.js"}

_SPARQL = (
    "SELECT ?case ?metric ?value {\n  ?s a kgr:Score ; kgr:case ?case ; kgr:metric ?metric ; kgr:value ?value\n}"
    " ORDER BY ?value LIMIT 20"
)
_SQL = "SELECT id, reason, scores FROM case_overview ORDER BY position LIMIT 20"


def _page(name: str, here: str, status: int = 200, **values: Any) -> Response:
    return HTMLResponse(environment(_OWN).get_template(name).render(here=here, status=status, **values), status)


def error_page(words: str, status: int) -> Response:
    """Return an error page."""
    return _page("problem.html.j2", "", status, words=words)


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Return a script or style sheet."""
    if name not in _STATIC:
        raise RunError("page not found")
    folder = _OWN if (_OWN / name).is_file() else TEMPLATES
    text = (folder / name).read_text(encoding="utf-8")
    return Response(text, media_type=_KINDS[Path(name).suffix], headers={"cache-control": "no-cache"})


@router.get("/")
def home(request: Request) -> Response:
    """All runs, with the metric that most of them have, and which can be compared."""
    shelf = run_store_of(request)
    runs = [run_line(key, info) | {"standing": shelf.run_summary(key)} for key, info in shelf.runs()]
    known = Counter(one.name for run in runs for one in run["standing"].metrics)
    metric = request.query_params.get("metric", "")
    metric = metric if metric in known else next((one for one, _ in known.most_common(1)), "")
    for run in runs:
        run["figures"] = next((one for one in run["standing"].metrics if one.name == metric), None)
        run["with"] = [other["key"] for other in runs if other is not run and _comparable(run, other)]
    runs.sort(key=lambda run: (run["figures"] is None, _rank_key(run["figures"])))
    return _page("runs.html.j2", "/", runs=runs, metric=metric, metrics=list(known))


def _comparable(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return not one["standing"].about.isdisjoint(other["standing"].about) and not set(one["metrics"]).isdisjoint(other["metrics"])


def _rank_key(figures: MetricFigures | None) -> float:
    if figures is None or figures.mean is None:
        return inf
    return -figures.mean if figures.higher_is_better else figures.mean


@router.get("/runs/{run}")
def run(request: Request, run: str) -> Response:
    """One run, as in the HTML file."""
    plain, packed = _run_page(run_store_of(request).open_run(run))
    if "gzip" in request.headers.get("accept-encoding", ""):
        return HTMLResponse(packed, headers={"content-encoding": "gzip", "vary": "accept-encoding"})
    return HTMLResponse(plain)


@lru_cache(maxsize=8)
def _run_page(volume: OpenRun) -> tuple[bytes, bytes]:
    """Return the page of a run, plain and gzipped."""
    name = volume.key
    meta = {"title": name, "name": name, "run": name, "started": volume.book.info.started,
            "metrics": {one.name: metric_facts(one) for one in volume.overview.metrics}}  # fmt: skip
    plain = environment(_OWN).get_template("run.html.j2").render(
        here="/", title=name, run=volume.book.info, overview=volume.overview, plots=volume.plots, note=volume.book.note, meta=meta
    ).encode()  # fmt: skip
    return plain, gzip.compress(plain, 6, mtime=0)


@router.get("/compare")
def compare(request: Request) -> Response:
    """Two runs case by case."""
    shelf = run_store_of(request)
    a, b = (request.query_params.get(name, "") for name in ("a", "b"))
    shown: dict[str, Any] = {"found": None, "meta": {}, "problem": "", "status": 200}
    try:
        if a and b:
            both, name = shelf.compare(a, b), f"{b} against {a}"
            metrics = {one.name: metric_facts(one) for one in both.metrics}
            shown |= {"found": both.found, "meta": {"title": name, "name": name, "a": a, "b": b, "metrics": metrics}}
    except RunError as error:
        shown |= {"problem": str(error), "status": 404}
    return _page("compare.html.j2", "/compare", runs=[key for key, _ in shelf.runs()], asked=[a, b], **shown)


@router.get("/ontology")
def ontology() -> Response:
    """The ontology browser; it opens with a concept common in chest reports."""
    return _page("ontology.html.j2", "/ontology", first="pneumothorax")


@router.get("/try")
def try_page() -> Response:
    """The page to paste two reports."""
    return _page("try.html.j2", "/try", profiles=profile_names(), metrics=metric_names())


@router.get("/query")
def query(request: Request) -> Response:
    """The SPARQL page, with the shipped queries."""
    groups = {name: [asdict(one) for one in queries] for name, queries in queries_by_topic().items()}
    return _query_page(request, "SPARQL", "query", _SPARQL, groups)


@router.get("/sql")
def sql(request: Request) -> Response:
    """The SQL page, with the tables of the newest run's folder."""
    runs = run_store_of(request).runs()
    groups: dict[str, list[dict[str, Any]]] = {"Views": [], "Tables": []}
    for one in describe_tables(runs[-1][1].folder) if runs else ():
        about = f"{one.comment}. Columns: {', '.join(name for name, _ in one.columns)}."
        shown = {"name": one.name, "title": one.name, "text": f"SELECT * FROM {one.name} LIMIT 100", "about": about}
        groups[f"{one.kind.capitalize()}s"].append(shown | {"parameters": []})
    return _query_page(request, "SQL", "sql", _SQL, groups)


def _query_page(request: Request, language: str, address: str, first: str, groups: dict[str, list[dict[str, Any]]]) -> Response:
    return _page(
        "query.html.j2", f"/{address}", language=language, address=address, first=first, groups=groups,
        runs=[key for key, _ in run_store_of(request).runs()], queries=[one for found in groups.values() for one in found],
        limits=request.app.state.settings.limits,
    )  # fmt: skip


@router.get("/api")
def api(request: Request) -> Response:
    """The API reference, from its OpenAPI description."""
    spec = request.app.openapi()
    calls = [
        {"method": method.upper(), "path": path, "tag": call["tags"][0], "summary": call["summary"],
         "about": call.get("description", ""), "parameters": call.get("parameters", [])}
        for path, methods in spec["paths"].items() for method, call in methods.items()
    ]  # fmt: skip
    return _page("api.html.j2", "/api", calls=calls, about=spec["info"]["description"])
