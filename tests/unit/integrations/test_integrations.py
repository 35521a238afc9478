"""kgscore in other tools, each against the real library where it is installed."""

from __future__ import annotations

import gc
import pickle
from pathlib import Path

import pytest

import kgscore
from kgscore.errors import InputError, ProfileError
from kgscore.integrations.compute import compute
from kgscore.integrations.reward import Reward
from kgscore.runs.batch import scorer_for

REFERENCES = ["Small left pleural effusion. No pneumothorax.", "The heart is enlarged.", "Left lower lobe consolidation."]
GENERATED = ["Left pleural effusion.", "The heart is enlarged.", ""]


def values(metric: str = "radsem") -> list[float | None]:
    pairs = zip(REFERENCES, GENERATED, strict=True)
    return [kgscore.score(reference=r, candidate=c, metrics=(metric,)).scores[metric].value for r, c in pairs]


def test_compute_gives_means_scores_and_what_has_none() -> None:
    found = compute(predictions=GENERATED, references=REFERENCES, metrics=("radsem", "fineradscore"))
    scores = values()
    assert found["radsem_scores"] == scores
    assert found["radsem"] == pytest.approx((scores[0] + scores[1] + 0) / 3)
    assert (found["scored"], found["empty"], found["failed"]) == (3, 0, 0)
    assert (found["silent"], found["not_understood"], found["unlinked"]) == (1, 0, 0.0)
    skipped = compute(predictions=GENERATED, references=REFERENCES, empty_candidate="skip")
    assert skipped["radsem"] == pytest.approx((scores[0] + scores[1]) / 2)
    assert (skipped["scored"], skipped["empty"], skipped["silent"]) == (2, 1, 1)
    said = ["Cardiomegaly.", "</s></s>", "asdf", "Kein Erguss."]
    garbage = compute(predictions=said, references=["The heart is enlarged."] * 4)
    assert (garbage["radsem"], garbage["scored"], garbage["failed"], garbage["not_understood"]) == (0.25, 4, 0, 3)
    half = compute(predictions=["Wobbly blotch in the left lung."], references=["Cardiomegaly."])["unlinked"]
    assert half is not None
    assert 0.2 < half <= 1
    assert found["fineradscore_scores"][1] == 0
    assert compute(predictions=[], references=[])["radsem"] is None
    with pytest.raises(InputError, match="1 predictions and 2 references"):
        compute(predictions=["a"], references=["a", "b"])


def test_predictions_are_not_references() -> None:
    """A generated report that says more than its reference is worse in precision, not in recall: roles must not swap."""
    more, less = "Left pleural effusion. Cardiomegaly. Rib fracture.", "Left pleural effusion."
    result = kgscore.score(reference=less, candidate=more, metrics=("radsem",))
    assert result.scores["radsem"].parts["abnormal_unmatched_candidate"] == 2
    assert compute(predictions=[more], references=[less])["radsem"] == result.scores["radsem"].value


def test_a_reward_is_one_number_a_completion() -> None:
    reward = Reward()
    scores = values()
    assert reward(completions=GENERATED, reference=REFERENCES) == [scores[0], scores[1], 0.0]
    assert reward.__name__ == "kgscore_radsem"
    spoken = [[{"role": "user", "content": "?"}, {"role": "assistant", "content": text}] for text in GENERATED]
    asked = reward(prompts=["?"] * 3, completions=spoken, reference=REFERENCES, completion_ids=[[1]] * 3)
    assert asked == [scores[0], scores[1], 0.0]


def test_a_reward_without_a_score_is_none_unless_a_number_is_given() -> None:
    asked = {"completions": ["No effusion."], "reference": ["TECHNIQUE: axial images were obtained."]}
    assert Reward()(**asked) == [None]
    assert Reward(unscored=-1.0)(**asked) == [-1.0]


