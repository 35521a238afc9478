"""Drawings of how sentences were read: every tie of the structure is an arc, and arcs of one height do not cross."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.cli import main
from kgscore.engine import Scorer
from kgscore.reading.reader import Reader
from kgscore.reading.reading_svg import drawing_of
from kgscore.reading.structure.values import Place, Statement
from kgscore.reading.trace import Step


@pytest.fixture(scope="module")
def step(scorer: Scorer) -> Step:
    said = (
        Statement(2, "present", (Place((), 1),), (0,)),  # Small left effusion
        Statement(4, "present", (Place((), 1),)),  # with atelectasis
    )
    reader = Reader(scorer.index, scorer.lexicon, lambda sentences: [said] * len(sentences), {})
    return reader.trace("Small left pleural effusion with atelectasis.")[0]


def test_every_tie_is_an_arc_from_its_head(step: Step) -> None:
    drawing = drawing_of(step)
    at = [word.x for word in drawing.words]
    assert [(at.index(arc.start), at.index(arc.end), arc.label) for arc in drawing.arcs] == [
        (2, 1, "side"), (2, 0, "how"), (4, 1, "side"),
    ]  # fmt: skip
    assert [word.status for word in drawing.words][2:5] == ["present", "", "present"]


def test_arcs_of_one_height_do_not_cross(step: Step) -> None:
    arcs = [(min(arc.start, arc.end), max(arc.start, arc.end), arc.top) for arc in drawing_of(step).arcs]
    level = [(one, other) for one in arcs for other in arcs if one < other and one[2] == other[2]]
    assert all(one[1] <= other[0] or other[1] <= one[0] for one, other in level)
    assert len({top for _, _, top in arcs}) > 1


def test_a_page_draws_each_sentence_and_escapes_its_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, page = tmp_path / "a.txt", tmp_path / "a.html"
    report.write_text("TECHNIQUE: One view.\nFINDINGS: Small left effusion <b>.")
    assert main(["read", str(report), "--trace", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "present pleural effusion @ pleural_space (left); small" in text
    assert "no finding: technique" in text
    assert text.count("<path") >= 2
    assert "<b>" not in text
    assert "&lt;b&gt;" in text
    assert main(["read", str(report), "--html", str(page)]) == 2
    assert "--html" in capsys.readouterr().err
