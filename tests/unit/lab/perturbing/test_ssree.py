"""SSREE levels: what each says when it is read again, the record of changes, determinism."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.lab import LEVELS
from kgscore.lab.perturbing.edits import Edit, apply_edits
from kgscore.lab.perturbing.inventions import Inserter
from kgscore.lab.perturbing.means import Means
from kgscore.lab.perturbing.sets import Unfit, ssree
from kgscore.lab.perturbing.source import Draft, parse_source
from kgscore.lab.perturbing.statements import Statements
from tests.unit.lab.perturbing.conftest import REPORTS


@pytest.fixture(scope="module", params=sorted(REPORTS))
def made(request: pytest.FixtureRequest, inserter: Inserter, means: Means) -> tuple[str, dict[str, Any]]:
    text = REPORTS[request.param]
    return text, ssree(inserter, parse_source(text, means.read, means.lexicon), f"0 {request.param}")


def test_the_record_of_changes_makes_the_text(made: tuple[str, dict[str, Any]]) -> None:
    text, levels = made
    for level in LEVELS:
        record = levels["changed"][level]
        edits = [Edit(**edit) for edit in record["edits"]]
        assert apply_edits(text, edits, [tuple(span) for span in record["order"]]) == levels[level] != text
        assert all(text[change["span"][0] : change["span"][1]] == change["before"] for change in record["changes"])


def test_each_level_says_what_it_should(made: tuple[str, dict[str, Any]], means: Means) -> None:
    text, levels = made
    source = means.read(text).findings
    read = {level: means.read(levels[level]).findings for level in LEVELS}
    same = means.delta(source, read["L1"])
    assert (same.lost, same.gained) == ((), ())
    for level, count in (("L2", 1), ("L3", 2)):
        delta = means.delta(source, read[level])
        assert len(delta.lost) == count
        assert all(finding.asserts for finding in delta.lost)
        assert not any(finding.asserts for finding in delta.gained)
        assert all(means.turned(finding, delta.gained) for finding in delta.lost)
        assert len(levels["edited"][level]) == count
    assert not any(finding.asserts for finding in read["L4"])
    assert all(means.turned(finding, read["L5"]) for finding in source)


def test_scores_fall(made: tuple[str, dict[str, Any]], scorer: Scorer) -> None:
    text, levels = made
    scores = [scorer.score(reference=text, candidate=levels[level]).scores["radsem"].value for level in LEVELS]
    assert scores[0] > scores[1] > scores[2] > max(scores[3:])
    assert scores[0] == 1.0


def test_the_english_is_sound(made: tuple[str, dict[str, Any]]) -> None:
    for level in LEVELS:
        text = made[1][level]
        assert not re.search(r"  |\.\.|\ba [aeio]|\ban [^aeioufhlmnrsx8\s]| ,|\bno no\b|\bNo a\b", text), text
        starts = [part for line in text.splitlines() for part in re.split(r"(?<=[a-z])\. ", line)]
        assert all(part[:1].isupper() or part[:1].isdigit() or not part for part in starts), text


def test_a_seed_makes_the_same_and_another_one_other_choices(inserter: Inserter, means: Means) -> None:
    source = parse_source(REPORTS["chest"], means.read, means.lexicon)
    rewording, plain = inserter.rewording, Draft(source)
    one, again, other = (rewording.reorder(rewording.reworded(plain, Random(s)), Random(s)) for s in ("0", "0", "1"))
    assert one == again
    assert one != other


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("The lungs are clear.", "0 abnormal findings"),
        ("Small left effusion. Cardiomegaly. Rib fracture.", "no normal or negated statement"),
    ],
)
def test_a_report_that_says_too_little_is_refused(inserter: Inserter, means: Means, text: str, why: str) -> None:
    with pytest.raises(Unfit, match=why):
        ssree(inserter, parse_source(text, means.read, means.lexicon), "0")


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("The heart is enlarged.", ["The heart is normal in size."]),
        ("The thoracic aorta is dilated.", ["The thoracic aorta is normal in caliber."]),
        ("The lungs are clear.", ["The lungs are opacified."]),
        ("The trachea is midline.", ["The trachea is deviated."]),
        ("The fourth ventricle is effaced.", ["The fourth ventricle is patent."]),
        ("Enlarged right hilar lymph nodes.", ["No enlarged right hilar lymph nodes.", "No right hilar lymphadenopathy."]),
        ("No acute fracture.", ["Acute fracture.", "There is evidence of acute fracture."]),
        ("The heart is not enlarged.", ["The heart is enlarged."]),
        ("The liver shows no abnormality.", ["The liver shows an abnormality."]),
        ("There is a 5 cm mass in the right upper lobe, new from prior.", ["No mass in the right upper lobe is seen."]),
        ("A left chest tube is in place.", ["No left chest tube is seen."]),
        ("Complete opacification of the left hemithorax.", ["No complete opacification of the left hemithorax."]),
    ],
)
def test_statements_are_turned_in_words_people_use(means: Means, text: str, turned: list[str]) -> None:
    source = parse_source(text, means.read, means.lexicon)
    frames = {r"No (.+?)(?: (?:is|are) seen)?\.", r"There (?:is|are) no (.+)\.", r"No evidence of (.+)\."}

    def core(said: str) -> str:
        return next((m[1] for frame in frames if (m := re.fullmatch(frame, said))), said)

    draft = Statements(means).turn(Draft(source), 0, source.lines[0].units, Random("0"), "inversion", all_are=True)
    assert draft is not None
    assert core(draft.line(0)).removeprefix("evidence of ") in {core(said) for said in turned}


def test_a_finding_is_turned_alone_and_never_denies_its_like(means: Means) -> None:
    text = "8 mm nodule in the right upper lobe. 5 mm nodule in the left lower lobe."
    source = parse_source(text, means.read, means.lexicon)
    draft = Statements(means).turn(Draft(source), 0, source.lines[0].units, Random("0"), "false_negation")
    assert draft is not None
    assert "right upper lobe" in draft.line(0)
