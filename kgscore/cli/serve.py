"""`kgscore serve`: the explorer."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import say
from kgscore.errors import MissingExtraError, RunError


def serve(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")],
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 takes a free one.")] = 8642,
    token: Annotated[str, typer.Option(
        metavar="TEXT", help="Required for non-local addresses; or KGSCORE_TOKEN.", envvar="KGSCORE_TOKEN", show_envvar=False,
    )] = "",
    name: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A further host name to accept; repeatable.")] = None,
) -> None:
    """Show runs in a browser: cases, comparison, ontology, a page to try reports on, SPARQL, and a JSON API. Read-only.

    Listens on localhost by default. Another address needs a token of at least 16 characters, required on every request."""
    if not all(map(find_spec, ("fastapi", "uvicorn"))):
        raise MissingExtraError("the explorer needs the extra 'serve'; install it with: pip install 'kgscore[serve]'")
    from kgscore.serve.server import run
    from kgscore.serve.settings import LOOPBACK, Settings

    if host not in LOOPBACK and len(token) < 16:
        remedy = "give a --token of 16 characters or more (or KGSCORE_TOKEN), and put TLS before it"
        raise RunError(f"--host {host}: others could read the reports; {remedy}")
    run(Settings(tuple(runs), host, port, token, tuple(name or ())), say)
