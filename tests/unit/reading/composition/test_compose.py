"""Composition by itself: structures marked by hand, and the findings that they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kgscore.knowledge import Knowledge, load_knowledge
from kgscore.lab.annotation.marks import read_marked
from kgscore.lab.training.align import align_marks
from kgscore.model import Finding
from kgscore.reading.reader import Reader
from kgscore.reading.structure.typed import TypedSentence
from kgscore.reading.structure.values import Parse

Read = Callable[[str], list[Finding]]


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return load_knowledge()


@pytest.fixture
def read(knowledge: Knowledge, tmp_path: Path) -> Read:
    """Give a function from a marked sentence with its statements to its findings."""

    def findings(block: str) -> list[Finding]:
        path = tmp_path / "one.txt"
        path.write_text(f"## chest-xray dictation\n{block}\n", encoding="utf-8")
        one = align_marks(read_marked(path)[0], knowledge)
        assert not one.uncovered, one.uncovered

        def marked(sentences: Sequence[TypedSentence]) -> list[Parse]:
            assert [len(sentence.items) for sentence in sentences] == [len(one.sentence.items)]
            return [one.structure]

        return list(Reader(knowledge.index, knowledge.lexicon, marked, {}).read(one.marked.text).findings)

    return findings


def _brief(findings: list[Finding]) -> list[tuple[str, str | None, str | None]]:
    return [(finding.status, finding.concept, finding.side) for finding in findings]


def test_modifiers_belong_to_the_head_that_they_are_said_of(read: Read) -> None:
    effusion, atelectasis = read(
        "{m1:Small} {d1:right} {f1:pleural effusion} with {f2:atelectasis}.\nf1 present @ (d1) | m1\nf2 present @ (d1)"
    )
    assert (effusion.concept, effusion.side, [d.text for d in effusion.details]) == ("pleural_effusion", "right", ["small"])
    assert (atelectasis.concept, atelectasis.side, atelectasis.details) == ("atelectasis", "right", ())


def test_each_place_is_a_finding_and_joined_words_are_one_place(read: Read) -> None:
    found = read(
        "{f1:Nodules} in the {s1:apex} of the {d1:left} {s2:lung} and the {d2:right} {s3:lower lobe}.\n"
        "f1 present @ s1+s2(d1) s3(d2)"
    )
    assert [(f.sites, f.side) for f in found] == [(("lung_apex",), "left"), (("lower_lobe",), "right")]


def test_both_sides_are_two_findings(read: Read) -> None:
    found = read("{d1:Bilateral} {f1:pleural effusions}.\nf1 present @ (d1)")
    assert sorted(side or "" for _, _, side in _brief(found)) == ["left", "right"]


@pytest.mark.parametrize(
    ("opening", "status", "expected"),
    [
        ("", "present", ("present", "definite")),
        ("Possible ", "possible", ("present", "possible")),
        ("Likely ", "probable", ("present", "probable")),
        ("No ", "absent", ("absent", "definite")),
        ("Unlikely ", "unlikely", ("absent", "probable")),
    ],
)
def test_a_status_is_a_status_with_its_certainty(read: Read, opening: str, status: str, expected: tuple[str, str]) -> None:
    found = read(f"{opening}{{f1:pneumonia}} in the {{d1:left}} {{s1:lower lobe}}.\nf1 {status} @ s1(d1)")
    assert [(f.status, f.certainty) for f in found] == [expected]


@pytest.mark.parametrize(("opening", "status"), [("Rule out ", "none"), ("History of ", "past")])
def test_what_is_not_said_of_now_is_no_finding(read: Read, opening: str, status: str) -> None:
    assert read(f"{opening}{{f1:pneumonia}} in the {{d1:left}} {{s1:lower lobe}}.\nf1 {status} @ s1(d1)") == []


@pytest.mark.parametrize("status", ["absent", "past"])
def test_nothing_is_denied_or_past_without_a_word_of_it(read: Read, status: str) -> None:
    found = read(f"{{f1:Pneumonia}} in the {{d1:left}} {{s1:lower lobe}}.\nf1 {status} @ s1(d1)")
    assert _brief(found) == [("present", "pneumonia", "left")]


def test_what_differs_by_side_is_said_of_each_side_once(read: Read) -> None:
    found = read(
        "{f1:Osteoarthritis} of {d1:both} {s1:hips}, {m1:severe} on the {d2:right} and {m2:mild} on the {d3:left}.\n"
        "f1 present @ s1(d1) s1(d2) s1(d3) | m1\nf1 present @ s1(d1) s1(d2) s1(d3) | m2"
    )
    assert [(f.side, [d.text for d in f.details]) for f in found] == [("right", ["severe"]), ("left", ["mild"])]


def test_a_side_before_a_site_is_its_own(read: Read) -> None:
    found = read(
        "The {d1:right} {s1:lower lobe} and {d2:left} {s2:lung} are {n1:clear}.\nn1 normal @ s1(d1) s1(d2) s2(d1) s2(d2)"
    )
    assert [(f.sites, f.side) for f in found] == [(("lower_lobe",), "right"), (("lung",), "left")]


def test_nothing_acute_denies_what_is_acute(read: Read) -> None:
    found = read("{s1:Bones} show nothing {n1:acute}.\nn1 normal @ s1")
    assert _brief(found) == [("absent", "acute_abnormality", None)]


def test_a_list_of_numbers_is_one_finding_each(read: Read) -> None:
    found = read("{s1:Ribs 5} and {s2:6} show {f1:fractures}.\nf1 present @ s1+s2")
    assert [f.sites for f in found] == [("rib_5",), ("rib_6",)]


def test_probably_normal_is_probable(read: Read) -> None:
    (found,) = read("The {s1:heart} is probably {n1:normal}.\nn1 normal @ s1")
    assert (found.status, found.certainty) == ("normal", "probable")


def test_an_operation_of_the_past_has_left_a_state(read: Read) -> None:
    found = read("Status post {p1:cholecystectomy}.\np1 past")
    assert _brief(found) == [("present", "cholecystectomy", None)]


def test_a_value_of_a_quality_is_a_finding_of_its_bearer(read: Read) -> None:
    found = read("The {q1:density} of the {s1:liver} is {w1:decreased}.\nw1 present @ s1 | q1")
    assert [(f.status, f.concept, f.sites) for f in found] == [("present", "hypodensity", ("liver",))]


def test_a_normal_word_denies_the_deviation_of_each_quality(read: Read) -> None:
    found = read("The {s1:heart} is {n1:normal} in {q1:size} and {q2:contour}.\nn1 normal @ s1 | q1 q2")
    assert [f.status for f in found] == ["normal", "normal"]
    assert [f.concept for f in found] == ["size_abnormality", "cardiac_contour_abnormality"]


def test_a_normal_word_that_is_denied_asserts(read: Read) -> None:
    found = read("The {d1:left} {s1:costophrenic angle} is not {n1:sharp}.\nn1 absent @ s1(d1)")
    assert [(f.status, f.side) for f in found] == [("present", "left")]


def test_a_signal_is_one_finding_a_sequence(read: Read) -> None:
    found = (
        read("{s1:Pons} shows {w1:low} {q1:signal} on {m1:T1}.\nw1 present @ s1 | q1 m1")
        if False
        else read("{w1:High} {q1:signal} on {m1:FLAIR} in the {s1:pons}.\nw1 present @ s1 | q1 m1")
    )
    assert [(f.concept, f.sites) for f in found] == [("flair_hyperintensity", ("pons",))]


def test_what_is_said_of_a_finding_is_where_that_is(read: Read) -> None:
    found = read("A {f1:mass} in the {d1:left} {s1:frontal lobe} with {f2:hemorrhage}.\nf1 present @ s1(d1)\nf2 present @ f1")
    assert [(f.sites, f.side) for f in found] == [(("frontal_lobe",), "left")] * 2


def test_a_normal_word_of_a_device_is_a_detail(read: Read) -> None:
    (found,) = read("{v1:Sternal wires} are {n1:intact}.\nv1 present\nn1 normal @ v1")
    assert (found.status, [d.category for d in found.details]) == ("present", ["integrity"])


def test_another_name_is_an_inference_of_what_only_shows_something(read: Read) -> None:
    (found,) = read("{d1:Left} {s1:basilar} {f1:opacity}, likely {f2:pneumonia}.\nf1 present @ s1(d1)\nf2 probable @ s1(d1) ~ f1")
    assert [d.text for d in found.details if d.category == "inference"] == ["likely pneumonia"]
    assert found.alternatives == ("pneumonia",)


def test_changes_are_those_of_the_head(read: Read) -> None:
    stable, gone = read(
        "The {f1:consolidation} is {c1:unchanged}, the {d1:left} {f2:pneumothorax} has {c2:resolved}.\n"
        "f1 present | c1\nf2 absent @ (d1) | c2"
    )
    assert (stable.status, stable.change) == ("present", "stable")
    assert (gone.status, gone.change) == ("absent", "resolved")


@pytest.mark.parametrize(
    ("sentence", "change"),
    [
        ("The {f1:effusion} has not entirely {c1:cleared}.\nf1 present | c1", "decreased"),
        ("The {f1:effusion} has failed to {c1:resolve}.\nf1 present | c1", "stable"),
        ("No {c1:increase} of the {f1:effusion}.\nf1 present | c1", "stable"),
    ],
)
def test_a_change_that_is_denied_leaves_the_finding(read: Read, sentence: str, change: str) -> None:
    assert [(f.status, f.change) for f in read(sentence)] == [("present", change)]


def test_a_restricted_denial_keeps_what_restricts_it(read: Read) -> None:
    found = read("No {m1:large} {d1:right} {f1:pleural effusion}.\nf1 absent @ (d1) | m1")
    assert [(f.status, f.restricted, [d.text for d in f.details]) for f in found] == [("absent", True, ["large"])]


def test_otherwise_restricts_what_is_normal(read: Read) -> None:
    found = read(
        "{f1:Cyst} in the {d1:left} {s1:kidney}, otherwise the {s2:kidneys} are {n1:normal}.\nf1 present @ s1(d1)\nn1 normal @ s2"
    )
    assert [f.restricted for f in found if f.status == "normal" and f.side == "left"] == [True]


def test_a_distance_has_a_point_and_no_finding_there(read: Read) -> None:
    (found,) = read("{v1:Endotracheal tube} tip {m1:4 cm} above the {s1:carina}.\nv1 present @ s1 | m1")
    assert [(d.category, d.value) for d in found.details] == [("distance", "40 mm")]
    assert "carina" not in found.sites


def test_a_place_that_a_finding_extends_to_is_a_detail(read: Read) -> None:
    (found,) = read(
        "{f1:Mass} in the {s1:cerebellopontine angle} extending into the {s2:internal auditory canal}.\nf1 present @ s1 s2"
    )
    assert found.sites == ("cerebellopontine_angle",)
    assert [(d.category, d.value) for d in found.details] == [("extension", "internal_auditory_canal")]


def test_members_of_a_list_share_their_noun(read: Read) -> None:
    found = read("{d1:Right} {s1:upper} and {s2:middle lobe} {f1:opacities}.\nf1 present @ s1(d1) s2(d1)")
    assert [f.sites for f in found] == [("upper_lobe",), ("middle_lobe",)]


def test_an_adjective_of_a_finding_describes_it(read: Read) -> None:
    (found,) = read("The {f1:nodule} in the {d1:left} {s1:upper lobe} is {f2:calcified}.\nf1 present @ s1(d1)\nf2 present @ f1")
    assert [d.text for d in found.details] == ["calcified"]


def test_the_noun_that_carries_nothing_is_what_its_modifier_says(read: Read) -> None:
    (found,) = read("{m1:Fluid} {f1:shadow} in the {d1:left} {s1:pleural cavity}.\nf1 present @ s1(d1) | m1")
    assert (found.concept, found.side) == ("pleural_effusion", "left")


def test_a_label_places_what_has_no_place_of_its_own(read: Read) -> None:
    (found,) = read("{s1:KIDNEYS}: {d1:Left} {f1:cyst}.\nf1 present @ s1(d1)")
    assert (found.concept, found.sites, found.side) == ("renal_cyst", ("kidney",), "left")


def test_sizes_of_two_sides_are_each_of_their_own(read: Read) -> None:
    found = read(
        "{d1:Bilateral} {f1:pleural effusions}, {m1:12 mm} on the {d2:right} and {m2:8 mm} on the {d3:left}.\n"
        "f1 present @ (d1) | m1 m2"
    )
    assert sorted((f.side or "", [d.text for d in f.details]) for f in found) == [("left", ["8 mm"]), ("right", ["12 mm"])]


def test_a_shift_is_on_no_side(read: Read) -> None:
    (found,) = read("{m1:9 mm} of {f1:midline shift} {d1:to the left}.\nf1 present @ (d1) | m1")
    assert (found.side, sorted(d.text for d in found.details)) == (None, ["9 mm", "right-to-left"])


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("The {s1:liver} has {n1:normal size} and {q1:contour}.\nn1 normal @ s1 | q1",
         [("normal", "size_abnormality", ("liver",)), ("normal", "nodular_liver_contour", ("liver_surface",))]),
        ("{n1:Normal} {q1:radiolucency} of the {d1:left} {s1:lung}.\nn1 normal @ s1(d1) | q1",
         [("normal", "lung_transparency_change", ("lung",))]),
        ("{m1:Small} {f1:retroperitoneal lymph nodes}.\nf1 present | m1",
         [("present", "subcentimeter_lymph_node", ("retroperitoneal_lymph_node",))]),
        ("No {q1:attenuation} {f1:abnormality} in the {s1:spleen}.\nf1 absent @ s1 | q1",
         [("absent", "density_abnormality", ("spleen",))]),
    ],
)  # fmt: skip
def test_what_words_name_together(read: Read, block: str, expected: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert [(f.status, f.concept, f.sites) for f in read(block)] == expected


def test_how_far_a_denial_reaches_is_not_its_place(read: Read) -> None:
    (found,) = read("No {f1:pulmonary embolism} to the level of the {s1:segmental arteries}.\nf1 absent @ s1")
    assert (found.concept, found.sites) == ("pulmonary_embolism", ("pulmonary_artery",))


def test_a_bone_that_something_projects_over_is_not_its_place(read: Read) -> None:
    (found,) = read("{f1:Lung nodule} projecting over the {d1:right} {s1:sixth rib}.\nf1 present @ s1(d1)")
    assert (found.concept, found.sites, found.side) == ("pulmonary_nodule", ("lung",), "right")


def test_a_tube_above_a_point_is_not_in_it(read: Read) -> None:
    (found,) = read("{v1:Endotracheal tube} above the {s1:carina}.\nv1 present @ s1")
    assert (found.sites, [d.text for d in found.details]) == (("trachea",), ["above the carina"])
