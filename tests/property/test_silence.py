"""Nobody gains by silence: no candidate scores worse than one that says nothing, and what says nothing changes nothing.

Of the metrics without an upper bound (sums of errors), a candidate that invents can cost more than silence; one that says a
part of the truth cannot.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscore import metrics as registry
from kgscore.engine import Scorer

SAID = (
    "Small left pleural effusion.",
    "There is cardiomegaly.",
    "A large right pneumothorax is present.",
    "Consolidation in the right lower lobe.",
    "Acute fracture of the left clavicle.",
    "Ascites is present.",
    "Midline shift of 5 mm to the right.",
    "No pneumothorax.",
    "No left pleural effusion.",
    "The lungs are clear.",
    "The heart is normal in size.",
    "Normal chest.",
    "The liver is normal in size.",
    "Endotracheal tube with its tip 4 cm above the carina.",
    "Wobbly blotch in the left lung.",
)
SILENT = (
    "",
    " \n",
    "N/A",
    "No findings can be assessed.",
    "The image is not a chest X-ray.",
    "I cannot interpret this image.",
    "Portable AP chest radiograph obtained.",
    "TECHNIQUE: axial images were obtained.",
    "The image quality is poor.",
    "The weather is lovely.",
)
BOUNDED = ("clinical", "radsem", "radsem_alt", "headct_one", "ratescore", "label_f1")
ERRORS = ("fineradscore", "radot")
CALM = settings(derandomize=True, deadline=None, max_examples=30)
reports = st.lists(st.sampled_from(SAID[:-1]), min_size=1, max_size=6, unique=True)
candidates = st.lists(st.sampled_from(SAID), min_size=1, max_size=6, unique=True)


@pytest.fixture(scope="module")
def every() -> Scorer:
    return Scorer(metrics=(*BOUNDED, *ERRORS))


def worse_or_equal(name: str, one: float, other: float) -> bool:
    return one <= other + 1e-9 if registry.metric(name).higher_is_better else one >= other - 1e-9


@CALM
@given(reference=reports, silent=st.sampled_from(SILENT))
def test_every_metric_scores_silence_as_having_missed_everything(every: Scorer, reference: list[str], silent: str) -> None:
    result = every.score(reference=" ".join(reference), candidate=silent)
    assert (result.status, result.reason, result.links) == ("scored", "the candidate says nothing", ())
    assert result.reference is not None
    assert len(result.unmatched_reference) == len(result.reference.findings)
    assert {name: result.scores[name].value for name in BOUNDED} == dict.fromkeys(BOUNDED, 0.0)
    assert all((result.scores[name].value or 0.0) > 0.0 for name in ERRORS)
    blank = every.score(reference=" ".join(reference), candidate="")
    assert {name: one.value for name, one in blank.scores.items()} == {name: one.value for name, one in result.scores.items()}


@CALM
@given(reference=reports, candidate=candidates, more=st.sampled_from(SILENT))
def test_no_candidate_scores_worse_than_silence(every: Scorer, reference: list[str], candidate: list[str], more: str) -> None:
    blank = every.score(reference=" ".join(reference), candidate="")
    for text in (" ".join(candidate), f"{' '.join(candidate)} {more}"):
        spoken = every.score(reference=" ".join(reference), candidate=text)
        for name in BOUNDED:
            value, least = spoken.scores[name].value, blank.scores[name].value
            assert least is not None
            assert value is None or worse_or_equal(name, least, value), name


@CALM
@given(reference=reports, data=st.data())
def test_a_part_of_the_truth_is_better_than_silence(every: Scorer, reference: list[str], data: st.DataObject) -> None:
    part = data.draw(st.lists(st.sampled_from(reference), min_size=1, unique=True))
    blank = every.score(reference=" ".join(reference), candidate="")
    spoken = every.score(reference=" ".join(reference), candidate=" ".join(part))
    for name in ERRORS:
        least, value = blank.scores[name].value, spoken.scores[name].value
        assert least is not None
        assert value is not None
        assert worse_or_equal(name, least, value), name


@CALM
@given(reference=reports, candidate=candidates, more=st.sampled_from(SILENT))
def test_what_says_nothing_changes_no_score(scorer: Scorer, reference: list[str], candidate: list[str], more: str) -> None:
    one = scorer.score(reference=" ".join(reference), candidate=" ".join(candidate)).scores["radsem"]
    other = scorer.score(reference=" ".join(reference), candidate=f"{' '.join(candidate)}\n{more}").scores["radsem"]
    assert one.value == pytest.approx(other.value)


@pytest.mark.parametrize("profile", ["radsem-published", "headct-one-published", "radot-published", "fineradscore-published"])
@pytest.mark.parametrize("silent", SILENT[:6])
def test_published_presets_score_silence_by_their_own_formulas(profile: str, silent: str) -> None:
    name = {"headct-one": "headct_one"}.get(short := profile.removesuffix("-published"), short)
    scorer = Scorer(profile, (name,))
    found = scorer.score(reference="Small left pleural effusion. No pneumothorax.", candidate=silent)
    value = found.scores[name].value
    assert (found.status, found.reason) == ("scored", "the candidate says nothing")
    assert value is not None
    assert value == 0.0 if registry.metric(name).higher_is_better else value > 0.0


def test_an_unlinked_finding_never_decides_a_class_alone() -> None:
    normal = "The lungs are clear. No pneumothorax."
    odd = f"{normal} Wobbly blotch in the left lung."
    names = ("default", "radsem-published")
    here, published = (Scorer(name).score(reference=normal, candidate=odd).scores["radsem"].value for name in names)
    assert here is not None
    assert here > 0.95
    assert published == pytest.approx(0.1, abs=0.02)
    assert Scorer().score(reference=odd, candidate=odd).scores["radsem"].value == 1
