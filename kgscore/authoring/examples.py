"""The examples of a module: sentences with the expected findings, and pairs with the expected relation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgscore.engine import Scorer
from kgscore.errors import did_you_mean
from kgscore.model import Finding
from kgscore.ontology.check import Problem

SENTENCES, PAIRS = "sentences.jsonl", "pairs.jsonl"
RELATIONS = ("equivalent", "part_whole", "contradiction", "unrelated")
_FIELDS = ("concept", "sites", "side", "status", "certainty", "change", "details")
_USUAL: dict[str, Any] = {"side": None, "status": "present", "certainty": "definite", "change": None, "details": [], "sites": []}
_STATUS = ("present", "absent", "normal")


@dataclass(frozen=True, slots=True)
class Tried:
    """The number of sentences and pairs run, and the problems."""

    sentences: int
    pairs: int
    problems: tuple[Problem, ...]


def try_examples(folder: Path, scorer: Scorer) -> Tried:
    """Read the sentences and relate the pairs of a module's folder; a missing file counts as empty."""
    problems: list[Problem] = []
    counts = Counter[str]()
    for name, attempt in ((SENTENCES, _sentence), (PAIRS, _pair)):
        for where, row in _rows(folder / name, problems):
            counts[name] += 1
            subject = str(row.get("id", "")) or name.removesuffix("s.jsonl")
            problems += [Problem("error", where, subject, one) for one in attempt(row, scorer)]
    return Tried(counts[SENTENCES], counts[PAIRS], tuple(problems))


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not path.exists():
        return
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        problems.append(Problem("error", path.name, path.stem, f"cannot be read as UTF-8 text ({error})"))
        return
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        where = f"{path.name}:{number}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            message = f"the line is not JSON ({error.msg.lower()} at character {error.pos + 1}); write one JSON object per line"
            problems.append(Problem("error", where, path.stem, message))
            continue
        if isinstance(row, dict):
            yield where, row
        else:
            problems.append(Problem("error", where, path.stem, "the line is not a JSON object; write {\"…\": …}"))


def _sentence(row: Mapping[str, Any], scorer: Scorer) -> list[str]:
    text, wanted = row.get("text"), row.get("findings")
    if not isinstance(text, str) or not isinstance(wanted, list) or not all(isinstance(one, dict) for one in wanted):
        return ['needs "text" and "findings", a list of objects with "concept" and further expected fields']
    if wrong := [complaint for one in wanted for complaint in _format_problems(one, scorer)]:
        return wrong
    reading = scorer.read(text)
    missing, extra = _leftovers(wanted, reading.findings)
    said = [f"missing: {_as_text(one)}" for one in missing]
    said += [f"not expected: {_as_text(finding_as_written(finding))}" for finding in extra]
    unknown = ", ".join(f"'{one.text}'" for one in reading.unlinked)
    said += [f"not understood: {unknown}"] if said and unknown else []
    return ["; ".join(said)] if said else []


def _format_problems(wanted: Mapping[str, Any], scorer: Scorer) -> Iterator[str]:
    for key in wanted:
        if key not in _FIELDS:
            yield f"unknown field '{key}'; {did_you_mean(key, _FIELDS) or 'known: ' + ', '.join(_FIELDS)}"
    if "concept" not in wanted:
        yield "a finding needs its \"concept\" (null if no concept is expected)"
    if wanted.get("status", "present") not in _STATUS:
        yield f"status is {', '.join(_STATUS)}, not '{wanted['status']}'"
    concepts = scorer.index.concepts
    sites = wanted.get("sites", [])
    if not isinstance(sites, list):
        yield "\"sites\" is a list of ids"
        return
    for name in (wanted.get("concept"), *sites):
        if isinstance(name, str) and name not in concepts:
            yield f"'{name}' is not a concept; {did_you_mean(name, concepts) or 'search with: kgscore ontology show'}"


def _leftovers(wanted: Sequence[Mapping[str, Any]], found: Sequence[Finding]) -> tuple[list[Mapping[str, Any]], list[Finding]]:
    """Return the findings and expectations left after each expected finding, the most specific first, took one that fits."""
    free, missing = list(found), []
    for one in sorted(wanted, key=len, reverse=True):
        fits = next((finding for finding in free if _matches_expectation(one, finding)), None)
        if fits is None:
            missing.append(one)
        else:
            free.remove(fits)
    return missing, free


def _matches_expectation(wanted: Mapping[str, Any], finding: Finding) -> bool:
    said = finding_as_written(finding)
    return all(_folded(value) == _folded(said[key]) for key, value in {"status": "present", **wanted}.items())


def _folded(value: Any) -> Any:
    """Return a list as a set of its items in lower case, and another value as it is."""
    return {str(one).lower() for one in value} if isinstance(value, list) else value


def finding_as_written(finding: Finding) -> dict[str, Any]:
    """Return a finding in the format of the examples."""
    return {
        "concept": finding.concept, "sites": list(finding.sites), "side": finding.side, "status": finding.status,
        "certainty": finding.certainty, "change": finding.change, "details": [detail.text for detail in finding.details],
    }


def brief_finding(finding: Finding) -> dict[str, Any]:
    """Return a finding in the format of the examples, without empty and default values."""
    named = {} if finding.concept else {"label": finding.label}
    return {**_without_defaults(finding_as_written(finding)), **named}


def _as_text(finding: Mapping[str, Any]) -> str:
    return json.dumps(_without_defaults(finding), ensure_ascii=False)


def _without_defaults(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in finding.items() if key not in _USUAL or value != _USUAL[key]}


def _pair(row: Mapping[str, Any], scorer: Scorer) -> list[str]:
    a, b, wanted = row.get("a"), row.get("b"), row.get("relation")
    if not isinstance(a, str) or not isinstance(b, str) or wanted not in RELATIONS:
        return [f'needs "a", "b" and "relation" ({", ".join(RELATIONS)})']
    found = scorer.relate(a, b)
    if found.relation == wanted:
        return []
    read = [", ".join(_as_text(finding_as_written(one)) for one in scorer.read(text).findings) or "nothing" for text in (a, b)]
    because = f" because {'; '.join(found.proof)}" if found.proof else ""
    return [f"is {found.relation}, not {wanted}{because}; a reads as {read[0]}; b reads as {read[1]}"]
