"""Calls to a language model: from the cache, else over the network, within the limits of its endpoint."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
import unicodedata
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscore.errors import InputError, MissingExtraError, write_error
from kgscore.language.answers import AnswerError, parse_answer
from kgscore.language.endpoint import Endpoint
from kgscore.language.prompts import Prompt, question_text
from kgscore.language.wire import create_completion
from kgscore.private_files import read_sealed, write_sealed
from kgscore.resources import cache_folder

if TYPE_CHECKING:
    from openai import APIStatusError

# Request options besides the schema; those that a server rejects are omitted in later requests.
PARAMETERS: Mapping[str, Any] = {"temperature": 0, "seed": 1, "max_tokens": 8192}
_REPAIR = "That cannot be used: {}. Give the whole answer again as one JSON object that follows the schema, and nothing else."
_SHARED = 8  # consecutive letters and digits of a report that a server's message may not repeat, ignoring case and punctuation
_MOST_TOKENS = 10**7  # maximum plausible token count of one call


@dataclass(slots=True)
class Tally:
    """The model usage of a process and its results; `cost` is in the currency of the prices."""

    calls: int = 0
    cached: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    items: int = 0
    refused: int = 0
    unlinked: int = 0
    sentences: int = 0
    sent: int = 0
    began: float = 0.0

    def __str__(self) -> str:
        """Return the usage in words."""
        cost = f", {self.cost:,.4f} in money" if self.cost else ""
        words = f"{self.calls:,} calls ({self.cached:,} answers from the cache, {self.failed:,} failed)"
        words = f"{words}, {self.tokens_in:,} tokens in, {self.tokens_out:,} out{cost}"
        if self.items or self.refused:
            share = f"{self.refused:,} of {self.items + self.refused:,} findings refused, whose quotes are not in the report"
            words = f"{words}; {share}; {self.unlinked:,} left unlinked"
            words += f" ({self.unlinked / self.items:.1%})" if self.items else ""
        if self.sentences:
            words = f"{words}; {self.sent:,} of {self.sentences:,} sentences sent ({self.sent / self.sentences:.1%})"
        return words


def _key_of(*asked: object) -> str:
    """Return the hash of everything that determines an answer."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class Cache:
    """Answers by request, so that a second run makes no calls and gives the same bytes: one owner-only file each, since an
    answer quotes the report, with a checksum."""

    def __init__(self) -> None:
        self._folder = cache_folder() / "language"

    def get(self, key: str) -> Mapping[str, Any] | None:
        """Return the cached value of a key, or None."""
        held = read_sealed(self._path(key))
        found = None if held is None else json.loads(held)
        return found if isinstance(found, dict) else None

    def put(self, key: str, answer: Mapping[str, Any]) -> None:
        """Store an answer atomically.

        Raises:
            RunError: the cache cannot be written.
        """
        try:
            write_sealed(self._path(key), json.dumps(answer, ensure_ascii=True).encode())
        except OSError as error:
            raise write_error(self._folder, error) from None

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"


