"""Where a rule of significance begins and ends, and the grammar of the verdict's sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.clinical.context import Context, age_in_years, context_from_report, context_of, sex_of, with_report
from kgscore.clinical.rules import Condition, Rule, _rule
from kgscore.clinical.significance import Significances, _is_between
from kgscore.clinical.verdict import verdict_of
from kgscore.engine import Scorer
from kgscore.errors import KgscoreError
from kgscore.ontology.tables import sources
from kgscore.verdict import Aligned, Error


@pytest.fixture(scope="module")
def tier(scorer: Scorer) -> Callable[..., str]:
    found = Significances(scorer.index)
    return lambda said, **context: max(
        (found.of(one, context_of(context)) for one in scorer.read(said).findings if one.asserts), key=lambda one: one.tier
    ).word


@pytest.mark.parametrize(
    ("said", "context", "expected"),
    [
        ("5.9 mm nodule in the left upper lobe.", {}, "routine"), ("6 mm nodule in the left upper lobe.", {}, "notable"),
        ("14 mm nodule in the left upper lobe.", {}, "notable"), ("15 mm nodule in the left upper lobe.", {}, "urgent"),
        ("Pneumothorax of 19 mm on the left.", {}, "urgent"), ("Pneumothorax of 20 mm on the left.", {}, "critical"),
        ("Midline shift of 4.9 mm.", {}, "urgent"), ("Midline shift of 5 mm.", {}, "critical"),
        ("Abdominal aortic aneurysm of 49 mm.", {"sex": "M"}, "notable"),
        ("Abdominal aortic aneurysm of 54 mm.", {"sex": "M"}, "notable"),
        ("Abdominal aortic aneurysm of 55 mm.", {"sex": "M"}, "urgent"),
        ("Abdominal aortic aneurysm of 50 mm.", {"sex": "F"}, "urgent"),
        ("Stenosis of the internal carotid artery of 49 %.", {}, "routine"),
        ("Moderate cerebral atrophy.", {"age": 65}, "routine"), ("Moderate cerebral atrophy.", {"age": 49}, "notable"),
        ("Right ovarian cyst of 4 cm.", {"age": 55}, "notable"), ("Right ovarian cyst of 4 cm.", {"age": 54}, "routine"),
        ("Right ovarian cyst of 7 cm.", {"age": 30}, "notable"), ("Right ovarian cyst of 6.9 cm.", {"age": 30}, "routine"),
    ],
)  # fmt: skip
def test_bounds_hold_from_the_lower_number_on_and_below_the_upper_one(tier, said, context, expected) -> None:
    assert tier(said, **context) == expected


@pytest.mark.parametrize(
    ("value", "low", "below", "holds"),
    [
        (5, 5, None, True), (4, 5, None, False), (5, None, 5, False), (4, None, 5, True), (5, 5, 6, True), (6, 5, 6, False),
        (None, 5, None, False), (None, None, 5, False),
    ],
)  # fmt: skip
def test_what_is_not_known_is_within_no_bounds(value, low, below, holds) -> None:
    assert _is_between(value, low, below) == holds


def test_a_rule_sets_adds_and_bounds() -> None:
    when = Condition()
    assert [Rule("a", "acr", when, add=-1).apply_to(tier) for tier in (1, 2, 4)] == [1, 1, 3]
    assert [Rule("a", "acr", when, add=1).apply_to(tier) for tier in (1, 4)] == [2, 4]
    assert [Rule("a", "acr", when, set=2).apply_to(tier) for tier in (1, 4)] == [2, 2]
    assert [Rule("a", "acr", when, at_least=3).apply_to(tier) for tier in (1, 3, 4)] == [3, 3, 4]
    assert [Rule("a", "acr", when, at_most=2).apply_to(tier) for tier in (1, 2, 4)] == [1, 2, 2]
    lowers = [Rule("a", "acr", when, add=-1), Rule("a", "acr", when, at_most=2), Rule("a", "acr", when, set=1)]
    assert all(rule.expects for rule in lowers)
    said = Condition(detail=frozenset({"chronic"})), Condition(change=frozenset({"stable"}))
    assert not any(Rule("a", "acr", one, add=-1).expects for one in said)
    raises = [Rule("a", "acr", when, add=1), Rule("a", "acr", when, set=4), Rule("a", "acr", when, at_least=3)]
    assert not any(rule.expects for rule in raises)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"source": "acr"}, "no id"), ({"id": "a"}, "no source"), ({"id": "a", "source": "nobody"}, "no source 'nobody'"),
        ({"id": "a", "source": "acr", "findings": ["mass"]}, "unknown key 'findings'"),
        ({"id": "a", "source": "acr", "set": "grave"}, "no tier 'grave'"),
        ({"id": "a", "source": "acr", "tier_from": "grave"}, "no tier 'grave'"),
    ],
)  # fmt: skip
def test_a_rule_that_is_wrong_is_named(row: dict[str, object], why: str) -> None:
    with pytest.raises(KgscoreError, match=why):
        _rule(row, sources())


# ---- context ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("INDICATION: Aged 70 years, male, cough. FINDINGS: Clear.", (70.0, "male")),
        ("INDICATION: aged 3 months. FINDINGS: Clear.", (0.25, "")),
        ("INDICATION: 34F, fall. FINDINGS: Clear.", (34.0, "female")),
        ("INDICATION: newborn, distress. FINDINGS: Clear.", (0.0, "")),
        ("INDICATION: gentleman of 80 years old. FINDINGS: Clear.", (80.0, "male")),
        ("INDICATION: pregnant. FINDINGS: Clear.", (None, "female")),
        ("INDICATION: cough. FINDINGS: Clear.", (None, "")),
        ("A 45-year-old man with chest pain. The lungs are clear.", (45.0, "male")),
        ("The lungs are clear. Nodule of 45 mm.", (None, "")),
    ],
)
def test_age_and_sex_are_read_where_they_are_told(text: str, context: tuple[float | None, str]) -> None:
    found = context_from_report(text)
    assert (found.age, found.sex) == context
    assert with_report(Context(), text).age == context[0]


def test_small_ages_and_wrong_ones() -> None:
    ages = [age_in_years(value) for value in (0, -0.5, False, "130 days")]
    assert ages == [0.0, None, None, pytest.approx(130 / 365.25)]
    assert (sex_of("M"), sex_of("f"), sex_of("a woman, 40"), sex_of("")) == ("male", "female", "female", "")


# ---- the sentence ----------------------------------------------------------------------------------------------------
def aligned(what: str, category: str, tier: int = 1, cost: float = 1.0, **more: object) -> Aligned:
    return Aligned(what, category, tier, cost=cost, **more)  # type: ignore[arg-type]


SIDE, SIZE = Error("side", True, 0.8, "right, not left"), Error("size", False, 0.1, "9 mm, not 8 mm")


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ([], "No clinical error."),
        ([aligned("cyst", "correct")], "No clinical error."),
        ([aligned("cyst", "missed")], "Misses the cyst."),
        ([aligned("cyst", "missed", candidate=(0,))], "Denies the cyst."),
        ([aligned("cyst", "invented", 2)], "Invents cyst (notable)."),
        ([aligned("cyst", "wrong", errors=(SIZE, SIDE))], "Reports the cyst (side: right, not left)."),
        ([aligned("cyst", "minor", errors=(SIZE,))], "Only minor errors: the cyst (size: 9 mm, not 8 mm)."),
        ([aligned("cyst", "minor", errors=(SIZE,)), aligned("mass", "missed")], "Misses the mass."),
        ([aligned("cyst", "missed"), aligned("mass", "missed")], "Misses the cyst and the mass."),
        ([aligned(name, "missed") for name in ("cyst", "mass", "stone")], "Misses the cyst, the mass and the stone."),
        ([aligned(name, "missed") for name in ("cyst", "mass", "stone", "polyp", "tear")],
         "Misses the cyst, the mass, the stone, the polyp and the tear."),
        ([aligned("cyst", "missed"), aligned("mass", "missed", 4)], "Misses the mass (critical) and the cyst."),
        ([aligned("cyst", "missed", cost=1.0), aligned("mass", "missed", cost=2.0)], "Misses the mass and the cyst."),
        ([aligned("left cyst", "missed"), aligned("right cyst", "missed")], "Misses the bilateral cyst."),
        ([aligned("cyst", "missed"), aligned("cyst", "missed")], "Misses the cyst (2 times)."),
        ([aligned("cyst", "invented"), aligned("mass", "missed")], "Misses the mass; invents cyst."),
    ],
)  # fmt: skip
def test_the_sentence_says_what_is_wrong(found: list[Aligned], sentence: str) -> None:
    assert verdict_of(found).sentence == sentence


def test_a_candidate_that_says_nothing_is_told_so() -> None:
    assert verdict_of([aligned("cyst", "missed")], silent=True).sentence == "Says nothing; misses the cyst."
    assert verdict_of([], silent=True).sentence == "Says nothing."


def test_findings_are_ordered_by_tier_and_cost_errors_first() -> None:
    rows = ("a", "correct", 4, 0.0), ("b", "missed", 2, 1.0), ("c", "invented", 2, 1.0), ("d", "wrong", 4, 0.5)
    found = [aligned(*row) for row in (*rows, ("e", "minor", 4, 0.1))]
    assert [one.what for one in verdict_of(found).findings] == ["d", "b", "c", "e", "a"]
