"""Forms that are no pairs with ratings: injected errors, preferences, codes and marked sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.errors import InputError
from kgscore.io.records import BadRecord
from kgscore.lab.published.bioscope import read_sentences
from kgscore.lab.published.downloads import recognise_layout
from kgscore.lab.published.iu_xray import Coded, matches, read_coded
from kgscore.lab.published.preferences import Preference, read_preferences, scale_of
from kgscore.lab.published.rexerr import Injected, read_errors
from kgscore.resources import resource

SHIPPED = resource("examples", "published")


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_sentence_is_put_back_into_its_report_also_where_it_was_added_or_left_out() -> None:
    found = {one.id: one for one in read_errors(SHIPPED / "rexerr") if isinstance(one, Injected)}
    whole = "Mild pulmonary edema. Nodule of 8 mm in the left upper lobe."
    assert (found["sentence r3 3"].original, found["sentence r3 3"].kinds) == (whole, ("add medical device",))
    assert found["sentence r3 3"].changed == f"{whole} There is a chest tube on the right."
    assert found["sentence r2 1"].changed == "Endotracheal tube tip above the carina."
    assert found["sentence r1 2"].kinds == ()  # reworded, no error
    assert "sentence r4 2" not in found  # neither with nor without an error
    assert found["report r1"].kinds == ("change location", "false prediction")


def test_rows_of_errors_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x.csv", "study_id,original_sentence,error_sentence,error_present,error_type\n1,a,b,maybe,x\n1,c,d,1,\n"
    )
    found = list(read_errors(path))
    assert [one.kinds for one in found if isinstance(one, Injected)] == [("error",)]
    assert [str(one) for one in found if isinstance(one, BadRecord)] == [
        f"{path}:2: record '1': field 'error_present' must be 0, 1, or 2 for neither"
    ]
    path = write(tmp_path / "x.csv", "original_report,error_report,errors_sampled\na,b,[]\n,b,Add Typo\n")
    assert [str(one).partition("': ")[2] for one in read_errors(path)] == [
        "field 'errors_sampled' names no error", "field 'original_report' is empty; remove the row"
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"no column 'errors_sampled', .*; there are 'original_report', 'error_report'"):
        list(read_errors(write(path, "original_report,error_report\na,b\n")))


def test_no_message_quotes_a_report_where_the_header_is_missing(tmp_path: Path) -> None:
    report = "A small left pleural effusion is seen, larger than on the study of last week."
    with pytest.raises(InputError) as caught:
        list(read_errors(write(tmp_path / "x.csv", f'"{report}","No effusion.",x\na,b,c\n')))
    assert "pleural" not in str(caught.value)
    assert "the first row does not look like the names of columns" in str(caught.value)


def preferences(path: Path, **more: object) -> tuple[dict[str, Preference], list[str]]:
    found = list(read_preferences(path, **more))  # type: ignore[arg-type]
    return {one.id: one for one in found if isinstance(one, Preference)}, [str(b) for b in found if isinstance(b, BadRecord)]


def test_preferences_come_in_words_or_on_a_scale_and_readers_are_averaged(tmp_path: Path) -> None:
    head = "id,reference,candidate_a,candidate_b,preference,strength\n"
    path = write(tmp_path / "p.csv", f"{head}1,r,a,b,A,strongly\n2,r,a,b,candidate_b,slightly\n3,r,a,b,tie,\n4,r,a,b,what,\n")
    found, bad = preferences(path)
    assert [(one.value, one.strength) for one in found.values()] == [(1, "strongly"), (-1, "slightly"), (0, "")]
    assert (found["1"].choice, found["2"].choice, found["3"].choice) == (("1 a", "1 b"), ("2 b", "2 a"), None)
    wrong = "'preference' is neither a, b nor tie, nor a number from 1 to 5; give another --scale A:B"
    assert bad == [f"{path}:5: record '4': {wrong}"]
    path = write(tmp_path / "q.csv", "id,reference,report_1,report_2,rater\n1,r,a,b,1\n1,r,a,b,2\n1,r,a,x,2\n2,r,a,b,2.5\n")
    found, bad = preferences(path, scale=(1.0, 2.0))
    assert (found["1"].value, found["1"].readers) == (0, 2)
    assert len(bad) == 2
    assert "the id was used before" in bad[0]
    for text in ("1:1", "5", "a:b"):
        with pytest.raises(InputError, match="two different numbers"):
            scale_of(text)


def test_codes_are_read_from_xml_and_match_by_heading_and_qualifiers(tmp_path: Path) -> None:
    coded = {one.id: one for one in read_coded(SHIPPED / "iu-xray") if isinstance(one, Coded)}
    assert coded["CXR3"].report == "FINDINGS: Calcified granuloma in the right upper lobe. The thoracic aorta is tortuous."
    assert coded["CXR3"].codes[1] == "Aorta, Thoracic/tortuous"
    assert matches("Aorta, Thoracic/tortuous/mild", "aorta thoracic/tortuous")
    assert not matches("Aorta, Thoracic", "Aorta, Thoracic/tortuous")
    write(tmp_path / "1.xml", "<a><b></a>")
    write(tmp_path / "2.xml", "<a><AbstractText Label='FINDINGS'>Clear.</AbstractText></a>")
    assert [str(one).partition(": ")[2] for one in read_coded(tmp_path)] == [
        "record '1': cannot be parsed as XML (line 1); take the file as it was downloaded",
        "record '2': the report has no MeSH code; it is skipped",
    ]
    with pytest.raises(InputError, match="is an archive; unpack it"):
        list(read_coded(tmp_path / "reports.tgz"))


def test_scopes_may_lie_in_each_other_and_offsets_are_those_of_the_text() -> None:
    sentences = {one["sentence_id"]: one for one in read_sentences(SHIPPED / "bioscope" / "clinical.xml")}
    nested = sentences["S2.1"]
    assert nested["text"] == "Possible small hydronephrosis without a renal calculus."
    for one in nested["annotations"]:
        assert nested["text"][slice(*one["scope_span"])] == one["scope"]
        assert nested["text"][slice(*one["cue_span"])] == one["cue"]
    assert [(one["type"], one["scope"][:8]) for one in nested["annotations"]] == [
        ("speculation", "Possible"), ("negation", "without ")
    ]  # fmt: skip
    assert (sentences["S1.1"]["section"], sentences["S1.1"]["doc_id"]) == ("CLINICAL_HISTORY", "1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<a><sentence id='s'><cue type='negation' ref='x'>no</cue></sentence></a>", "cue refers to 'x', which is not an xcope"),
        ("<a/>", "no <sentence> in the file"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "declares entities"),
    ],
)
def test_what_is_wrong_with_a_file_of_scopes_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_sentences(write(tmp_path / "x.xml", text))
    with pytest.raises(InputError, match="not a JSON object with 'text'"):
        read_sentences(write(tmp_path / "x.jsonl", '{"text": 1}'))


def test_a_download_is_recognised_by_its_files(tmp_path: Path) -> None:
    for name in ("rexval", "radevalx", "refisco"):
        assert recognise_layout(SHIPPED / name) == name
        assert recognise_layout(min((SHIPPED / name).iterdir())) == name
    assert recognise_layout(SHIPPED / "rexerr") is None
    assert recognise_layout(write(tmp_path / "own.csv", "id,x\n")) is None
