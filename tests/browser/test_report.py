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
METRICS = "clinical,radsem,fineradscore"
WIDER = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    worse = [pair | {"candidate": "No pneumothorax."} if pair["id"] == "same" else pair for pair in PAIRS]
    for name, pairs in (("good", PAIRS), ("worse", worse)):
        source = folder / f"{name}.jsonl"
        source.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), encoding="utf-8")
        assert main(["score", str(source), "--out", str(folder / name), "--no-graph", "--metrics", METRICS]) == 0
    return folder


@pytest.fixture(scope="module")
def file(runs: Path) -> Path:
    assert main(["report", str(runs / "good"), "-o", str(runs / "report.html"), "--title", "Good"]) == 0
    return runs / "report.html"


@pytest.fixture(scope="module")
def both(runs: Path) -> Path:
    assert main(["report", str(runs / "good"), str(runs / "worse"), "-o", str(runs / "both.html")]) == 0
    return runs / "both.html"


@pytest.fixture
def tab(file: Path, open_tab: Open) -> Tab:
    tab = open_tab(file.as_uri())
    tab.page.wait_for_selector(".cases tbody tr")
    return tab


def open_case(tab: Tab, id: str) -> None:
    tab.page.evaluate(f"kgs.state.go({{id: {json.dumps(id)}}})")
    tab.page.click(f".cases a[title={json.dumps(id)}]")
    tab.page.wait_for_selector(".case .finding")


def rows(tab: Tab) -> list[str]:
    return [str(one) for one in tab.page.evaluate("[...document.querySelectorAll('.cases tbody th a')].map((a) => a.title)")]


def test_danger_comes_first_and_nothing_is_asked_of_the_network(tab: Tab) -> None:
    tab.shot("report-run", whole=False)
    page = tab.page
    assert "100 cases: 99 scored, 1 empty" in page.inner_text(".lead")
    assert page.inner_text(".alert.t4").split() == ["1", "case", "with", "a", "critical", "finding", "wrong", "show"]
    assert rows(tab)[0] == "mixed"
    assert "critical missed tension pneumothorax" in " ".join(page.inner_text(".gravest >> nth=0").split())
    assert tab.wrong == []
    assert {url.split(":")[0] for url in tab.asked} <= {"file", "data", "blob"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "first"), [(1400, 700), (1024, 1000), (390, 1000)])
def test_the_first_case_stands_on_the_first_screen(
    file: Path, both: Path, open_tab: Open, width: int, first: int, scheme: str
) -> None:
    for name, path in (("run", file), ("both", both)):
        tab = open_tab(path.as_uri(), width=width, scheme=scheme)
        tab.page.wait_for_selector(".cases tbody tr")
        assert tab.page.evaluate("document.querySelector('.cases tbody tr').getBoundingClientRect().top") <= first, name
        assert not tab.page.evaluate(WIDER), name
        tab.shot(f"report-{name}-{width}-{scheme}")
        tab.page.click(".cases a >> nth=0")
        tab.page.wait_for_selector(".case .finding")
        tab.page.locator(".finding").nth(1).click()
        assert not tab.page.evaluate(WIDER), name
        tab.shot(f"report-{name}-case-{width}-{scheme}", whole=False)
        if width >= 760 and name == "run":
            rows = "Math.max(...[...document.querySelectorAll('.cases tbody tr')].map((row) => row.offsetHeight))"
            tab.page.keyboard.press("Escape")
            tab.page.keyboard.press("Escape")
            tab.page.wait_for_selector(".cases tbody tr")
            assert tab.page.evaluate(rows) <= 47


def test_the_list_sorts_in_both_directions_and_keeps_cases_without_a_score_last(tab: Tab) -> None:
    page = tab.page
    page.click("th button:has-text('clinical')")
    column = "[...document.querySelectorAll('.score')].map((cell) => cell.textContent)"
    worst = [float(text) for text in page.evaluate(column)]
    assert worst == sorted(worst)
    assert page.get_attribute("th[aria-sort]", "aria-sort") == "ascending"
    page.click("th button:has-text('clinical')")
    best = [float(text) for text in page.evaluate(column)]
    assert best == sorted(best, reverse=True)
    page.click(".pager button:text-is('Next')")
    assert rows(tab)[-1] == "no reference"


