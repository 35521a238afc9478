"""HeadCT-ONE on reports of our own: figure 3 (three reports, three weightings) and the points of tables 1 to 3, by direction.

The first two reports share their findings but not the haemorrhage, the last two share haemorrhage of two kinds and little else.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.lab.bench.texts import variants

REPORTS = (
    "Status post left frontal craniotomy with aneurysm clip in place. Small area of encephalomalacia in the left temporal lobe,"
    " unchanged. No hemorrhage, hydrocephalus or acute infarct. No extra-axial collection. The calvarium is otherwise intact.",
    "Left frontal craniotomy and aneurysm clip again noted. Stable small encephalomalacia in the left temporal lobe. New small"
    " acute hemorrhage in the left frontal lobe. No hydrocephalus. No acute infarct. No extra-axial collection.",
    "Right parietal craniotomy. Small right subdural hematoma measuring 13 mm, stable, with pneumocephalus. Mild midline shift to"
    " the left. No brain edema. The ventricles are stable in size.",
)
PUBLISHED = "metrics:\n  headct_one: {entities: words, partial: false, average: both}\n"
WEIGHTINGS = ("default", "obs-present", "haemorrhage-present")
Figures = dict[str, tuple[float, float, float]]


@pytest.fixture(scope="module", params=["published", "ontology"])
def figure3(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """Scores of (R1, R2), (R1, R3), (R2, R3) under each weighting."""
    folder: Path = tmp_path_factory.mktemp("profiles")
    found: Figures = {}
    for name in WEIGHTINGS:
        path = folder / f"{name}.yaml"
        path.write_text(f"inherits: {name}\n{PUBLISHED if request.param == 'published' else ''}")
        scorer = Scorer(path, ("headct_one",))
        results = [scorer.score(reference=REPORTS[a], candidate=REPORTS[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
        found[name] = tuple(result.scores["headct_one"].value for result in results)  # type: ignore[assignment]
    return found


def test_weight_on_what_is_present_keeps_reports_that_share_it_near(figure3: Figures) -> None:
    assert figure3["obs-present"][0] > figure3["default"][0] - 0.02
    assert figure3["obs-present"][0] - max(figure3["obs-present"][1:]) > 0.5


@pytest.mark.parametrize("weighting", ["default", "obs-present"])
def test_reports_that_share_findings_score_far_above_the_others(figure3: Figures, weighting: str) -> None:
    alike, *others = figure3[weighting]
    assert alike > 0.5 > 0.3 > max(others) > 0


def test_weight_on_haemorrhage_turns_the_order_round(figure3: Figures) -> None:
    alike, neither, bleeding = figure3["haemorrhage-present"]
    assert alike == neither == 0
    assert 0 < bleeding < 1
    assert bleeding > figure3["default"][2]
    assert bleeding > figure3["obs-present"][2]


NORMALS = (
    "No acute intracranial hemorrhage. The ventricles are normal in size. No midline shift. The calvarium is intact.",
    "Ventricles and sulci are normal. Grey-white differentiation is preserved. No fracture. The mastoid air cells are clear.",
    "No mass effect. The basal cisterns are patent. No infarct.",
)


@pytest.mark.parametrize("reference", NORMALS)
def test_what_is_present_tells_normal_from_abnormal_reports(reference: str) -> None:
    """Table 1: under OBS-P normal reports agree whatever they deny, and an abnormal one does not agree with them at all."""
    plain, weighted = (Scorer(name, ("headct_one",)) for name in ("default", "obs-present"))

    def value(scorer: Scorer, candidate: str) -> float:
        found = scorer.score(reference=reference, candidate=candidate).scores["headct_one"].value
        assert found is not None
        return found

    for other in NORMALS:
        assert value(weighted, other) == 1
        assert other == reference or value(plain, other) < 0.75
    assert value(weighted, REPORTS[2]) == 0


ERRORS = Path(__file__).with_name("head_errors.jsonl")


@pytest.fixture(scope="module")
def table2() -> dict[str, dict[str, float]]:
    """Gaps between a rewording and each kind of error, by weighting, on three reports of our own."""
    profiles = ("default", "obs-present", "anatomy", "descriptor")
    return {name: variants.run(ERRORS, profile=name, metrics=("headct_one",))["headct_one"] for name in profiles}


@pytest.mark.parametrize(("error", "best"), [("obs", "obs-present"), ("anat", "anatomy"), ("desc", "descriptor")])
def test_each_weighting_sees_its_own_kind_of_error_best(table2: dict[str, dict[str, float]], error: str, best: str) -> None:
    """Table 2."""
    gaps = {name: figures[f"rephrased - {error}"] for name, figures in table2.items()}
    assert max(gaps, key=lambda name: gaps[name]) == best
    assert table2[best][f"wins over {error}"] == 1
    assert gaps[best] > gaps["default"] > 0


def test_weight_on_what_matters_widens_the_gap_to_significant_errors() -> None:
    """Table 3: reports with an insignificant error above those with a significant one, and further above under head-trauma."""
    rows = [json.loads(line) for line in ERRORS.read_text(encoding="utf-8").splitlines()]
    gaps = []
    for profile in ("default", "head-trauma"):
        scorer = Scorer(profile, ("headct_one",))
        values = {
            kind: [scorer.score(reference=row["report"], candidate=row[kind]).scores["headct_one"].value or 0.0 for row in rows]
            for kind in ("minor_error", "major_error")
        }
        gaps.append((sum(values["minor_error"]) - sum(values["major_error"])) / len(rows))
    assert gaps[1] > 1.3 * gaps[0] > 0
