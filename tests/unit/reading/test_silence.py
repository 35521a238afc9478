"""What says nothing: refusals by how they are made, remarks on the examination, texts in other languages."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.reading.language import english_test
from kgscore.reading.refusals import Refusals

REFUSALS = (
    "No findings can be assessed.",
    "No abnormality can be determined from this image.",
    "No diagnosis of pneumonia can be made.",
    "No conclusion is possible.",
    "Findings cannot be reliably assessed.",
    "The images could not be interpreted.",
    "The study is non-diagnostic.",
    "The image is not a chest X-ray.",
    "This picture does not appear to be a medical image.",
    "I cannot interpret this image.",
    "I’m unable to assist with the interpretation of radiographs.",
    "I'm sorry, but I can't provide a medical interpretation of this image.",
    "As an AI language model, I cannot diagnose pneumonia or a pleural effusion.",
    "We are not able to evaluate the provided X-ray.",
    "The report reveals the following findings.",
)
STATEMENTS = (
    "No abnormality can be seen.",
    "No acute abnormality is identified.",
    "No fracture can be identified.",
    "No findings to report.",
    "Pneumothorax cannot be excluded.",
    "The left apex cannot be evaluated because of overlying tubes.",
    "The findings were communicated to the physician.",
    "We do not see any abnormality.",
    "I cannot see a pneumothorax on this image.",
    "The images are not degraded by motion.",
    "No evidence of any abnormality.",
)
REMARKS = (
    "Portable AP chest radiograph obtained.",
    "Chest radiograph performed in the supine position.",
    "Noncontrast CT chest with coronal reconstructions.",
    "Digital radiographs of the left knee in three projections.",
    "Sagittal T2-weighted imaging of the cervical spine.",
    "Doppler ultrasound of the carotid arteries was carried out.",
    "The thorax was scanned helically after the injection of iodinated contrast.",
    "The abdomen was examined in the left lateral decubitus position.",
    "Image quality is poor.",
    "Chest film is adequately penetrated.",
    "The patient is rotated.",
)
FOREIGN = (
    "胸部未见异常。",
    "心影增大，左侧胸腔积液，CT平扫。",
    "両側肺野に異常を認めません。",
    "لا توجد نتائج مرضية في الصدر",
    "Сердце не увеличено. Легкие чистые.",
    "Δεν παρατηρείται πνευμοθώρακας.",
    "폐에 이상 소견 없음.",
    "הלב אינו מוגדל",
    "ไม่พบความผิดปกติ",
    "Das Herz ist nicht vergrößert.",
    "Le coeur est de taille normale sans épanchement.",
)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_known_by_how_it_is_made_and_holds_no_finding(scorer: Scorer, text: str) -> None:
    assert Refusals().refuse(text)
    assert scorer.read(text).findings == ()


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_is_no_refusal(text: str) -> None:
    assert not Refusals().refuse(text)
    assert list(Refusals().said(text, 0, len(text))) == [(0, len(text))]


def test_only_the_refusing_clause_is_passed_over(scorer: Scorer) -> None:
    text = "Small effusion. Findings cannot be assessed further due to a large left pneumothorax."
    found = scorer.read(text).findings
    assert "pneumothorax" in {finding.concept for finding in found}
    assert all(text[finding.start : finding.end] == finding.text for finding in found)


@pytest.mark.parametrize("text", ["N/A", "none", " NULL. ", "…", "-", "unknown"])
def test_a_word_for_none_is_bare(text: str) -> None:
    assert Refusals().bare(text) == (text != "…")


@pytest.mark.parametrize("text", REMARKS)
def test_a_remark_costs_nothing(scorer: Scorer, text: str) -> None:
    reference = "The lungs are clear. No pneumothorax."
    assert scorer.score(reference=reference, candidate=f"{text} {reference}").scores["radsem"].value == 1
    assert scorer.score(reference=reference, candidate=text).reason == "the candidate says nothing"


def test_what_is_not_a_remark_stays_an_unlinked_finding(scorer: Scorer) -> None:
    (found,) = scorer.read("Portable wobbly blotch in the left lung.").findings
    assert found.concept is None


@pytest.mark.parametrize("text", FOREIGN)
def test_other_scripts_and_languages_are_no_english(scorer: Scorer, text: str) -> None:
    assert not english_test()(text).possible
    said = scorer.score(reference="Cardiomegaly.", candidate=text)
    assert (said.status, said.scores["radsem"].value) == ("scored", 0.0)
    assert said.reason == "nothing in the candidate report was understood: it seems to be in another language"
    result = scorer.score(reference=text, candidate="Cardiomegaly.")
    assert (result.status, result.scores["radsem"].value) == ("failed", None)
    assert result.reason == "the reference report seems to be in another language; reports are read in English"


@pytest.mark.parametrize("text", ["Nodule of 5 μm.", "α-1 antitrypsin deficiency.", "Señor López: clear.", "CT 胸: no effusion."])
def test_signs_and_names_are_no_other_language(text: str) -> None:
    assert english_test()(text).possible


GARBAGE = (
    "</s></s>", "asdf", "[UNK]", "[UNK] [UNK] [UNK]", "<|endoftext|>", "blorf " * 200, "12345", "IMPRESSION: asdf",
    "Lorem ipsum dolor", "胸部未见异常。", "Kein Pneumothorax.",
    "No hay derrame pleural. Corazón normal. Pulmones claros. Sin fracturas.",
)  # fmt: skip


@pytest.mark.parametrize("text", GARBAGE)
def test_garbage_is_no_better_than_silence_and_fails_a_reference_only(every: Scorer, text: str) -> None:
    reference = "Small left pleural effusion. No pneumothorax."
    result, blank = (every.score(reference=reference, candidate=candidate) for candidate in (text, ""))
    assert (result.status, result.reason.partition(":")[0]) == ("scored", "nothing in the candidate report was understood")
    assert {name: one.value for name, one in result.scores.items()} == {name: one.value for name, one in blank.scores.items()}
    assert result.candidate is not None
    assert [one.text for one in result.candidate.unlinked]  # its words count as not covered
    failed = every.score(reference=text, candidate=reference)
    assert (failed.status, {one.value for one in failed.scores.values()}) == ("failed", {None})
    corrected = every.correct(reference=reference, candidate=text)
    assert (corrected.status, corrected.reason) == ("scored", result.reason)
    assert corrected.corrections == every.correct(reference=reference, candidate="").corrections
    assert every.correct(reference=text, candidate=reference).status == "failed"


@pytest.fixture(scope="module")
def every() -> Scorer:
    return Scorer(metrics=("clinical", "radsem", "radsem_alt", "headct_one", "ratescore", "label_f1", "fineradscore", "radot"))


def test_what_is_not_understood_can_be_skipped_as_silence_is() -> None:
    skipping = Scorer(empty_candidate="skip")
    for text in ("asdf", "Kein Erguss."):
        result = skipping.score(reference="Cardiomegaly.", candidate=text)
        assert (result.status, result.scores["radsem"].value) == ("empty", None)
        assert result.reason.startswith("nothing in the candidate report was understood")


def test_english_without_a_finding_says_nothing(scorer: Scorer) -> None:
    for text in ("The weather is lovely.", "null", "I cannot help with that."):
        said = scorer.score(reference="Cardiomegaly.", candidate=text)
        assert (said.status, said.scores["radsem"].value, said.reason) == ("scored", 0.0, "the candidate says nothing")
