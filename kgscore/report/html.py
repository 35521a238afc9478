"""A run as one self-contained HTML file: summary, list of cases, and each case with its proofs and costs."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum
from pathlib import Path
from typing import IO, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from kgscore.model import TIERS
from kgscore.report.contrast import Contrast
from kgscore.report.items import MARKS
from kgscore.report.overview import MetricFigures, Overview
from kgscore.report.words import number
from kgscore.results.cases import RunInfo

TEMPLATES = Path(__file__).with_name("templates")
SCRIPTS = ("kit.js", "case.js", "feedback.js", "contrast.js", "list.js", "book.js")
CHUNK = 50
_PIECES = 5


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot for the summary: SVG for light and dark pages, a title, and a text description."""

    title: str
    words: str
    light: str
    dark: str


@cache
def environment(*more: Path) -> Environment:
    """Return the template environment of all pages, with `more` template folders. Values are escaped; undefined names fail."""
    made = Environment(
        loader=FileSystemLoader([TEMPLATES, *more]), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {"score": number, "json": _json, "picture": _picture, "thousands": "{:,}".format}
    made.globals |= {"tiers": TIERS, "marks": MARKS}
    return made


def source(name: str) -> str:
    """Return the source of a script or style sheet."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def write_html(
    output: IO[str], *, run: RunInfo, overview: Overview, columns: Mapping[str, Any],
    chunks: Iterable[Sequence[Mapping[str, Any]]], title: str, note: str = "", plots: Sequence[Plot] = (),
    texts: Sequence[str] = (),
) -> None:
    """Write a run as a file. `texts` are the searchable words of each case; `chunks` are the views of the cases in
    order, `CHUNK` at a time; they are compressed one by one, so that only the compressed form of a run is held in memory.
    The same run gives the same bytes."""
    metrics = {one.name: metric_facts(one) for one in overview.metrics}
    meta = {"title": title, "searched": bool(texts), "metrics": metrics, "name": run.folder.name, "started": run.started}
    parts = _parts()
    body = parts.book(title, run, overview, note, plots)
    _write(output, title, body, parts.signature(run), meta, columns, ([shorten(view) for view in one] for one in chunks), texts)


def write_contrast(
    output: IO[str], *, runs: Sequence[RunInfo], found: Contrast, metrics: Sequence[MetricFigures], columns: Mapping[str, Any],
    chunks: Iterable[Sequence[Sequence[Mapping[str, Any]]]], title: str,
) -> None:
    """Write two runs as a file; `chunks` are the views of the pairs, from the first and the second run."""
    named = {one.name: metric_facts(one) for one in metrics}
    meta = {"title": title, "a": found.a, "b": found.b, "metrics": named, "searched": False, "name": title}
    parts = _parts()
    foot = Markup("").join(parts.signature(run) for run in runs)
    both = ([[shorten(view) for view in pair] for pair in one] for one in chunks)
    _write(output, title, parts.contrast(found, meta["metrics"]), foot, meta, columns, both, ())


def _parts() -> Any:
    return environment().get_template("summary.html.j2").module


def _write(
    output: IO[str], title: str, body: str, foot: str, meta: dict[str, Any], columns: Mapping[str, Any], chunks: Iterable[Any],
    texts: Sequence[str],
) -> None:
    script = "\n".join(source(name) for name in (*SCRIPTS, "file.js"))
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    output.writelines(environment().get_template("file.html.j2").stream(
        title=title, body=Markup(body), foot=Markup(foot), meta=meta | {"chunk": CHUNK, "cases": len(columns["ids"])},
        style=Markup(source("page.css")), script=Markup(script), script_hash=script_hash, columns=_compress(columns),
        texts=_compress(texts) if texts else "", chunks=map(_compress, chunks),
    ))  # fmt: skip


def shorten(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return a shortened view of a case: the largest items of every sum, and amounts with the digits that a page shows."""
    shorter: dict[str, Any] = _round_values({**view, "scores": [_shorten_score(score) for score in view["scores"]]})
    return shorter


def _shorten_score(score: Mapping[str, Any]) -> dict[str, Any]:
    first, rest = score["pieces"][:_PIECES], score["pieces"][_PIECES:]
    amounts = ", ".join(f"{name} {number(fsum(piece[name] for piece in rest))}" for name in ("credit", "cost"))
    more = f"and {len(rest):,} smaller ones: {amounts} together; `kgscore explain` lists all" if rest else ""
    return {**score, "pieces": first, "more": more}


def _round_values(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _round_values(one) for key, one in value.items()}
    return [_round_values(one) for one in value] if isinstance(value, list) else value


def metric_facts(figures: MetricFigures) -> dict[str, Any]:
    """Return what the list of cases shows about a metric."""
    return {key: getattr(figures, key) for key in ("low", "high", "higher_is_better", "summary")}


def gzip_json(value: Any, level: int = 9) -> bytes:
    """Return a value as compact JSON, compressed; the same value gives the same bytes."""
    data = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    return gzip.compress(data, level, mtime=0)


def _compress(value: Any) -> str:
    return base64.b64encode(gzip_json(value)).decode("ascii")


def _json(value: Any) -> Markup:
    """Return a value as JSON for a script element, escaped so that it cannot end the element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _picture(svg: str) -> str:
    """Return an SVG as a data URL: separate from the page, so that its ids and styles cannot conflict."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")
