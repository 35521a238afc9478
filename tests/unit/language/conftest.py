"""A server of a language model that speaks the real protocol, and answers as a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kgscore.language.client import client_of
from kgscore.language.endpoint import Endpoint
from kgscore.language.prompts import question_text
from kgscore.resources import cache_folder

# A program, which needs what a real model needs.
collect_ignore = ["model_server.py"]


@dataclass
class Reply:
    """What a server sends back: a text of the model in an answer of status 200, or another status with its body."""

    text: str | None = None
    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    refusal: str | None = None
    cut: bool = False
    until: threading.Event | None = None

    def data(self) -> bytes:
        if self.body is not None:
            return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        made = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "usage": None}
        if self.text is not None:
            made["usage"] = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return json.dumps({**made, "choices": [{"index": 0, "finish_reason": self.finish, "message": message}]}).encode()


class Served:
    """A server on a free port. `replies` are given in their order, the last one again and again, or `by` makes one of the text
    that is asked about; `asked` are the questions that came, with their headers under `headers`."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.by: Callable[[str], Reply] | None = None
        self.asked: list[dict[str, Any]] = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                served.asked.append({**question, "headers": headers, "path": self.path})
                text = question_text(question["messages"][1]["content"])
                reply = served.by(text) if served.by else served.replies.pop(0) if served.replies[1:] else served.replies[0]
                if reply.until:
                    reply.until.wait(10)
                data = reply.data()
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if reply.cut else data)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def endpoint(self, **options: Any) -> Endpoint:
        return Endpoint(self.url, "small", **{"retries": 0, "concurrency": 4, **options})


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    from kgscore.runs.batch import scorer_for

    server = Served()
    monkeypatch.setenv("KGSCORE_CACHE", str(_cache_without_answers(tmp_path / "cache")))
    yield server
    server.http.shutdown()
    server.http.server_close()
    client_of.cache_clear()
    scorer_for.cache_clear()


def _cache_without_answers(root: Path) -> Path:
    """Make a cache that holds what the usual one does, but for answers of models; processes that a test starts find it too."""
    usual = cache_folder()
    (root / "kgscore").mkdir(parents=True)
    for kept in usual.iterdir() if usual.is_dir() else ():
        if kept.name != "language":
            (root / "kgscore" / kept.name).symlink_to(kept)
    return root


def found(*items: dict[str, Any]) -> Reply:
    """Return the reply that gives these findings."""
    return Reply(json.dumps({"findings": list(items)}))
