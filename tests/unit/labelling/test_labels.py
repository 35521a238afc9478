"""Labels: what decides them, the sets that are shipped, and the files of users."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kgscore
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.labelling.agreement import Counts, compare, summary
from kgscore.labelling.sets import check_set, load_set, set_names

FOLDER = Path(__file__).parents[2] / "labels"
CASES = [json.loads(line) for path in sorted(FOLDER.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", set_names())
def test_a_shipped_set_names_only_what_exists(scorer: Scorer, name: str) -> None:
    found = load_set(name)
    assert found.labels
    assert check_set(found, scorer.index) == []


@pytest.mark.parametrize(("name", "count"), [("chexpert14", 14), ("ctrate18", 18), ("chestxray14", 15), ("rsna_ich", 6)])
def test_a_set_has_as_many_labels_as_its_source(name: str, count: int) -> None:
    assert len(load_set(name).labels) == count


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_report_has_just_these_labels(scorer: Scorer, case: dict[str, object]) -> None:
    """What is not named under `labels` may not be affirmed, and what is in `not_mentioned` not be said at all."""
    found = scorer.labels(str(case["text"]), str(case["set"])).values
    wanted = dict(case["labels"])  # type: ignore[call-overload]
    for name in case.get("not_mentioned", ()):  # type: ignore[attr-defined]
        wanted[name] = "not_mentioned"
    assert {name: found[name] for name in wanted} == wanted
    affirmed = {name for name, value in found.items() if value in ("present", "uncertain")}
    assert affirmed == {name for name, value in wanted.items() if value in ("present", "uncertain")}


def test_the_words_and_the_proof_that_decide(scorer: Scorer) -> None:
    report = "Right middle lobe pneumonia. The left costophrenic angle is sharp. No pneumothorax."
    found = scorer.labels(report)
    by_name = {one.label: one for one in found.decisions}
    opacity = by_name["Lung Opacity"]
    assert opacity.finding is not None
    finding = found.findings[opacity.finding]
    assert report[finding.start : finding.end] == "Right middle lobe pneumonia"
    assert opacity.because == ("pneumonia is a lung opacity",)
    assert by_name["Pneumothorax"].because[0] == "denied: pneumothorax; asserted: pneumothorax"
    assert by_name["No Finding"].because == ("Lung Opacity is present",)


def test_a_denial_goes_through_the_hierarchy_and_its_path_is_the_proof(scorer: Scorer) -> None:
    found = {one.label: one for one in scorer.labels("The lungs are clear.").decisions}
    assert found["Pneumonia"].value == "absent"
    assert "pneumonia is a lung opacity" in found["Pneumonia"].because


def test_one_side_denied_denies_nothing_and_both_sides_do(scorer: Scorer) -> None:
    one, both = "No left pleural effusion.", "No left pleural effusion. No right pleural effusion."
    assert scorer.labels(one).values["Pleural Effusion"] == "not_mentioned"
    assert scorer.labels(both).values["Pleural Effusion"] == "absent"


def test_what_is_affirmed_goes_before_doubt_and_doubt_before_denial(scorer: Scorer) -> None:
    def value(report: str) -> str:
        return scorer.labels(report).values["Pneumonia"]

    assert value("Right lower lobe pneumonia. Possible left lower lobe pneumonia.") == "present"
    assert value("Possible left lower lobe pneumonia. No right-sided pneumonia.") == "uncertain"
    assert value("Opacity in the left lower lobe, which may represent pneumonia.") == "uncertain"


def test_a_report_without_labels_has_a_reason(scorer: Scorer) -> None:
    empty, foreign = scorer.labels("  "), scorer.labels("Kein Pleuraerguss und keine Infiltrate, das Herz ist nicht vergrößert.")
    assert (empty.status, empty.values, empty.reason) == ("empty", {}, "the report is empty")
    assert (foreign.status, foreign.values) == ("failed", {})
    assert foreign.reason


def test_numbers_are_those_of_chexpert() -> None:
    found = kgscore.labels("Possible pneumonia. Pacemaker in place. No pneumothorax.").numbers
    assert [found[name] for name in ("Pneumonia", "Support Devices", "Pneumothorax", "Fracture")] == [-1, 1, 0, None]


def test_a_set_of_the_user(scorer: Scorer, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "title: mine\nuncertain: [possible]\nlabels:\n  - {name: Spiculated nodule, any: [pulmonary_nodule + spiculated]}\n"
        "  - {name: Right effusion, any: ['pleural_effusion @ right pleural_space']}\n",
        encoding="utf-8",
    )
    report = "Probable spiculated nodule in the left upper lobe. Left pleural effusion."
    assert scorer.labels(report, str(path)).values == {"Spiculated nodule": "present", "Right effusion": "not_mentioned"}


def test_an_sssom_file_is_a_set(scorer: Scorer, tmp_path: Path) -> None:
    path = tmp_path / "rid.sssom.tsv"
    rows = [
        "#mapping_set_id: https://example.org/rid\n#license: https://example.org/licence\n#comment: keep this notice\n"
        "#curie_map:\n#  kgs: https://w3id.org/kgscore/\n#  RID: https://example.org/RID",
        "subject_id\tpredicate_id\tobject_id\tobject_label\tmapping_justification\text_located_in",
        "kgs:pleural_effusion\tskos:exactMatch\tRID:1\tfluid\tsemapv:ManualMappingCuration\t",
        "kgs:fracture\tskos:narrowMatch\tRID:2\trib fracture\tsemapv:ManualMappingCuration\tkgs:rib",
        "kgs:fracture\tskos:narrowMatch\tRID:3\tsome fracture\tsemapv:ManualMappingCuration\t",
    ]
    path.write_text("\n".join(rows), encoding="utf-8")
    assert load_set(str(path)).notice == "keep this notice"
    found = scorer.labels("Fracture of the left sixth rib. No pleural effusion.", str(path)).values
    assert found == {"fluid": "absent", "rib fracture": "present"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("labels: [{name: A, any: [pleural_efusion]}]", "label 'A': 'pleural_efusion' is not an id of findings or devices; did"),
        ("labels: [{name: A, any: [mass @ lungg]}]", "label 'A': 'lungg' is not an id of anatomy; did you mean 'lung'?"),
        ("labels: [{name: A, ani: [mass]}]", "labels: A: unknown key 'ani'; did you mean 'any'?"),
        ("labels: [{name: A}]", "labels: A: neither 'any' nor 'rule'; say what the label means"),
        ("labels: [{name: A, rule: none}]", "'rule' is 'no_finding', not 'none'"),
        ("labels: [{name: A, any: [mass]}, {name: A, any: [cyst]}]", "label 'A' is duplicated; keep one"),
        ("title: x", "no 'labels'; a set has"),
        ("labels: [", "is not YAML"),
    ],
)
def test_a_faulty_set_is_told_in_one_line(scorer: Scorer, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        scorer.labels("No pneumothorax.", str(path))
    assert said in str(error.value)
    assert str(error.value).startswith("wrong.yaml: ")
    assert "\n" not in str(error.value)


def test_an_unknown_set_is_told_with_the_nearest(scorer: Scorer) -> None:
    with pytest.raises(InputError, match="label set 'chexpert': not found; did you mean 'chexpert14'"):
        scorer.labels("No pneumothorax.", "chexpert")


def test_counts_and_their_summary() -> None:
    reference = {"A": "present", "B": "uncertain", "C": "absent", "D": "not_mentioned"}
    candidate = {"A": "present", "B": "absent", "C": "present", "D": "not_mentioned"}
    found = compare(reference, candidate)  # type: ignore[arg-type]
    assert found == {"A": Counts(1, 0, 0), "B": Counts(0, 0, 1), "C": Counts(0, 1, 0), "D": Counts()}
    assert compare(reference, candidate, uncertain=False)["B"] == Counts()  # type: ignore[arg-type]
    figures = summary([found, found])
    assert figures["micro"] == 2 * 2 / (2 * 2 + 2 + 2)
    assert figures["macro"] == 1 / 4
    assert figures["macro of labels that occur"] == 1 / 3
    assert summary([found], ("A",))["micro"] == 1.0
    assert summary([], ("A",))["micro"] is None
