"""The server process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from kgscore.errors import RunError
from kgscore.serve.app import create_app
from kgscore.serve.settings import Settings

_WAITING = 128  # backlog of connections
_HEAD_SECONDS = 10.0


class _Patient(H11Protocol):
    """HTTP from one client, which has ten seconds to send its request: incomplete requests are closed, others continue."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:  # a request has arrived; the time to answer it does not count
            if self._late is not None:
                self._late.cancel()
            self._late = None
        elif self._late is None:
            self._late = self.loop.call_later(_HEAD_SECONDS, self._close)

    def _close(self) -> None:
        self._late = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def run(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until interrupted; `say` is called with the address. RunError: a folder cannot be opened, or the address is taken."""
    listening = _listen(settings)
    port = listening.getsockname()[1]
    app = create_app(replace(settings, port=port))
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    token = f"?token={quote(settings.token)}" if settings.token else ""
    say(f"kgscore explorer: http://{shown}:{port}/{token}  (Ctrl-C ends it)")
    # No access log: addresses may contain patient ids.
    config = uvicorn.Config(
        app, http=_Patient, ws="none", access_log=False, log_level="error", server_header=False, timeout_keep_alive=5,
        backlog=_WAITING,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listening])


def _listen(settings: Settings) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_WAITING)  # early connections wait until the server is ready
    except OSError as error:
        said = (error.strerror or type(error).__name__).lower()
        where = f"{settings.host}:{settings.port}"
        raise RunError(f"{where}: cannot listen on this address ({said}); choose another --port or --host") from None
    return listening
