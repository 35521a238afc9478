"""Recorded answers: the requests for a list of texts, to be answered by anyone at any time, and a server with
OpenAI's protocol that returns the recorded answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from kgscore.errors import InputError, write_error
from kgscore.language.prompts import EXTRACTION, LINKING, load_prompt, question_text, request_key
from kgscore.private_files import OWNER_ONLY, atomic_file

_LARGEST = 10_000_000  # maximum bytes of a request


def write_requests(texts: Iterable[str], folder: Path) -> int:
    """Write `PROMPT.md`, and `requests.jsonl` with one line for each distinct text, ordered by key, so
    that texts of one case are not adjacent. Return their number.

    Raises:
        RunError: the folder cannot be written.
    """
    system = load_prompt(EXTRACTION).system
    found = {request_key(system, text): text for text in texts if text.strip()}
    lines = [json.dumps({"request": key, "report": found[key]}, ensure_ascii=False) + "\n" for key in sorted(found)]
    try:
        with OWNER_ONLY:
            folder.mkdir(parents=True, exist_ok=True)
        for name, text in {"PROMPT.md": system, "requests.jsonl": "".join(lines)}.items():
            with atomic_file(folder / name) as stream:
                stream.write(text.encode())
    except OSError as error:
        raise write_error(folder, error) from None
    return len(found)


def read_answers(folder: Path) -> Mapping[str, str]:
    """Return the answers in a folder by the key of their request: the lines of its `.jsonl` files with `request` and the fields
    of the answer (lines without `findings` are requests, and skipped), and `.json` files named by the key.

    Raises:
        InputError: the folder does not exist, or a file is not JSON.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; give the one with the recorded answers")
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.json*")):
        lines = [path.read_text(encoding="utf-8")] if path.suffix == ".json" else path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                answer = json.loads(line)
                key = answer.pop("request", path.stem if path.suffix == ".json" else None)
            except (ValueError, AttributeError, TypeError):
                raise InputError(f"{path}:{number}: not a JSON object; give 'request' and 'findings'") from None
            if key is not None and "findings" in answer:
                found[str(key)] = json.dumps(answer, ensure_ascii=False)
    return found


def server_of(answers: Mapping[str, str], port: int = 0) -> ThreadingHTTPServer:
    """Return a server of recorded answers, not yet running: `POST /v1/chat/completions`. A request without an answer is an error
    404, except for requests to choose among candidates, which are answered with none.

    Raises:
        InputError: the port is taken.
    """

    linking = load_prompt(LINKING).system

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                size = int(self.headers.get("Content-Length", 0))
                asked = json.loads(self.rfile.read(min(size, _LARGEST)))
                system, message = (str(one["content"]) for one in asked["messages"][:2])
            except (ValueError, KeyError, TypeError):
                self._send_json(400, {"error": {"message": "the request has no system and user message"}})
                return
            answer = answers.get(request_key(system, question_text(message)))
            if answer is None and system == linking:
                answer = '{"choices": []}'
            if answer is None:
                self._send_json(404, {"error": {"message": "no recorded answer for this request"}})
                return
            used = {"prompt_tokens": _tokens(system + message), "completion_tokens": _tokens(answer)}
            said = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
            self._send_json(200, {
                "id": "recorded", "object": "chat.completion", "created": 0, "model": str(asked.get("model", "")),
                "choices": [said], "usage": {**used, "total_tokens": sum(used.values())},
            })  # fmt: skip

        def _send_json(self, status: int, answer: Mapping[str, Any]) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing: a request contains a patient's report."""

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise InputError(f"port {port}: {(error.strerror or 'cannot be used').lower()}; choose another --port") from None


def _tokens(text: str) -> int:
    """Return the approximate number of tokens of a text."""
    return len(text.encode("utf-8", "replace")) // 4 + 1
