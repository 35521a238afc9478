"""The pages look as they did: pictures at three widths and in two schemes, beside those that are kept in `shots`.

The pictures are a tenth of the size: neither a digit nor the Chromium at hand matters, but a colour, a column or a part that is
gone does. After a change on purpose: `KGSCORE_SHOTS=keep python -m pytest tests/browser/test_shots.py`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kgscore.cli import main
from tests.browser.conftest import ROOT, Tab, explorer

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
pytest.importorskip("matplotlib", reason="the fonts of the pictures come with it")
pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

Open = Callable[..., Tab]
KEPT = Path(__file__).parent / "shots"
# How far blurred pictures may be apart, as a share of what is on the page: a line more moves it by 0.1 to 0.16, an empty page is
# 0.4 to 0.6 away, one of the other scheme more than 5.
FAR, BLUR = 0.22, 4
# name: address, what must be there when it is whole
PAGES = {
    "run": ("run.html", ".cases tbody tr"),
    "case": ("run.html#case=1&at=0", ".proof .close"),
    "compare": ("both.html", ".cases tbody tr"),
    "compare-case": ("both.html#case=0-0&at=0", ".three .proof .close"),
    "runs": ("/", "#board"),
    "ontology": ("/ontology#pneumothorax", ".occurrences b"),
    "query": ("/query", "#asking"),
}
# The time of scoring and signatures are no part of the picture.
TIMELESS = """document.querySelectorAll('.lead').forEach((one) => { one.textContent = one.textContent.split(' · 20')[0]; });
document.querySelectorAll('.page-foot, .notice').forEach((one) => { one.style.setProperty('display', 'none'); });"""


@pytest.fixture(scope="module")
def places(browser: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Give a folder with the files, and the address of an explorer, of the shipped examples."""
    folder = tmp_path_factory.mktemp("shots")
    sources = {"pairs": "pairs", "a": "systems/a", "b": "systems/b"}
    for name, source in sources.items():
        command = ["score", str(ROOT / "examples" / f"{source}.jsonl"), "--out", str(folder / name)]
        assert main([*command, "--metrics", "clinical,radsem,fineradscore"]) == 0
    assert main(["report", str(folder / "pairs"), "-o", str(folder / "run.html"), "--title", "Example pairs"]) == 0
    assert main(["report", str(folder / "a"), str(folder / "b"), "-o", str(folder / "both.html")]) == 0
    with explorer([folder / "a", folder / "b"]) as address:
        yield folder, address


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 1024, 390])
def test_the_pages_look_as_they_did(places: tuple[Path, str], open_tab: Open, width: int, scheme: str) -> None:
    folder, address = places
    far = {}
    for name, (place, ready) in PAGES.items():
        start = address if place.startswith("/") else f"{folder.as_uri()}/"
        tab = open_tab(start + place, width=width, scheme=scheme)
        tab.page.wait_for_selector(ready)
        tab.page.evaluate(TIMELESS)
        far[name] = apart(tab.page.screenshot(animations="disabled"), KEPT / f"{name}-{width}-{scheme}.png")
    assert {name: mean for name, mean in far.items() if mean > FAR} == {}, "if that is meant, see the first lines of this file"


def apart(shot: bytes, kept: Path) -> float:
    """Return the mean difference of two pictures as a share of the ink on the kept one, or keep the new one."""
    from PIL import ImageChops, ImageFilter, ImageStat

    whole = Image.open(io.BytesIO(shot)).convert("RGB")
    small = whole.resize((whole.width // 10, whole.height // 10), Image.Resampling.BOX)
    if os.environ.get("KGSCORE_SHOTS") == "keep":
        small.save(kept, optimize=True)
        return 0.0

    def far(one: Any, other: Any) -> float:
        return float(max(ImageStat.Stat(ImageChops.difference(one, other)).mean))

    old = Image.open(kept).convert("RGB")
    ground = Image.new("RGB", old.size, old.getpixel((0, old.height - 1)))
    blur = ImageFilter.GaussianBlur(BLUR)
    return far(small.filter(blur), old.filter(blur)) / far(old, ground)