@pytest.mark.parametrize("metric", ["radsem", "fineradscore", "ratescore", "radot"])
def test_silence_and_what_cannot_be_read_are_rewarded_as_having_missed_everything(metric: str) -> None:
    said = ["", "I cannot interpret this image.", "Portable AP chest radiograph obtained.", "胸部未见异常。", "Kein Erguss."]
    said.append("</s>")
    reference = "Small left pleural effusion. No pneumothorax."
    rewards = Reward(metric)(completions=[*said, "Small left pleural effusion."], reference=[reference] * 7)
    assert len(set(rewards[:6])) == 1
    assert rewards[0] < rewards[6]
    assert Reward(metric, empty=-9.0)(completions=said, reference=[reference] * 6) == [-9.0] * 6


def test_lower_is_better_is_turned() -> None:
    reward = Reward("fineradscore")
    same, wrong = reward(completions=["The heart is enlarged.", "The lungs are clear."], reference=["The heart is enlarged."] * 2)
    assert same == 0
    assert wrong < 0


def test_a_completion_that_is_none_is_blank_and_a_missing_reference_has_no_reward() -> None:
    spoken = [None, [{"role": "assistant", "content": None}], float("nan"), ""]
    assert Reward()(completions=spoken, reference=["Cardiomegaly."] * 4) == [0.0] * 4
    assert Reward()(completions=["Cardiomegaly."] * 2, reference=[None, "Cardiomegaly."]) == [None, 1.0]


def test_several_references_for_one_study_are_refused() -> None:
    several = [["Cardiomegaly.", "The heart is enlarged."]]
    for ask in (
        lambda: Reward()(completions=["Cardiomegaly."], reference=several),
        lambda: compute(predictions=["Cardiomegaly."], references=several),
    ):
        with pytest.raises(InputError, match=r"several references for one study \(item 1 is a list\); give one"):
            ask()


def test_compute_has_the_metrics_of_score_and_peers() -> None:
    found = compute(predictions=GENERATED, references=REFERENCES, peers="BLEU")
    assert [name for name in found if f"{name}_scores" in found] == ["clinical", "radsem", "bleu-4"]
    assert compute(predictions=GENERATED, references=REFERENCES, metrics="radsem")["radsem"] == found["radsem"]


def test_a_reward_is_computed_with_few_collections_and_leaves_none_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    before, seen = gc.get_threshold(), []

    reward = Reward()
    scorer = scorer_for(reward._settings)
    monkeypatch.setattr(scorer, "_read", lambda text: (seen.append(gc.get_threshold()[0]), scorer.reader.read(text))[1])
    assert reward(completions=["Cardiomegaly."], reference=["The heart is enlarged."]) == [1.0]
    assert set(seen) == {20_000}
    assert gc.get_threshold() == before


def test_a_reward_names_what_is_wrong() -> None:
    with pytest.raises(InputError, match="no column 'reference' of reference reports"):
        Reward()(completions=["a"])
    with pytest.raises(InputError, match="2 completions and 1 references"):
        Reward()(completions=["a", "b"], reference=["a"])
    with pytest.raises(InputError, match="a completion is of type int"):
        Reward()(completions=[1], reference=["a"])
    with pytest.raises(ProfileError, match="did you mean 'radsem'"):
        Reward("radsen")


def test_a_reward_can_be_pickled_and_gives_the_same_in_worker_processes() -> None:
    completions, references = GENERATED * 7, REFERENCES * 7
    distinct = [f"{text} Item {at}." for at, text in enumerate(completions)]
    with Reward(jobs=2, column="report") as reward:
        many = reward(completions=distinct, report=references)
        copy = pickle.loads(pickle.dumps(reward))
    assert many == Reward(column="report")(completions=distinct, report=references)
    assert copy(completions=distinct[:2], report=references[:2]) == many[:2]


def test_texts_met_again_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from kgscore.engine import Scorer

    engine = Scorer(remember=8)
    for candidate in ("Left pleural effusion.", "Right pleural effusion."):
        assert engine.score(reference=REFERENCES[0], candidate=candidate).status == "scored"
    assert engine._read.cache_info()[:2] == (1, 3)


