"""The documentation site as it opens from a disk: search, contrast, and a front page that shows what there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Tab

pytest.importorskip("mkdocs", reason="the extra docs is not installed")
Open = Callable[..., Tab]
NAMES = ("index", "guide", "pages", "metrics/agreement", "statistics", "api", "benchmarks", "changelog")


@pytest.mark.parametrize("start", ["index.html", "metrics/agreement.html"])
def test_search_works_from_a_disk(site: Path, open_tab: Open, start: str) -> None:
    tab = open_tab((site / start).as_uri(), width=1400)
    page = tab.page
    page.click(".md-search__input")
    page.wait_for_selector(".md-search-result__meta:has-text('Type to start')")  # the index is there
    page.keyboard.type("leaderboard")  # the search listens to keys
    page.wait_for_selector(".md-search-result__item")
    tab.shot(f"site-search-{start.replace('/', '-')}", whole=False)
    page.click(".md-search-result__link:has-text('explorer') >> nth=0")
    tab.until("location.href.includes('pages.html')")
    assert tab.wrong == []
    assert {url.split(":")[0] for url in tab.asked} <= {"file", "data", "blob", "about"}


def test_the_front_page_shows_the_product(site: Path, open_tab: Open) -> None:
    tab = open_tab((site / "index.html").as_uri(), width=1400)
    tab.page.wait_for_selector("article img")
    top = "document.querySelector('article img').getBoundingClientRect().top"
    assert tab.page.evaluate("document.querySelector('article img').naturalWidth") > 600
    assert tab.page.evaluate(top) < 600
    tab.shot("site-index", whole=False)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(site: Path, open_tab: Open, scheme: str) -> None:
    found = {}
    for name in NAMES:
        tab = open_tab((site / f"{name}.html").as_uri(), scheme=scheme, width=1400)
        tab.page.evaluate("localStorage.clear()")  # the site remembers the colours of the page before
        tab.page.reload()
        tab.page.wait_for_selector(f"[data-md-color-scheme={'slate' if scheme == 'dark' else 'default'}] article h1")
        found[name] = tab.wrong_by_axe()
    assert found == {name: [] for name in NAMES}
