"""Pages in a real browser: headless Chromium, driven by playwright; screenshots go to `build/screenshots`.

Needs playwright (extra `test`) and a Chromium: `chromium` on the path, or named by KGSCORE_CHROMIUM. Accessibility is checked by
axe-core: `npm install --no-save axe-core`, or KGSCORE_AXE names its file. What is not there is skipped, with the reason; with
KGSCORE_BROWSER=required, as CI says, it fails.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / "build" / "screenshots"
AXE = Path(os.environ.get("KGSCORE_AXE") or ROOT / "node_modules" / "axe-core" / "axe.min.js")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def _more(number: int) -> dict[str, str]:
    candidate, site = ("Clear lungs.", "Left consolidation.")[number % 2], ("north", "south")[number % 3 == 0]
    return {"id": f"more-{number:03}", "reference": "Left lower lobe consolidation.", "candidate": candidate, "site": site}


PAIRS = (
    {
        "id": "mixed",
        "reference": "The heart is enlarged. Left apical tension pneumothorax. Moderate right pleural effusion. No focal"
        " consolidation.",
        "candidate": "Cardiomegaly. No pneumothorax. Small right pleural effusion. There is a left lower lobe consolidation.",
    },
    {"id": "same", "reference": "Small left pleural effusion.", "candidate": "Small left pleural effusion."},
    {
        "id": "hostile </script><b>",
        "reference": "Pneumothorax <img src=x onerror=\"window.hit=1\"> on the left. 🫁 Left rib fracture.",
        "candidate": "</script><script>window.hit=1</script> Left pneumothorax. \N{LINE SEPARATOR}{{ 7*7 }} &lt;b&gt;",
    },
    {"id": "no reference", "reference": "", "candidate": "Left pneumothorax."},
    *(_more(number) for number in range(96)),
)


def lacking(what: str) -> None:
    """Skip, or fail where everything must be there."""
    if os.environ.get("KGSCORE_BROWSER") == "required":
        pytest.fail(what)
    pytest.skip(what)


FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>"""
SLOW = 300.0  # seconds in which a machine under load must have done something that takes three


def same_fonts(folder: Path) -> dict[str, str]:
    """Return the environment of a browser that knows the fonts of matplotlib only: pages look the same on every machine."""
    try:
        from matplotlib import get_data_path
    except ImportError:
        return {}
    config = folder / "fonts.conf"
    config.write_text(FONTS.format(fonts=Path(get_data_path()) / "fonts" / "ttf", cache=folder / "cache"), encoding="utf-8")
    return {"FONTCONFIG_FILE": str(config)}


@contextmanager
def explorer(folders: Sequence[Path]) -> Iterator[str]:
    """Give the address of an explorer over these run folders: runs are open and their graphs made, so no test waits for that."""
    command = [sys.executable, "-m", "kgscore", "serve", *map(str, folders), "--port", "0"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
    assert server.stderr is not None
    try:
        line = server.stderr.readline()
        assert "http://127.0.0.1:" in line, line
        address = line.split()[2].rstrip("/")
        with urlopen(f"{address}/", timeout=SLOW) as page:
            assert page.status == 200
        for folder in folders:
            _warm(f"{address}/api/runs/{folder.name}-1/query")
        yield address
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)
        server.stderr.close()


def _warm(address: str) -> None:
    body = json.dumps({"query": "ASK { ?s ?p ?o }"}).encode()
    end = time.monotonic() + SLOW
    while time.monotonic() < end:
        try:
            with urlopen(Request(address, body, {"content-type": "application/json"}), timeout=SLOW):
                return
        except HTTPError as error:
            if error.code == 404:
                raise
            time.sleep(1)  # too slow, or too busy
    pytest.fail(f"{address}: no answer in {SLOW:.0f} s")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Give a browser with a profile of its own."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = os.environ.get("KGSCORE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        lacking("no chromium on the path; KGSCORE_CHROMIUM names one")
    with sync.sync_playwright() as playwright:
        profile = tmp_path_factory.mktemp("chromium")
        env = {**os.environ, **same_fonts(tmp_path_factory.mktemp("fonts"))}
        context = playwright.chromium.launch_persistent_context(profile, executable_path=chromium, args=[*FLAGS], env=env)
        context.set_default_timeout(60_000)
        yield context
        context.close()


class Tab:
    """A page that remembers what went wrong on it, and what it asked of the network."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.wrong: list[str] = []
        self.asked: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: message.type in ("error", "warning") and self.wrong.append(message.text))
        page.on("request", lambda request: self.asked.append(request.url))

    def shot(self, name: str, *, whole: bool = True) -> None:
        """Keep a picture of the page."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=whole, animations="disabled")

    def until(self, expression: str) -> None:
        """Wait until an expression holds (the pages forbid `eval`, with which playwright itself would wait)."""
        end = time.monotonic() + 60
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.02)

    def wrong_by_axe(self) -> list[str]:
        """Return what axe finds moderate, serious or critical: rule and place."""
        if not AXE.is_file():
            lacking("axe-core is not installed; npm install --no-save axe-core")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")
        return [
            f"{one['id']}: {node['html'][:120]}"
            for one in found["violations"] if one["impact"] in ("moderate", "serious", "critical")
            for node in one["nodes"]
        ]  # fmt: skip


@pytest.fixture
def open_tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    """Give a function that opens an address in a tab: of a width, in a colour scheme."""
    pages = []

    def go(address: str, *, width: int = 1280, scheme: str = "light") -> Tab:
        page = browser.new_page()
        pages.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        tab = Tab(page)
        page.goto(address)
        return tab

    yield go
    for page in pages:
        page.close()
