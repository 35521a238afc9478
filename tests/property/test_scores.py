"""What must hold of every score, on reports drawn from a pool of sentences that stand for themselves."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kgscore.engine import Scorer
from kgscore.graph.queries import query
from kgscore.model import Finding, Score

READINGS = Path(__file__).parents[1] / "readings"

# A statement and its reverse, each pair on a subject of its own.
TURNED = (
    ("Small left pleural effusion.", "No left pleural effusion."),
    ("There is cardiomegaly.", "No cardiomegaly."),
    ("A large right pneumothorax is present.", "There is no right pneumothorax."),
    ("Consolidation in the right lower lobe.", "No consolidation in the right lower lobe."),
    ("Acute fracture of the left clavicle.", "No fracture of the left clavicle."),
    ("Pericardial effusion is seen.", "No pericardial effusion."),
    ("Pulmonary embolism in the right pulmonary artery.", "No pulmonary embolism."),
    ("Ascites is present.", "There is no ascites."),
    ("The spleen is enlarged.", "The spleen is not enlarged."),
    ("Hydrocephalus is present.", "No hydrocephalus."),
    ("Midline shift of 5 mm to the right.", "No midline shift."),
    ("Acute subdural haematoma on the left.", "No left subdural haematoma."),
    ("Gallstones are present.", "No gallstones."),
    ("Right hydronephrosis.", "No right hydronephrosis."),
    ("Mild scoliosis of the thoracic spine.", "No scoliosis of the thoracic spine."),
    ("Aneurysm of the abdominal aorta.", "No aneurysm of the abdominal aorta."),
    ("Thickening of the gallbladder wall.", "No thickening of the gallbladder wall."),
    ("Mediastinal lymphadenopathy.", "No mediastinal lymphadenopathy."),
    ("Hepatic steatosis.", "No hepatic steatosis."),
    ("Fracture of the skull base.", "No fracture of the skull base."),
    ("The left hilum is enlarged.", "The left hilum is not enlarged."),
    ("Emphysema in both lungs.", "No emphysema."),
    ("Cyst in the left kidney.", "No cyst in the left kidney."),
    ("Mucosal thickening in the right maxillary sinus.", "No mucosal thickening in the right maxillary sinus."),
)
OTHERS = (
    "The lungs are clear.",
    "The heart is normal in size.",
    "The ventricles are normal in size.",
    "Grey-white differentiation is preserved.",
    "The mediastinum is unremarkable.",
    "No acute intracranial haemorrhage.",
    "The bones are intact.",
    "The costophrenic angles are sharp.",
    "The trachea is midline.",
    "The liver is normal in size.",
    "Both kidneys are unremarkable.",
    "The pancreas is unremarkable.",
    "A 12 mm nodule in the left upper lobe.",
    "Multiple calcified nodules in both lungs.",
    "Opacity in the left lower lobe, likely pneumonia.",
    "Possible atelectasis at the left base.",
    "The nodule in the right middle lobe has increased.",
    "Unchanged mass in the right upper lobe measuring 3.1 x 2.4 cm.",
    "New infarct in the right cerebellum.",
    "Chronic infarct in the left thalamus.",
    "Old fracture of the right seventh rib.",
    "Degenerative changes of the cervical spine.",
    "Endotracheal tube with its tip 4 cm above the carina.",
    "The nasogastric tube ends in the stomach.",
    "A right internal jugular catheter ends in the superior vena cava.",
    "A left chest tube is in place.",
    "Sternotomy wires are intact.",
    "Wobbly blotch in the left lung.",
    "Calcification of the aortic arch.",
    "Stenosis of the left carotid artery.",
    "The right vertebral artery is occluded.",
    "Herniation of the disc at L4-5.",
    "Meningioma of the falx.",
)
POOL = tuple(sentence for pair in TURNED for sentence in pair) + OTHERS
CALM = settings(derandomize=True, deadline=None, max_examples=30)
reports = st.lists(st.sampled_from(POOL), min_size=1, max_size=9, unique=True)
subjects = st.lists(st.sampled_from(range(len(TURNED))), min_size=1, max_size=8, unique=True)


def key(finding: Finding) -> tuple[object, ...]:
    """Return what a finding says, wherever it stands."""
    return (
        finding.concept or finding.label, finding.sites, finding.side, finding.status, finding.certainty,
        frozenset((d.category, d.value) for d in finding.details), finding.change,
    )  # fmt: skip


def radsem(scorer: Scorer, reference: str, candidate: str) -> Score:
    return scorer.score(reference=reference, candidate=candidate).scores["radsem"]


def test_the_pool_is_large_and_each_sentence_holds_a_finding(scorer: Scorer) -> None:
    assert len(set(POOL)) >= 80
    assert [sentence for sentence in POOL if not scorer.read(sentence).findings] == []


@pytest.mark.parametrize("profile", ["default", "fixed"])
def test_every_sentence_scores_one_against_itself(profile: str) -> None:
    scorer = Scorer(profile)
    assert [s for s in POOL if radsem(scorer, s, s).value != pytest.approx(1)] == []


@pytest.mark.parametrize("path", sorted(READINGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_gold_texts_score_one_against_themselves(scorer: Scorer, path: Path, some: Callable[[list[str], int], list[str]]) -> None:
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    texts = some([text for record in records for text in record.get("texts") or [record["text"]]], 30)
    values = {text: radsem(scorer, text, text).value for text in texts}
    assert [text for text, value in values.items() if value is not None and value != pytest.approx(1)] == []


@CALM
@given(sentences=reports)
def test_a_report_scores_one_against_itself(scorer: Scorer, sentences: list[str]) -> None:
    report = " ".join(sentences)
    result = scorer.score(reference=report, candidate=report)
    assert result.scores["radsem"].value == pytest.approx(1)
    assert result.unmatched_reference == result.unmatched_candidate == ()


@CALM
@given(left=reports, right=reports)
def test_swapping_the_reports_swaps_missed_and_invented(scorer: Scorer, left: list[str], right: list[str]) -> None:
    one = scorer.score(reference=" ".join(left), candidate=" ".join(right))
    other = scorer.score(reference=" ".join(right), candidate=" ".join(left))
    assert one.unmatched_reference == other.unmatched_candidate
    assert one.unmatched_candidate == other.unmatched_reference
    assert {(k.reference, k.candidate) for k in one.links} == {(k.candidate, k.reference) for k in other.links}
    assert {(k.reference, k.candidate) for k in one.contradictions} == {(k.candidate, k.reference) for k in other.contradictions}
    assert one.scores["radsem"].value == pytest.approx(other.scores["radsem"].value)


@CALM
@given(sentences=reports, data=st.data())
def test_the_order_of_sentences_is_irrelevant(scorer: Scorer, sentences: list[str], data: st.DataObject) -> None:
    report, turned = " ".join(sentences), " ".join(data.draw(st.permutations(sentences)))
    assert Counter(map(key, scorer.read(report).findings)) == Counter(map(key, scorer.read(turned).findings))
    assert radsem(scorer, report, turned).value == pytest.approx(1)


@CALM
@given(chosen=subjects, data=st.data())
def test_a_flipped_polarity_never_raises_a_score(scorer: Scorer, chosen: list[int], data: st.DataObject) -> None:
    sides = [data.draw(st.integers(0, 1)) for _ in chosen]
    wrong = [data.draw(st.booleans()) for _ in chosen]
    reference = " ".join(TURNED[n][side] for n, side in zip(chosen, sides, strict=True))
    before = [TURNED[n][side ^ bad] for n, side, bad in zip(chosen, sides, wrong, strict=True)]
    right = [place for place, bad in enumerate(wrong) if not bad]
    assume(right)
    flip = data.draw(st.sampled_from(right))
    after = list(before)
    after[flip] = TURNED[chosen[flip]][1 - sides[flip]]
    first, second = (radsem(scorer, reference, " ".join(text)).value for text in (before, after))
    assert first is not None
    assert second is not None
    assert second < first or first == second == 0


@pytest.mark.parametrize("pair", TURNED, ids=[pair[0] for pair in TURNED])
def test_a_reversed_statement_has_no_credit(scorer: Scorer, pair: tuple[str, str]) -> None:
    for reference, candidate in (pair, pair[::-1]):
        assert radsem(scorer, reference, candidate).value == 0
        assert scorer.score(reference=reference, candidate=candidate).contradictions


def precision(score: Score) -> dict[str, float]:
    """Return matched / (matched + invented) of each class that has either."""
    found = {}
    for name in ("abnormal", "normal"):
        matched, invented = (score.parts.get(f"{name}_{part}", 0.0) for part in ("matched", "unmatched_candidate"))
        if matched or invented:
            found[name] = matched / (matched + invented)
    return found


@CALM
@given(chosen=subjects, extra=st.sampled_from(range(len(TURNED))), side=st.integers(0, 1))
def test_an_unsupported_finding_never_raises_precision(scorer: Scorer, chosen: list[int], extra: int, side: int) -> None:
    reference = " ".join(TURNED[n][0] for n in chosen)
    candidate = " ".join(TURNED[n][n % 2] for n in chosen)
    unsupported = TURNED[extra][side]
    assume(extra not in chosen and not scorer.score(reference=reference, candidate=unsupported).links)
    before = precision(radsem(scorer, reference, candidate))
    after = precision(radsem(scorer, reference, f"{candidate} {unsupported}"))
    assert all(after[name] <= value + 1e-12 for name, value in before.items())
    assert sum(after.values()) < sum(before.values()) or len(after) > len(before) or 0 in before.values()


def test_a_relation_is_of_one_kind_both_ways(scorer: Scorer) -> None:
    findings = [finding for sentence in POOL for finding in scorer.read(sentence).findings]
    uneven = [
        (a.text, b.text)
        for a, b in itertools.combinations(findings, 2)
        if scorer.relator.relate(a, b).relation != scorer.relator.relate(b, a).relation
    ]
    assert uneven == []


@CALM
@given(left=st.sampled_from(POOL), right=st.sampled_from(POOL))
def test_statements_relate_the_same_both_ways(scorer: Scorer, left: str, right: str) -> None:
    one, other = scorer.relate(left, right), scorer.relate(right, left)
    assert (one.relation, one.anatomy, one.finding, one.detail) == (other.relation, other.anatomy, other.finding, other.detail)
    assert one.weight == pytest.approx(other.weight)


@CALM
@given(sentences=reports)
def test_offsets_give_the_words_back(scorer: Scorer, sentences: list[str]) -> None:
    report = "\n".join(sentences)
    reading = scorer.read(report)
    for part in (*reading.findings, *reading.unlinked, *reading.entities):
        assert report[part.start : part.end] == part.text != ""


@settings(CALM, max_examples=5)
@given(left=reports, right=reports)
def test_a_real_pair_survives_the_graph(
    tmp_path_factory: pytest.TempPathFactory, scorer: Scorer, kept: Callable[..., None], left: list[str], right: list[str]
) -> None:
    result = scorer.score(reference=" ".join(left), candidate=" ".join(right), id="case")
    folder = tmp_path_factory.mktemp("graph")
    kept(folder, {"case": result})
    told = query(
        folder,
        "SELECT ?which ?number ?text ?status ?side { ?r a kgr:Report ; kgr:side ?which . ?s kgr:inReport ?r ;"
        " kgr:number ?number ; kgr:text ?text ; kgr:status ?status . OPTIONAL { ?s kgr:laterality ?side } }",
        limit=1000,
        seconds=20,
    ).rows
    expected = {
        (which, number, f.text, f.status, f.side)
        for which, reading in (("reference", result.reference), ("candidate", result.candidate))
        if reading is not None
        for number, f in enumerate(reading.findings)
    }
    assert {tuple(row) for row in told} == expected
    matches = query(folder, "SELECT ?m ?relation { ?m a kgr:Match ; kgr:relation ?relation }", limit=10_000, seconds=20).rows
    assert Counter(row[1] for row in matches) == Counter(k.relation.relation for k in (*result.links, *result.contradictions))
