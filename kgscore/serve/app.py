"""The explorer's application: the JSON API and the pages, behind the guard."""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from kgscore import __version__
from kgscore.errors import BusyError, KgscoreError, OntologyError, ProfileError, QueryError, RunError
from kgscore.escaping import escape_controls
from kgscore.runs.batch import Settings as Scoring
from kgscore.runs.batch import scorer_for
from kgscore.serve import api, pages
from kgscore.serve.concepts import Concepts
from kgscore.serve.guard import Guard
from kgscore.serve.run_store import RunStore
from kgscore.serve.scoring import ScoringProcess
from kgscore.serve.settings import Settings
from kgscore.serve.sparql import Queries

_STATUS: dict[type[KgscoreError], int] = {
    BusyError: 503, RunError: 404, OntologyError: 404, ProfileError: 422, QueryError: 422,
}  # fmt: skip
# Hints about command-line options are removed from messages.
_OF_A_FLAG = re.compile(r"[,;] [^,;]*--[a-z][^,;.]*")
_ABOUT = (
    "The data of the pages, as JSON. Offsets are characters (code points) into the reports as given. Scores of a pair without a"
    " score are null. The API is read-only."
)


def create_app(settings: Settings) -> FastAPI:
    """Return the application for these run folders; RunError if one of them is none, or cannot be opened."""
    scoring = ScoringProcess(settings.limits.waiting)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        threading.Thread(target=_prepare, args=(app,), daemon=True).start()
        yield
        scoring.close()
        app.state.queries.close()

    # FastAPI's own documentation pages load scripts from elsewhere: /api shows the same content locally.
    app = FastAPI(
        title="kgscore explorer", version=__version__, description=_ABOUT, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json", lifespan=lifespan,
    )  # fmt: skip
    app.state.settings = settings
    app.state.shelf = RunStore(settings.folders)
    app.state.concepts = Concepts(scorer_for(Scoring()))
    app.state.scoring = scoring
    app.state.queries = Queries(settings.limits)
    app.include_router(api.router, prefix="/api")
    app.include_router(pages.router)
    app.add_exception_handler(KgscoreError, _error_response)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _not_found)
    app.add_middleware(GZipMiddleware, minimum_size=2_000, compresslevel=5)
    app.add_middleware(Guard, settings=settings)
    return app


def _prepare(app: FastAPI) -> None:
    """Load the terms and open the runs, which takes seconds, so that the first request does not have to wait."""
    with suppress(KgscoreError):  # reported when requested
        app.state.shelf.open_all()
        app.state.concepts.prepare()
        for folder in app.state.settings.folders:
            app.state.queries.prepare(folder)


async def _error_response(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
    words = _OF_A_FLAG.sub("", _without_paths(str(error), request.app.state.settings.folders))
    later = {"retry-after": "2"} if status == 503 else None
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": escape_controls(words)}, status, later)
    return pages.error_page(escape_controls(words), status)


def _without_paths(words: str, folders: Iterable[Path]) -> str:
    """Return a message with paths of run folders replaced by their names, since clients need not know the host's paths."""
    for folder in folders:
        for path in (folder.resolve(), folder.absolute(), folder):
            words = words.replace(f"{path}", path.name) if path.name != f"{path}" else words
    return words


async def _malformed(_: Request, error: Exception) -> Response:
    """Describe what is wrong with a request, without quoting it."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    words = "; ".join(f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg'].lower()}" for one in found)
    return JSONResponse({"error": escape_controls(words) or "the request is malformed"}, status_code=422)


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = {400: "the request is not JSON in UTF-8", 404: "page not found"}.get(status, "the request is not supported")
    if not request.url.path.startswith("/api/"):
        return pages.error_page(words, status)
    return JSONResponse({"error": words}, status, error.headers if isinstance(error, HTTPException) else None)
