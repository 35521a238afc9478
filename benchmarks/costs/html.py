"""Size of the HTML file of a run, and how long it takes to write and to open. FILE: a run folder; `--sizes`: its cases again and
again, up to so many."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from kgscore.report.html import CHUNK, write_html
from kgscore.report.overview import columns
from kgscore.runs.case_index import Casebook, chunks

_T = TypeVar("_T")
_TIMES = 7
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def run(path: str | Path, *, profile: str = "default", sizes: tuple[int, ...] = ()) -> list[dict[str, Any]]:
    """Return cases, megabytes, seconds to write, and (with playwright and Chromium) the median and longest seconds from asking
    for the file until the list of cases stands, and from the click on a case until its findings stand."""
    return [_measured(Path(path), size) for size in sizes or (0,)]


def _measured(run: Path, size: int) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        file = Path(folder, "report.html")
        start = time.perf_counter()
        cases = _write(run, file, size)
        found: dict[str, Any] = {
            "cases": cases, "MB": round(file.stat().st_size / 1e6, 2), "kB a case": round(file.stat().st_size / 1e3 / cases, 2),
            "write (s)": round(time.perf_counter() - start, 1),
        }  # fmt: skip
        return found | _opened(file, Path(folder))


def _write(run: Path, file: Path, size: int) -> int:
    book = Casebook(run)
    lines = book.lines()
    count = size or len(lines)

    def again(found: Iterable[_T]) -> Iterator[_T]:
        return islice(cycle(found), count)

    lines = list(again(lines))
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        write_html(
            stream, run=book.info, overview=book.overview(lines), columns=columns(lines, book.info.metrics),
            chunks=chunks(again(book.views()), CHUNK), title=run.name, texts=list(again(book.texts())), note=book.note,
            plots=book.plots(),
        )  # fmt: skip
    return len(lines)


def _opened(file: Path, folder: Path) -> dict[str, Any]:
    chromium = os.environ.get("KGSCORE_CHROMIUM") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        return {"open": "not measured: needs playwright and chromium"}
    opened, case = [], []
    with sync_playwright() as playwright:
        for number in range(_TIMES):
            context = playwright.chromium.launch_persistent_context(
                folder / f"profile-{number}", executable_path=chromium, args=[*_FLAGS]
            )
            page = context.pages[0]
            start = time.perf_counter()
            page.goto(file.as_uri(), wait_until="commit")
            page.wait_for_selector(".cases tbody tr")
            opened.append(time.perf_counter() - start)
            start = time.perf_counter()
            page.click(".cases tbody a >> nth=0")
            page.wait_for_selector(".case .finding")
            case.append(time.perf_counter() - start)
            context.close()
    return {
        "open (s)": round(median(opened), 2), "open, longest (s)": round(max(opened), 2),
        "open a case (s)": round(median(case), 2), "open a case, longest (s)": round(max(case), 2), "times": _TIMES,
    }  # fmt: skip
