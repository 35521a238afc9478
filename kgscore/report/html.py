"""A run as one HTML file that needs nothing else: summary, list of cases, and each case with its proofs and costs."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kgscore.report.overview import MetricFigures, Overview
from kgscore.report.words import number
from kgscore.results.cases import RunInfo

TEMPLATES = Path(__file__).with_name("templates")
SCRIPTS = ("kit.js", "case.js", "list.js", "book.js")
CHUNK = 50
_SEVERITY = {1: "not actionable", 2: "actionable", 3: "urgent", 4: "emergent"}
_VERDICTS = {"agreed": "✓", "partial": "≈", "missed": "−", "invented": "+", "contradicted": "✗"}


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture for the summary: SVG for a light and a dark page, a title, and what it shows in words."""

    title: str
    words: str
    light: str
    dark: str


@cache
def environment(*more: Path) -> Environment:
    """Return the environment of all pages, with `more` folders of templates. Every value is escaped; an unknown name fails."""
    made = Environment(
        loader=FileSystemLoader([TEMPLATES, *more]), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {"score": number, "json": _json, "picture": _picture, "thousands": "{:,}".format}
    made.globals |= {"severities": _SEVERITY, "verdicts": _VERDICTS}
    return made


def source(name: str) -> str:
    """Return a script or style sheet of the pages."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def write_html(
    output: IO[str],
    *,
    run: RunInfo,
    overview: Overview,
    columns: Mapping[str, Any],
    chunks: Iterable[Sequence[Mapping[str, Any]]],
    title: str,
    note: str = "",
    plots: Sequence[Plot] = (),
    texts: Sequence[str] = (),
) -> None:
    """Write the file. `texts` are the words of each case that can be searched for; `chunks` are the views of the cases in order,
    `CHUNK` at a time; they are packed as they come, so that a run of any length is held in memory only as it is packed. The same
    run gives the same bytes."""
    script = "\n".join(source(name) for name in (*SCRIPTS, "file.js"))
    page = environment().get_template("file.html.j2")
    meta = {"title": title, "chunk": CHUNK, "metrics": {one.name: told(one) for one in overview.metrics}}
    stream = page.stream(
        title=title,
        run=run,
        overview=overview,
        note=note,
        plots=plots,
        meta=meta,
        style=Markup(source("page.css")),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        columns=_packed(columns),
        texts=_packed(texts) if texts else "",
        chunks=map(_packed, chunks),
    )
    for piece in stream:
        output.write(piece)


def told(figures: MetricFigures) -> dict[str, Any]:
    """Return what the list of cases needs to know of a metric."""
    values = asdict(figures)
    return {key: values[key] for key in ("low", "high", "higher_is_better", "summary")}


def _packed(value: Any) -> str:
    data = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def _json(value: Any) -> Markup:
    """Return a value as JSON for a script element: no character of it can end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _picture(svg: str) -> str:
    """Return an SVG as the address of a picture: apart from the page, so that its ids and styles meet no others."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")
