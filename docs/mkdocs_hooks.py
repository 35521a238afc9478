"""What the site needs beside the pages: files of the repository that pages link to (a hook of mkdocs).

On a page, `../NAME` is a file or folder of the repository. The site carries the files: those of `PAGES` as pages, others as they
are, under `files/`. Folders have no page, so their names stand without a link.
"""

from __future__ import annotations

import io
import posixpath
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import griffe
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "NOTICE": "notices.md",
    "README.md": "index.md",
    "examples/README.md": "examples.md",
    "mappings/queries": "queries.md",
    "mappings/significance.yaml": "tiers.md",
    "ontologies/tables/FORMAT.md": "format.md",
}
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
_DOCTEST = re.compile(r"^>>> (?:.*\n?)+?(?=\n\n|\Z)", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~).*?^\1$", re.DOTALL | re.MULTILINE)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages made of files of the repository, and the files that pages link to."""
    for source, name in PAGES.items():
        if name not in files.src_uris and (ROOT / source).exists():
            files.append(File.generated(config, name, content=_page(source, name)))
    for page in files.documentation_pages():
        for match in _LINK.finditer(page.content_string):
            place = _place(match["target"], page.src_uri)
            if place and (ROOT / place).is_file() and f"files/{place}" not in files.src_uris and place not in PAGES:
                files.append(File.generated(config, f"files/{place}", abs_src_path=str(ROOT / place)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links to files of the repository into links to where the site has them; keep the laboratory out of the search."""
    if page.file.src_uri.startswith("lab/"):
        page.meta.setdefault("search", {"exclude": True})
    return _relinked(markdown, page.file.src_uri, page.file.src_uri)


def on_post_page(output: str, **_: Any) -> str:
    """Name the search for screen readers, and leave one landmark for a menu: not one more for each part of it."""
    search = 'data-md-component="search" role="dialog"'
    output = output.replace(search, f'{search} aria-label="Search"')
    return output.replace('<nav class="md-nav" aria-label=', '<nav class="md-nav" role="none" data-label=')


def _page(source: str, name: str) -> str:
    if source == "mappings/queries":
        return _queries()
    if source == "mappings/significance.yaml":
        return _tiers()
    text = (ROOT / source).read_text(encoding="utf-8")
    if source == "NOTICE":
        links = "[Licence of the code](../LICENSE) · [of the ontologies](../ontologies/LICENSE)"
        return f"# Licences and notices\n\n```text\n{text}```\n\n{links}\n"
    return _relinked(text, posixpath.join("..", source), name)


def _queries() -> str:
    """Return the page of the shipped queries: what each answers, its parameters, its text."""
    from kgscore.graph.catalogue import shipped_queries

    how = "Run one with `kgscore query RUN NAME -p PARAMETER=VALUE`. The [cookbook](graph.md#sparql-cookbook) shows them at work."
    lines = ["# Shipped queries", "", how, ""]
    for query in shipped_queries():
        lines += [f"## {query.name}", "", query.title, "", *([query.about, ""] if query.about else [])]
        lines += ["| parameter | type | if not given | |", "|---|---|---|---|"] if query.parameters else []
        for one in query.parameters:
            kind, default = one.type.replace("|", ", "), "must be given" if one.default is None else f"`{one.default}`"
            lines.append(f"| `{one.name}` | {kind} | {default} | {one.about} |")
        lines += ["", "```sparql", query.text.strip(), "```", ""]
    return "\n".join(lines)


def _tiers() -> str:
    """Return the page of tiers and rules, as `kgscore ontology tiers` prints it."""
    from kgscore.cli import main

    with redirect_stdout(io.StringIO()) as printed:
        code = main(["ontology", "tiers"])
    if code:
        raise RuntimeError(f"kgscore ontology tiers ended with {code}")
    return printed.getvalue()


def _place(target: str, uri: str) -> str | None:
    """Return the path in the repository that a link of a page means, where that is outside `docs`."""
    if re.match(r"[a-z]+:|/", target):
        return None
    place = posixpath.normpath(posixpath.join("docs", posixpath.dirname(uri), target))
    return None if place.startswith("docs/") or not (ROOT / place).exists() else place


def _relinked(text: str, uri: str, name: str) -> str:
    """Return a text whose links, written for a file at `uri` (relative to `docs`), hold on the page `name`."""

    def link(match: re.Match[str]) -> str:
        target, label, anchor = match["target"], match["text"], match["anchor"] or ""
        if re.match(r"[a-z]+:|/", target):
            return match[0]
        place = posixpath.normpath(posixpath.join("docs", posixpath.dirname(uri), target))
        if not (ROOT / place).exists() and place not in {f"docs/{page}" for page in PAGES.values()}:
            return match[0]
        if (ROOT / place).is_dir() and place not in PAGES:
            return label
        there = place.removeprefix("docs/") if place.startswith("docs/") else PAGES.get(place, f"files/{place}")
        return f"{match['image']}[{label}]({posixpath.relpath(there, posixpath.dirname(name) or '.')}{anchor})"

    pieces, end = [], 0
    for fence in _FENCE.finditer(text):
        pieces += [_LINK.sub(link, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*pieces, _LINK.sub(link, text[end:])])


class Doctests(griffe.Extension):
    """Examples in docstrings become code blocks."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence the lines from `>>>` to the next empty one."""
        if obj.docstring:
            obj.docstring.value = _DOCTEST.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```", obj.docstring.value)
