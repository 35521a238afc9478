"""Significance: well-known findings have the tier of public guidance, and the same finding another one in another patient."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kgscore.clinical import significance
from kgscore.clinical.context import Context, context_of
from kgscore.clinical.rules import Condition, Rule, load_rules
from kgscore.clinical.significance import Significance, Significances
from kgscore.engine import Scorer
from kgscore.errors import KgscoreError
from kgscore.model import TIERS, Finding
from kgscore.ontology.tables import read_tables, sources
from kgscore.resources import resource

_ROWS = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("well_known.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture(scope="module")
def significances(scorer: Scorer) -> Significances:
    return Significances(scorer.index)


@pytest.fixture(scope="module")
def tier(scorer: Scorer, significances: Significances) -> Callable[..., str]:
    """Give a function from a sentence (and a context) to the gravest tier of what it asserts."""

    def of(said: str, **context: object) -> str:
        found = [significances.of(one, context_of(context)) for one in scorer.read(said).findings if one.asserts]
        return max(found, key=lambda one: one.tier).word

    return of


def test_the_list_is_long_and_covers_every_region() -> None:
    assert len(_ROWS) >= 150
    assert {row[0] for row in _ROWS} == {"chest", "head", "abdomen", "breast", "msk", "spine", "vascular", "devices"}


@pytest.mark.parametrize(("region", "words", "said"), _ROWS, ids=[row[2] for row in _ROWS])
def test_well_known_findings_have_the_tier_of_guidance(tier: Callable[..., str], region: str, words: str, said: str) -> None:
    assert tier(said) in words.split("/")


# The finding, one context and its tier, another one and its tier.
_AIR, _PNX = "Small volume of free intraperitoneal air.", "Small apical pneumothorax on the left."
_PAIRS = [
    (_AIR, {"indication": "sudden pain"}, "critical", {"procedure": "laparoscopic cholecystectomy yesterday"}, "notable"),
    (_AIR, {"procedure": "laparoscopic cholecystectomy yesterday"}, "notable",
     {"procedure": "laparoscopic cholecystectomy five years ago"}, "critical"),
    (_AIR, {"indication": "pain after colectomy"}, "notable", {"indication": "pain, no previous laparotomy"}, "critical"),
    ("Large volume of free intraperitoneal air.", {"procedure": "laparotomy"}, "urgent", {}, "critical"),
    (_PNX, {}, "urgent", {"procedure": "left upper lobectomy"}, "notable"),
    (_PNX, {"procedure": "left thoracentesis"}, "urgent", {"procedure": "left thoracotomy"}, "notable"),
    ("Trace pneumothorax on the left, increased.", {"procedure": "VATS"}, "urgent", {}, "urgent"),
    ("Opacified left hemithorax with leftward mediastinal shift.", {"indication": "dyspnoea"}, "urgent",
     {"procedure": "left pneumonectomy three years ago"}, "routine"),
    ("Pneumocephalus.", {"indication": "fall"}, "urgent", {"procedure": "right craniotomy yesterday"}, "routine"),
    ("Acute infarct in the left middle cerebral artery territory.", {"procedure": "craniotomy"}, "critical",
     {"indication": "old stroke"}, "critical"),
    ("Mediastinal widening.", {"indication": "motor vehicle accident"}, "urgent", {"procedure": "CABG today"}, "notable"),
    ("Left basal atelectasis and small left pleural effusion.", {}, "notable", {"procedure": "bypass surgery"}, "routine"),
    ("Gas in the gallbladder fossa.", {}, "notable", {"procedure": "open cholecystectomy two days ago"}, "routine"),
    ("Pneumobilia.", {}, "notable", {"procedure": "ERCP with sphincterotomy in 2015"}, "routine"),
    ("Knee joint effusion.", {"indication": "trauma"}, "notable", {"procedure": "knee arthroplasty last week"}, "routine"),
    ("Knee joint effusion.", {"indication": "fever, septic"}, "urgent", {}, "routine"),
    ("Architectural distortion in the right breast.", {"setting": "screening"}, "notable",
     {"procedure": "right lumpectomy ten years ago"}, "routine"),
    ("Consolidation in the right lower lobe.", {"indication": "known pneumonia"}, "urgent",
     {"indication": "follow-up of consolidation"}, "notable"),
    ("Ascites.", {}, "notable", {"indication": "cirrhosis"}, "routine"),
    ("Ascites.", {"indication": "hit by a car, trauma"}, "urgent", {}, "notable"),
    ("Mild cardiomegaly.", {}, "notable", {"indication": "congestive heart failure"}, "routine"),
    ("Free fluid in the pelvis.", {"indication": "positive pregnancy test, pain", "age": 29, "sex": "F"}, "urgent",
     {"age": 29, "sex": "F"}, "routine"),
    ("Right hydronephrosis.", {}, "notable", {"indication": "pregnant, 30 weeks", "age": 28}, "routine"),
    ("Right hydronephrosis.", {"indication": "fever and flank pain"}, "urgent", {"indication": "hypertension"}, "notable"),
    ("Mild generalized cerebral atrophy.", {"age": 84}, "routine", {"age": 37}, "notable"),
    ("Moderate cerebral atrophy.", {"age": 72}, "routine", {"age": 72, "indication": "cognitive decline"}, "notable"),
    ("Small vessel ischemic disease.", {"age": "79 years"}, "routine", {"age": "34 years"}, "notable"),
    ("Coronary artery calcification.", {"age": 78}, "routine", {"age": 35}, "notable"),
    ("Spinal canal stenosis at L4-L5.", {"age": 80}, "routine", {"age": 80, "indication": "neurogenic claudication"}, "notable"),
    ("Disc height loss at L5-S1.", {"age": 70}, "routine", {"age": 19}, "notable"),
    ("Rotator cuff tear.", {"age": 76}, "routine", {"age": 76, "indication": "fall on shoulder"}, "notable"),
    ("Osteoarthritis of the hip.", {"age": 70}, "routine", {"age": 28}, "notable"),
    ("Prominent thymus.", {"age": "5 months"}, "routine", {"age": 48}, "notable"),
    ("Healing fractures of the left posterior fifth and sixth ribs.", {"age": "4 months"}, "critical", {"age": 52}, "routine"),
    ("Corner fracture of the distal tibial metaphysis.", {"age": "8 months"}, "critical", {"age": 40}, "notable"),
    ("Buckle fracture of the distal radius.", {"age": 6}, "urgent", {}, "notable"),
    ("Renal mass on the left.", {"age": 3}, "urgent", {"age": 60}, "notable"),
    ("Endometrial thickening of 14 mm.", {"age": 67, "indication": "uterine bleeding"}, "urgent", {"age": 24}, "routine"),
    ("Right ovarian cyst of 4 cm.", {"age": 68, "sex": "female"}, "notable", {"age": 30, "sex": "female"}, "routine"),
    ("Abdominal aortic aneurysm of 5.2 cm.", {"sex": "F", "age": 70}, "urgent", {"sex": "M", "age": 70}, "notable"),
    ("8 mm nodule in the left upper lobe.", {"indication": "colon cancer"}, "urgent", {"indication": "cough"}, "notable"),
    ("4 mm nodule in the left upper lobe.", {"indication": "melanoma, follow-up"}, "urgent", {"setting": "screening"}, "routine"),
    ("Ground glass opacity in the left lung.", {"indication": "neutropenic fever"}, "urgent", {"indication": "cough"}, "notable"),
    ("Nasal bone fracture.", {"setting": "trauma"}, "urgent", {}, "notable"),
    ("Fat pad sign at the elbow. Joint effusion of the elbow.", {"indication": "fell on hand"}, "urgent", {}, "urgent"),
    ("Emphysema.", {"setting": "lung cancer screening"}, "routine", {}, "notable"),
    ("New central venous catheter in the superior vena cava.", {"setting": "ICU"}, "notable", {"setting": "clinic"}, "routine"),
    ("Disc edema at L3-L4.", {"indication": "fever, intravenous drug use"}, "urgent", {"age": 60}, "notable"),
    ("Unruptured aneurysm of the splenic artery.", {"indication": "known splenic artery aneurysm"}, "routine", {}, "notable"),
    ("Unruptured aneurysm of the splenic artery.", {"indication": "splenic artery aneurysm?"}, "notable", {}, "notable"),
    ("Biliary dilatation.", {"setting": "emergency"}, "urgent", {"setting": "outpatient"}, "notable"),
]  # fmt: skip


def test_there_are_pairs_enough_that_differ() -> None:
    assert sum(one[2] != one[4] for one in _PAIRS) >= 40


@pytest.mark.parametrize(("said", "one", "expected", "other", "instead"), _PAIRS)
def test_context_moves_the_tier(
    tier: Callable[..., str], said: str, one: dict[str, object], expected: str, other: dict[str, object], instead: str
) -> None:
    assert (tier(said, **one), tier(said, **other)) == (expected, instead)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Unchanged mass in the left upper lobe.", "notable"), ("Mass in the left upper lobe.", "notable"),
        ("Trace right pleural effusion.", "routine"), ("Large right pleural effusion.", "urgent"),
        ("Pneumothorax of 12 mm on the left.", "urgent"), ("Pneumothorax of 40 mm on the left.", "critical"),
        ("Midline shift of 3 mm to the left.", "urgent"), ("Midline shift of 9 mm to the left.", "critical"),
        ("Stenosis of the internal carotid artery of 30 %.", "routine"), ("Solid nodule of 20 mm in the left lung.", "urgent"),
        ("Adrenal nodule of 8 mm.", "routine"), ("Strangulated inguinal hernia.", "critical"), ("Inguinal hernia.", "notable"),
        ("Malpositioned central venous catheter.", "urgent"), ("Central line tip in the right internal jugular vein.", "urgent"),
        ("Multiple lytic lesions in the spine.", "urgent"), ("Spiculated nodule in the right upper lobe.", "urgent"),
        ("Unstable fracture of C2.", "critical"), ("Nonobstructing ureteral stone.", "notable"),
        ("Cerebral atrophy, advanced for age.", "notable"),
    ],
)  # fmt: skip
def test_descriptors_move_the_tier(tier: Callable[..., str], said: str, expected: str) -> None:
    assert tier(said) == expected


def test_reasons_name_the_concept_and_the_rules(only: Callable[[str], Finding], significances: Significances) -> None:
    found = significances.of(only("Small left apical pneumothorax."), Context(procedure="thoracotomy"))
    assert found == Significance(
        2, ("pneumothorax: critical (acr)", "rule pneumothorax-small: urgent (bts)", "rule after-chest-surgery: notable (postop)")
    )
    inherited = significances.of(only("Bronchopneumonia."))
    assert inherited.reasons[0] == "bronchopneumonia: urgent, inherited from pneumonia (acr)"


@pytest.mark.parametrize("said", ["No pneumothorax.", "The lungs are clear.", "Normal heart size."])
def test_a_normal_statement_alone_is_routine(scorer: Scorer, significances: Significances, said: str) -> None:
    assert {significances.of(one).word for one in scorer.read(said).findings} == {"routine"}


@pytest.mark.parametrize(
    ("said", "context", "expected"),
    [
        ("Tension pneumothorax on the left.", {"procedure": "lobectomy"}, "critical"),
        ("Pneumothorax on the left.", {"procedure": "knee arthroplasty"}, "critical"),
        ("Pneumatosis of the small bowel.", {"procedure": "laparotomy"}, "critical"),
        ("Left empyema.", {"procedure": "cardiac surgery"}, "urgent"),
        ("Ruptured abdominal aortic aneurysm of 4.5 cm.", {"age": 80}, "critical"),
        ("Subdural hematoma on the right.", {"procedure": "craniotomy"}, "critical"),
        ("Obstructive hydrocephalus.", {"age": 80}, "critical"),
        ("Burst fracture of L1.", {"age": 80}, "critical"),
        ("Splenic abscess.", {"procedure": "splenic embolization"}, "urgent"),
    ],
)
def test_what_is_graver_than_the_expected_stays_as_grave(
    tier: Callable[..., str], said: str, context: dict[str, object], expected: str
) -> None:
    assert tier(said, **context) == expected


def test_words_that_are_denied_or_of_long_ago_do_not_count() -> None:
    facts = load_rules().facts(
        Context(indication="Fever; no trauma, motorcycle accident ten years ago", procedure="lobectomy in 2015")
    )
    assert facts.indication == {"infection"}
    assert facts.past >= {"trauma", "chest_surgery"}
    assert "chest_surgery" not in facts.procedure


def test_every_assignment_and_rule_has_a_known_source() -> None:
    terms = [term for term in read_tables(resource("ontologies", "tables")) if term.tier is not None]
    assert {term.source for term in terms} | {rule.source for rule in load_rules().rules} == set(sources())
    assert set(TIERS) == {term.tier for term in terms}


def test_every_finding_inherits_a_tier(scorer: Scorer) -> None:
    concepts = [one for one in scorer.index.concepts.values() if one.kind in ("findings", "devices")]
    without = {one.id for one in concepts if not one.graded_by}
    assert without == set()


@pytest.mark.parametrize("key", ["finding", "detail", "site", "at", "tip"])
def test_a_rule_of_an_unknown_concept_is_refused(scorer: Scorer, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    rules = replace(load_rules(), rules=(Rule("a", "acr", Condition(**{key: frozenset({"blotch"})}), add=1),))
    monkeypatch.setattr(significance, "load_rules", lambda: rules)
    with pytest.raises(KgscoreError, match="rule 'a': 'blotch' is not an id of the ontology"):
        Significances(scorer.index)


def test_a_rule_of_a_place_is_about_findings_that_name_it(scorer: Scorer, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = replace(load_rules(), rules=(Rule("a", "acr", Condition(at=frozenset({"upper_lobe"})), set=4),))
    monkeypatch.setattr(significance, "load_rules", lambda: rules)
    found = Significances(scorer.index)
    upper, lower = scorer.read("Nodule in the left upper lobe. Nodule in the left lower lobe.").findings
    assert found.of(upper).word == "critical" != found.of(lower).word
