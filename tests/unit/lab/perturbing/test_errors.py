"""Errors of known kinds: what each changes, and nothing else; the forms that the benchmarks read."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from kgscore.lab.perturbing.edits import Edit, apply_edits
from kgscore.lab.perturbing.inventions import Inserter
from kgscore.lab.perturbing.means import Means
from kgscore.lab.perturbing.sets import CLINICAL, ERRORS, KINDS, Unfit, headct
from kgscore.lab.perturbing.sets import rexerr as errors_in
from kgscore.lab.perturbing.source import Draft, parse_source
from tests.unit.lab.perturbing.conftest import CHEST, REPORTS

FEW = {
    "change_side": ("Small left pleural effusion.", {"Small right pleural effusion."}, (3,)),
    "change_location": ("Consolidation in the right upper lobe.", {"Consolidation in the right lower lobe."}, (3,)),
    "change_severity from the end": ("Massive left effusion.", {"Small left effusion."}, (4,)),
    "change_severity": ("Mild hydronephrosis.", {"Moderate hydronephrosis.", "Severe hydronephrosis."}, (4,)),
    "change_descriptor": ("Acute left effusion.", {"Chronic left effusion.", "Remote left effusion."}, (4,)),
    "change_measurement": ("4 mm nodule in the left lung.", {f"{n} mm nodule in the left lung." for n in (2, 8, 12)}, (4,)),
    "change_comparison": ("Left effusion, unchanged.", {"Left effusion, increased.", "Left effusion, decreased."}, (5, 6)),
    "omit_comparison": ("Left pleural effusion, unchanged from prior.", {"Left pleural effusion."}, (6,)),
    "change_device": ("Right PICC in the axilla.", {"Right subclavian central venous catheter in the axilla."}, (1, 2)),
    "wrong_finding": ("Right subdural hematoma.", {"Right epidural hematoma."}, (1, 2)),
    "change_certainty": ("Probable pneumonia.", {"Possible pneumonia."}, ()),
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(FEW))
def test_an_error_of_words(inserter: Inserter, means: Means, kind: str) -> None:
    text, wanted, categories = FEW[kind]
    kind = kind.split()[0]
    draft = inserter.insert(Draft(parse_source(text, means.read, means.lexicon)), [kind], 1, "0")
    assert draft.text in wanted
    (change,) = draft.changes
    assert (change.kind, change.categories) == (kind, categories)
    assert text[change.span[0] : change.span[1]] == change.before
    assert change.severity in (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("change_side", "Opacity in the right middle lobe."),  # there is none on the left
        ("change_side", "The heart is enlarged."),
        ("change_measurement", "Small effusion."),
        ("change_comparison", "Pacemaker leads, unchanged."),
        ("add_comparison", "No effusion."),
        ("omission", "The heart is enlarged."),  # nothing would be left
    ],
)
def test_an_error_that_does_not_fit_is_not_put_in(inserter: Inserter, means: Means, kind: str, text: str) -> None:
    assert not inserter.insert(Draft(parse_source(text, means.read, means.lexicon)), [kind], 1, "0").changes


@pytest.mark.parametrize("kind", ["false_prediction", "add_device"])
def test_what_is_invented_is_neither_said_nor_denied(inserter: Inserter, means: Means, kind: str) -> None:
    source = parse_source(CHEST, means.read, means.lexicon)
    for seed in range(2):
        draft = inserter.insert(Draft(source), [kind], 1, str(seed))
        delta = means.delta(source.reading.findings, means.read(draft.text).findings)
        assert not delta.lost
        assert delta.gained
        assert all(f.asserts and not means.agrees(f, source.reading.findings) for f in delta.gained)
        assert not any(means.turned(f, source.reading.findings) for f in delta.gained)


@pytest.fixture(scope="module", params=sorted(REPORTS))
def rexerr(request: pytest.FixtureRequest, inserter: Inserter, means: Means) -> tuple[str, dict[str, Any]]:
    text = REPORTS[request.param]
    return text, errors_in(inserter, parse_source(text, means.read, means.lexicon), f"0 {request.param}", CLINICAL, 3)


def test_corrections_turn_the_candidate_into_the_reference(rexerr: tuple[str, dict[str, Any]], means: Means) -> None:
    text, made = rexerr
    lines: list[str | None] = list(made["candidate"])
    for due in made["expected"]:
        if due["line"] is None:
            lines.append(due["new_text"])
        else:
            lines[due["line"]] = due["new_text"] or None
        assert due["severity"] in (1, 2, 3, 4)
        assert due["categories"]
    assert means.same(means.read(text).findings, "\n".join(line for line in lines if line))


def test_the_record_of_errors_makes_the_report(rexerr: tuple[str, dict[str, Any]]) -> None:
    text, made = rexerr
    assert apply_edits(text, [Edit(**edit) for edit in made["changed"]["edits"]]) == made["error_report"]
    assert made["errors_sampled"] == [change["kind"] for change in made["changed"]["changes"]]
    assert len(made["errors_sampled"]) == len(made["expected"]) == 3


def test_slips_are_no_errors_of_meaning(inserter: Inserter, means: Means) -> None:
    made = errors_in(inserter, parse_source(CHEST, means.read, means.lexicon), "0", ["typo", "repetition"], 2)
    assert made["errors_sampled"]
    assert made["expected"] == []
    assert set(CLINICAL) < set(KINDS)


def test_variants_have_errors_of_their_kind_only(inserter: Inserter, means: Means) -> None:
    source = parse_source(CHEST, means.read, means.lexicon)
    made = headct(inserter, source, "0 chest")
    assert means.same(source.reading.findings, made["rephrased"])
    kinds = {name: {change["kind"] for change in made["changed"][name]["changes"]} for name in ERRORS}
    assert kinds["anat_error"] <= {"change_side", "change_location"}
    assert kinds["obs_error"] <= {"omission", "false_prediction", "false_negation"}
    assert all(1 <= len(made["errors"][name]) <= 3 for name in ERRORS)
    sided = means.read(made["anat_error"]).findings
    assert sorted(f.concept or "" for f in sided) == sorted(f.concept or "" for f in source.reading.findings)


def test_a_report_without_sides_or_sites_has_no_errors_of_anatomy(inserter: Inserter, means: Means) -> None:
    with pytest.raises(Unfit, match="anat_error"):
        headct(inserter, parse_source("The heart is mildly enlarged. There is no mass.", means.read, means.lexicon), "0")


def test_sizes_never_stay(inserter: Inserter, means: Means) -> None:
    from kgscore.lab.perturbing.errors import _NUMBER, _scaled_number

    for number in ("1", "0.5", "4", "33", "2.4"):
        for factor in (0.5, 1.5, 2, 3):
            assert float(_NUMBER.sub(partial(_scaled_number, factor), number)) not in (0, float(number))
