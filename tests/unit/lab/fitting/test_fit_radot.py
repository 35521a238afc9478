"""The fit of RadOT-Eval's readout, and the corruptions it is shipped with."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from kgscore.cli import main
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.lab.fitting.corruptions import ACTIONABLE, pairs, sentences
from kgscore.lab.fitting.goals import group_folds, spearman
from kgscore.lab.perturbing.inventions import Inserter
from kgscore.lab.perturbing.sets import build_means
from kgscore.lab.perturbing.source import Draft, parse_source

ROWS = [
    {"modality": "chest", "texts": [text, *others]}
    for text, *others in (
        ("Small left pleural effusion.", "There is a small effusion in the left pleural space."),
        ("No pneumothorax.", "There is no pneumothorax."),
        ("The heart is enlarged.", "Cardiomegaly."),
        ("Mild pulmonary edema.",), ("A nodule in the right upper lobe is unchanged.",), ("The lungs are clear.",),
        ("Acute fracture of the left clavicle.",), ("Endotracheal tube in place.",), ("No pericardial effusion.",),
        ("There is consolidation in the right lower lobe.",), ("Old fracture of the right seventh rib.",),
        ("The trachea is midline.",), ("Large hiatal hernia.",), ("Possible atelectasis at the left base.",),
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def inserter(scorer: Scorer) -> Inserter:
    return Inserter(build_means(scorer, ()))


def test_pairs_are_the_same_every_time_and_clean_ones_have_no_error(scorer: Scorer, inserter: Inserter) -> None:
    pool = sentences(ROWS, scorer.read)
    first, again = (list(pairs(pool, inserter, 3)) for _ in range(2))
    assert first == again
    kinds = Counter(row["id"].rsplit(" ", 1)[1] for row in first)
    assert kinds["itself"] == kinds["reworded"] == len({row["study"] for row in first})
    assert len({kind for row in first for kind in row["made_by"]}) > 5
    for row in first:
        wrong = set(row["made_by"]) - {"reword"}
        assert (row["total"] > 0) == bool(wrong)
        assert 0 <= row["significant"] <= row["total"]
        if row["id"].endswith("itself") or wrong:  # a rewording may find no other words
            assert (row["reference"] == row["candidate"]) == row["id"].endswith("itself")


@pytest.mark.parametrize(
    ("text", "significant"), [("Large right pneumothorax. No pleural effusion.", 1), ("Mild scoliosis. Clear lungs.", 0)]
)
def test_errors_are_counted_by_what_they_call_for(inserter: Inserter, text: str, significant: int) -> None:
    draft = inserter.insert(Draft(parse_source(text, inserter.means.read, inserter.means.lexicon)), ["false_negation"], 1, "0")
    assert [int((change.severity or 0) >= ACTIONABLE) for change in draft.changes] == [significant]


def test_a_fold_never_shares_a_study() -> None:
    studies = [f"s{n % 7}" for n in range(40)]
    folds = group_folds(studies, 3)
    assert sorted(at for fold in folds for at in fold) == list(range(40))
    assert not any({studies[a] for a in one} & {studies[b] for b in two} for one in folds for two in folds if one is not two)
    with pytest.raises(InputError, match="fewer folds"):
        group_folds(["a", "a", "b"], 3)


def test_spearman_shares_ranks_and_is_0_for_a_constant() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(3)
    one, other = random.integers(0, 5, 50).astype(float), random.integers(0, 5, 50).astype(float)
    assert spearman(one.tolist(), other.tolist()) == pytest.approx(stats.spearmanr(one, other).statistic)
    assert spearman(one.tolist(), [0.0] * 50) == 0.0


def test_fit_writes_a_readout_that_scores(
    scorer: Scorer, inserter: Inserter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    table, out, profile = tmp_path / "t.jsonl", tmp_path / "mine.json", tmp_path / "p.yaml"
    rows = [row for seed in "abcd" for row in pairs({seed: sentences(ROWS, scorer.read)["chest"]}, inserter, 2)]
    bad = {"id": "bad", "study": 1, "reference": "Cardiomegaly.", "candidate": "x", "total": 1, "significant": 2}
    table.write_text("".join(f"{json.dumps(row)}\n" for row in (*rows, bad)), encoding="utf-8")
    code = main(
        ["fit", "radot", str(table), "--output", str(out), "--priors", "polarity-heavy", "--entropies", "0.2", "--folds", "2",
         "--note", "corruptions, a test"]
    )  # fmt: skip
    captured = capsys.readouterr()
    assert code == 3
    assert "'significant' must lie between 0 and 'total'" in captured.err
    (figures,) = map(json.loads, captured.out.splitlines())
    assert figures["pairs"] == len(rows)
    assert figures["held_out_spearman"]["total"] > 0.3
    profile.write_text(f"inherits: default\nmetrics:\n  radot: {{readout: '{out}'}}\n", encoding="utf-8")
    mine = Scorer(profile, ("radot",))
    same, other = (
        mine.score(reference="Large right pneumothorax.", candidate=text).scores["radot"].value
        for text in ("Large right pneumothorax.", "No pneumothorax. The heart is enlarged.")
    )
    assert same == 0.0
    assert other is not None
    assert other > 0.0
