"""What must hold of `clinical` over the ontology, on a sample; the whole is `kgscore ontology test --clinical`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from kgscore import Scorer
from kgscore.authoring.ontology_checks.clinical import CLINICAL, Judge, Order, generate, run
from kgscore.authoring.ontology_checks.exceptions import exemptions
from kgscore.authoring.ontology_checks.run import sample, without_exempted
from kgscore.runs.batch import Settings

SAMPLE, SEED = 800, 5


@pytest.fixture(scope="module")
def checks(scorer: Scorer) -> list[Order]:
    return generate(scorer)


def of(checks: list[Order], concept: str, kind: str, about: str = "*") -> Order:
    return next(one for one in checks if (one.concept, one.kind, one.about) == (concept, f"{CLINICAL}{kind}", about))


def test_every_kind_of_order_is_asked_of_many_findings(checks: list[Order]) -> None:
    counts = Counter(check.kind for check in checks)
    assert len(checks) > 50_000
    assert all(count > 1_000 for count in counts.values())
    assert len(counts) == 17


def test_a_sample_holds(checks: list[Order]) -> None:
    drawn = sample(checks, SAMPLE, SEED)
    found = run(drawn, Settings())
    unasked = {one.check for one in found if not one.found}
    assert len(unasked) < 0.1 * SAMPLE
    tested = without_exempted(drawn, [one for one in found if one.found], exemptions(), whole=False)
    assert [(one.check.kind, one.check.concept, one.check.about, one.found) for one in tested.failures] == []


def test_what_is_asked_can_fail(scorer: Scorer, checks: list[Order]) -> None:
    judge = Judge(scorer)
    for kind, about in (("graver missed", "appendicitis"), ("side, not missed", "right"), ("vague, not missed", "gas")):
        check = of(checks, "pneumothorax", kind, about)
        assert judge.failure(check) is None
        reverse = replace(check, better=check.worse, worse=check.better, wanted=(">",))
        failure = judge.failure(reverse)
        assert failure is not None
        assert " to " in failure.found


def test_a_sentence_that_is_read_otherwise_is_asked_nothing(scorer: Scorer, checks: list[Order]) -> None:
    check = of(checks, "pneumothorax", "invented")
    other = replace(check, read=((check.read[0][0], ("ascites", True)),))
    failure = Judge(scorer).failure(other)
    assert failure is not None
    assert failure.found == ""


def test_a_vague_word_that_is_graver_by_itself_costs_no_more_than_a_miss(scorer: Scorer) -> None:
    metric = Scorer(metrics=("clinical",))
    both, vague, none = "Disc herniation. Cardiomegaly.", "Herniation. Cardiomegaly.", "Cardiomegaly."
    assert scorer.index.severity("herniation") > scorer.index.severity("disc_herniation")
    values = [metric.score(reference=both, candidate=text).scores["clinical"].value for text in (both, vague, none)]
    assert values == sorted(values, reverse=True)
    assert values[1] > values[2]
