"""Explanations and tables say everything in plain words."""

from __future__ import annotations

from rich.console import Console

from kgscore.model import Finding, Link, PairResult, Reading, Relation, Score
from kgscore.report.text import explain, table, to_plain
from kgscore.results.outcome import Outcome

REFERENCE = "Small left effusion. No pneumothorax. Enlarged heart."
CANDIDATE = "Effusion on the left. Pneumothorax. A wobbly thing."
RESULT = PairResult(
    "case-1", "scored", {"radsem": Score("radsem", "scored", 0.3125, parts={"matched": 0.5})},
    Reading(
        (
            Finding("Small left effusion", 0, 19, "pleural_effusion", "effusion", ("pleural_space",), "left"),
            Finding("No pneumothorax", 21, 36, "pneumothorax", "pneumothorax", status="absent"),
            Finding("Enlarged heart", 38, 52, "cardiomegaly", "enlarged heart"),
        )
    ),
    Reading(
        (
            Finding("Effusion on the left", 0, 20, "pleural_effusion", "effusion", ("pleural_space",), "left"),
            Finding("Pneumothorax", 22, 34, "pneumothorax", "pneumothorax", certainty="probable"),
            Finding("A wobbly thing", 36, 50, None, "wobbly thing"),
        )
    ),
    links=(Link(0, 0, Relation("equivalent", "equivalent", "equivalent", "none", 0.5, ("left = left",)), 0.5),),
    contradictions=(Link(1, 1, Relation("contradiction", proof=("pneumothorax is denied", "and asserted"))),),
    unmatched_reference=(1, 2),
    unmatched_candidate=(1, 2),
)


def words(concept: str) -> str:
    return concept.replace("_", " ")


def test_an_explanation_names_every_credit_and_penalty() -> None:
    text = to_plain(explain(RESULT, words, reference=REFERENCE, candidate=CANDIDATE))
    for said in (
        "case-1", "radsem 0.312", "Small left effusion[R1]", "A wobbly thing[C3]", "Agrees in part (1)",
        "credit 0.500 — same place, same finding, details differ", "because left = left", "Contradicts (1)",
        "both cannot be true", "because pneumothorax is denied", "Missed", "Enlarged heart”  characters 38–52",
        "[cardiomegaly]", "Invented", "“wobbly thing” (not in the ontology)", "contradicted above", "probable",
        "How radsem adds up",
    ):
        assert said in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_an_explanation_is_coloured_on_a_terminal() -> None:
    console = Console(force_terminal=True, color_system="truecolor", width=140, legacy_windows=False)
    with console.capture() as capture:
        console.print(explain(RESULT, words, reference=REFERENCE, candidate=CANDIDATE))
    assert "\x1b[" in capture.get()


def test_report_text_is_never_markup() -> None:
    result = PairResult("[bold]x[/]", "empty", {}, Reading(()), Reading(()), reason="no findings in [red]")
    text = to_plain(explain(result, words, reference="[link=x]No[/] effusion [/]", candidate=""))
    assert "[link=x]No[/] effusion [/]" in text
    assert "[bold]x[/]" in text
    assert "(no text)" in text


def test_a_table_counts_every_status_and_means_leave_out_what_has_no_score() -> None:
    rows = [
        Outcome("a", "scored", {"radsem": 1.0}, ""),
        Outcome("b", "scored", {"radsem": 0.5}, ""),
        Outcome("c", "empty", {"radsem": None}, "no findings in the candidate"),
        Outcome(None, "failed", {"radsem": None}, "the line is not JSON"),
    ]
    text = to_plain(table(rows))
    assert "4 pairs: 2 scored, 1 empty, 1 failed" in text
    assert "mean radsem of the 2 pairs with a score: 0.750" in text
    assert "no findings in the candidate" in text
    assert "–" in text
