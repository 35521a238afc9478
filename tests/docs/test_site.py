"""The documentation site builds with warnings as errors, is whole, and asks nothing of another server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
pytest.importorskip("mkdocs", reason="the extra docs is not installed")


def build(source: Path, site: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site],  # not --quiet: it hides warnings from --strict
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        cwd=source, capture_output=True, text=True, check=False,
    )


class Page(HTMLParser):
    """What a page fetches, and its text outside of code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.prose: list[str] = []
        self._code = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.fetched.append(given["src"] or "")
        if tag == "link" and given.get("rel") != "canonical":
            self.fetched.append(given.get("href") or "")
        self._code += tag in ("code", "pre", "script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in ("code", "pre", "script", "style")

    def handle_data(self, data: str) -> None:
        if not self._code:
            self.prose.append(data)


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert [place for place in Page(path.read_text(encoding="utf-8")).fetched if "//" in place] == [], path.name


def test_tables_and_lists_are_not_left_as_text(site: Path) -> None:
    for path in site.rglob("*.html"):
        prose = "".join(Page(path.read_text(encoding="utf-8")).prose)
        assert re.findall(r"^\|.*\|$|\|---|^- .*|\]\(.*|^::: .*|^>>> .*", prose, re.MULTILINE) == [], path.name


def test_what_is_public_is_in_the_reference(site: Path) -> None:
    import kgscore

    reference = (site / "api.html").read_text(encoding="utf-8")
    names = [name for name in kgscore.__all__ if name != "__version__"]
    assert [name for name in names if not re.search(rf'id="kgscore\.[\w.]*\b{name}"', reference)] == []


def test_faults_fail_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "mkdocs_hooks.py", tmp_path / "docs")
    rules = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nvalidation:")[1].split("\nnav:")[0]
    head = "site_name: x\nhooks: [docs/mkdocs_hooks.py]\nexclude_docs: mkdocs_hooks.py\nnav: [index.md]\nvalidation:"
    (tmp_path / "mkdocs.yml").write_text(head + rules, encoding="utf-8")
    faults = ("[a page](nowhere.md)", "[a heading](index.md#no-such-heading)", "[a file](../no_such_file.py)")
    (tmp_path / "docs" / "index.md").write_text("# Page\n\n" + "\n\n".join(faults), encoding="utf-8")
    (tmp_path / "docs" / "unlisted.md").write_text("# A page that no menu lists", encoding="utf-8")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    told = done.stdout + done.stderr
    assert [word for word in ("nowhere.md", "no-such-heading", "no_such_file.py", "unlisted.md") if word not in told] == []


OUTSIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md", "ontologies/tables/FORMAT.md")


@pytest.mark.parametrize("name", OUTSIDE)
def test_links_outside_the_site_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for target, anchor in LINK.findall(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)):
        if target.startswith(("http:", "https:")):
            continue
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), f"{name}: {target}"
        if anchor:
            heads = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
            assert anchor in slugs, f"{name}: {target}#{anchor}"


def test_readme_lists_every_page() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages = {str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.md")}
    assert sorted(page for page in pages if f"({page})" not in readme) == []


def test_the_guide_names_every_command() -> None:
    from typer.main import get_group

    from kgscore.cli import app

    named = sorted(get_group(app).commands)
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    assert len(named) > 20
    assert [name for name in named if not re.search(rf"`[^`]*\b{name}\b[^`]*`", guide)] == []


def test_the_design_names_every_layer() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = set(re.findall(r"kgscore\.(\w+)", " ".join(next(c["layers"] for c in contracts if c["id"] == "layers"))))
    table = (ROOT / "docs" / "design.md").read_text(encoding="utf-8").split("## Layers")[1].split("\n## ")[0]
    named = {name for line in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", line)}
    assert layers - {"__main__"} == named


def test_prose_can_be_read_in_a_terminal() -> None:
    """Tables and code are as wide as they are."""
    long = []
    for page in sorted(ROOT.glob("docs/**/*.md")):
        prose = re.sub(r"^(```|~~~).*?^\1$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        lines = (line for line in prose.splitlines() if not line.startswith(("|", "    ")))
        long += [f"{page.name}: {line[:60]}" for line in lines if len(line) > 160]
    assert long == []


def test_the_benchmarks_are_figures_and_commands() -> None:
    assert len((ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8").split()) <= 3_000


def test_figures_of_the_page_of_validity_are_those_of_the_benchmarks() -> None:
    validity, figures = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("validity.md", "benchmarks.md"))
    rows = validity.split("What is wrong is known")[1].split("The first row")[0]
    said = set(re.findall(r"(?<![\d.])\d*\.\d+", rows)) - {"0.3"}
    assert len(said) > 6
    assert sorted(said - set(re.findall(r"(?<![\d.])\d*\.\d+", figures))) == []
