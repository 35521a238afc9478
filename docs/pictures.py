"""Make the pictures of README, site and gallery from the shipped examples: `python docs/pictures.py [FOLDER]`.

The figure of validity is drawn from the table of peers in docs/benchmarks.md. Needs playwright and
Chromium (`KGSCORE_CHROMIUM` or on the path); a test makes them again and compares.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from kgscore.cli import main
from kgscore.report.plots import svg
from kgscore.report.plots.figures import forest

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
METRICS = "clinical,radsem,fineradscore"
CASE = "#case=1&at=0"
# name: what is drawn of the runs "a" and "b"
PLOTS = {
    "body": "body a", "errors": "errors a", "recall": "recall a --least 1 --limit 12", "scores": "scores a b --metric radsem",
}  # fmt: skip
# name: file, state, width, height, colour scheme
SHOTS = {
    "case": ("report.html", CASE, 1280, 620, "light"),
    "case-dark": ("report.html", CASE, 1280, 620, "dark"),
    "run": ("report.html", "", 1280, 820, "light"),
    "phone": ("report.html", CASE, 390, 720, "light"),
    "compare": ("compare.html", "", 1280, 760, "light"),
    "compare-case": ("compare.html", "#case=0-0", 1280, 620, "light"),
}
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--font-render-hinting=none")


def validity() -> list[tuple[str, float, float, float]]:
    """Return how often each metric scores a rewording above a reversal, in percent, with its interval: what docs/benchmarks.md
    says of peers."""
    peers = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").split("\n## Peers\n")[1].split("\n## ")[0]
    found = re.findall(r"^\| ([\w-]+) \|[^|]*\| ([\d.]+) \[(\d+), (\d+)\] \|", peers, re.MULTILINE)
    return [(name, *map(float, numbers)) for name, *numbers in found]  # type: ignore[misc]


def make(target: Path) -> None:
    """Write every picture into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name in ("a", "b"):
            source = ROOT / "examples" / "systems" / f"{name}.jsonl"
            main(["score", str(source), "--out", str(work / name), "--no-graph", "--metrics", METRICS])
        main(["score", str(ROOT / "examples" / "pairs.jsonl"), "--out", str(work / "pairs"), "--no-graph", "--metrics", METRICS])
        main(["report", str(work / "pairs"), "-o", str(work / "report.html"), "--title", "Example pairs"])
        main(["report", str(work / "a"), str(work / "b"), "-o", str(work / "compare.html")])
        with chdir(work):
            for name, drawn in PLOTS.items():
                main(["plot", *drawn.split(), "-o", str(target / f"{name}.svg")])
        title, words = "Does a rewording score above a reversal?", "right, % of 75 triplets, with 95 % interval; line: a coin"
        text = svg(forest(validity(), title=title, words=words, line=50.0), background=True)
        (target / "validity.svg").write_text(text, encoding="utf-8")
        _shoot(work, target)


def _shoot(work: Path, target: Path) -> None:
    chromium = os.environ.get("KGSCORE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=[*FLAGS])
        for name, (file, state, width, height, scheme) in SHOTS.items():
            size = {"width": width, "height": height}
            page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto((work / file).as_uri() + state)
            page.wait_for_selector(".case .finding" if "case=" in state else ".cases tbody tr")
            # The time of scoring is no part of the picture.
            timeless = "one.textContent = one.textContent.split(' · 20')[0]"
            page.evaluate(f"document.querySelectorAll('.lead').forEach((one) => {timeless})")
            page.screenshot(path=target / f"{name}.png", animations="disabled")
            page.close()
            Image.open(target / f"{name}.png").convert("P", palette=Image.Palette.ADAPTIVE, colors=200).save(
                target / f"{name}.png", optimize=True
            )
        browser.close()


if __name__ == "__main__":
    make(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else IMAGES)
