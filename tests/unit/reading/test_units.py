"""Measurements in every unit people write: one token, one canonical form, numbers that compare."""

from __future__ import annotations

import math

import pytest

from kgscore.engine import Scorer
from kgscore.errors import OntologyError
from kgscore.model import Detail
from kgscore.quantities import Quantity, quantity
from kgscore.reading.measurement import bounded, measurement
from kgscore.reading.tokens import MEASURE, tokenize
from kgscore.reading.units import units

LENGTHS = [
    ("5-mm", "5 mm"),
    ("5mm", "5 mm"),
    ("5 MM", "5 mm"),
    ("0.5cm", "5 mm"),
    (".5 cm", "5 mm"),
    ("0,5 cm", "5 mm"),
    ("3,2 x 2,1 cm", "32 x 21 mm"),
    ("4 x 3-cm", "40 x 30 mm"),
    ("4x3x2 cm", "40 x 30 x 20 mm"),
    ("5 mm x 3 mm", "5 x 3 mm"),
    ("5-mm x 3-mm", "5 x 3 mm"),
    ("4 by 3 cm", "40 x 30 mm"),
    ("5cmx4cm", "50 x 40 mm"),
    ("4.2 cm AP x 3 cm TR x 2 cm", "42 x 30 x 20 mm"),
    ("12 x 9", "12 x 9 mm"),
    ("250 µm", "0.25 mm"),
    ("250 μm", "0.25 mm"),
    ("412 microns", "0.412 mm"),
    ("1 micron", "0.001 mm"),
    ("2 inches", "50.8 mm"),
    ("3-5 mm", "3-5 mm"),
    ("3 to 5 mm", "3-5 mm"),
    ("8–10-mm", "8-10 mm"),
    ("5 mm to 1.2 cm", "5-12 mm"),
    ("3 and 5 mm", "3 and 5 mm"),
    ("one centimeter", "10 mm"),
    ("two-centimetre", "20 mm"),
    ("one and a half cm", "15 mm"),
    ("half a centimeter", "5 mm"),
    ("one to two mm", "1-2 mm"),
]
OTHERS = [
    ("hundred mL", "volume", "100 ml"),
    ("30 mL", "volume", "30 ml"),
    ("30 cc", "volume", "30 ml"),
    ("1,200 mL", "volume", "1200 ml"),
    ("1.2 litres", "volume", "1200 ml"),
    ("3 cm³", "volume", "3 ml"),
    ("2 cm2", "area", "200 mm²"),
    ("45 HU", "density", "45 HU"),
    ("-20 HU", "density", "-20 HU"),
    ("8 to 12 HU", "density", "8-12 HU"),
    ("-20 to -10 HU", "density", "-20--10 HU"),
    ("12 Hounsfield units", "density", "12 HU"),
    ("SUVmax 5.2", "suv", "5.2 SUV"),
    ("SUV max of 5.2", "suv", "5.2 SUV"),
    ("maximum SUV: 4", "suv", "4 SUV"),
    ("5.2 SUV", "suv", "5.2 SUV"),
    ("320 cm/s", "velocity", "320 cm/s"),
    ("3.2 m/s", "velocity", "320 cm/s"),
    ("3.2 m/sec", "velocity", "320 cm/s"),
    ("25 mmHg", "pressure", "25 mmHg"),
    ("25 mm Hg", "pressure", "25 mmHg"),
    ("15 degrees", "angle", "15 degrees"),
    ("15-degree", "angle", "15 degrees"),
    ("15°", "angle", "15 degrees"),
    ("60-70%", "percent", "60-70%"),
    ("60 to 70 %", "percent", "60-70%"),
    ("50 per cent", "percent", "50%"),
    ("32 weeks 4 days", "age", "228 days"),
    ("32 weeks and 4 days", "age", "228 days"),
    ("32w4d", "age", "228 days"),
    ("32w 4d", "age", "228 days"),
    ("32+4 weeks", "age", "228 days"),
    ("32 4/7 weeks", "age", "228 days"),
    ("160 bpm", "rate", "160 bpm"),
    ("2 kg", "weight", "2000 g"),
    ("35 g", "weight", "35 g"),
    ("2.5 mm/year", "growth", "2.5 mm/year"),
    ("0.8 x 10-3 mm2/s", "diffusion", "0.8 µm²/ms"),
    ("6 kPa", "stiffness", "6 kPa"),
]


@pytest.mark.parametrize(("text", "kind", "value"), [*((text, "length", value) for text, value in LENGTHS), *OTHERS])
def test_a_measurement_is_one_token_in_the_base_unit_of_its_quantity(text: str, kind: str, value: str) -> None:
    (token,) = tokenize(text)
    assert token.kind == MEASURE
    assert measurement(token.norm) == (kind, value)


@pytest.mark.parametrize(
    "text",
    [
        "6 weeks ago",
        "5 in the left lung",
        "L4-5",
        "4 L5",
        "second-degree",
        "one of which",
        "segments 2,3 and 4",
        "1.5 T",
        "two views",
        "12/5 cmv",
    ],
)
def test_no_measurement(text: str) -> None:
    assert all(token.kind != MEASURE for token in tokenize(text))


