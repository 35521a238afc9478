"""Parsing a model's answer: the JSON object in it, validated against the schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from kgscore.errors import KgscoreError

_THOUGHT = re.compile(r"\A.*</think>", re.DOTALL)


class AnswerError(KgscoreError):
    """A language model gave no usable answer for one text; the message gives the reason and quotes no report."""


def parse_answer(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object in an answer, without empty fields; surrounding text is ignored.

    Raises:
        AnswerError: the answer contains no object, or one that violates the schema.
    """
    import jsonschema

    said = _THOUGHT.sub("", text)
    try:
        found = json.loads(said[said.find("{") : said.rfind("}") + 1])
    except (ValueError, RecursionError):
        raise AnswerError("the answer is not a JSON object") from None
    answer: dict[str, Any] = _prune(found)
    first = next(iter(sorted(jsonschema.Draft202012Validator(schema).iter_errors(answer), key=lambda e: e.json_path)), None)
    if first is not None:
        wanted = json.dumps(first.validator_value)
        raise AnswerError(f"the answer violates the schema: {first.json_path}: {first.validator} {wanted:.80}")
    return answer


def _prune(value: Any) -> Any:
    """Return a value without object fields that are null, empty, or say so."""
    if isinstance(value, list):
        return [_prune(one) for one in value]
    if isinstance(value, dict):
        return {key: _prune(one) for key, one in value.items() if one not in (None, "", "null") and (one != [] or key in _LISTS)}
    return value


_LISTS = ("findings", "choices", "pairs", "corrections", "Ref", "Gen", "unmatched")
