"""One call to a language-model server, with limits on its total time and the size of its answer."""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from kgscore.language.answers import AnswerError
from kgscore.language.endpoint import Endpoint

if TYPE_CHECKING:
    from openai import AsyncOpenAI

LARGEST = 4_000_000  # bytes of an answer; the 8,192 tokens requested have some 40,000
_REWRITTEN = ("content-encoding", "content-length", "transfer-encoding")


def create_completion(endpoint: Endpoint, asked: Mapping[str, Any]) -> Any:
    """Return an endpoint's completion for a request. Each attempt ends after `endpoint.timeout` seconds, from first
    to last byte, however slowly the server writes.

    Raises:
        AnswerError: the answer is larger than `LARGEST`.
        openai.OpenAIError: any error of the library.
    """

    async def request() -> Any:
        async with _open_client(endpoint) as api:
            return await api.chat.completions.create(**asked)

    return _run(request())


def _run(call: Coroutine[Any, Any, Any]) -> Any:
    """Run a call to completion; in a separate thread if this one already runs an event loop (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(call)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, call).result()


def _open_client(endpoint: Endpoint) -> AsyncOpenAI:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    # The HTTP library that openai was installed with: httpx, or httpx2.
    library = importlib.import_module(DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])

    class Bounded(DefaultAsyncHttpxClient):
        async def send(self, request: Any, **options: Any) -> Any:
            request.headers["Accept-Encoding"] = "identity"  # a compressed answer could grow without bound
            try:
                async with asyncio.timeout(endpoint.timeout):
                    response = await super().send(request, **{**options, "stream": True})
                    try:
                        body = await _body(response)
                    finally:
                        await response.aclose()
            except TimeoutError:
                raise library.ReadTimeout("the answer took too long", request=request) from None
            headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in _REWRITTEN]
            return library.Response(response.status_code, headers=headers, content=body, request=request)

    # Reports must not be sent elsewhere: no redirects, and for this machine no proxy. Loading certificates takes 40 ms.
    secure = endpoint.base_url.lower().startswith("https:")
    http = Bounded(follow_redirects=False, trust_env=not endpoint.local, verify=secure)
    return AsyncOpenAI(
        api_key=os.environ.get("OPENAI_API_KEY") or "none", base_url=endpoint.base_url, timeout=endpoint.timeout,
        max_retries=endpoint.retries, http_client=http,
    )  # fmt: skip


async def _body(response: Any) -> bytes:
    body = bytearray()
    async for part in response.aiter_raw():
        body += part
        if len(body) > LARGEST:
            raise AnswerError(f"language model: the server's answer is larger than {LARGEST:,} bytes")
    return bytes(body)
