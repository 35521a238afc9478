"""The shipped prompts: the instructions, the schema of the answer, and their hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kgscore.resources import resource

EXTRACTION, LINKING = "extraction", "linking"
_FENCE = 16  # digits of the hash in a fence
FENCE = "fence.md"  # explains the fence around a report, in every system message


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: the `system` message, including examples, and the JSON `schema` of the answer."""

    name: str
    system: str
    schema: Mapping[str, Any]

    @property
    def hash(self) -> str:
        """Return the hash of everything that determines an answer."""
        return hashlib.sha256(f"{self.system}\0{json.dumps(self.schema, sort_keys=True)}".encode()).hexdigest()[:12]


@lru_cache
def load_prompt(name: str) -> Prompt:
    """Return a shipped prompt by name; its examples, if any, are at the end of the system message.

    Raises:
        KgscoreError: the file is missing from the installation.
    """
    system = "\n".join(resource("prompts", file).read_text(encoding="utf-8") for file in (f"{name}.md", FENCE))
    schema = json.loads(resource("prompts", f"{name}.schema.json").read_text(encoding="utf-8"))
    examples = resource("prompts", f"{name}.examples.jsonl").read_text(encoding="utf-8").splitlines()
    for number, example in enumerate(map(json.loads, examples), 1):
        asked = user_message(example.pop("report"))
        system += f"\n# Example {number}\n\n{asked}\n\nAnswer: {json.dumps(example, ensure_ascii=False)}\n"
    return Prompt(name, system, schema)


def user_message(text: str, only: tuple[str, ...] = ()) -> str:
    """Return the message that asks about a text: all of it, or `only` some sentences of it. Untrusted text is enclosed by lines
    with a hash of the text, which the text cannot contain and so cannot close."""
    fence = request_key("fence", text)[:_FENCE]
    asked = f"<report {fence}>\n{text}\n</report {fence}>"
    if not only:
        return asked
    lines = "\n".join(f"- {' '.join(one.split())}" for one in only)
    return f"{asked}\nGive only the findings of these sentences of it:\n<sentences {fence}>\n{lines}\n</sentences {fence}>"


def question_text(message: str) -> str:
    """Return the text in a message.

    >>> question_text(user_message("No effusion.", ("No effusion.",)))
    'No effusion.'
    """
    opening, _, rest = message.partition("\n")
    return rest.partition(f"\n</{opening[1:]}")[0]


def request_key(system: str, text: str) -> str:
    """Return the key of a request about a text: the hash of the instructions and the text."""
    return hashlib.sha256(f"{system}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
