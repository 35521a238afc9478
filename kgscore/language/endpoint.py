"""The endpoint of a language model, and its limits."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from kgscore.errors import InputError

LLM, HYBRID = "llm", "hybrid"
READERS = (LLM, HYBRID)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model on a server with OpenAI's protocol, given instead of a reader's name.

    `hybrid` sends only the sentences that the default reader may have misread. `timeout` is in seconds; a call is retried
    `retries` times after a transient error. `max_calls` and `max_tokens` (requests and answers together) limit
    the usage of this process; 0 is no limit. `prices` are per million tokens of requests and of answers.
    `allow_remote`: reports may leave this machine.

    Raises:
        InputError: the address is invalid, or remote without `allow_remote`, or a limit is invalid.
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
            raise InputError("base URL: not an address; give --base-url http://127.0.0.1:8000/v1 or the like")
        if not self.model:
            raise InputError("model: no name; give --model, its name on the server")
        if not self.local and not self.allow_remote:
            raise InputError(f"{address.hostname}: is not this machine; use --allow-remote to send reports there")
        if min(self.concurrency, self.timeout) <= 0 or min(self.retries, self.max_calls, self.max_tokens, *self.prices) < 0:
            raise InputError("language model: calls at once and timeout must be above 0, retries, limits and prices not below")

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
