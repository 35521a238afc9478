"""FHIR R4 DiagnosticReport as input, and pairs from two files."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from kgscore.io.fhir import reports_of
from kgscore.io.records import BadRecord, Record, read_records
from kgscore.results.sql import ask
from kgscore.runs.batch import Settings, score_source
from kgscore.runs.input import Source, join_by_id

TEXT = "FINDINGS: Small left pleural effusion.\nIMPRESSION: Effusion."


def encoded(text: str, charset: str = "utf-8") -> str:
    return base64.b64encode(text.encode(charset)).decode()


def form(text: str, kind: str = "text/plain", charset: str = "utf-8") -> dict[str, str]:
    return {"contentType": kind, "data": encoded(text, charset)}


PDF = {"contentType": "application/pdf", "data": "AAAA"}
HTML = "<p>One &lt; two</p><style>p{}</style><p>Three</p>"
DIV = "<div><h3>Findings</h3><ul><li>No effusion.</li><li>Normal heart.</li></ul></div>"


def report(**more: Any) -> dict[str, Any]:
    return {"resourceType": "DiagnosticReport", "id": "d1", "status": "final", "code": {"text": "XR chest"}, **more}


def only(resource: dict[str, Any]) -> Any:
    ((_, row),) = reports_of(resource)
    return row


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"presentedForm": [form(TEXT)]}, TEXT),
        ({"presentedForm": [form("Größe 3 mm", "text/plain; charset=iso-8859-1", "latin-1")]}, "Größe 3 mm"),
        ({"presentedForm": [PDF, form("A.")]}, "A."),
        ({"presentedForm": [form(HTML, "text/html")]}, "One < two\nThree"),
        ({"text": {"status": "generated", "div": DIV}}, "Findings\nNo effusion.\nNormal heart."),
        ({"conclusion": "No effusion."}, "IMPRESSION: No effusion."),
        ({"conclusion": "no  EFFUSION.", "text": {"div": "<div>Clear. No effusion</div>"}}, "Clear. No effusion"),
        ({"conclusion": "Stable.", "text": {"div": "<div>No effusion.</div>"}}, "No effusion.\nIMPRESSION: Stable."),
        ({"presentedForm": [form("A.")], "text": {"div": "<div>Summary</div>"}}, "A."),
    ],
)
def test_the_words_of_a_report(more: dict[str, Any], words: str) -> None:
    assert only(report(**more))["report"] == words


def test_what_goes_along_with_a_report() -> None:
    row = only(
        report(
            conclusion="Normal.", identifier=[{"system": "urn:acc", "value": "A-1"}], subject={"reference": "Patient/7"},
            category=[{"coding": [{"code": "RAD", "display": "Radiology"}]}], effectiveDateTime="2024-02-03",
        )
    )  # fmt: skip
    assert row == {
        "id": "A-1", "report": "IMPRESSION: Normal.", "resource": "d1", "status": "final", "code": "XR chest",
        "category": "Radiology", "patient": "Patient/7", "effective": "2024-02-03",
    }  # fmt: skip
    assert only(report(conclusion="Normal."))["id"] == "d1"


@pytest.mark.parametrize(
    ("resource", "said"),
    [
        (report(), "holds no presentedForm, text or conclusion; give its words as presentedForm of text/plain"),
        (report(presentedForm=[PDF]), "holds only presentedForm of application/pdf"),
        (report(presentedForm=[{"contentType": "text/plain", "data": "not base64!"}]), "is not base64 of text"),
        (report(presentedForm=[form("ÿþÿ", charset="latin-1")]), "is not base64 of text"),
        (report(status="entered-in-error", conclusion="x"), "has status 'entered-in-error'; leave it out"),
        ({"resourceType": "Patient", "id": "1"}, "the resource is a Patient; give DiagnosticReport"),
        ({"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Patient"}}]}, "the Bundle contains no"),
        ({"resourceType": "Bundle", "entry": "x"}, "the Bundle contains no DiagnosticReport"),
    ],
)
def test_what_is_wrong_with_a_resource_is_one_line(resource: dict[str, Any], said: str) -> None:
    row = only(resource)
    assert isinstance(row, str)
    assert said in row


def test_one_resource_a_bundle_and_lines(tmp_path: Path) -> None:
    one, other = report(conclusion="No effusion."), report(id="d2", conclusion="Cardiomegaly.")
    entries = [{"resource": {"resourceType": "Patient"}}, {"resource": one}, {"resource": other}]
    bundle = {"resourceType": "Bundle", "entry": entries}
    (tmp_path / "one.json").write_text(json.dumps(one, indent=2))
    (tmp_path / "bundle.json").write_text(json.dumps(bundle, indent=2))
    (tmp_path / "list.json").write_text(json.dumps([one, other, 3], indent=2))
    (tmp_path / "export.ndjson").write_text(json.dumps(one) + "\n" + json.dumps(other) + "\n")
    found = {path.name: list(read_records(str(path), ("report",))) for path in tmp_path.iterdir()}
    assert [record.id for record in found["one.json"]] == ["d1"]
    assert [record.id for record in found["bundle.json"]] == ["d1", "d2"]
    assert found["bundle.json"][0].where == f"{tmp_path / 'bundle.json'}:1: entry 2, DiagnosticReport/d1"
    assert [record.id for record in found["list.json"]] == ["d1", "d2", None]
    assert "not an object" in found["list.json"][2].reason
    said = [record.fields["report"] for record in found["export.ndjson"]]
    assert said == ["IMPRESSION: No effusion.", "IMPRESSION: Cardiomegaly."]


def test_a_json_file_of_plain_lines_or_one_object_is_read_as_before(tmp_path: Path) -> None:
    path = tmp_path / "reports.json"
    path.write_text('{"id": "a", "report": "x"}\n{"id": "b", "report": "y"}\nbroken\n')
    records = list(read_records(str(path), ("report",)))
    assert [record.id for record in records] == ["a", "b", None]
    assert isinstance(records[2], BadRecord)
    path.write_text('{\n"id": "a",\n"report": "x"}')
    assert [record.id for record in read_records(str(path), ("report",))] == ["a"]


def test_two_files_are_joined_by_id(tmp_path: Path) -> None:
    references, candidates = tmp_path / "references.ndjson", tmp_path / "candidates.csv"
    references.write_text(
        "".join(json.dumps(report(id=id, conclusion=f"Report {id}.")) + "\n" for id in "abc") + json.dumps(report(id="e")) + "\n"
    )
    candidates.write_text("id,report,model\nb,Bee,m\na,Ay,m\nz,Zed,m\n,None,m\n")
    found = list(join_by_id(str(references), str(candidates)))
    good = [record for record in found if isinstance(record, Record)]
    assert [(record.id, record.fields["reference"], record.fields["candidate"]) for record in good] == [
        ("a", "IMPRESSION: Report a.", "Ay"), ("b", "IMPRESSION: Report b.", "Bee"),
    ]  # fmt: skip
    assert good[0].extra["code"] == "XR chest"
    assert [(record.id, record.reason.split(";")[0].split(" in /")[0]) for record in found if isinstance(record, BadRecord)] == [
        ("c", "no report of this id"), ("e", "the DiagnosticReport holds no presentedForm, text or conclusion"),
        ("z", "no report of this id"), ("", "no report of this id"),
    ]  # fmt: skip


def test_a_run_of_two_files_resumes_and_keeps_the_columns(tmp_path: Path) -> None:
    one, other = tmp_path / "r.jsonl", tmp_path / "c.jsonl"
    one.write_text("".join(json.dumps({"id": str(n), "report": "No effusion.", "site": "s"}) + "\n" for n in range(3)))
    other.write_text("".join(json.dumps({"id": str(n), "report": "No effusion."}) + "\n" for n in range(2)))
    settings = Settings()
    stream = score_source(Source(str(one), str(other)), settings, out=tmp_path / "run")
    assert [outcome.status for outcome in stream] == ["scored", "scored", "failed"]
    rows = ask(tmp_path / "run", "SELECT input, fields->>'site' AS site, status FROM cases JOIN runs USING (run)").rows()
    assert {row["site"] for row in rows} == {"s"}
    assert rows[0]["input"] == f"{one} + {other}"


def test_cells_of_a_table_are_words_apart() -> None:
    div = "<div><table><tr><th>Heart</th><td>enlarged</td></tr><tr><td>Lungs</td><td>clear</td></tr></table></div>"
    resource = {"resourceType": "DiagnosticReport", "id": "r", "status": "final", "text": {"div": div}}
    ((_, row),) = reports_of(resource)
    assert [line.split() for line in row["report"].splitlines()] == [["Heart", "enlarged"], ["Lungs", "clear"]]


def test_a_resource_that_cannot_be_used_keeps_its_id(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"resourceType": "DiagnosticReport", "id": "r7", "status": "cancelled"}))
    (bad,) = read_records(str(path), ("report",))
    assert isinstance(bad, BadRecord)
    assert (bad.id, bad.where) == ("r7", f"{path}:1: DiagnosticReport/r7")
