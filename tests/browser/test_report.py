"""The HTML file as its readers use it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kgscore.cli import main
from tests.browser.conftest import PAIRS, Tab

Open = Callable[..., Tab]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    pairs = folder / "pairs.jsonl"
    pairs.write_text("".join(f"{json.dumps(pair)}\n" for pair in PAIRS), encoding="utf-8")
    assert main(["report", str(pairs), "-o", str(folder / "report.html"), "--metrics", "radsem,fineradscore"]) == 0
    return folder / "report.html"


@pytest.fixture
def tab(file: Path, open_tab: Open) -> Tab:
    tab = open_tab(file.as_uri())
    tab.page.wait_for_selector(".cases tbody tr")
    return tab


def open_case(tab: Tab, id: str) -> None:
    from playwright.sync_api import expect

    tab.page.fill("input[name=text]", id)
    expect(tab.page.locator(".cases tbody tr")).to_have_count(1)
    tab.page.click(f".cases a:text-is('{id}')")
    tab.page.wait_for_selector(".case .finding")


def rows(tab: Tab) -> list[str]:
    return [str(text) for text in tab.page.locator(".cases tbody th a").all_inner_texts()]


def test_the_summary_counts_every_case_and_nothing_is_asked_of_the_network(tab: Tab) -> None:
    tab.shot("report-summary")
    lead = tab.page.inner_text(".lead")
    assert "100 cases: 99 scored, 1 empty, 0 failed" in lead
    assert tab.page.locator(".tile").count() == 2
    assert tab.wrong == []
    assert {url.split(":")[0] for url in tab.asked} <= {"file", "data", "blob"}


def test_the_list_sorts_in_both_directions_and_keeps_cases_without_a_score_last(tab: Tab) -> None:
    page = tab.page
    page.click("th button:has-text('fineradscore')")
    column = page.locator(".cases tbody tr td:nth-child(4)")
    worst = [float(text) for text in column.all_inner_texts()]
    assert worst == sorted(worst, reverse=True)
    assert page.get_attribute("th[aria-sort]", "aria-sort") == "descending"
    page.click("th button:has-text('fineradscore')")
    best = [float(text) for text in column.all_inner_texts()]
    assert best == sorted(best)
    assert best[0] < worst[0]
    page.click(".pager button:text-is('Next')")
    assert rows(tab)[-1] == "no reference"


def test_the_list_filters_by_outcome_finding_status_and_score(tab: Tab) -> None:
    page = tab.page
    page.select_option("select[name=verdict]", "contradicted")
    page.fill("input[name=finding]", "pneumothorax")
    tab.until("document.querySelector('.list-status').textContent.startsWith('1 of')")
    assert rows(tab) == ["mixed"]
    page.click("text=Reset")
    page.select_option("select[name=status]", "empty")
    assert rows(tab) == ["no reference"]
    page.click("text=Reset")
    page.fill("input[name=low]", "1")
    page.fill("input[name=text]", "same")
    tab.until("document.querySelector('.list-status').textContent.startsWith('1 of')")
    assert rows(tab) == ["same"]
    page.click("text=Reset")
    page.fill("input[name=words]", "Pneumothorax APICAL")
    tab.until("document.querySelector('.list-status').textContent.startsWith('1 of')")
    assert rows(tab) == ["mixed"]
    page.click("text=Reset")
    assert page.inner_text(".list-status") == "100 cases"
    page.select_option("select[name='field:site']", "=south")
    assert page.inner_text(".list-status") == "32 of 100 cases"
    page.click("text=Reset")
    page.click(".losses section:first-child button.link >> nth=0")
    assert page.input_value("select[name=verdict]") == "contradicted"
    assert page.input_value("input[name=finding]") == page.inner_text(".losses section:first-child button.link >> nth=0")


def test_a_match_is_followed_from_one_report_to_the_other_with_its_proof_and_cost(tab: Tab) -> None:
    page = tab.page
    open_case(tab, "mixed")
    reference, candidate = page.locator(".report").nth(0), page.locator(".report").nth(1)
    mark = reference.locator(".finding.v-contradicted").first
    mark.hover()
    assert candidate.locator(".finding.traced").first.inner_text().startswith("pneumothorax")
    mark.click()
    tab.shot("report-case", whole=False)
    assert candidate.locator(".finding.chosen").count() == 1
    told = page.inner_text(".inspector")
    assert "denied: pneumothorax; asserted: pneumothorax" in told
    assert re.search(r"R2 costs 0\.\d{3}, C\d costs 0\.\d{3} of radsem", told)
    page.keyboard.press("Escape")
    assert page.is_hidden(".inspector")
    tab.shot("report-case-whole")
    verdicts = [re.findall(r"[A-Z][a-z]+", text)[0] for text in page.locator(".outcomes h4").all_inner_texts()]
    assert verdicts == ["Contradicted", "Missed", "Invented", "Partial", "Agreed"]
    assert page.locator(".correction .severity").count() >= 2
    page.keyboard.press("Escape")
    assert page.is_visible(".cases")
    assert page.evaluate("document.activeElement.textContent") == "mixed"


def test_everything_is_reached_by_keyboard(tab: Tab) -> None:
    page = tab.page
    page.focus(".cases tbody a >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector(".case .finding")
    assert page.evaluate("document.activeElement.id") == "case-title"
    first = page.inner_text("#case-title")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "button"
    page.keyboard.press("Enter")
    assert page.is_visible(".inspector")
    assert page.inner_text("#announcer")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.classList.contains('finding')")
    page.keyboard.press("Alt+n")
    tab.until(f"document.querySelector('#case-title')?.textContent !== {json.dumps(first)}")


def test_what_reports_and_ids_hold_stays_text(tab: Tab) -> None:
    page = tab.page
    open_case(tab, "hostile </script><b>")
    texts = [one.text_content() for one in page.locator(".report-text").all()]
    assert '<img src=x onerror="window.hit=1">' in texts[0]
    assert "</script><script>window.hit=1</script>" in texts[1]
    assert "{{ 7*7 }} &lt;b&gt" in texts[1]
    assert page.evaluate("window.hit") is None
    assert page.locator("main img[onerror], main img[src='x'], main b:text('hostile')").count() == 0
    # Offsets are code points: words after an astral character are marked right.
    assert page.locator(".report").nth(0).locator(".finding").last.inner_text().startswith("Left rib fracture")


def test_a_pair_without_a_score_says_why(tab: Tab) -> None:
    page = tab.page
    page.goto(page.url.split("#")[0] + "#case=3")
    page.wait_for_selector("#case-title")
    assert "empty — the candidate report is empty" in page.inner_text(".case-head")


def test_nothing_serious_in_accessibility(tab: Tab, file: Path, open_tab: Open) -> None:
    assert tab.serious() == []
    open_case(tab, "mixed")
    tab.page.locator(".finding").first.click()
    for summary in tab.page.locator(".sums summary").all():
        summary.click()
    assert tab.serious() == []
    dark = open_tab(file.as_uri(), scheme="dark")
    dark.page.wait_for_selector(".cases tbody tr")
    dark.shot("report-summary-dark")
    assert dark.serious() == []
    open_case(dark, "mixed")
    dark.page.locator(".finding.v-partial").first.click()
    dark.shot("report-case-dark", whole=False)
    assert dark.serious() == []


def test_on_a_phone_nothing_is_wider_than_the_screen(file: Path, open_tab: Open) -> None:
    tab = open_tab(file.as_uri(), width=390)
    tab.page.wait_for_selector(".cases tbody tr")
    tab.shot("report-summary-phone")
    wider = "document.documentElement.scrollWidth > innerWidth"
    assert not tab.page.evaluate(wider)
    open_case(tab, "mixed")
    tab.page.locator(".finding").nth(1).click()
    tab.shot("report-case-phone", whole=False)
    assert not tab.page.evaluate(wider)


def test_on_paper_a_case_is_whole_and_controls_are_gone(tab: Tab) -> None:
    page = tab.page
    open_case(tab, "mixed")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".outcomes details:not([open])").count() == 0
    assert page.is_hidden(".turning")
    assert page.is_visible(".outcomes .proof >> nth=0")
    tab.shot("report-case-print")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".outcomes details[open]").count() == 0


def test_filtered_cases_are_printed_in_full(tab: Tab) -> None:
    page = tab.page
    names = "[...document.querySelectorAll('#paper h2')].map((h) => h.textContent)"
    page.evaluate(f"window.print = () => {{ window.printed = {names} }}")
    page.fill("input[name=text]", "m")
    page.select_option("select[name=verdict]", "agreed")
    tab.until("document.querySelector('.list-status').textContent.includes('of')")
    shown = rows(tab)
    page.click("text=Print these cases in full")
    tab.until("window.printed")
    assert page.evaluate("window.printed") == shown


def test_without_javascript_the_summary_is_there(file: Path) -> None:
    """A preview that runs no script still shows what the static part says."""
    text = file.read_text(encoding="utf-8")
    assert "100 cases: 99 scored" in " ".join(text.split())
    assert "<noscript>" in text
    assert text.count("<script>") == 1


def test_the_same_run_gives_the_same_bytes(file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    pairs = file.with_name("pairs.jsonl")
    assert main(["score", str(pairs), "--out", str(run)]) == 0
    for name in ("a.html", "b.html"):
        assert main(["report", str(run), "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