@pytest.mark.parametrize(
    ("before", "bound"),
    [
        ("nodule less than ", "<"),
        ("nodule, < ", "<"),
        ("smaller than about ", "<"),
        ("no nodule larger than ", ">"),
        ("exceeding ", ">"),
        ("at least ", ">="),
        ("no more than ", "<="),
        ("≥", ">="),
        ("up to ", ""),
        ("approximately ", ""),
        ("a nodule of ", ""),
    ],
)
def test_bounds(before: str, bound: str) -> None:
    assert bounded(before) == bound


@pytest.mark.parametrize(
    ("category", "value", "low", "high"),
    [
        ("length", "5 mm", 5, 5),
        ("length", "21 x 18 mm", 21, 21),
        ("length", "3-5 mm", 3, 5),
        ("length", "3 and 5 mm", 3, 5),
        ("length", "<5 mm", 0, 5),
        ("length", ">6 mm", 6, math.inf),
        ("length", ">=20 mm", 20, math.inf),
        ("density", "-20 HU", -20, -20),
        ("density", "-20--10 HU", -20, -10),
        ("density", "<0 HU", 0, 0),
        ("density", "<-10 HU", -math.inf, -10),
        ("percent", "60-70%", 60, 70),
        ("area", "200 mm²", 200, 200),
        ("diffusion", "0.8 µm²/ms", 0.8, 0.8),
        ("age", "228 days", 228, 228),
    ],
)
def test_a_measured_detail_is_numbers(category: str, value: str, low: float, high: float) -> None:
    assert quantity(Detail(category, value, value)) == Quantity(category, low, high)


@pytest.mark.parametrize(
    ("category", "value"),
    [
        ("size_descriptor", "small"),
        ("previous", "8 mm"),
        ("distance", "40 mm"),
        ("value", "some 5"),
        ("temporality", "acute"),
        ("length", ""),
    ],
)
def test_what_is_no_measurement_of_now_has_no_numbers(category: str, value: str) -> None:
    assert quantity(Detail(category, value, value)) is None


@pytest.mark.parametrize(("text", "value"), LENGTHS)
def test_every_canonical_form_is_numbers_again(text: str, value: str) -> None:
    assert quantity(Detail(*measurement(text), text)) is not None


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("5 mm", "0.5 cm", True),
        ("5 mm", "30 mm", False),
        ("4 x 3 cm", "4 cm", True),
        ("4 x 3 cm", "4 mm", False),
        ("412 microns", "0.412 mm", True),
        ("3-5 mm", "4 mm", True),
        ("3.2 m/s", "320 cm/s", True),
        ("5 mm", "5 ml", False),
        ("32w4d", "32 weeks 4 days", True),
    ],
)
def test_measurements_of_one_quantity_compare(one: str, other: str, meet: bool) -> None:
    first, second = (quantity(Detail(*measurement(text), text)) for text in (one, other))
    assert first is not None
    assert second is not None
    assert first.overlaps(second) is meet
    assert second.overlaps(first) is meet


def test_a_share_makes_near_sizes_one() -> None:
    assert Quantity("length", 18, 18).overlaps(Quantity("length", 20, 20), 0.1)
    assert not Quantity("length", 18, 18).overlaps(Quantity("length", 30, 30), 0.1)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("A 5-mm nodule in the right upper lobe.", "length", "5 mm"),
        ("Nodule less than 5 mm in the right upper lobe.", "length", "<5 mm"),
        ("Nodules up to 8 mm in the left lung.", "length", "8 mm"),
        ("A lung nodule of approximately 3,5 cm.", "length", "35 mm"),
        ("Sub-centimeter nodule in the left lung.", "length", "<10 mm"),
        ("A one-centimeter nodule in the right lung.", "length", "10 mm"),
        ("Lung nodules measuring between 3 and 5 mm.", "length", "3-5 mm"),
        ("4-mm thick gallbladder wall.", "length", "4 mm"),
        ("A liver lesion of -20 HU.", "density", "-20 HU"),
        ("A liver lesion, SUVmax 8.2.", "suv", "8.2 SUV"),
        ("Right pleural effusion of about 1,200 mL.", "volume", "1200 ml"),
        ("Retinal thickness of 412 microns.", "length", "0.412 mm"),
    ],
)
def test_findings_carry_their_measurement(scorer: Scorer, text: str, kind: str, value: str) -> None:
    details = [detail for finding in scorer.read(text).findings for detail in finding.details]
    assert (kind, value) in [(detail.category, detail.value) for detail in details]


def test_a_unit_of_a_module_is_read_beside_the_shipped_ones() -> None:
    known = units((("refraction dpt 1", "dpt; diopter; dioptre", "signed"),))
    (token,) = tokenize("-2.5 diopters", known=known)
    assert measurement(token.norm, known) == ("refraction", "-2.5 dpt")
    assert measurement("5-mm", known) == ("length", "5 mm")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("refraction dpt", "dpt", ""), "a unit is 'quantity base factor"),
        (("refraction dpt one", "dpt", ""), "'one' is no number"),
        (("refraction dpt 0", "dpt", ""), "must be above 0"),
        (("refraction dpt 1", "dpt", "negative"), "the mark one of"),
    ],
)
def test_a_wrong_row_says_how_to_mend_it(row: tuple[str, str, str], message: str) -> None:
    with pytest.raises(OntologyError, match=message):
        units((row,))
