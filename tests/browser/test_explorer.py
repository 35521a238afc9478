"""The explorer as its readers use it: a real server process, a real browser."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.request import urlopen

import pytest

from kgscore.cli import main
from tests.browser.conftest import PAIRS, Tab, explorer

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

Open = Callable[..., Tab]
WIDER = "document.documentElement.scrollWidth > innerWidth"
PAGES = {
    "/": "table", "/runs/good-1": ".cases tbody tr", "/runs/good-1#case=0": ".case .finding",
    "/compare?a=good-1&b=worse-1": ".cases tbody tr", "/compare?a=good-1&b=worse-1#case=1-1": ".three .finding",
    "/ontology#pneumothorax": ".occurrences b", "/try": "#trial .finding", "/query": "#asking",
    "/sql#run=good-1&name=cases": "#answer table", "/api": ".call", "/nowhere": ".problem",
}  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("explorer")
    worse = [pair | {"candidate": "No pneumothorax."} if pair["id"] == "same" else pair for pair in PAIRS]
    other = [{"id": "other", "reference": "Left pneumothorax.", "candidate": "Left pneumothorax."}]
    for name, pairs in (("good", PAIRS), ("worse", worse), ("other", other)):
        source = root / f"{name}.jsonl"
        source.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), encoding="utf-8")
        assert main(["score", str(source), "--output", str(root / name), "--metrics", "clinical,radsem,fineradscore"]) == 0
    with explorer([root / name for name in ("good", "worse", "other")]) as found:
        yield found


def test_two_runs_are_ticked_and_compared_and_others_cannot_be(address: str, open_tab: Open) -> None:
    tab = open_tab(address)
    page = tab.page
    assert page.is_disabled("[value='other-1']")
    assert page.is_disabled("#board button")
    page.check("[value='good-1']")
    page.check("[value='worse-1']")
    tab.shot("explorer-runs")
    page.click("#board button")
    page.wait_for_selector(".cases tbody tr")
    assert page.get_attribute(".cases tbody a >> nth=0", "title") == "same"
    page.click(".cases a >> nth=0")
    page.wait_for_selector(".three .finding")
    tab.shot("explorer-compare-case", whole=False)
    page.click("[data-turn=back]")
    page.wait_for_selector(".cases tbody tr")
    assert tab.wrong == []


def test_a_case_opens_and_its_concept_is_followed(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/runs/good-1#id=mixed")
    page = tab.page
    page.click(".cases a[title='mixed']")
    page.locator(".report").nth(0).locator(".finding.v-missed:not(.denial)").first.click()
    page.click(".proof dd a >> nth=0")
    page.wait_for_selector(".occurrences b")
    assert page.inner_text("#concept h1") == "tension pneumothorax"
    assert "critical" in page.inner_text(".concept-head")
    assert page.locator(".around a").count() >= 1
    assert tab.wrong == []
    assert {url.split("/")[2] for url in tab.asked if url.startswith("http")} == {address.split("/")[2]}
    page.go_back()
    page.wait_for_selector(".case .finding")
    page.click(".feedback > summary")
    page.click(".feedback fieldset >> nth=0 >> text=Disagree")
    page.reload()
    page.wait_for_selector(".feedback[open] input[type=radio]:checked")
    assert page.inner_text(".feedback button >> nth=-2") == "Download feedback (1 line)"
    assert tab.wrong == []


def test_pasted_reports_are_scored_and_a_change_shows_what_moved(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/try")
    page = tab.page
    page.wait_for_selector("#trial .finding", timeout=90_000)
    page.fill("[name=reference]", "Mild hydrocephalus. <b>Left</b> pneumothorax.")
    page.fill("[name=candidate]", "Severe hydrocephalus.")
    # The candidate was changed last: when it stands in the answer, nothing is on its way any more.
    tab.until("document.querySelectorAll('#trial .report-text')[1]?.textContent.includes('Severe')")
    tab.until("document.getElementById('trial-status').textContent.includes('radsem ')")
    assert "<b>" in page.inner_text("#trial .report-text >> nth=0")
    before = page.inner_text("#trial-status").split("radsem ")[1].split()[0]
    page.select_option("[name=profile]", "radsem-published")
    tab.until(f"document.getElementById('trial-status').textContent.includes('(was {before})')")
    assert "Misses the left pneumothorax (critical)" in page.inner_text(".verdict-line")
    tab.shot("explorer-try")
    assert tab.wrong == []


def test_the_ontology_is_browsed_and_two_concepts_are_related(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/ontology")
    page = tab.page
    page.wait_for_selector("#concept h1")
    page.fill("#concept-search", "PTX")
    page.click("#concept-found a:text-is('pneumothorax')")
    page.wait_for_selector("#concept h1:text-is('pneumothorax')")
    page.wait_for_selector(".occurrences b")
    assert page.input_value("[name=a]") == "pneumothorax"
    assert "gas in pleural space" in page.inner_text("#concept")
    page.wait_for_selector(".near a")
    page.fill("[name=a]", "tension pneumothorax")
    page.fill("[name=b]", "gas")
    page.click("#relating button")
    page.wait_for_selector(".relation-verdict:has-text('tension')")
    assert "tension pneumothorax is a kind of gas" in page.inner_text(".relation-verdict")
    assert "contradiction" in page.inner_text("#relation table")
    tab.shot("explorer-ontology")
    assert tab.wrong == []


def test_a_query_stands_in_the_address_and_its_cases_are_links(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/query")
    page = tab.page
    clashes = "?s kgr:contradicts ?o ; kgr:text ?text ; kgr:inReport/kgr:case ?case"
    page.fill("[name=query]", f"SELECT ?case ?text {{ {clashes} }} ORDER BY ?case")
    page.click("[name=ask]")
    page.wait_for_selector("#answer a:text-is('mixed')", timeout=60_000)
    page.reload()
    page.wait_for_selector("#answer a:text-is('mixed')", timeout=60_000)
    tab.shot("explorer-query", whole=False)
    with page.expect_download() as csv:
        page.click("#answer button:text-is('CSV')")
    assert csv.value.suggested_filename == "answer.csv"
    page.click("#answer a:text-is('mixed') >> nth=0")
    page.wait_for_selector(".cases a[title='mixed']")
    assert tab.wrong == []
    page.goto(f"{address}/query")
    page.fill("[name=query]", "DROP ALL")
    page.click("[name=ask]")
    page.wait_for_selector("#answer .problem")
    assert "update" in page.inner_text("#answer .problem")
    assert "--" not in page.inner_text("#answer .problem")


def test_a_query_is_cancelled_and_gives_its_place_back(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/query")
    page = tab.page
    slow = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"
    for _ in range(3):  # more than run at a time
        page.fill("[name=query]", slow)
        page.click("[name=ask]")
        page.wait_for_selector("#answer[aria-busy]", state="attached")
        time.sleep(0.5)
        page.click("[name=cancel]")
        page.wait_for_selector("#answer:not([aria-busy]) .problem:text-is('Cancelled.')")
    page.fill("[name=query]", "ASK { ?s ?p ?o }")
    page.click("[name=ask]")
    page.wait_for_selector("#answer .relation-verdict:text-is('Yes.')")


def test_half_open_clients_keep_nobody_out(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    held = [socket.create_connection((host, int(port))) for _ in range(120)]
    try:
        for one in held[::2]:
            one.sendall(b"GET / HTTP/1.1\r\nHost: ")
        with ThreadPoolExecutor(100) as readers:
            answers = list(readers.map(lambda _: urlopen(f"{address}/api/runs", timeout=60).status, range(100)))
        assert answers == [200] * 100
    finally:
        for one in held:
            one.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(address: str, open_tab: Open, scheme: str) -> None:
    found = {}
    for path, ready in PAGES.items():
        tab = open_tab(address + path, scheme=scheme)
        tab.page.wait_for_selector(ready, timeout=60_000)
        found[path] = tab.wrong_by_axe()
    assert found == {path: [] for path in PAGES}


@pytest.mark.parametrize("width", [1400, 1024, 390])
def test_nothing_is_wider_than_the_screen(address: str, open_tab: Open, width: int) -> None:
    for path, ready in PAGES.items():
        tab = open_tab(address + path, width=width)
        tab.page.wait_for_selector(ready, timeout=60_000)
        tab.shot(f"explorer-{width}{path.partition('#')[0].partition('?')[0].replace('/', '-')}", whole=False)
        assert not tab.page.evaluate(WIDER), path
