"""The explorer as its readers use it: a real server process, a real browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from urllib.request import urlopen

import pytest

from kgscore.cli import main
from tests.browser.conftest import PAIRS, ROOT, Tab

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

Open = Callable[..., Tab]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("explorer")
    worse = [pair | {"candidate": "No pneumothorax."} if pair["id"] == "same" else pair for pair in PAIRS]
    for name, pairs in (("good", PAIRS), ("worse", worse)):
        source = root / f"{name}.jsonl"
        source.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), encoding="utf-8")
        assert main(["score", str(source), "--out", str(root / name), "--metrics", "radsem,fineradscore"]) == 0
    command = [sys.executable, "-m", "kgscore", "serve", str(root / "good"), str(root / "worse"), "--port", "0"]
    server = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    )
    assert server.stderr is not None
    line = server.stderr.readline()
    assert "http://127.0.0.1:" in line, line
    found = line.split()[2].rstrip("/")
    with urlopen(f"{found}/runs/good-1", timeout=180) as page:  # the runs are opened: no test waits for that
        assert page.status == 200
    yield found
    server.send_signal(signal.SIGINT)
    server.wait(20)
    server.stderr.close()


def test_a_case_opens_and_a_match_is_followed(address: str, open_tab: Open) -> None:
    tab = open_tab(address)
    page = tab.page
    tab.shot("explorer-runs")
    page.click("a:text-is('good-1')")
    page.wait_for_selector(".cases tbody tr")
    page.fill("input[name=text]", "mixed")
    page.click(".cases a:text-is('mixed')")
    page.wait_for_selector(".case .finding")
    page.locator(".report").nth(0).locator(".finding.v-contradicted").first.click()
    assert page.locator(".report").nth(1).locator(".finding.chosen").count() == 1
    assert "denied: pneumothorax" in page.inner_text(".inspector")
    tab.shot("explorer-case", whole=False)
    page.click(".inspector dd a >> nth=0")
    page.wait_for_selector(".occurrences b")
    assert page.inner_text("#concept h2") == "pneumothorax"
    assert tab.wrong == []
    assert {url.split("/")[2] for url in tab.asked if url.startswith("http")} == {address.split("/")[2]}


def test_two_runs_are_compared_and_a_case_shows_both(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/compare?a=good-1&b=worse-1")
    page = tab.page
    page.wait_for_selector(".cases tbody tr")
    assert page.inner_text(".cases tbody th >> nth=0") == "same"
    assert "−1.000" in page.inner_text(".cases tbody tr >> nth=0")
    tab.shot("explorer-compare", whole=False)
    page.select_option("[name=metric]", "fineradscore")
    tab.until("document.querySelector('.tile p + p').textContent.includes('fineradscore')")
    page.click(".cases a:text-is('same')")
    page.wait_for_selector(".compared-case .finding")
    assert page.locator(".compared-case").count() == 2
    tab.shot("explorer-compare-case")
    page.click("text=All cases")
    assert page.is_visible(".cases")
    assert tab.wrong == []


def test_pasted_reports_are_scored_and_a_change_shows_what_moved(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/try")
    page = tab.page
    page.wait_for_selector("#trial .finding", timeout=90_000)
    page.fill("[name=reference]", "Mild hydrocephalus. <b>Left</b> pneumothorax.")
    page.fill("[name=candidate]", "Severe hydrocephalus.")
    tab.until("document.querySelector('#trial .report-text')?.textContent.includes('<b>')")
    before = page.inner_text("#trial-status")
    page.select_option("[name=profile]", "radsem-published")
    page.wait_for_selector("#trial h2:text-is('Profile radsem-published')")
    score = before.split()[1]
    assert f"(was {score})" in page.inner_text("#trial-status")
    page.locator("#trial .finding").first.click()
    assert page.is_visible(".inspector")
    tab.shot("explorer-try")
    assert tab.wrong == []


def test_the_ontology_is_browsed_and_two_concepts_are_related(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/ontology")
    page = tab.page
    page.wait_for_selector("#tree details")
    findings = page.locator("#tree > details", has=page.locator("summary:text-matches('^findings')"))
    findings.locator("summary").first.click()
    findings.locator("li summary").first.click()
    findings.locator("li li a").first.wait_for()
    page.fill("#concept-search", "PTX")
    page.click("#concept-found a:text-is('pneumothorax')")
    page.wait_for_selector(".occurrences b")
    assert "gas in pleural space" in page.inner_text("#concept")
    page.fill("[name=a]", "tension pneumothorax")
    page.fill("[name=b]", "gas")
    page.click("#relating button")
    page.wait_for_selector(".relation-verdict")
    assert "tension pneumothorax is a kind of gas" in page.inner_text(".relation-verdict")
    assert "is a gas" in page.inner_text(".proof-steps")
    assert "contradiction" in page.inner_text("#relation table")
    tab.shot("explorer-ontology")
    assert tab.wrong == []


def test_a_query_is_chosen_and_run(address: str, open_tab: Open) -> None:
    tab = open_tab(f"{address}/query")
    page = tab.page
    page.select_option("[name=shipped]", index=1)
    page.click("#asking button")
    page.wait_for_selector("#answer .list-status", timeout=60_000)
    clashes = "?s kgr:contradicts ?o ; kgr:text ?text ; kgr:inReport/kgr:case ?case"
    page.fill("[name=query]", f"SELECT ?case ?text {{ {clashes} }} ORDER BY ?case")
    page.click("#asking button")
    page.wait_for_selector("#answer td:text-is('mixed')", timeout=60_000)
    tab.shot("explorer-query", whole=False)
    assert tab.wrong == []
    page.fill("[name=query]", "DROP ALL")
    page.click("#asking button")
    page.wait_for_selector("#answer .problem")
    assert "update" in page.inner_text("#answer .problem")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_in_accessibility(address: str, open_tab: Open, scheme: str) -> None:
    found = {}
    waits = {
        "/": "table", "/runs/good-1": ".cases tbody tr", "/runs/good-1#case=0": ".case .finding",
        "/compare?a=good-1&b=worse-1": ".cases tbody tr",
        "/ontology#pneumothorax": ".occurrences b", "/try": "#trial .finding", "/query": "#asking", "/api": ".call",
    }  # fmt: skip
    for path, ready in waits.items():
        tab = open_tab(address + path, scheme=scheme)
        tab.page.wait_for_selector(ready, timeout=60_000)
        found[path] = tab.serious()
    assert found == {path: [] for path in waits}


def test_on_a_phone_nothing_is_wider_than_the_screen(address: str, open_tab: Open) -> None:
    waits = {"/": "table", "/try": "#trial .finding", "/ontology#lung": ".occurrences b", "/compare": ".cases"}
    for path, ready in waits.items():
        tab = open_tab(address + path, width=390)
        tab.page.wait_for_selector(ready, timeout=60_000)
        tab.shot(f"explorer-phone{path.partition('#')[0].replace('/', '-')}")
        assert not tab.page.evaluate("document.documentElement.scrollWidth > innerWidth"), path