class Client:
    """Calls one endpoint, from any thread. Concurrent identical requests share one call."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.tally = Tally(began=time.monotonic())
        self._cache = Cache()
        self._lock = threading.Lock()
        self._asked: dict[str, Future[Mapping[str, Any]]] = {}
        self._without: set[str] = set()
        self._reached = False
        for library in ("openai", "httpx2", "httpx"):  # at DEBUG they would log the requests
            logging.getLogger(library).setLevel(logging.WARNING)

    def known(self, prompt: Prompt, message: str) -> bool:
        """Return whether the answer to a request is cached."""
        return self._cache.get(self._key(prompt, message)) is not None

    def ask(self, prompt: Prompt, message: str) -> Mapping[str, Any]:
        """Return the answer to a request, matching its schema.

        Raises:
            AnswerError: no answer: the server rejects or fails, the model declines or gives an unusable answer, or a
                limit is reached.
            InputError: the server cannot be reached at all, or rejects the key.
            MissingExtraError: the extra `llm` is not installed.
        """
        key = self._key(prompt, message)
        with self._lock:
            future = self._asked.get(key)
            mine = future is None
            if future is None:
                future = self._asked[key] = Future()
        if mine:
            try:
                future.set_result(self._answer(key, prompt, message))
            except BaseException as error:  # noqa: BLE001, pass the error to all who wait for this answer
                future.set_exception(error)
            finally:
                with self._lock:
                    del self._asked[key]
        return future.result()

    def _key(self, prompt: Prompt, message: str) -> str:
        return _key_of(self.endpoint.base_url.rstrip("/"), self.endpoint.model, prompt.system, message, prompt.schema, PARAMETERS)

    def _answer(self, key: str, prompt: Prompt, message: str) -> Mapping[str, Any]:
        kept = self._cache.get(key)
        if kept is not None:
            with self._lock:
                self.tally.cached += 1
            answer: Mapping[str, Any] = kept["answer"]
            return answer
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": message}]
        try:
            text = self._call(messages, prompt, message)
            try:
                answer = parse_answer(text, prompt.schema)
            except AnswerError as error:  # ask once more, stating the problem
                again = [{"role": "assistant", "content": text}, {"role": "user", "content": _REPAIR.format(error)}]
                answer = parse_answer(self._call([*messages, *again], prompt, message), prompt.schema)
        except AnswerError:
            with self._lock:
                self.tally.failed += 1
            raise
        self._cache.put(key, {"answer": answer})
        return answer

    def _call(self, messages: list[dict[str, str]], prompt: Prompt, message: str) -> str:
        """Make one call and return the model's text; the report in `message` is never repeated in an error."""
        import openai

        self._count_call()
        while True:
            options = self._options(prompt)
            try:
                made = create_completion(self.endpoint, {"model": self.endpoint.model, "messages": messages, **options})
                break
            except openai.APIStatusError as error:
                if error.status_code in (401, 403) and not self._reached:
                    raise InputError(f"language model: HTTP {error.status_code}; set OPENAI_API_KEY for this server") from None
                if error.status_code not in (400, 422) or not self._drop_option(error, options):
                    why = _reason(error, question_text(message))
                    raise AnswerError(f"language model: HTTP {error.status_code}: {why}") from None
            except openai.APITimeoutError:
                raise AnswerError(f"language model: no answer in {self.endpoint.timeout:g} s; give a longer --timeout") from None
            except openai.APIConnectionError as error:
                if isinstance(error.__cause__, AnswerError):
                    raise error.__cause__ from None
                if not self._reached and type(error.__cause__).__name__ == "ConnectError":
                    raise InputError(f"language model: no server at {self.endpoint.base_url}; is it running?") from None
                raise AnswerError("language model: the connection broke; run the same command again") from None
            except (openai.APIError, ValueError, RecursionError) as error:
                raise AnswerError(f"language model: the server's answer cannot be read ({type(error).__name__})") from None
        try:
            return self._text(made)
        except (AttributeError, TypeError):  # the library does not validate the server's types
            raise AnswerError("language model: the server's answer is not a completion") from None

    def _text(self, made: Any) -> str:
        """Return the text of a completion, and count its tokens."""
        used = getattr(made, "usage", None)
        with self._lock:
            self._reached = True
            given, taken = (_tokens(getattr(used, name, None)) for name in ("prompt_tokens", "completion_tokens"))
            self.tally.tokens_in += given
            self.tally.tokens_out += taken
            prices = self.endpoint.prices
            self.tally.cost += (given * prices[0] + taken * prices[1]) / 1e6
        choice = next(iter(getattr(made, "choices", None) or ()), None)
        if choice is None or getattr(choice, "message", None) is None:
            raise AnswerError("language model: the server's answer holds no message")
        if getattr(choice.message, "refusal", None) or choice.finish_reason == "content_filter":
            raise AnswerError("language model: the model declined to answer")
        if choice.finish_reason == "length":
            raise AnswerError("language model: the answer was truncated at the maximum length; use a model with a longer context")
        return str(choice.message.content or "")

    def _options(self, prompt: Prompt) -> dict[str, Any]:
        schema = {"type": "json_schema", "json_schema": {"name": prompt.name.replace(".", "_"), "schema": prompt.schema}}
        options = {**PARAMETERS, "response_format": schema}
        return {name: value for name, value in options.items() if name not in self._without}

    def _drop_option(self, error: APIStatusError, options: Mapping[str, Any]) -> bool:
        """Omit from now on the options that a server rejects, else the schema; return whether there was any to omit."""
        said = str(error.body or error.message)
        named = [name for name in options if name in said or (name == "response_format" and "schema" in said)]
        drop = named or [name for name in ("response_format",) if name in options]
        self._without.update(drop)
        return bool(drop)

    def _count_call(self) -> None:
        endpoint, tally = self.endpoint, self.tally
        with self._lock:
            if endpoint.max_calls and tally.calls >= endpoint.max_calls:
                raise AnswerError(f"language model: the limit of {endpoint.max_calls} calls is reached; raise --max-calls")
            if endpoint.max_tokens and tally.tokens_in + tally.tokens_out >= endpoint.max_tokens:
                raise AnswerError(f"language model: the limit of {endpoint.max_tokens} tokens is reached; raise --max-tokens")
            tally.calls += 1


def _reason(error: APIStatusError, secret: str) -> str:
    """Return a server's error message in one line, unless it repeats part of the report."""
    inner = error.body.get("error", error.body) if isinstance(error.body, dict) else error.body
    said = str(inner.get("message") or inner.get("detail") or "") if isinstance(inner, dict) else str(inner or "")
    said = " ".join((said or error.message).split())[:200]
    shown, kept = _comparable_text(said), _comparable_text(secret)
    repeated = any(shown[at : at + _SHARED] in kept for at in range(len(shown) - _SHARED + 1))
    return "the server's message quotes the report and is not shown" if repeated else said or "no reason given"


def _comparable_text(text: str) -> str:
    """Return the letters and digits of a text, case-folded and normalised."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _tokens(said: object) -> int:
    """Return the number of tokens reported by a server; an invalid number counts as none."""
    return said if isinstance(said, int) and 0 <= said <= _MOST_TOKENS else 0


@lru_cache(maxsize=8)
def client_of(endpoint: Endpoint) -> Client:
    """Return the client of an endpoint, cached in this process.

    Raises:
        MissingExtraError: the extra `llm` is not installed.
    """
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in ("openai", "jsonschema")):
        raise MissingExtraError("language models need the extra 'llm': pip install 'kgscore[llm]'")
    return Client(endpoint)