def test_filters_are_chips_and_every_state_is_an_address(tab: Tab, open_tab: Open) -> None:
    page = tab.page
    page.select_option("select[name=outcome]", "missed")
    page.fill("input[name=finding]", "tension pneumothorax")
    tab.until("document.querySelector('.list-status').textContent.startsWith('1 of')")
    assert rows(tab) == ["mixed"]
    assert page.locator(".found .chip").all_inner_texts() == ["missed ×", "tension pneumothorax ×"]
    again = open_tab(page.url)
    again.page.wait_for_selector(".cases tbody tr")
    assert rows(again) == ["mixed"]
    assert again.page.input_value("input[name=finding]") == "tension pneumothorax"
    page.click(".chip:has-text('missed')")
    page.click(".chip:has-text('pneumothorax')")
    assert page.inner_text(".list-status") == "100 cases"
    page.go_back()
    tab.until("document.querySelector('.list-status').textContent.includes('of')")
    page.fill("input[name=finding]", "unicorn")
    page.wait_for_selector(".empty-list")
    page.click(".empty-list >> text=Clear all")
    assert page.inner_text(".list-status") == "100 cases"
    page.fill("input[name=q]", "Pneumothorax APICAL")
    tab.until("document.querySelector('.list-status').textContent.startsWith('1 of')")
    assert rows(tab) == ["mixed"]
    page.click(".chip")
    page.select_option("select[name='f.site']", "=south")
    assert page.inner_text(".list-status") == "32 of 100 cases"
    page.click(".chip")
    page.click(".dangers .danger-rows button >> nth=0")
    assert rows(tab) == ["mixed"]
    page.goto(f"{page.url.split('#')[0]}#page=2&cols=score%3Aradsem,count%3Amissed")
    tab.until("document.querySelector('.pager input')?.value === '2'")
    assert page.locator(".cases thead th").count() == 3


def test_denials_are_spelled_out_and_counted_apart(tab: Tab) -> None:
    open_case(tab, "mixed")
    groups = tab.page.locator(".group > summary").all_inner_texts()
    assert [name for name in groups if name.startswith("Denials")]
    denied = "[...document.querySelectorAll('.group')].filter((g) => g.textContent.startsWith('Denials')).flatMap((g) => [...g.querySelectorAll('.row b')].map((b) => b.textContent))"  # noqa: E501
    names = tab.page.evaluate(denied)
    assert names
    assert all(name.startswith("no ") for name in names)
    assert tab.page.locator(".group[open] > summary:has-text('Denials')").count() == 0


def test_this_view_is_csv_and_json(tab: Tab) -> None:
    page = tab.page
    page.select_option("select[name=outcome]", "missed")
    page.fill("input[name=finding]", "tension pneumothorax")
    tab.until("document.querySelector('.list-status').textContent.startsWith('1 of')")
    page.click("summary:text-is('this view')")
    with page.expect_download() as csv:
        page.click("text=CSV of these cases")
    head, line = Path(csv.value.path()).read_text(encoding="utf-8").splitlines()
    assert head.startswith("position,id,status,clinical,radsem,fineradscore,gravest,error,errors,wrong,missed")
    assert line.startswith("0,mixed,scored,")
    assert "critical,missed tension pneumothorax" in line
    with page.expect_download() as found:
        page.click("text=JSON of these cases")
    assert [one["id"] for one in json.loads(Path(found.value.path()).read_text(encoding="utf-8"))] == ["mixed"]


def test_a_finding_is_followed_to_its_partner_and_its_proof(tab: Tab) -> None:
    page = tab.page
    open_case(tab, "mixed")
    assert page.inner_text(".verdict-line").startswith("critical Denies the tension pneumothorax of the left apical pleura")
    reference, candidate = page.locator(".report").nth(0), page.locator(".report").nth(1)
    mark = reference.locator(".finding.v-missed:not(.denial)").first
    mark.hover()
    assert "pneumothorax" in candidate.locator(".finding.traced").first.inner_text()
    mark.click()
    tab.shot("report-case", whole=False)
    assert candidate.locator(".finding.chosen").count() >= 1
    told = page.inner_text(".proof")
    assert "denied: pneumothorax; asserted: tension pneumothorax" in told
    assert re.search(r"costs 0\.\d{3} of clinical", told)
    assert "at=" in page.url
    page.reload()
    page.wait_for_selector(".proof .close")
    page.keyboard.press("Escape")
    assert page.locator(".proof.idle").count() == 1
    page.keyboard.press("Escape")
    page.wait_for_selector(".cases tbody tr")
    tab.until("document.activeElement.title === 'mixed'")


