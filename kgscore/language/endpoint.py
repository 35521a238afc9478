"""Where a language model answers, and within which bounds it may be asked."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from kgscore.errors import InputError

LLM, HYBRID = "llm", "hybrid"
READERS = (LLM, HYBRID)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind a server that speaks OpenAI's protocol, in the place of a reader's name.

    `hybrid` asks it only about sentences that the default reader may have misread. `timeout` is in seconds; a call is tried
    `retries` times more after an error that may pass. `max_calls` and `max_tokens` (of questions and answers together) bound
    what this process may use; 0 is no bound. `prices` are those of a million tokens of questions and of answers.
    `allow_remote`: reports may leave this machine.

    Raises:
        InputError: the address is none, is not of this machine without `allow_remote`, or a bound makes no sense.
    """

    base_url: str
    model: str
    hybrid: bool = False
    allow_remote: bool = False
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 5
    max_calls: int = 0
    max_tokens: int = 0
    prices: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        address = urlsplit(self.base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise InputError("base URL: is no address; give --base-url http://127.0.0.1:8000/v1 or the like")
        if not self.model:
            raise InputError("model: no name; give --model, as the server calls it")
        if not self.local and not self.allow_remote:
            raise InputError(f"{address.hostname}: is not this machine; --allow-remote lets the reports leave it")
        if min(self.concurrency, self.timeout) <= 0 or min(self.retries, self.max_calls, self.max_tokens, *self.prices) < 0:
            raise InputError("language model: calls at once and timeout must be above 0, retries, bounds and prices not below")

    @property
    def name(self) -> str:
        """The name of the reader."""
        return HYBRID if self.hybrid else LLM

    @property
    def local(self) -> bool:
        """Whether the server is on this machine."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False
