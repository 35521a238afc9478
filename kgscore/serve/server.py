"""The server process."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

import uvicorn

from kgscore.errors import RunError
from kgscore.serve.app import create_app
from kgscore.serve.settings import Settings

_CONNECTIONS = 64


def run(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until interrupted. `say` is told the address.

    Raises:
        RunError: a folder cannot be opened, or the address is taken or not to be had.
    """
    listening = _listen(settings)
    port = listening.getsockname()[1]
    app = create_app(replace(settings, port=port))
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    token = f"?token={quote(settings.token)}" if settings.token else ""
    say(f"kgscore explorer: http://{shown}:{port}/{token}  (Ctrl-C ends it)")
    # No access log: addresses may hold ids of patients.
    config = uvicorn.Config(
        app, access_log=False, log_level="warning", server_header=False, limit_concurrency=_CONNECTIONS, timeout_keep_alive=5
    )
    uvicorn.Server(config).run(sockets=[listening])


def _listen(settings: Settings) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_CONNECTIONS)  # who comes before the server is ready waits
    except OSError as error:
        said = (error.strerror or type(error).__name__).lower()
        where = f"{settings.host}:{settings.port}"
        raise RunError(f"{where}: cannot listen there ({said}); choose another --port or --host") from None
    return listening