def test_the_proof_is_at_most_two_tabs_from_a_finding_and_focus_is_seen(tab: Tab) -> None:
    page = tab.page
    page.focus(".cases tbody a >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector(".case .finding")
    assert page.evaluate("document.activeElement.id") == "case-title"
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('finding')"):
            break
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.classList.contains('finding')")
    assert page.evaluate("document.activeElement.textContent") != first
    seen = "(() => { const box = document.activeElement.getBoundingClientRect(); const head = document.querySelector('.case-head').getBoundingClientRect(); return box.top >= head.bottom - 1 && box.bottom <= innerHeight; })()"  # noqa: E501
    assert page.evaluate(seen)
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.classList.contains('proof')")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.classList.contains('finding')")
    page.keyboard.press("Alt+n")
    tab.until("document.querySelector('.turning .quiet')?.textContent.startsWith('2 of')")


def test_reports_stay_text(tab: Tab) -> None:
    page = tab.page
    open_case(tab, PAIRS[2]["id"])
    assert page.evaluate("window.hit") is None
    # The words as they are seen: without the signs above them and without what is said of them to those who cannot see colours.
    seen = page.evaluate("""[...document.querySelectorAll(".report-text")].map((text) => {
        const copy = text.cloneNode(true);
        copy.querySelectorAll(".unseen, sup").forEach((note) => note.remove());
        return copy.textContent;
    })""")
    # A report is read with line separators as line ends.
    assert seen == [PAIRS[2]["reference"], PAIRS[2]["candidate"].replace("\N{LINE SEPARATOR}", "\n")]
    assert page.locator(".report-text :is(img, script, b)").count() == 0
    assert tab.wrong == []


def test_a_pair_without_a_score_says_why(tab: Tab) -> None:
    page = tab.page
    page.goto(page.url.split("#")[0] + "#case=3")
    page.wait_for_selector(".reason")
    assert "empty – the reference report is empty" in page.inner_text(".reason >> nth=0")


def test_two_runs_stand_side_by_side(both: Path, open_tab: Open) -> None:
    tab = open_tab(both.as_uri())
    page = tab.page
    page.wait_for_selector(".cases tbody tr")
    assert rows(tab)[0] == "same"
    assert re.search(r"−0\.\d{3}", page.inner_text(".cases tbody tr >> nth=0"))
    assert "missed" in page.inner_text(".gravest >> nth=0")
    assert page.locator("#forest tbody tr").count() == 3
    assert "A across" in page.inner_text("text=A across")
    page.click(".cases a >> nth=0")
    page.wait_for_selector(".three .finding")
    assert page.locator(".three .report").count() == 3
    assert page.inner_text(".group > summary >> nth=0").startswith("Worse in B (1)")
    page.click(".change-row >> nth=0")
    assert "No finding of the candidate agrees" in page.inner_text(".proof") or "does not say it" in page.inner_text(".proof")
    assert tab.wrong == []
    other = open_tab(f"{both.as_uri()}#metric=fineradscore")
    other.page.wait_for_selector(".cases tbody tr")
    assert other.page.inner_text(".cases tbody tr >> nth=0").count("+") >= 1  # more corrections are worse, and stand first
    assert other.wrong_by_axe() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(file: Path, open_tab: Open, scheme: str) -> None:
    tab = open_tab(file.as_uri(), scheme=scheme)
    tab.page.wait_for_selector(".cases tbody tr")
    assert tab.wrong_by_axe() == []
    open_case(tab, "mixed")
    tab.page.locator(".finding").first.click()
    tab.page.click(".sums summary")
    assert tab.wrong_by_axe() == []


def test_on_paper_a_case_is_whole_on_two_pages_and_controls_are_gone(tab: Tab) -> None:
    page = tab.page
    open_case(tab, "mixed")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".case details:not([open])").count() == 0
    assert page.is_hidden(".turning a")
    assert page.is_visible(".sum >> nth=0")
    assert not page.evaluate(WIDER)
    assert page.is_visible("#case-title")
    assert pages(page.pdf(prefer_css_page_size=True)) <= 2
    page.evaluate("dispatchEvent(new Event('afterprint'))")


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_a_long_case_takes_two_pages_of_paper(tmp_path: Path, open_tab: Open) -> None:
    """Some forty findings on each side, most of them wrong, each with its correction and the proof of it."""
    lungs = [f"{side} {lobe} lobe" for side in ("right", "left") for lobe in ("upper", "lower")]
    organs = ["liver", "spleen", "pancreas", "right kidney", "left kidney", "right adrenal gland", "left adrenal gland"]
    ribs = [f"{side} {rib} rib" for side in ("right", "left") for rib in ("third", "fourth", "fifth", "seventh", "eighth")]
    said = [("nodule", lungs), ("ground-glass opacity", lungs), ("cyst", organs), ("calcification", organs), ("fracture", ribs)]
    other = [("consolidation", lungs), ("mass", lungs), ("laceration", organs), ("hematoma", organs), ("lytic lesion", ribs)]
    reference, candidate = (
        " ".join(f"There is a moderate {what} of the {site}." for what, sites in all for site in sites) for all in (said, other)
    )
    source = tmp_path / "long.jsonl"
    source.write_text(json.dumps({"id": "long", "reference": reference, "candidate": candidate}), encoding="utf-8")
    assert main(["score", str(source), "--output", str(tmp_path / "run"), "--no-graph", "--metrics", METRICS]) == 0
    assert main(["report", str(tmp_path / "run"), "-o", str(tmp_path / "long.html")]) == 0
    page = open_tab(f"{(tmp_path / 'long.html').as_uri()}#case=0").page
    page.wait_for_selector(".case .finding")
    assert page.locator(".row").count() >= 30
    for paper in ("A4", "Letter"):
        assert pages(page.pdf(prefer_css_page_size=True, format=paper)) == 2, paper
    page.evaluate("document.querySelector('.case').style.removeProperty('--paper')")
    assert pages(page.pdf(prefer_css_page_size=True, format="A4")) > 2


