"""The experiments of HeadCT-ONE: figure 3 and tables 1 to 3, on the user's texts, with the paper's weightings.

FILE holds JSON lines of three forms, one per experiment; missing experiments are skipped:

- `report`, `rephrased`, `any_error`, `obs_error`, `anat_error`, `desc_error` (table 2; the form of `bench variants`), and
  `minor_error`, `major_error` (table 3: an error without and with clinical significance); reports not of the head are
  excluded according to `modality`;
- `normal`: a normal report (table 1: normal reports with each other, and with the `report`s, which are abnormal);
- `reports`: three of them (figure 3: the first two share all but a haemorrhage, the last two share haemorrhage).

`moves` tells for each claim of the paper whether it holds here. The paper's own figures are for other texts and another reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations
from statistics import fmean
from typing import Any

from kgscore.engine import Scorer
from kgscore.lab.bench._ask import Ask, benchmark
from kgscore.lab.bench.texts import REPHRASED as VERSIONS
from kgscore.profile import Profile, load_profile

NAME = "headct_one"
PUBLISHED = {"entities": "words", "partial": False, "average": "both", "kin": False}
WEIGHTINGS = {
    "OBS-P": "obs-present", "OBS-P+OBS-A": "obs-present-absent", "ANAT": "anatomy", "DESC": "descriptor",
    "haemorrhage": "haemorrhage-present",
}  # fmt: skip
# The weight of the five or ten most often negated observations; the paper says "higher" without a number.
TOP_WEIGHT = 5.0
Value = Callable[[str, str, str], float]
Figures = dict[str, dict[str, float]]  # by weighting and column


@benchmark("reader")
def headct_one(ask: Ask) -> dict[str, Any]:
    """Return the figures of each experiment with texts in the file, by form ("ontology", "published"): scores by weighting
    ("none" is the profile's own), gaps between scores, and which claims of the paper hold."""
    rows = [row for row in ask.records() if "head" in row.get("modality", "head").lower()]
    forms: Mapping[str, Mapping[str, Any]] = {"ontology": {}, "published": PUBLISHED}
    return {form: _experiments(rows, _profiles(ask.profile, options), ask.reader) for form, options in forms.items()}


def _profiles(base: str, options: Mapping[str, Any]) -> dict[str, Profile]:
    found = {name: load_profile(known) for name, known in {"none": base, **WEIGHTINGS}.items()}
    return {
        name: replace(one, metrics={**one.metrics, NAME: {**one.metrics.get(NAME, {}), **options}}) for name, one in found.items()
    }


def _experiments(rows: Sequence[Mapping[str, Any]], profiles: dict[str, Profile], reader: str) -> dict[str, Any]:
    compared, normals = ([row[name] for row in rows if name in row] for name in ("reports", "normal"))
    variants = [row for row in rows if "report" in row]
    found: dict[str, Any] = {"reports": len(variants), "normal reports": len(normals), "moves": {}}
    for name, (figures, moves) in _measured(compared, normals, variants, profiles, reader):
        found[name] = {weighting: {column: round(one, 3) for column, one in row.items()} for weighting, row in figures.items()}
        found["moves"] |= {f"{name}: {claim}": holds for claim, holds in moves.items()}
    return found


def _measured(
    compared: Sequence[Sequence[str]], normals: Sequence[str], variants: Sequence[Mapping[str, Any]],
    profiles: dict[str, Profile], reader: str,
) -> Iterator[tuple[str, tuple[Figures, dict[str, bool]]]]:  # fmt: skip
    """Yield the figures of each experiment that has texts, and whether the paper's claims about it hold."""

    @cache
    def scorer(weighting: str) -> Scorer:
        return Scorer(profiles[weighting], (NAME,), reader=reader)

    @cache
    def value(weighting: str, reference: str, candidate: str) -> float:
        """Return a score; a pair without one counts as 0."""
        return scorer(weighting).score(reference=reference, candidate=candidate).scores[NAME].value or 0.0

    for number, reports in enumerate(compared, 1):
        yield f"figure 3 ({number})" if number > 1 else "figure 3", _figure_3(reports, value)
    if len(normals) > 1 and variants:
        yield "table 1", _table_1(normals, [row["report"] for row in variants], value)
    if variants:
        yield "table 2", _table_2(variants, value)
    if rated := [row for row in variants if "minor_error" in row and "major_error" in row]:
        texts = [*(row["report"] for row in rated), *normals]
        for count in (5, 10):
            profiles[f"top {count}"] = _negation_weighted(profiles["OBS-P"], scorer("none"), texts, count)
        yield "table 3", _table_3(rated, value)


def _figure_3(reports: Sequence[str], value: Value) -> tuple[Figures, dict[str, bool]]:
    figures = {
        weighting: {f"R{a + 1}, R{b + 1}": value(weighting, reports[a], reports[b]) for a, b in combinations(range(3), 2)}
        for weighting in ("none", "OBS-P", "haemorrhage")
    }
    plain, present, bleeding = figures.values()
    moves = {
        "OBS-P raises (R1, R2)": present["R1, R2"] > plain["R1, R2"],
        "haemorrhage takes (R1, R2) to 0": bleeding["R1, R2"] == 0,
        "haemorrhage raises (R2, R3) above OBS-P": bleeding["R2, R3"] > present["R2, R3"],
    }
    return figures, moves


def _table_1(normals: Sequence[str], abnormal: Sequence[str], value: Value) -> tuple[Figures, dict[str, bool]]:
    figures: Figures = {}
    for weighting in ("none", "OBS-P"):
        alike = fmean(value(weighting, a, b) for a, b in permutations(normals, 2))
        apart = fmean(value(weighting, a, b) for a in normals for b in abnormal)
        figures[weighting] = {"normal, normal": alike, "less normal, abnormal": alike - apart}
    moves = {f"OBS-P raises {name}": figures["OBS-P"][name] > figures["none"][name] for name in figures["none"]}
    return figures, moves


def _table_2(rows: Sequence[Mapping[str, str]], value: Value) -> tuple[Figures, dict[str, bool]]:
    figures: Figures = {}
    for weighting in ("none", "OBS-P", "OBS-P+OBS-A", "ANAT", "DESC"):
        means = {version: fmean(value(weighting, row["report"], row[version]) for row in rows) for version in VERSIONS}
        gaps = {f"- {v.removesuffix('_error')}": means["rephrased"] - means[v] for v in VERSIONS[1:]}
        figures[weighting] = {"rephrased": means["rephrased"], **gaps}

    def widest(gap: str) -> str:
        return max(figures, key=lambda weighting: figures[weighting][gap])

    claims = (("OBS-P", "any", "any"), ("OBS-P", "obs", "observation"), ("ANAT", "anat", "anatomical"))
    moves = {f"{best} has the widest gap to {errors} errors": widest(f"- {gap}") == best for best, gap, errors in claims}
    kinds = [figures["DESC"][f"- {gap}"] for gap in ("obs", "anat", "desc")]
    moves["DESC sees descriptor errors best of all errors"] = kinds[-1] == max(kinds)
    return figures, moves


def _table_3(rows: Sequence[Mapping[str, str]], value: Value) -> tuple[Figures, dict[str, bool]]:
    figures: Figures = {}
    for weighting in ("none", "OBS-P", "top 5", "top 10"):
        minor, major = (fmean(value(weighting, row["report"], row[f"{k}_error"]) for row in rows) for k in ("minor", "major"))
        figures[weighting] = {"without significance": minor, "with": major, "difference": minor - major}
    gaps = {name: row["difference"] for name, row in figures.items()}
    moves = {f"{name} widens the difference": gaps[name] > gaps["none"] for name in ("OBS-P", "top 5", "top 10")}
    return figures, moves


def _negation_weighted(base: Profile, scorer: Scorer, reports: Sequence[str], count: int) -> Profile:
    """Return a profile in which the observations most often negated in these reports weigh more, if they are present."""
    denied = Counter(
        finding.concept
        for report in reports
        for finding in scorer.read(report).findings
        if finding.concept and finding.status == "absent" and not (finding.both and finding.side == "right")
    )
    chosen = sorted(denied, key=lambda concept: (-denied[concept], concept))[:count]
    more = {f"observation_present/{concept}": TOP_WEIGHT for concept in chosen}
    return replace(base, weights=replace(base.weights, subtree={**base.weights.subtree, **more}))
