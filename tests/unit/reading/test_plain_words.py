"""Plain words for what has a name: a general word and its place, a verb, a seat that is right."""

import pytest

from kgscore import Scorer

SCORER = Scorer()


@pytest.mark.parametrize(("text", "concept", "status"), [
    ("The common hepatic duct is wider than usual.", "dilatation", "present"),
    ("Signal elevation of the marrow on STIR.", "stir_hyperintensity", "present"),
    ("The apex of the left ventricle hardly contracts.", "hypokinesia", "present"),
    ("The inguinal region contains several swollen nodes.", "lymphadenopathy", "present"),
    ("The vertebral bodies L2 and L3 have grown together.", "spinal_ankylosis", "present"),
    ("The joint surface of the talus is collapsed.", "subchondral_collapse", "present"),
    ("Streaky changes in the fat around the right kidney.", "perinephric_stranding", "present"),
    ("The kidneys lie in their usual place.", "displacement", "normal"),
])
def test_plain_words_are_the_finding_that_they_describe(text: str, concept: str, status: str) -> None:
    """Each sentence gives the named finding, or one below it."""
    found = [(f.concept, f.status) for f in SCORER.read(text).findings]
    assert any(concept in name and state == status for name, state in found), found


def test_a_device_well_seated_has_that_as_a_detail() -> None:
    """The seat describes the device and is no word unknown."""
    reading = SCORER.read("The tibial component is firmly seated.")
    assert not reading.unlinked
    assert any(d.value == "normal_position_value" for f in reading.findings for d in f.details)