def test_filtered_cases_are_printed_in_full_and_a_list_says_it_is_a_part(tab: Tab) -> None:
    page = tab.page
    assert page.text_content(".part-note") == "A part: cases 1 to 50 of 100."
    names = "[...document.querySelectorAll('#paper h2:first-child')].map((h) => h.textContent)"
    page.evaluate(f"window.print = () => {{ window.printed = {names} }}")
    page.evaluate("kgs.state.go({outcome: 'correct', id: 'm'})")
    tab.until("document.querySelector('.list-status').textContent.includes('of')")
    shown = rows(tab)
    page.click("summary:text-is('this view')")
    page.click("text=Print these cases in full")
    tab.until("window.printed")
    assert [name for name in page.evaluate("window.printed") if name in shown] == shown


def test_without_javascript_the_summary_is_there(file: Path) -> None:
    """A preview that runs no script still shows what the static part says."""
    text = file.read_text(encoding="utf-8")
    assert "100 cases: 99 scored" in " ".join(text.split())
    assert "<noscript>" in text
    assert text.count("<script>") == 1


def test_the_same_run_gives_the_same_bytes(runs: Path, file: Path) -> None:
    assert main(["report", str(runs / "good"), "-o", str(runs / "again.html"), "--title", "Good"]) == 0
    assert file.read_bytes() == (runs / "again.html").read_bytes()


def test_a_reader_judges_errors_and_takes_the_feedback_away(runs: Path, file: Path, open_tab: Open, tmp_path: Path) -> None:
    tab = open_tab(file.as_uri())
    page = tab.page
    page.wait_for_selector(".cases tbody tr")
    open_case(tab, "mixed")
    page.click(".feedback > summary")
    page.fill("text=Your initials >> input", "AB")
    page.keyboard.press("Tab")
    errors = page.locator(".feedback fieldset:not([data-add])")
    listed = page.locator(".group:not(:has(summary:has-text('Denials'))) :is(.row.v-missed, .row.v-invented, .row.v-wrong)")
    assert errors.count() == listed.count() >= 2
    errors.nth(0).locator("input[type=radio]").nth(0).focus()
    page.keyboard.press("Space")
    errors.nth(1).locator("text=Disagree").click()
    errors.nth(1).locator("label:has-text('Note') input").fill("known")
    added = page.locator("[data-add]")
    added.locator("input").nth(0).fill("rib fracture")
    added.locator("select").select_option(label="urgent")
    added.locator("button:text-is('Add')").click()
    page.click("text=Case judged in full")
    assert f"2 of {errors.count()} errors judged" in page.inner_text(".feedback > summary")
    assert tab.wrong_by_axe() == []
    page.reload()
    page.wait_for_selector(".feedback[open]")
    assert errors.nth(1).locator("label:has-text('Note') input").input_value() == "known"
    with page.expect_download() as download:
        page.click("text=Download feedback (4 lines)")
    download.value.save_as(tmp_path / "feedback.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "feedback.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {(one["id"], one["by"]) for one in lines} == {("mixed", "AB")}
    assert [one.get("agree") for one in lines if one["kind"] not in ("added", "case")] == [True, False]
    assert [(one["what"], one["tier"]) for one in lines if one["kind"] == "added"] == [("rib fracture", 3)]
    assert not any(pair["reference"][:20] in json.dumps(lines) for pair in PAIRS if pair["reference"])
    assert main(["bench", "feedback", str(tmp_path / "feedback.jsonl")]) == 0
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("text=Delete all feedback")
    assert page.is_disabled("text=Download feedback (0 lines)")
    assert tab.wrong == []