def test_torchmetrics() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    torchmetrics = pytest.importorskip("torchmetrics", reason="torchmetrics is not installed")
    from kgscore.integrations.torchmetrics import KgscoreMetric

    scores = values()
    metric = KgscoreMetric()
    for generated, reference in zip(GENERATED, REFERENCES, strict=True):
        metric.update(generated, reference)
    assert float(metric.compute()) == pytest.approx((scores[0] + scores[1] + 0) / 3)
    assert (int(metric.scored), int(metric.empty), int(metric.failed), int(metric.silent)) == (3, 0, 0, 1)
    garbage = KgscoreMetric()
    garbage.update(["The heart is enlarged.", "asdf"], REFERENCES[1:2] * 2)
    assert (float(garbage.compute()), int(garbage.failed), int(garbage.silent), int(garbage.not_understood)) == (0.5, 0, 0, 1)
    halves = [KgscoreMetric(), KgscoreMetric()]
    halves[0].update(GENERATED[:1], REFERENCES[:1])
    halves[1].update(GENERATED[1:], REFERENCES[1:])
    halves[0].merge_state(halves[1])
    assert float(halves[0].compute()) == float(metric.compute())
    assert float(pickle.loads(pickle.dumps(metric)).compute()) == float(metric.compute())
    metric.reset()
    assert int(metric.scored) == 0
    collection = torchmetrics.MetricCollection({"radsem": KgscoreMetric(), "fine": KgscoreMetric("fineradscore")})
    found = collection(GENERATED[1:2], REFERENCES[1:2])
    assert {name: float(value) for name, value in found.items()} == {"radsem": 1.0, "fine": 0.0}
    assert collection["radsem"].higher_is_better
    assert not collection["fine"].higher_is_better
    assert isinstance(metric.total, torch.Tensor)
    with pytest.raises(InputError, match="2 predictions and 1 references"):
        metric.update(["a", "b"], ["a"])


def test_evaluate(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hf")))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    evaluate = pytest.importorskip("evaluate", reason="evaluate is not installed")
    from kgscore.integrations.compute import evaluate_metric

    metric = evaluate_metric("radsem", keep_in_memory=True)
    assert isinstance(metric, evaluate.Metric)
    assert metric.compute(predictions=GENERATED, references=REFERENCES) == compute(predictions=GENERATED, references=REFERENCES)
    for generated, reference in zip(GENERATED, REFERENCES, strict=True):
        metric.add(prediction=generated, reference=reference)
    assert metric.compute()["radsem_scores"] == values()


def test_without_the_library_evaluate_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from kgscore.errors import MissingExtraError
    from kgscore.integrations.compute import evaluate_metric

    monkeypatch.setitem(sys.modules, "evaluate", None)
    with pytest.raises(MissingExtraError, match="the library 'evaluate' is not installed"):
        evaluate_metric()


@pytest.mark.filterwarnings("default")  # of the libraries among themselves
def test_a_trainer_of_trl_takes_the_reward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    trl = pytest.importorskip("trl", reason="trl is not installed")
    import datasets
    import tokenizers
    import transformers

    known = ("<pad>", "<eos>", "<unk>", "Left", "Right", "pleural", "effusion", "No", "pneumothorax", ".", "Report", ":")
    words = {word: at for at, word in enumerate(known)}
    plain = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    plain.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )
    transformers.set_seed(0)
    sizes = {"vocab_size": len(words), "n_embd": 8, "n_layer": 1, "n_head": 1, "n_positions": 32}
    config = transformers.GPT2Config(**sizes, eos_token_id=1, bos_token_id=1)
    rewarded: list[float | None] = []
    reward = Reward(unscored=0.0)

    def noted(completions: list[str], **columns: object) -> list[float | None]:
        found = reward(completions=completions, **columns)
        rewarded.extend(found)
        return found

    trainer = trl.GRPOTrainer(
        model=transformers.GPT2LMHeadModel(config),
        reward_funcs=[noted, reward],
        args=trl.GRPOConfig(
            output_dir=str(tmp_path / "out"), max_steps=1, per_device_train_batch_size=4, num_generations=4,
            max_completion_length=6, report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True,
        ),
        train_dataset=datasets.Dataset.from_list([{"prompt": "Report :", "reference": "Left pleural effusion."}] * 4),
        processing_class=tokenizer,
    )  # fmt: skip
    trainer.train()
    assert len(rewarded) == 4
    assert all(isinstance(value, float) for value in rewarded)
    assert any("kgscore_radsem" in key for entry in trainer.state.log_history for key in entry)
