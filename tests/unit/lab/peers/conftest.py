"""Small models of the architectures that other people's metrics load, with random or set weights, written to a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

LABELS = ("ABNORMALITY", "ANATOMY", "DISEASE", "NON-ABNORMALITY", "NON-DISEASE")


def _words(texts: Iterable[str]) -> list[str]:
    return sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())} - {"a", "b"})


def bert_tokenizer(folder: Path, texts: Iterable[str]) -> Any:
    """Write a word tokenizer of these texts in BERT's form."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    # RadGraph's package tries its tokenizer on the words a and b.
    vocabulary = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", *_words(texts)])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    whole = PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
        model_max_length=512,
    )  # fmt: skip
    whole.save_pretrained(folder)
    return whole


_SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}


def entities(folder: Path, texts: Iterable[str], seed: int = 0) -> Path:
    """Write a DeBERTa-v2 that tags tokens (RaTE-NER-Deberta), with random weights."""
    import torch
    from transformers import DebertaV2Config, DebertaV2ForTokenClassification

    torch.manual_seed(seed)
    tokenizer = bert_tokenizer(folder, texts)
    names = ["O", *(f"{mark}-{label}" for label in LABELS for mark in "BI")]
    config = DebertaV2Config(
        vocab_size=len(tokenizer), **_SIZE, initializer_range=0.5, id2label=dict(enumerate(names)),
        label2id={name: at for at, name in enumerate(names)},
    )  # fmt: skip
    DebertaV2ForTokenClassification(config).save_pretrained(folder)
    return folder


def encoder(folder: Path, texts: Iterable[str], kind: str = "mpnet") -> Path:
    """Write an encoder with random weights: MPNet (BioLORD), BERT (RadGraph) or DistilBERT (RadEval's BERTScore)."""
    import torch
    from transformers import AutoModel, BertConfig, DistilBertConfig, MPNetConfig

    torch.manual_seed(0)
    size = len(bert_tokenizer(folder, texts))
    config: Any = {
        "mpnet": lambda: MPNetConfig(vocab_size=size, **_SIZE, pad_token_id=0),
        "bert": lambda: BertConfig(vocab_size=size, **_SIZE),
        "distilbert": lambda: DistilBertConfig(vocab_size=size, dim=32, hidden_dim=48, n_layers=6, n_heads=2),
    }[kind]()
    AutoModel.from_config(config).save_pretrained(folder)
    return folder


def speaker(folder: Path, answer: str | None) -> Path:
    """Write a Llama. Its weights are random (`answer` None), or set so that it says this one answer and ends, whatever it is
    asked: layers that add nothing, and an output that follows the last token alone."""
    import torch
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers
    from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    torch.manual_seed(0)
    made = Tokenizer(models.WordLevel({"<unk>": 0, "<s>": 1, "</s>": 2, "effusion": 3, "no": 4}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>", bos_token="<s>", eos_token="</s>")
    tokenizer.pad_token = "</s>"
    tokenizer.add_tokens([AddedToken("<|assistant|>", normalized=False), AddedToken(answer or "never", normalized=False)])
    tokenizer.chat_template = (
        "{% for m in messages %}{{ m['content'] }} {% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
    )
    config = LlamaConfig(
        vocab_size=len(tokenizer), **_SIZE, max_position_embeddings=16384, bos_token_id=1, eos_token_id=2, pad_token_id=2,
        tie_word_embeddings=False,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    if answer is not None:
        with torch.no_grad():
            for layer in model.model.layers:
                layer.self_attn.o_proj.weight.zero_()
                layer.mlp.down_proj.weight.zero_()
            model.model.embed_tokens.weight.copy_(torch.eye(len(tokenizer), 32))
            model.lm_head.weight.zero_()
            said = tokenizer.convert_tokens_to_ids(answer)
            model.lm_head.weight[said] = 1.0
            model.lm_head.weight[said, said] = -9.0
            model.lm_head.weight[2, said] = 9.0
    model.generation_config = GenerationConfig(
        max_new_tokens=8, do_sample=False, bos_token_id=1, eos_token_id=2, pad_token_id=2
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def radgraph(folder: Path, texts: Iterable[str], model_type: str = "radgraph-xl") -> Path:
    """Write a model of RadGraph's parser (DyGIE over BERT) with random weights, as its package lays it out."""
    import torch
    from dotmap import DotMap
    from radgraph.allennlp.data import Vocabulary
    from radgraph.allennlp.modules import text_field_embedders, token_embedders
    from radgraph.dygie.models import dygie

    model = folder / model_type
    bert = str(encoder(folder / "bert", texts, "bert"))
    (model / "vocabulary").mkdir(parents=True)
    marks = {
        "ner": ("", "Anatomy::definitely present", "Observation::definitely present", "Observation::definitely absent"),
        "relation": ("modify", "located_at", "suggestive_of"),
    }
    (model / "vocabulary" / "non_padded_namespaces.txt").write_text("*labels\n*tags\n")
    for kind, labels in marks.items():
        (model / "vocabulary" / f"{model_type}__{kind}_labels.txt").write_text("".join(f"{label}\n" for label in labels))
    architecture = {
        "feature_size": 4, "max_span_width": 3, "target_task": "relation",
        "feedforward_params": {"num_layers": 1, "hidden_dims": 16, "dropout": 0.0},
        "loss_weights": {"ner": 1.0, "relation": 1.0, "coref": 0.0, "events": 0.0},
        "modules": {
            "ner": {}, "relation": {"spans_per_word": 0.5}, "coref": {"spans_per_word": 0.3, "max_antecedents": 5},
            "events": {
                "trigger_spans_per_word": 0.3, "argument_spans_per_word": 0.8, "loss_weights": {"trigger": 1, "arguments": 1},
            },
        },
    }  # fmt: skip
    embedder = {"token_embedders": {"bert": {"model_name": bert, "max_length": 64}}}
    indexer = {"bert": {"model_name": bert, "max_length": 64}}
    written = {
        "vocabulary": {}, "dataset_reader": {"max_span_width": 3, "token_indexers": indexer},
        "model": {"type": "dygie", "embedder": embedder, "initializer": {}, "module_initializer": {}, **architecture},
    }  # fmt: skip
    (model / "config.json").write_text(json.dumps(written))
    torch.manual_seed(0)
    bert_embedder = token_embedders.PretrainedTransformerMismatchedEmbedder(model_name=bert, max_length=64)
    whole = dygie.DyGIE(
        vocab=Vocabulary.from_files(str(model / "vocabulary")),
        embedder=text_field_embedders.BasicTextFieldEmbedder({"bert": bert_embedder}), **DotMap(architecture),
    )  # fmt: skip
    torch.save(whole.state_dict(), model / "weights.th")
    return folder


@pytest.fixture
def tiny() -> SimpleNamespace:
    """Give the functions that write small models: entities, encoder, speaker, radgraph."""
    return SimpleNamespace(entities=entities, encoder=encoder, speaker=speaker, radgraph=radgraph)
