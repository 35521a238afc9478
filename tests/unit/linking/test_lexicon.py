"""The lexicon: longest match, articles and sides passed over, several meanings kept, bad cue files named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.errors import OntologyError
from kgscore.linking.build import build_lexicon
from kgscore.linking.cues import read_cues, table
from kgscore.linking.lexicon import best_of_each_type
from kgscore.ontology.index import Concept
from kgscore.ontology.load import load_turtle
from kgscore.reading.tokens import phrase_key, tokenize
from kgscore.resources import resource


def mentions(scorer: Scorer, text: str) -> list[tuple[str, str | None]]:
    """Return (id, side) of the forms that are known."""
    found = scorer.lexicon.scan(tokenize(text))
    return [(mention.form.types[mention.form.kind].id, mention.side) for mention in found if mention.form is not None]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("pleural effusion", ["pleural_effusion"]),
        ("wall of the gallbladder", ["gallbladder_wall"]),  # "gallbladder wall" is listed
        ("of the superior mesenteric vein", ["in", "superior_mesenteric_vein"]),  # "superior mesenteric a" is, but no "a of" it
        ("pericardial effusion", ["pericardial_effusion"]),
        ("superior vena cava", ["superior_vena_cava"]),
        ("enlargement of the heart", ["enlargement", "in", "heart"]),
        ("ground-glass opacity", ["ground_glass_opacity"]),
        ("GROUND GLASS OPACITIES", ["ground_glass_opacity"]),
        ("left upper lobe", ["left", "upper_lobe"]),
        ("blorf quux", []),
    ],
)
def test_the_longest_form_wins(scorer: Scorer, text: str, ids: list[str]) -> None:
    assert [id for id, _ in mentions(scorer, text)] == ids


def test_a_side_inside_a_name_is_heard(scorer: Scorer) -> None:
    assert mentions(scorer, "head of left humerus") == [*mentions(scorer, "head of humerus")[:-1], ("humeral_head", "left")]


@pytest.mark.parametrize(("form", "id", "side"), [("RLL", "lower_lobe", "right"), ("LUL", "upper_lobe", "left")])
def test_an_abbreviation_may_imply_a_side(scorer: Scorer, form: str, id: str, side: str) -> None:
    assert {(e.id, e.side) for e in scorer.lexicon.lookup(phrase_key(form)) if e.type == "A"} == {(id, side)}


def test_lookup_takes_the_whole_form_and_nothing_else(scorer: Scorer) -> None:
    lexicon = scorer.lexicon
    assert {e.id for e in lexicon.lookup(phrase_key("Haematomas of the subdural space"))} <= {"subdural_hematoma"}
    assert "pleural_effusion" in {e.id for e in lexicon.lookup(phrase_key("pleural effusions"))}
    assert lexicon.lookup(["pleural", "effusion", "blorf"]) == ()
    assert lexicon.lookup(["blorf"]) == ()


def test_labels_of_structures_and_findings_can_be_found(
    scorer: Scorer, some: Callable[[list[Concept], int], list[Concept]]
) -> None:
    told = [concept for concept in scorer.index.concepts.values() if concept.kind in ("anatomy", "findings", "devices")]
    lost = [
        concept.id
        for concept in some(told, 1500)
        if any(item.kind == "W" for step in scorer.reader.trace(f"There is {concept.label}.") for item in step.items)
    ]
    assert lost == []


def test_the_region_spoken_of_chooses_between_entries_of_one_type(scorer: Scorer) -> None:
    contested = (form.entries for form in scorer.lexicon.phrases.values() if form and form.contested)
    entries = next(entries for entries in contested if len({e.module for e in entries if e.type == entries[0].type}) > 1)
    rivals = [e for e in entries if e.type == entries[0].type]
    for rival in rivals:
        chosen = best_of_each_type(entries, {rival.module: 99})[rival.type]
        assert chosen.module == rival.module


def test_the_cue_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cues.txt"
    path.write_text("# remark\n\nneg | | no; without\nhedge | possible | may be\n", encoding="utf-8")
    assert read_cues(path) == [("neg", "", "no"), ("neg", "", "without"), ("hedge", "possible", "may be")]


def test_a_frame_stands_for_its_wordings(tmp_path: Path) -> None:
    path = tmp_path / "cues.txt"
    path.write_text("words | sure | clear; definite\nneg | | {no/without} [<sure>] sign of; nil\n", encoding="utf-8")
    assert [form for _, _, form in read_cues(path)] == [
        "no clear sign of", "no definite sign of", "no sign of",
        "without clear sign of", "without definite sign of", "without sign of", "nil",
    ]  # fmt: skip


def test_words_that_no_line_gives_are_named(tmp_path: Path) -> None:
    path = tmp_path / "cues.txt"
    path.write_text("neg | | no [<sure>] sign of\n", encoding="utf-8")
    with pytest.raises(OntologyError, match=r"cues\.txt.*neg.*sure"):
        read_cues(path)


def test_a_form_is_a_cue_of_one_class_and_value_or_of_classes_that_stand_apart() -> None:
    forms: dict[tuple[str, str], set[str]] = {}
    for kind, value, form in read_cues(resource("mappings", "reading") / "cues.txt"):
        forms.setdefault((kind, form), set()).add(value)
    assert {key: values for key, values in forms.items() if len(values) > 1} == {}


@pytest.mark.parametrize("line", ["neg | no", "neg", "neg | | no | more"])
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "cues.txt"
    path.write_text(f"# remark\n{line}\n", encoding="utf-8")
    with pytest.raises(OntologyError, match=r"cues\.txt:2: "):
        table(path)


def test_which_meaning_comes_first_does_not_depend_on_the_order_of_terms() -> None:
    terms = load_turtle(resource("ontologies"))
    cues = resource("mappings", "reading") / "cues.txt"
    forward, backward = build_lexicon(terms, cues), build_lexicon(terms[::-1], cues)
    assert forward.phrases.keys() == backward.phrases.keys()
    ordered = {words: form.entries for words, form in forward.phrases.items() if form is not None}
    assert ordered == {words: form.entries for words, form in backward.phrases.items() if form is not None}
    assert sum(len(entries) > 1 for entries in ordered.values()) > 500


def test_a_plural_that_says_both_does_not_take_the_singular(scorer: Scorer) -> None:
    entries = scorer.lexicon.lookup(phrase_key("upper lobe"))
    assert next((entry.id, entry.side) for entry in entries if entry.type == "A") == ("upper_lobe", None)
    assert [finding.side for finding in scorer.read("Nodule in the right upper lobe.").findings] == ["right"]
