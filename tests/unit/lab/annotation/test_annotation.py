"""Proposed marks, and their way through the forms that tools which annotate read: nothing is lost, what is wrong is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.knowledge import load_knowledge
from kgscore.lab.annotation.brat import read_brat, write_brat
from kgscore.lab.annotation.label_studio import read_label_studio, write_label_studio
from kgscore.lab.annotation.marks import MODALITIES, Marked, as_text, read_marked, read_texts
from kgscore.lab.annotation.propose import propose_marks
from kgscore.lab.annotation.regions import KIND_NAMES, TIES
from kgscore.reading.readers import DEFAULT, reader_of
from kgscore.resources import resource

HARD = """## chest-ct formal
{m1:Nodules} is no finding here; the {f1:cyst} of {s1:apex} of the {d1:left} {s2:lung} and {d2:right} {s3:base} {c1:grew}.
f1 present @ s1+s2(d1) s3(d2) (d2) | c1 m1
f1 past @ s1 s2 s3
f1 possible @ s1(d1) s1(d2) s2

## head-ct list
{f1:Opacity}, likely {f2:tumour}; nothing is said of {s1:bone}.
f1 present
f2 probable @ f1 ~ f1
"""


def said(marked: Marked) -> object:
    """What a marked sentence says, but for the names of its marks and the order and grouping of its places."""
    spans = {mark.id: (mark.kind, mark.start, mark.end) for mark in marked.marks}
    told = {
        (
            spans[one.head], one.status, tuple(spans[n] for n in one.modifiers), tuple(spans[n] for n in one.names),
            (tuple(spans[n] for n in place.sites), place.side and spans[place.side]) if place else None,
        )
        for one in marked.statements
        for place in (one.places or (None,))
    }  # fmt: skip
    return marked.text, marked.modality, marked.register, set(spans.values()), told


def through_brat(sentences: list[Marked], folder: Path) -> list[Marked]:
    text, annotations = write_brat(sentences)
    (folder / "a.txt").write_text(text, encoding="utf-8")
    (folder / "a.ann").write_text(annotations, encoding="utf-8")
    return read_brat(folder / "a.ann", "eye", "list")


def through_label_studio(sentences: list[Marked], folder: Path) -> list[Marked]:
    (folder / "a.json").write_text(write_label_studio(sentences), encoding="utf-8")
    return read_label_studio(folder / "a.json", "eye", "list")


def through_text(sentences: list[Marked], folder: Path) -> list[Marked]:
    (folder / "b.txt").write_text("\n\n".join(map(as_text, sentences)), encoding="utf-8")
    return read_marked(folder / "b.txt")


@pytest.fixture
def sentences(tmp_path: Path) -> list[Marked]:
    (tmp_path / "hard.txt").write_text(HARD, encoding="utf-8")
    return [*read_marked(tmp_path / "hard.txt"), *read_marked(resource("corpus", "bones", "03.txt"))]


@pytest.mark.parametrize("through", [through_text, through_brat, through_label_studio])
def test_nothing_is_lost_on_the_way(
    through: Callable[[list[Marked], Path], list[Marked]], sentences: list[Marked], tmp_path: Path
) -> None:
    again = through(sentences, tmp_path)
    assert len(sentences) > 50
    assert list(map(said, again)) == list(map(said, sentences))


def test_the_configurations_name_every_kind_tie_and_status(sentences: list[Marked]) -> None:
    for name in ("annotation.conf", "label_studio.xml"):
        text = resource("mappings", "annotation", name).read_text(encoding="utf-8")
        assert all(word in text for word in (*KIND_NAMES.values(), *TIES, "presupposed", "unlikely"))


def test_an_annotation_by_a_person_comes_before_the_prediction(tmp_path: Path) -> None:
    task = {
        "data": {"text": "No effusion."},
        "predictions": [{"result": []}],
        "annotations": [
            {"result": [
                {"id": "a", "type": "labels", "value": {"start": 3, "end": 11, "labels": ["Finding"]}},
                {"id": "a", "type": "choices", "value": {"start": 3, "end": 11, "choices": ["absent"]}},
            ]},
            {"was_cancelled": True, "result": []},
        ],
    }  # fmt: skip
    (tmp_path / "a.json").write_text(json.dumps([task]), encoding="utf-8")
    (marked,) = read_label_studio(tmp_path / "a.json", "eye", "list")
    assert as_text(marked) == "## eye list\nNo {f1:effusion}.\nf1 absent"


@pytest.mark.parametrize(
    ("annotations", "wrong"),
    [
        ("T1\tFinding 3 11\teffusion\n", "a.txt:1: the finding at 3 has no status"),
        ("T1\tTumour 3 11\teffusion\n", "a.txt:1: 'Tumour' is not a kind"),
        ("T1\tFinding 3 5;7 9\tef us\n", "a.ann:1: not a contiguous region"),
        ("T1\tSite 3 11\teffusion\nT2\tSide 8 11\tion\n", "a.txt:1: two marks overlap"),
        ("T1\tFinding 3 11\teffusion\nA1\tStatus T1 gone\n", "a.txt:1: .*'gone' is no status"),
    ],
)
def test_what_is_wrong_in_a_brat_file_is_said_with_its_place(annotations: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("No effusion.\n", encoding="utf-8")
    (tmp_path / "a.ann").write_text(annotations, encoding="utf-8")
    with pytest.raises(InputError, match=wrong) as raised:
        read_brat(tmp_path / "a.ann", "eye", "list")
    assert "effusion" not in str(raised.value)


@pytest.mark.parametrize("content", ["text", '{"a": 1}', '[{"data": {}}]', '[{"data": {"text": "a"}, "annotations": [{}]}]'])
def test_a_file_that_is_no_export_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.json: .*export the project as JSON"):
        read_label_studio(tmp_path / "a.json", *(MODALITIES[0], "list"))


def test_a_reader_proposes_marks_that_follow_the_guide(scorer: Scorer, tmp_path: Path) -> None:
    knowledge = load_knowledge()
    reader = reader_of(DEFAULT, scorer.index, scorer.lexicon)
    report = "Technique: one view {AP}.\nSmall left pleural effusion. Heart is enlarged, unchanged.\nNo fracture of the\nrib."
    made = propose_marks(Marked(report, "chest-xray", "dictation", (), (), "a"), reader, knowledge)
    assert list(map(said, through_text(made, tmp_path))) == list(map(said, made))
    assert "{m1:Small} {d1:left} {f1:pleural effusion}.\nf1 present @ (d1) | m1" in as_text(made[1])
    assert made[0].text == "one view (AP)."
    assert made[0].statements == ()
    assert [one.status for marked in made[1:] for one in marked.statements][:3] == ["present", "present", "absent"]


def test_texts_are_marked_without_what_the_reader_does_not_know(scorer: Scorer, tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("## chest-ct model\n## Findings\n\nNo cord or nerve root compression.\nA zork is seen.\n", encoding="utf-8")
    (text,) = read_texts(file)
    made = propose_marks(text, reader_of(DEFAULT, scorer.index, scorer.lexicon), load_knowledge(), sure=True)
    assert [one.text for one in made] == ["No cord or nerve root compression."]
    assert (made[0].modality, made[0].register) == ("chest-ct", "model")
    file.write_text("No heading.\n", encoding="utf-8")
    with pytest.raises(InputError, match="MODALITY REGISTER"):
        read_texts(file)
