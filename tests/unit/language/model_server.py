"""A server of a causal language model that speaks OpenAI's protocol: transformers computes it, llguidance keeps it to the schema.

    python model_server.py MODEL.gguf

prints its address when it answers. It takes one question at a time and keeps what it computed of the words that two have in
common.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import llguidance
import llguidance.hf
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache

_LETTERS, _ITEMS = 60, 4  # of a text and a list of an answer: a small model would not end them


def bounded(schema: Any) -> Any:
    """Return a schema whose texts and lists end; what follows it follows the one given."""
    if isinstance(schema, list):
        return [bounded(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: bounded(value) for name, value in schema.items()}
    if made.get("type") == "string":
        made["maxLength"] = _LETTERS
    if made.get("type") == "array":
        made["maxItems"] = min(made.get("maxItems", _ITEMS), _ITEMS)
    return made


class Model:
    """A model with its tokens; `answer` is the likeliest that the schema allows, token by token."""

    def __init__(self, path: Path) -> None:
        given = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name, "local_files_only": True}
        self._tokens = AutoTokenizer.from_pretrained(**given)
        self._net = AutoModelForCausalLM.from_pretrained(**given, dtype=torch.float32).eval()
        self._known = llguidance.hf.from_tokenizer(self._tokens, n_vocab=self._net.config.vocab_size)
        self._seen: list[int] = []
        self._past = DynamicCache()
        self._lock = threading.Lock()

    def answer(self, messages: list[dict[str, str]], schema: Any, most: int) -> tuple[str, str, int, int]:
        """Return an answer, why it ended, and how many tokens question and answer have."""
        asked = self._tokens.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
        allowed = llguidance.LLMatcher(self._known, llguidance.LLMatcher.grammar_from_json_schema(json.dumps(bounded(schema))))
        made: list[int] = []
        with self._lock, torch.inference_mode():
            while len(made) < most and not allowed.is_stopped():
                scores = self._next([*asked, *made])
                mask = torch.frombuffer(bytearray(allowed.compute_logit_bias()), dtype=torch.uint8)[: len(scores)] > 0
                made.append(int(scores.masked_fill(~mask, float("-inf")).argmax()))
                allowed.consume_token(made[-1])
        text = self._tokens.decode(made, skip_special_tokens=True)
        return text, "stop" if allowed.is_stopped() else "length", len(asked), len(made)

    def _next(self, tokens: list[int]) -> torch.Tensor:
        """Return how likely each token is the next one."""
        same = 0
        while same < min(len(self._seen), len(tokens) - 1) and self._seen[same] == tokens[same]:
            same += 1
        if same < len(self._seen):
            self._past.crop(same - len(self._seen))  # below 0: so many go
        scores: torch.Tensor = self._net(
            torch.tensor([tokens[same:]]), past_key_values=self._past, use_cache=True, logits_to_keep=1
        ).logits[0, -1]
        self._seen = tokens
        return scores


def server_of(model: Model) -> ThreadingHTTPServer:
    """Return a server on a free port of this machine: `POST /v1/chat/completions`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            schema = asked["response_format"]["json_schema"]["schema"]
            text, end, given, made = model.answer(asked["messages"], schema, asked["max_tokens"])
            said = {"index": 0, "finish_reason": end, "message": {"role": "assistant", "content": text}}
            used = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
            about = {"id": "1", "object": "chat.completion", "created": 0, "model": asked["model"]}
            body = json.dumps({**about, "choices": [said], "usage": used}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


if __name__ == "__main__":
    torch.set_num_threads(1)
    with server_of(Model(Path(sys.argv[1]))) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
        server.serve_forever()
