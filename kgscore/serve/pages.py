"""The pages: the same templates, styles and scripts as the HTML file, fed by the API."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from kgscore.errors import RunError
from kgscore.metrics import names as metric_names
from kgscore.profile import profile_names
from kgscore.report.html import SCRIPTS, TEMPLATES, environment, told
from kgscore.serve.api import run_line, shelf_of
from kgscore.serve.shipped import shipped

router = APIRouter(include_in_schema=False)
_OWN = Path(__file__).with_name("templates")
_KINDS = {".js": "text/javascript", ".css": "text/css"}
_STATIC = {*SCRIPTS, "page.css", "explorer.css", "run.js", "compare.js", "ontology.js", "try.js", "query.js"}


def _page(name: str, here: str, status: int = 200, **values: Any) -> Response:
    text = environment(_OWN).get_template(name).render(here=here, **values)
    return HTMLResponse(text, status_code=status)


def problem(words: str, status: int) -> Response:
    """Return a page that says what is wrong."""
    return _page("problem.html.j2", "", status, words=words)


@router.get("/static/{name}")
def static(name: str) -> Response:
    """Return a script or style sheet."""
    if name not in _STATIC:
        raise RunError("there is no such page")
    folder = _OWN if (_OWN / name).is_file() else TEMPLATES
    text = (folder / name).read_text(encoding="utf-8")
    return Response(text, media_type=_KINDS[Path(name).suffix], headers={"cache-control": "no-cache"})


@router.get("/")
def home(request: Request) -> Response:
    """All runs."""
    runs = [run_line(key, info) for key, info in shelf_of(request).runs()]
    return _page("runs.html.j2", "/", runs=runs)


@router.get("/runs/{run}")
def run(request: Request, run: str) -> Response:
    """One run as the HTML file shows it."""
    volume = shelf_of(request).volume(run)
    meta = {"title": run, "run": run, "metrics": {one.name: told(one) for one in volume.overview.metrics}}
    return _page(
        "run.html.j2", "/", title=run, run=volume.book.info, overview=volume.overview, plots=volume.plots,
        note=volume.book.note, meta=meta,
    )  # fmt: skip


@router.get("/compare")
def compare(request: Request) -> Response:
    """Two runs case by case."""
    return _page("compare.html.j2", "/compare", runs=[run_line(key, info) for key, info in shelf_of(request).runs()])


@router.get("/ontology")
def ontology() -> Response:
    """The ontology browser."""
    return _page("ontology.html.j2", "/ontology")


@router.get("/try")
def attempt() -> Response:
    """Two reports to paste."""
    return _page("try.html.j2", "/try", profiles=profile_names(), metrics=metric_names())


@router.get("/query")
def query(request: Request) -> Response:
    """SPARQL."""
    runs, queries = [key for key, _ in shelf_of(request).runs()], shipped()
    return _page("query.html.j2", "/query", runs=runs, queries=[asdict(one) for one in queries])


@router.get("/api")
def api(request: Request) -> Response:
    """What the API answers, from its OpenAPI description."""
    spec = request.app.openapi()
    calls = [
        {"method": method.upper(), "path": path, "tag": call["tags"][0], "summary": call["summary"],
         "about": call.get("description", ""), "parameters": call.get("parameters", [])}
        for path, methods in spec["paths"].items() for method, call in methods.items()
    ]  # fmt: skip
    return _page("api.html.j2", "/api", calls=calls, about=spec["info"]["description"])
