"""What a report says about a statement, by class of construct."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

Case = tuple[str, str, str]


def check(scorer: Scorer, case: Case) -> None:
    report, statement, verdict = case
    assert scorer.entails(report, statement).verdict == verdict


@pytest.mark.parametrize(
    "case",
    [
        ("No acute cerebral infarct.", "No acute lacunar infarct.", "entailed"),
        ("No large pleural effusion.", "No pleural effusion.", "neutral"),
        ("No acute osseous abnormality.", "No acute fracture of the clavicle.", "entailed"),
        ("No acute osseous abnormality.", "No fracture of the clavicle.", "neutral"),
    ],
)
def test_a_restricted_denial_says_what_is_restricted_as_much(scorer: Scorer, case: Case) -> None:
    check(scorer, case)


@pytest.mark.parametrize(
    "case",
    [
        ("The right kidney nodule is hypodense.", "The right kidney nodule is not hyperdense.", "entailed"),
        ("The lungs show low volumes.", "The left lung is hyperinflated.", "contradicted"),
        ("Hypodense focus in the right cerebellar hemisphere.", "Hyperdense focus in the left cerebellar hemisphere.", "neutral"),
    ],
)
def test_an_opposite_value_excludes(scorer: Scorer, case: Case) -> None:
    check(scorer, case)


@pytest.mark.parametrize(
    "case",
    [
        ("Diffuse reticular opacities of the lungs.", "Reticular opacities in the left lung.", "entailed"),
        ("Blunting of the costophrenic angle.", "The right and the left costophrenic angles are sharp.", "contradicted"),
        ("Blunting of the left costophrenic angle.", "The right costophrenic angle is sharp.", "neutral"),
    ],
)
def test_what_is_of_both_sides_is_of_each(scorer: Scorer, case: Case) -> None:
    check(scorer, case)


@pytest.mark.parametrize(
    "case",
    [
        ("Small to moderate left effusion.", "Very large left effusion.", "contradicted"),
        ("Small to moderate left effusion.", "Moderate left effusion.", "entailed"),
        ("Endotracheal tube 4 cm above the carina.", "The endotracheal tube ends 1 cm above the carina.", "contradicted"),
        ("Endotracheal tube 4 cm above the carina.", "The endotracheal tube ends 4.2 cm above the carina.", "entailed"),
        ("The right effusion has grown smaller.", "The right effusion has slightly decreased.", "entailed"),
        ("The left effusion has decreased.", "The left effusion has slightly decreased.", "entailed"),
    ],
)
def test_degrees_and_distances_are_compared(scorer: Scorer, case: Case) -> None:
    check(scorer, case)


@pytest.mark.parametrize(
    "case",
    [
        ("The feeding tube ends in the stomach.", "The feeding tube ends in the oesophagus.", "contradicted"),
        ("The mediastinum is unchanged.", "New mediastinal widening.", "contradicted"),
    ],
)
def test_one_place_and_one_state_exclude_others(scorer: Scorer, case: Case) -> None:
    check(scorer, case)


@pytest.mark.parametrize(
    "case",
    [
        ("The spleen is normal in size, with no obvious focal lesion.", "No focal splenic lesion.", "entailed"),
        ("The spleen is normal in size, with no significant abnormality.", "The spleen is unremarkable.", "entailed"),
    ],
)
def test_nothing_obvious_is_nothing(scorer: Scorer, case: Case) -> None:
    check(scorer, case)
