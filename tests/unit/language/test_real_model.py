"""A real model behind a real server: llama.cpp's. Its readings do not matter, the road does.

KGSCORE_LLAMA_SERVER is the path of `llama-server`, KGSCORE_GGUF that of a small model; without them nothing is tested here.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import kgscore  # noqa: F401, a fixture

from .conftest import Served

SERVER, MODEL = os.environ.get("KGSCORE_LLAMA_SERVER"), os.environ.get("KGSCORE_GGUF")
pytestmark = pytest.mark.skipif(not (SERVER and MODEL), reason="no llama-server and model given")


@pytest.fixture
def llama() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [str(SERVER), "-m", str(MODEL), "-c", "8192", "--host", "127.0.0.1", "--port", port, "--n-predict", "300"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1)
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
        server.terminate()


def test_a_real_model_reads_in_the_schema_or_fails_with_a_reason(
    kgscore: Callable[..., Any], served: Served, llama: str, tmp_path: Path  # noqa: F811
) -> None:
    report = tmp_path / "report.txt"
    report.write_text("No pneumothorax.", encoding="utf-8")
    model = ("--reader", "llm", "--base-url", llama, "--model", "small", "--timeout", "600")
    first = kgscore("read", report, *model)
    (line,) = first.lines
    assert first.code in (0, 3)
    assert (first.code == 3) == (line.get("status") == "failed")
    again = kgscore("read", report, *model)
    if first.code == 0:
        assert again.out == first.out
        assert "language model: 0 calls (1 answers from the cache" in again.err
