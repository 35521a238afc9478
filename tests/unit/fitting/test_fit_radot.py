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
from kgscore.fitting.correlation import group_folds, spearman
from kgscore.fitting.corruptions import Corruptor, Errors, Sentence, pairs, sentences

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
def corruptor(scorer: Scorer) -> Corruptor:
    return Corruptor(scorer.index)


def changed(scorer: Scorer, corruptor: Corruptor, way: str, text: str) -> tuple[str, Errors] | None:
    return corruptor.ways[way](Sentence(text, scorer.read(text).findings))


@pytest.mark.parametrize(
    ("way", "text", "wrong", "errors"),
    [
        ("drop", "No pleural effusion or pneumothorax.", "", (2, 0)),
        ("drop", "Large right pneumothorax.", "", (1, 1)),
        ("negate", "Large right pneumothorax.", "No right pneumothorax.", (1, 1)),
        ("negate", "No pneumothorax.", "There is pneumothorax.", (1, 1)),
        ("side", "Large right pneumothorax.", "Large left pneumothorax.", (1, 1)),
        ("side", "No pneumothorax.", None, None),
        ("degree", "Small left pleural effusion.", "Large left pleural effusion.", (1, 1)),
        ("change", "The effusion is unchanged.", "The effusion is new.", (1, 1)),
        ("certainty", "There is cardiomegaly.", "There may be cardiomegaly.", (1, 0)),
        ("comparison", "There is cardiomegaly.", "There is cardiomegaly, unchanged.", (1, 0)),
    ],
)
def test_a_corruption_is_counted(
    scorer: Scorer, corruptor: Corruptor, way: str, text: str, wrong: str | None, errors: tuple[int, int] | None
) -> None:
    found = changed(scorer, corruptor, way, text)
    assert (None if found is None else (found[0], (found[1].total, found[1].significant))) == (
        None if wrong is None else (wrong, errors)
    )


def test_pairs_are_the_same_every_time_and_clean_ones_have_no_error(scorer: Scorer, corruptor: Corruptor) -> None:
    pool = sentences(ROWS, scorer.read)
    first, again = (list(pairs(pool, corruptor, 3)) for _ in range(2))
    assert first == again
    kinds = Counter(pair.id.rsplit(" ", 1)[1] for pair in first)
    assert kinds["itself"] == kinds["reworded"] == len({pair.study for pair in first})
    for pair in first:
        wrong = set(pair.made_by) - {"reword"}
        assert (pair.errors.total > 0) == bool(wrong)
        assert 0 <= pair.errors.significant <= pair.errors.total
        if pair.id.endswith("itself") or wrong:  # a rewording may find no other words
            assert (pair.reference == pair.candidate) == pair.id.endswith("itself")


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
    scorer: Scorer, corruptor: Corruptor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    table, out, profile = tmp_path / "t.jsonl", tmp_path / "mine.json", tmp_path / "p.yaml"
    rows = [pair.as_row() for seed in "abcd" for pair in pairs({seed: sentences(ROWS, scorer.read)["chest"]}, corruptor, 2)]
    bad = {"id": "bad", "study": 1, "reference": "Cardiomegaly.", "candidate": "x", "total": 1, "significant": 2}
    table.write_text("".join(f"{json.dumps(row)}\n" for row in (*rows, bad)), encoding="utf-8")
    code = main(
        ["fit", "radot", str(table), "--out", str(out), "--priors", "polarity-heavy", "--entropies", "0.2", "--folds", "2",
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
