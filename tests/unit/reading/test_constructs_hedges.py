"""Reading by construct: lists under one negation, double negation, hedges, differentials and change."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.model import Finding

SIGNS = {"present": "+", "absent": "-", "normal": "="}
SURE = {"definite": "", "probable": "!", "possible": "?"}


def _brief(finding: Finding) -> str:
    """Return a finding as sign, concept, side and change: "?-nodule left new" is a possible denial."""
    words = (f"{SURE[finding.certainty]}{SIGNS[finding.status]}{finding.concept}", finding.side, finding.change)
    return " ".join(word for word in words if word)


def told(scorer: Scorer, text: str) -> list[str]:
    return sorted(_brief(finding) for finding in scorer.read(text).findings)


def details(scorer: Scorer, text: str) -> list[str]:
    return [detail.text for finding in scorer.read(text).findings for detail in finding.details]


@pytest.mark.parametrize(
    "text",
    [
        "Bilateral pleural effusions, right increased and left unchanged.",
        "Right pleural effusion has increased while the left one is unchanged.",
        "Bilateral pleural effusions have increased on the right and are stable on the left.",
        "The right pleural effusion has increased; the left is unchanged.",
    ],
)
def test_each_side_has_its_own_change(scorer: Scorer, text: str) -> None:
    assert told(scorer, text) == ["+pleural_effusion left stable", "+pleural_effusion right increased"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No improvement of the left basal consolidation.", ["+consolidation left stable"]),
        ("No interval reduction in the ascites.", ["+ascites stable"]),
        ("The ascites has decreased but has not resolved.", ["+ascites decreased"]),
        ("Ascites is persistent.", ["+ascites stable"]),
        ("No new or enlarging lung mass.", ["-lung_mass left new", "-lung_mass right new"]),
        ("Left pneumothorax has resolved, right unchanged.", ["+pneumothorax right stable", "-pneumothorax left resolved"]),
        ("Pericardial effusion, slightly larger.", ["+pericardial_effusion increased"]),
    ],
)
def test_change(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    "text", ["Aortic aneurysm, slightly larger, now 51 mm (48 mm in 2019).", "Aortic aneurysm of 51 mm, previously 48 mm."]
)
def test_the_size_that_was(scorer: Scorer, text: str) -> None:
    assert details(scorer, text) == ["51 mm", "previously 48 mm"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Query osteomyelitis of the calcaneus.", ["?+osteomyelitis"]),
        ("Ascites, if any, is small, and there is a splenic cyst.", ["+splenic_cyst", "?+ascites"]),
        ("Differential includes liver abscess, metastasis and lymphoma.", ["?+hepatic_abscess", "?+lymphoma", "?+metastasis"]),
    ],
)
def test_possible(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Consolidation, pneumonia rather than infarction.",
        "Consolidation, pneumonia favoured over infarction.",
        "Consolidation, favour pneumonia over infarction.",
    ],
)
def test_of_two_explanations_one_is_likely(scorer: Scorer, text: str) -> None:
    assert details(scorer, text) == ["likely pneumonia"]
    assert [f.status for f in scorer.read(text).findings][:2] == ["present", "absent"]


def test_neither_names_two_structures(scorer: Scorer) -> None:
    text = "Neither the gallbladder nor the common duct contains calculi."
    assert told(scorer, text) == ["-choledocholithiasis", "-cholelithiasis"]


def test_an_adjective_that_ends_its_phrase_is_the_noun_it_stands_for(scorer: Scorer) -> None:
    assert told(scorer, "Left convexity subdural is seen.") == ["+subdural_hematoma left"]
    assert told(scorer, "No subdural or extradural haematoma.") == ["-epidural_hematoma", "-subdural_hematoma"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Liver metastases, increased in segment 6 and stable in segment 2.",
            ["+metastasis increased", "+metastasis stable"],
        ),
        (
            "Improvement in the bilateral airspace disease, with complete clearing of the left lung base.",
            ["+consolidation left decreased", "+consolidation right decreased", "-consolidation left resolved"],
        ),
        ("Ground glass opacities, with improvement in the right upper lobe.", ["+ground_glass_opacity right decreased"]),
    ],
)
def test_a_change_in_one_place(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


def test_what_a_denied_list_is_with_has_its_own_change(scorer: Scorer) -> None:
    text = "No acute intracranial haemorrhage or mass, with stable ventricular size."
    assert told(scorer, text) == ["-brain_mass", "-interval_change", "-intracranial_hemorrhage"]


def test_a_hedged_descriptor_leaves_the_finding_sure(scorer: Scorer) -> None:
    assert told(scorer, "Fracture of the left tenth rib, likely old.") == ["+rib_fracture left"]
    assert details(scorer, "Wedge deformity of L1, more likely chronic than acute.") == ["chronic"]


def test_how_much_something_changed_is_no_severity(scorer: Scorer) -> None:
    for text in ("Marked improvement in the ascites.", "Ascites slightly smaller.", "Ascites has markedly decreased."):
        assert told(scorer, text) == ["+ascites decreased"]
        assert not details(scorer, text)


def test_not_seen_before_is_new(scorer: Scorer) -> None:
    assert told(scorer, "Focal asymmetry in the left breast, not seen on the prior study.") == ["+focal_asymmetry left new"]


def test_a_denied_list_ends_where_no_or_comes(scorer: Scorer) -> None:
    denied = ["-consolidation left", "-consolidation right", "-pleural_effusion left", "-pleural_effusion right"]
    assert told(scorer, "No consolidation, or sizeable effusion.") == denied
    assert told(scorer, "No consolidation, small right effusion.") == ["+pleural_effusion right", *denied[:2]]


def test_a_finding_is_parted_from_the_first_of_its_places(scorer: Scorer) -> None:
    text = "No fluid in the middle ears or sinuses."
    assert told(scorer, text) == ["-middle_ear_effusion left", "-middle_ear_effusion right", "-sinus_fluid"]


def test_one_stands_for_the_finding_before(scorer: Scorer) -> None:
    text = "No rib fracture is seen, but an undisplaced one may be present."
    assert told(scorer, text) == ["-rib_fracture", "?+rib_fracture"]


def test_each_of_a_list_has_its_own_change(scorer: Scorer) -> None:
    text = "Increasing ascites, pericardial effusion unchanged."
    assert told(scorer, text) == ["+ascites increased", "+pericardial_effusion stable"]
    assert told(scorer, "The abscess measures 5 cm and was 6 cm two months ago.") == ["+abscess"]


def test_a_hedge_between_commas(scorer: Scorer) -> None:
    assert told(scorer, "Pleural effusion or, less likely, pleural thickening on the left.") == [
        "!-pleural_thickening left",
        "+pleural_effusion left",
    ]
    assert told(scorer, "Suggestive of, but not definite for, a labral tear.") == ["!+labral_tear"]


def test_a_side_and_a_change_of_what_had_no_side(scorer: Scorer) -> None:
    text = "Sinus mucosal thickening has progressed on the left and regressed on the right."
    expected = ["+sinus_mucosal_thickening left increased", "+sinus_mucosal_thickening right decreased"]
    assert told(scorer, text) == expected


def test_no_is_parted_from_a_longer_name(scorer: Scorer) -> None:
    assert told(scorer, "No flow reversal in the portal vein.") == ["-hepatofugal_flow"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "No stones are seen in the gallbladder, along the common bile duct, or within the bladder.",
            ["-bladder_stone", "-choledocholithiasis", "-cholelithiasis"],
        ),
        (
            "No thrombus in the portal vein, in the splenic vein or in the superior mesenteric vein.",
            ["-mesenteric_vein_thrombosis", "-portal_vein_thrombosis", "-splenic_vein_thrombosis"],
        ),
    ],
)
def test_a_list_of_places_each_with_its_preposition(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The fracture is not displaced and shows callus.", ["+callus", "+fracture"]),
        ("Fatty liver, no worse than before.", ["+hepatic_steatosis stable"]),
        ("There is no appreciable difference in the ascites.", ["+ascites stable"]),
        ("No new ascites or pericardial effusion.", ["-ascites new", "-pericardial_effusion new"]),
        (
            "Ventricular size has not changed and there is no intracranial haemorrhage.",
            ["-intracranial_hemorrhage"],
        ),
        ("No renal cyst has changed.", ["+renal_cyst stable"]),
        ("Scalloping of liver and spleen is unaltered.", ["+liver_scalloping stable", "+vertebral_scalloping stable"]),
    ],
)
def test_where_a_denial_ends_and_what_it_denies(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gastric wall thickening, gastritis likely, lymphoma considered unlikely.", "!-lymphoma"),
        ("Mass, abscess and haematoma are unlikely.", "!-mass"),
        ("It is difficult to completely exclude a scaphoid fracture.", "?+scaphoid_fracture"),
        ("Gallstones without sonographic evidence of cholecystitis.", "-cholecystitis"),
        ("Appearances do not support a diagnosis of perforation.", "-perforation"),
        ("Pericardial thickening without calcification, perhaps slightly more prominent.", "+pericardial_thickening increased"),
        ("The atelectasis in the left lower lobe is no longer appreciated.", "-atelectasis left resolved"),
        ("No flow could be demonstrated in the left testis.", "+absent_flow left"),
    ],
)
def test_how_sure_and_of_what(scorer: Scorer, text: str, expected: str) -> None:
    assert expected in told(scorer, text)


def test_an_unknown_noun_after_a_structure_is_no_place(scorer: Scorer) -> None:
    assert told(scorer, "No lymphadenopathy or adrenal lipodystrophy.") == ["-lymphadenopathy"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Enlargement of the left adrenal nodule.", ["+adrenal_nodule left increased"]),
        ("No enlargement of the left adrenal nodule.", ["+adrenal_nodule left stable"]),
        ("Enlargement of the spleen.", ["+splenomegaly"]),
        ("The hepatic cyst has shrunk.", ["+hepatic_cyst decreased"]),
        ("Several renal cysts, the left ones larger.", ["+renal_cyst left increased"]),
    ],
)
def test_growth_of_a_finding_is_its_change(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    "text", ["Portal hypertension: splenomegaly, oesophageal varices.", "Gallstone ileus: stone in the terminal ileum."]
)
def test_a_label_that_is_a_finding_is_sure(scorer: Scorer, text: str) -> None:
    assert {finding.certainty for finding in scorer.read(text).findings} == {"definite"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The spleen has become smaller.", ["+size_abnormality decreased"]),
        ("The left kidney is larger than on the previous scan.", ["+nephromegaly left increased"]),
        ("The size of the ventricles has increased.", ["+ventriculomegaly increased"]),
        ("Ventricular size is unchanged.", ["-interval_change"]),
        ("Aeration of the right lung has worsened.", ["+atelectasis right increased"]),
        ("Improved aeration at the left base.", ["+basal_atelectasis left decreased"]),
        ("The cyst in the spleen has slightly enlarged.", ["+splenic_cyst increased"]),
        ("The aorta has widened since the last study.", ["+aortic_ectasia increased"]),
        ("The spleen is not reduced in volume.", ["-small_spleen"]),
    ],
)
def test_a_structure_changes_by_what_it_is_now_more_or_less(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Suspected small rounded stones in the left kidney.", "!"),
        ("Suspected local hyperdensity in the main trunk and right branch.", "!"),
        ("Possible faint ground-glass opacities in the lingula.", "?"),
    ],
)
def test_a_hedge_before_a_noun_phrase_is_as_sure_as_it_says(scorer: Scorer, text: str, expected: str) -> None:
    assert {one[0] for one in told(scorer, text)} == {expected}


def test_the_lesion_is_where_it_was_and_not_at_what_it_touches(scorer: Scorer) -> None:
    found = scorer.read("A lesion of the liver. It compresses the portal vein. The mass is 3 cm in size.").findings
    assert [finding.sites for finding in found if finding.details] == [("liver",)]


def test_what_says_no_more_of_a_finding_is_no_second_one(scorer: Scorer) -> None:
    text = "A calcified nodule abuts the right minor fissure (image 40), measuring 6 x 4 mm, similar to the previous study."
    assert told(scorer, text) == ["+perifissural_nodule right stable"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wall thickening of the bladder. This can be seen with cystitis.", ["+bladder_wall_thickening", "?+cystitis"]),
        ("A cyst can be seen in the left kidney.", ["+renal_cyst left"]),
        ("No fat stranding to support appendicitis.", ["-appendicitis", "-stranding"]),
    ],
)
def test_what_is_seen_in_a_disease_may_be_that(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected
