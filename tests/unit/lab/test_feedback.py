"""Feedback from the pages: what people say of the errors of a verdict, as figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgscore.errors import InputError
from kgscore.io.records import BadRecord
from kgscore.lab.bench import program
from kgscore.lab.correlation import kappa
from kgscore.lab.fitting.rated import RatedTable
from kgscore.lab.ratings import error_counts, read_feedback, read_ratings

LINES: list[dict[str, Any]] = [
    {"id": "a", "by": "AB", "kind": "missed", "what": "cardiomegaly", "tier": 2, "number": 0, "agree": False},
    {"id": "a", "by": "AB", "kind": "missed", "what": "cardiomegaly", "tier": 2, "number": 0, "agree": True, "note": "mild"},
    {"id": "a", "by": "AB", "kind": "invented", "what": "rib fracture", "tier": 1, "number": 1, "agree": False},
    {"id": "a", "by": "AB", "kind": "added", "what": "nodule", "tier": 3, "number": 0},
    {"id": "a", "by": "AB", "kind": "case"},
    {"id": "a", "by": "CD", "kind": "missed", "what": "cardiomegaly", "tier": 2, "number": 0, "agree": True},
    {"id": "a", "by": "CD", "kind": "invented", "what": "rib fracture", "tier": 1, "number": 1, "agree": True},
    {"id": "b", "by": "AB", "kind": "case"},
    {"id": "b", "by": "AB", "kind": "wrong", "what": "effusion", "tier": 2, "number": 0, "agree": False},
    {"id": "b", "by": "CD", "kind": "wrong", "what": "effusion", "tier": 2, "number": 0, "agree": False},
    {"id": "b", "by": "CD", "kind": "case"},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "feedback.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in LINES), encoding="utf-8")
    return path


def test_errors_are_counted_for_cases_judged_in_full_and_averaged_over_readers(file: Path) -> None:
    lines = read_feedback(file)
    assert len(lines) == len(LINES) - 1  # of two on one error by one reader the last counts
    assert error_counts(lines) == {"a": {"total": 2, "significant": 2}, "b": {"total": 0, "significant": 0}}


def test_people_are_set_against_the_verdict_and_each_other(file: Path) -> None:
    figures = program("feedback").run(file)
    everyone = figures["verdict"]["all"]
    assert (everyone["judged"], everyone["named are right"], everyone["errors are named"]) == (6, 0.5, 0.75)
    assert figures["verdict"]["reader: CD"]["named are right"] == pytest.approx(0.667)
    both = figures["people"]["AB and CD"]
    assert (both["agreement"], both["kappa"]) == (0.667, 0.4)
    assert both["intervals"]["agreement"] == [0.5, 1.0]


def test_kappa_is_that_of_a_textbook() -> None:
    """45 and 15 of 100 alike, 25 and 15 not: .60 observed, .54 by chance."""
    said = np.repeat([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [45, 15, 25, 15], axis=0)
    assert kappa(*said.T)[0] == pytest.approx((0.60 - 0.54) / (1 - 0.54))
    assert np.isnan(kappa(said[:45, 0], said[:45, 1])[0])


def test_correlate_and_fit_take_it_for_error_counts(file: Path, tmp_path: Path) -> None:
    ratings = read_ratings(file)
    assert ratings.columns["significant"] == {"a": 2.0, "b": 0.0}
    assert ratings.lower == ("total", "significant")
    table = tmp_path / "pairs.jsonl"
    table.write_text("".join(f'{{"id": "{id}", "reference": "R.", "candidate": "C."}}\n' for id in "abc"), encoding="utf-8")
    pairs = list(RatedTable(str(table), feedback=file).pairs())
    assert [(one.id, one.ratings["total"]) for one in pairs if not isinstance(one, BadRecord)] == [("a", 2.0), ("b", 0.0)]


@pytest.mark.parametrize(
    ("change", "said"),
    [({"kind": "perhaps"}, "line has id"), ({"tier": 5}, "'tier'"), ({"agree": "yes"}, "'agree'"), ({"number": "1"}, "'number'")],
)
def test_a_line_of_another_form_is_refused_with_its_place(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f"{json.dumps(LINES[0])}\n{json.dumps(LINES[0] | change)}\n", encoding="utf-8")
    with pytest.raises(InputError, match=said) as found:
        read_feedback(path)
    assert ":2" in str(found.value)
