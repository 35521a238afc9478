"""The public benchmarks: from the download of a set to the figures reported in its paper, one program each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from kgscore.errors import InputError, did_you_mean

# A one-line description of each.
PROGRAMS = {
    "rexval": "errors counted by six radiologists: correlation with total and significant errors",
    "radevalx": "errors of two kinds in eight categories: correlation with their counts",
    "rexerr": "errors inserted into reports: the share found, by category",
    "refisco": "corrections line by line: their types, and the correlation of severities",
    "rate-eval": "sentences and paragraphs rated, and rewritten reports",
    "preferences": "the better of two candidates: pairwise accuracy by strength of the preference",
    "iu-xray": "MeSH codes of reports: F1 of the findings read from them, by code",
    "bioscope": "negation and speculation marked in sentences: F1 of mentions and of sentences",
}


def run(name: str, request: Any) -> Any:
    """Return the figures (`base.Found`) of a benchmark on a download, for a `base.Request`.

    Raises:
        InputError: the benchmark is unknown, or the download cannot be read.
        ProfileError: the profile or a metric is unknown.
    """
    return _module(name).run(name, request)


def pairs(name: str, request: Any) -> Iterator[Any]:
    """Yield the pairs of a download in kgscore's form (`id`, `reference`, `candidate` and further fields), or bad records."""
    found: Callable[[str, Any], Iterator[Any]] | None = getattr(_module(name), "pairs", None)
    if found is None:
        raise InputError(f"'{name}' consists of single reports, not of pairs; run it without --pairs")
    return found(name, request)


def _module(name: str) -> Any:
    if name not in PROGRAMS:
        hint = f"{did_you_mean(name, PROGRAMS)} ".lstrip()
        raise InputError(f"no published benchmark '{name}'; {hint}known: {', '.join(PROGRAMS)}")
    module = "counted" if name in ("rexval", "radevalx") else name.replace("-", "_")
    return import_module(f"kgscore.lab.published.{module}")
