"""Access control: host names, the token, the size of a body, and security headers that forbid what the pages do not need."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from kgscore.escaping import escape_controls
from kgscore.serve.settings import Settings

COOKIE = "kgscore_token"
_LOG = logging.getLogger(__name__)
_Message = MutableMapping[str, Any]
_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_HEADERS = (
    (b"content-security-policy", b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
     b" connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)  # fmt: skip


class Guard:
    """ASGI middleware. A rejected request is answered with one line before its body is read."""

    def __init__(self, app: Callable[[_Scope, _Receive, _Send], Awaitable[None]], settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._running = 0

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if refused := self._rejection(scope, headers):
            await _answer(send, *refused)
            return
        if (given := self._token_in_address(scope)) is not None:
            await _redirect(send, scope["path"], given)
            return
        if self._running >= self._settings.limits.requests:
            await _answer(send, 503, "too many requests at the moment; try again shortly", ((b"retry-after", b"2"),))
            return
        self._running += 1
        try:
            await self._pass_on(scope, receive, send)
        finally:
            self._running -= 1

    async def _pass_on(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        limits = self._settings.limits
        bare = scope["method"] == "HEAD"  # answered like GET, without the body
        body: bytes | None = None
        if scope["method"] not in ("GET", "HEAD"):
            try:
                body = await asyncio.wait_for(self._body(receive), limits.body_seconds)
            except TimeoutError:
                await _answer(send, 408, f"the request was not complete within {limits.body_seconds:g} s")
                return
            if body is None:
                await _answer(send, 413, f"the request is larger than {limits.body:,} bytes")
                return
        began = False

        async def read() -> _Message:
            nonlocal body
            if body is None:
                return await receive()
            whole, body = body, None
            return {"type": "http.request", "body": whole, "more_body": False}

        async def write(message: _Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                given = list(message.get("headers", ()))
                kept = () if any(name == b"cache-control" for name, _ in given) else ((b"cache-control", b"no-store"),)
                message["headers"] = [*given, *kept, *_HEADERS]
            elif bare:
                message = {**message, "body": b""}
            await send(message)

        try:
            await self._app({**scope, "method": "GET"} if bare else scope, read, write)
        except Exception as error:  # a bug is reported in one line that quotes no report
            _LOG.error("internal error: %s at %s", type(error).__name__, escape_controls(scope["path"]))
            if not began:
                await _answer(send, 500, f"internal error ({type(error).__name__}); please report it")

    def _rejection(self, scope: _Scope, headers: MutableMapping[str, str]) -> tuple[int, str] | None:
        host = _host_name(headers.get("host", ""))
        if host not in self._settings.known_hosts:
            return 421, "unknown host name; start the server with --name to allow it"
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host", ""):
            return 403, "requests from other sites are refused"
        if self._settings.token and not self._allowed(scope, headers):
            return 401, "a token is required: open the address that kgscore printed, or send it as 'Authorization: Bearer …'"
        return None

    def _allowed(self, scope: _Scope, headers: MutableMapping[str, str]) -> bool:
        kind, _, value = headers.get("authorization", "").partition(" ")
        offered = [value.strip()] if kind.lower() == "bearer" else []
        with suppress(CookieError, KeyError):
            offered.append(SimpleCookie(headers.get("cookie", ""))[COOKIE].value)
        offered += parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return any(hmac.compare_digest(one.encode(), self._settings.token.encode()) for one in offered)

    def _token_in_address(self, scope: _Scope) -> str | None:
        """Move the token from the address into a cookie, so that it does not stay in the address or the history."""
        if not self._settings.token or scope["method"] != "GET":
            return None
        return next(iter(parse_qs(scope["query_string"].decode("latin-1")).get("token", [])), None)

    async def _body(self, receive: _Receive) -> bytes | None:
        """Return the body of a request, or None if it is larger than allowed."""
        pieces: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            more = message.get("more_body", False)
            if size > self._settings.limits.body:
                return None
        return b"".join(pieces)


def _host_name(host: str) -> str:
    """Return the name in a Host header, without its port.

    >>> _host_name("localhost:8642"), _host_name("[::1]:8642")
    ('localhost', '::1')
    """
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


async def _answer(send: _Send, status: int, words: str, more: Iterable[tuple[bytes, bytes]] = ()) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close"), (b"cache-control", b"no-store"), *more,
        *_HEADERS,
    ]  # fmt: skip
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{words}\n".encode()})


async def _redirect(send: _Send, path: str, token: str) -> None:
    cookie = f"{COOKIE}={quote(token)}; HttpOnly; SameSite=Strict; Path=/"
    here = "/" + quote(path.lstrip("/\\"))  # two slashes would redirect to another server
    await _answer(send, 303, "go on", [(b"location", here.encode()), (b"set-cookie", cookie.encode("latin-1"))])
