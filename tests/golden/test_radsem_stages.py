"""RadSEM from stage files, as a language model would write them: Table 3 and the example of section 3.4."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.metrics.radsem_stages import score_stages, stage_record

SAME = {"anatomy": "equivalent", "asserted_abnormality": None, "negated_abnormality": None, "details": None}

FULL = {"asserted_abnormality": "equivalent", "details": "equivalent"}


def both(sentence: str) -> list[str]:
    return [f"{side} {sentence}" for side in ("Left", "Right")]


def pair(ref: str, gen: str, normality: str, **labels: str | None) -> dict[str, Any]:
    return {"Ref": ref, "Gen": gen, "normality": normality, **SAME, **labels}


# The atomic findings of Table 3; each normal one is met by one that says the same in other words.
OPACITIES = [*both("lung field shows striated shadows."), *both("lung field shows patchy shadows.")]
NORMAL = [
    "Thoracic cage is symmetrical.", *both("lung field is normally transparent."), *both("lung shows clear markings."),
    *both("hilum is not enlarged."), *both("hilum shows no increased density."), "Heart is normal in shape.",
    "Heart is normal in size.", *both("diaphragm is smooth."), *both("costophrenic angle is sharp."),
]  # fmt: skip
TABLE_3 = {
    "name": "table 3",
    "pairs": [
        *(pair(s, f"{s[:-1]}, in other words.", "abnormal", **FULL) for s in OPACITIES),
        *(pair(s, f"{s[:-1]}, in other words.", "normal") for s in NORMAL),
    ],
    "unmatched": [
        {"side": "Ref", "sentence": "Spine shows mild scoliosis.", "normality": "abnormal"},
        {"side": "Ref", "sentence": "Aortic knob is prominent.", "normality": "abnormal"},
        {"side": "Gen", "sentence": "Spine shows no scoliosis.", "normality": "normal"},
        {"side": "Gen", "sentence": "Aortic knob is not prominent.", "normality": "normal"},
    ],
}  # fmt: skip


def test_table_3_scores_as_printed() -> None:
    scores = score_stages(json.loads(json.dumps(TABLE_3)))
    for score in scores.values():
        assert score.parts == pytest.approx(
            {
                "abnormal_matched": 4, "abnormal_unmatched_reference": 2, "abnormal_unmatched_candidate": 0, "abnormal_f1": 0.8,
                "normal_matched": 15, "normal_unmatched_reference": 0, "normal_unmatched_candidate": 2, "normal_f1": 0.9375,
            }
        )  # fmt: skip
        assert score.value == pytest.approx(0.81375)


@pytest.mark.parametrize(
    ("labels", "weight"),
    [
        ({"details": "equivalent"}, 1.0),
        ({"details": "partial"}, 0.75),
        ({"details": "none"}, 0.5),
        ({"details": None}, 1.0),
        ({"anatomy": "part-whole", "details": "none"}, 1 / 6),
        ({"anatomy": "part-whole", "asserted_abnormality": "part-whole", "details": "partial"}, 1 / 12),
        ({"anatomy": "part-whole", "asserted_abnormality": "part-whole", "negated_abnormality": "part-whole"}, 1 / 27),
    ],
)
def test_the_weight_of_a_pair(labels: dict[str, str | None], weight: float) -> None:
    (score, _) = score_stages({"pairs": [pair("a", "b", "abnormal", **labels)], "unmatched": []}).values()
    assert score.parts["abnormal_matched"] == pytest.approx(weight)
    assert score.value == pytest.approx(1 if weight == 1 else 1 - 0.25 * (1 - weight))


def test_one_part_whole_pair_without_shared_detail_gives_the_printed_score() -> None:
    record = {"pairs": [pair("a", "b", "abnormal", anatomy="part-whole", details="none")], "unmatched": []}
    assert [score.value for score in score_stages(record).values()] == pytest.approx([0.791667] * 2, abs=1e-6)


def test_links_that_share_a_sentence_share_its_capacity() -> None:
    """One broad sentence against two: a flow of 1, not of 2; RadSEM-Alt keeps one of the two."""
    record = {
        "pairs": [pair("a", "both", "abnormal"), pair("b", "both", "abnormal")],
        "unmatched": [{"side": "Gen", "sentence": "c", "normality": "abnormal"}],
    }
    scores = score_stages(record)
    assert scores["radsem"].value == pytest.approx(2 / (2 + 1))
    assert scores["radsem_alt"].value == pytest.approx(2 / (2 + 1 + 1))


REPORTS = (
    "Small left pleural effusion. No pneumothorax. The heart is enlarged. The lungs are clear.",
    "No pleural effusion or pneumothorax. The heart is normal in size. A 12 mm nodule in the left upper lobe.",
    "Bilateral pleural effusions. Mild cardiomegaly. Opacity in the left lower lobe, likely pneumonia.",
    "Large left pleural effusion with atelectasis. Nodule in the left lung. The mediastinum is unremarkable.",
    "Wobbly blotch in the left lung. Degenerative changes of the thoracic spine. Sternotomy wires are intact.",
    "Acute left subdural haematoma measuring 9 mm. Midline shift of 5 mm to the right. No fracture.",
)


@pytest.mark.parametrize("reference", REPORTS)
@pytest.mark.parametrize("candidate", REPORTS)
def test_out_and_in_again_scores_as_the_pair_itself(both_metrics: Scorer, reference: str, candidate: str) -> None:
    result = both_metrics.score(reference=reference, candidate=candidate, id="x")
    record = json.loads(json.dumps(stage_record(result, both_metrics.label)))
    assert {name: score.value for name, score in score_stages(record).items()} == pytest.approx(
        {name: score.value for name, score in result.scores.items()}
    )
    assert [len(record["rewritten_report"][side]) for side in ("Ref", "Gen")] == [
        len(reading.findings) for reading in (result.reference, result.candidate) if reading
    ]


@pytest.fixture(scope="module")
def both_metrics() -> Scorer:
    return Scorer("radsem-published", ("radsem", "radsem_alt"))
