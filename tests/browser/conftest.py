"""Pages in a real browser: headless Chromium, driven by playwright; screenshots go to `build/screenshots`.

Needs playwright (extra `test`) and a Chromium: `chromium` on the path, or named by KGSCORE_CHROMIUM. Accessibility is checked by
axe-core: `npm install --no-save axe-core`. What is not there is skipped, with the reason.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / "build" / "screenshots"
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
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
        "reference": "The heart is enlarged. Small left apical pneumothorax. Moderate right pleural effusion. No focal"
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


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Give a browser with a profile of its own."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = os.environ.get("KGSCORE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("no chromium on the path; KGSCORE_CHROMIUM names one")
    with sync.sync_playwright() as playwright:
        profile = tmp_path_factory.mktemp("chromium")
        context = playwright.chromium.launch_persistent_context(profile, executable_path=chromium, args=[*FLAGS])
        context.set_default_timeout(20_000)
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
        end = time.monotonic() + 20
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.02)

    def serious(self) -> list[str]:
        """Return what axe finds serious or critical: rule and place."""
        if not AXE.is_file():
            pytest.skip("axe-core is not installed; npm install --no-save axe-core")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{one['id']}: {node['html'][:120]}"
            for one in found["violations"] if one["impact"] in ("serious", "critical")
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
