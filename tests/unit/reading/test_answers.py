"""Answers to the name of a finding, in every layout: a finding, an answer and a layout say what the answer says, wherever it
stands. What each answer means is told here, by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, product

import pytest

from kgscore.engine import Scorer
from kgscore.model import Finding

FINDINGS = {
    "Pneumothorax": "pneumothorax", "Pleural effusion": "pleural_effusion", "Rib fracture": "rib_fracture",
    "Hydronephrosis": "hydronephrosis", "Renal stone": "nephrolithiasis", "Midline shift": "midline_shift",
    "Hydrocephalus": "hydrocephalus", "Meniscal tear": "meniscal_tear", "Disc herniation": "disc_herniation",
    "Cardiomegaly": "cardiomegaly", "Gallstones": "cholelithiasis", "Endotracheal tube": "endotracheal_tube",
}  # fmt: skip
ABSENT = (
    "No", "no", "No.", "None", "None.", "None seen.", "Absent", "Absent.", "Not present", "Not seen.", "Not identified.",
    "Negative", "False", "false", "0", "N", "✗", "❌", "❌ No", "☐ Yes ☑ No", "[ ] Yes [x] No", "Yes [ ] No [x]", "Not detected",
    "No evidence", "Not evident.", "(-)", "None in either side.", "No evidence of this.",
    "is absent", "was not seen", "None at this time", "No (high confidence)", "We do not see any.", "[no]", "🚫",
    "✖️", "none visualized",

)  # fmt: skip
PRESENT = (
    "Yes", "yes.", "Present", "Present.", "True", "true", "1", "Y", "+", "✓", "✅", "✅ Yes", "☑", "☑ Yes ☐ No", "[x] Yes [ ] No",
    "Positive", "Seen", "(+)", "Identified.", "is present", "✔️", "[X]", "Yes (high confidence)", "(yes)",
)  # fmt: skip
MILD = (
    "Yes, mild",
    "Mild",
    "Present, mild",
    "Yes - mild",
    "Yes (mild)",
    "Present; mild.",
    "☑ Yes, mild",
    "Yes. Mild.",
    "Positive: mild",
)
NOTHING = (
    "n/a",
    "N/A",
    "Not assessed",
    "Not evaluated.",
    "Unknown",
    "0.93",
    "Not applicable",
    "Cannot be assessed",
    "☐ Yes ☐ No",
    "?",
    "Not imaged",
    "Not assessed on this study",
    "Indeterminate due to motion",
)
NORMAL = (
    "Normal",
    "Unremarkable",
    "No abnormality",
    "No abnormality.",
    "Within normal limits",
    "WNL",
    "No pathology seen",
    "Nothing abnormal detected",
)  # of what is no device
LAYOUTS = {
    "plain": "{x}: {a}",
    "line below": "{x}:\n{a}",
    "heading": "### {x}\n{a}",
    "heading, blank line": "## {x}\n\n{a}",
    "heading, bullet": "## {x}\n- {a}",
    "underlined": "{x}\n------\n{a}",
    "bold label": "**{x}:** {a}",
    "bold, colon outside": "**{x}**: {a}",
    "bold line": "**{x}**\n{a}",
    "bold line, colon": "**{x}:**\n{a}",
    "bullet": "- {x}: {a}",
    "bold bullet": "* **{x}**: {a}",
    "bullet below": "- **{x}**\n  - {a}",
    "number": "1. {x}: {a}",
    "bold number": "2. **{x}** – {a}",
    "dash": "{x} - {a}",
    "question": "{x}? {a}",
    "full question": "Is there {x}? {a}",
    "question and answer": "Q: Is there any {x}?\nA: {a}",
    "table": "| Finding | Present |\n|---|---|\n| {x} | {a} |",
    "table of three": "| Finding | Present | Comment |\n| :--- | :---: | --- |\n| {x} | {a} | |",
    "bare table": "Finding | Result\n--- | ---\n{x} | {a}",
    "tabs": "{x}\t{a}",
    "json": '{{"{x}": "{a}"}}',
    "json, nested": '{{\n  "findings": {{\n    "{x}": "{a}",\n    "note": "x"\n  }}\n}}',
    "json, fenced": '```json\n{{"{x}": "{a}", "other": null}}\n```',
    "json, entries": '[{{"finding": "{x}", "status": "{a}", "confidence": 0.9}}]',
    "answer tag": "<think>Is it {x}? It may be.</think>\n<answer>{x}: {a}</answer>",
    "emphasis": "*{x}*: **{a}**",
    "status": "### {x}\n- **Status:** {a}\n- **Confidence:** high",
    "numbered heading": "### 3. {x}\n{a}",
    "closed heading": "## {x} ##\n{a}",
    "bold heading": "#### **{x}**\n\n{a}",
    "italic": "_{x}_: {a}",
    "equals": "{x} = {a}",
    "arrow": "- {x} -> {a}",
    "parentheses": "{x} ({a})",
    "bold, no colon": "* **{x}** {a}",
    "presence": "Presence of {x}: {a}",
    "verb": "Does the image show {x}?\n{a}",
    "name and status": "**Finding:** {x}\n**Status:** {a}",
    "yaml": "findings:\n  - name: {x}\n    status: {a}",
    "json, objects": '{{"{x}": {{"present": "{a}", "confidence": "high"}}}}',
    "json, question": '[{{"question": "Is there {x}?", "answer": "{a}"}}]',
    "table, numbered": "| No. | Finding | Result |\n|---|---|---|\n| 1. | **{x}** | {a} |",
    "table, framed": "+------+------+\n| Finding | Present |\n+------+------+\n| {x} | {a} |\n+------+------+",
    "html": "<h3>{x}</h3>\n<p>{a}</p>",
    "html table": "<table><tr><td>{x}</td><td>{a}</td></tr></table>",
    "quote": "> **{x}:** {a}",
    "columns": "finding;answer\n{x};{a}",
    "latex": "\\textbf{{{x}}}: {a}",
    "wide colon": "{x}：{a}",
    "tag": "<finding_list><{x}>{a}</{x}></finding_list>",
}
# The share that is read right, of all cases and in each layout.
SHARE, LOWEST = 0.99, 0.95
# Every so many cases is read, so that each finding meets each answer and each layout.
STRIDE = 17


def _cases() -> Iterator[tuple[str, str, str, str]]:
    answers = [(a, "absent") for a in ABSENT] + [(a, "present") for a in PRESENT] + [(a, "mild") for a in MILD]
    answers += [(a, "") for a in NOTHING] + [(a, "normal") for a in NORMAL]
    every = product(LAYOUTS.items(), FINDINGS.items(), answers)
    for (layout, form), (name, concept), (answer, kind) in islice(every, 0, None, STRIDE):
        if kind == "normal" and concept == "endotracheal_tube":
            continue
        named = name.replace(" ", "_") if layout == "tag" else name
        yield layout, form.format(x=named, a=answer), concept, "absent" if kind == "normal" else kind


def _right(findings: Sequence[Finding], concept: str, kind: str) -> bool:
    if not kind:
        return not findings
    status = "absent" if kind == "absent" else "present"
    right = bool(findings) and all(one.concept == concept and one.status == status for one in findings)
    return right and (kind != "mild" or any(detail.value == "mild" for one in findings for detail in one.details))


def test_answers(scorer: Scorer) -> None:
    cases = list(_cases())
    reader = scorer.reader
    reader.prepare([text for _, text, _, _ in cases])
    right: Counter[str] = Counter()
    every = Counter(layout for layout, *_ in cases)
    wrong = []
    for layout, text, concept, kind in cases:
        said = _right(reader.read(text).findings, concept, kind)
        right[layout] += said
        wrong += [] if said else [(kind, text)]
    shares = {layout: right[layout] / every[layout] for layout in LAYOUTS}
    assert len(wrong) <= (1 - SHARE) * len(cases), f"{shares}\n{wrong[:: max(1, len(wrong) // 60)]}"
    assert min(shares.values()) > LOWEST, f"{shares}\n{wrong}"


SMALL_LEFT = ["+pneumothorax left"]
NO_PNEUMOTHORAX = ["-pneumothorax left", "-pneumothorax right"]
CLEAR = ["=lung_opacity left", "=lung_opacity right"]
NO_EFFUSION = ["-pleural_effusion left", "-pleural_effusion right"]


@pytest.mark.parametrize(
    ("report", "findings"),
    [
        # A heading of a finding above prose.
        ("### Pneumothorax\nThere is a small left apical pneumothorax.", SMALL_LEFT),
        ("## Pneumothorax\nSmall, on the left.", SMALL_LEFT),
        ("### Pneumothorax\nThe lungs are clear.", CLEAR),
        ("### Pleura\nNo effusion. No pneumothorax.", [*NO_EFFUSION, *NO_PNEUMOTHORAX]),
        ("**Small left pneumothorax**\n**Cardiomegaly**", ["+cardiomegaly", *SMALL_LEFT]),
        ("Is there a pneumothorax? No, the lungs are clear.", [*CLEAR, *NO_PNEUMOTHORAX]),
        ("Is there a pneumothorax? Yes, there is a small left pneumothorax.", SMALL_LEFT),
        ("Is there evidence of pneumothorax? No. The lungs are clear.", [*CLEAR, *NO_PNEUMOTHORAX]),
        # Several names, several answers.
        ("Pneumothorax / pleural effusion: none", [*NO_EFFUSION, *NO_PNEUMOTHORAX]),
        ("**Fractures or dislocations**\nNo", ["-dislocation", "-fracture"]),
        ("**Pneumothorax:** None. **Cardiomegaly:** Yes, mild.", ["+cardiomegaly", *NO_PNEUMOTHORAX]),
        ("Pneumothorax: No, Cardiomegaly: Yes", ["+cardiomegaly", *NO_PNEUMOTHORAX]),
        ("Ascites: none, Varices: none, esophageal or gastric.", ["-ascites", "-esophageal_varices", "-gastric_varices"]),
        ("- [ ] Pneumothorax\n- [x] Cardiomegaly\n- [ ] Follow-up", ["+cardiomegaly", *NO_PNEUMOTHORAX]),
        ("✗ Pneumothorax\n✓ Cardiomegaly", ["+cardiomegaly", *NO_PNEUMOTHORAX]),
        # Structures.
        ("**Heart:** Normal\n**Lungs:** Clear", ["=abnormality", *CLEAR]),
        ("| Organ | Finding |\n|---|---|\n| Lungs | Clear |\n| Pleura | No effusion |", [*NO_EFFUSION, *CLEAR]),
        ('{"heart": "normal size", "pleura": ["no effusion", "no pneumothorax"]}',
         [*NO_EFFUSION, *NO_PNEUMOTHORAX, "=size_abnormality"]),
        ("Are the lungs clear? Yes.", CLEAR),
        ("Are the lungs clear? No.", []),
        # Objects and tables.
        ('{"pneumothorax": false, "cardiomegaly": true, "findings": {"pleural_effusion": null}}',
         ["+cardiomegaly", *NO_PNEUMOTHORAX]),
        ('[{"present": false, "finding": "Ascites"}, {"finding": "pneumothorax", "present": true, "side": "left"}]',
         ["+pneumothorax left", "-ascites"]),
        ('{"positive_findings": ["cardiomegaly"], "negative_findings": ["pneumothorax", "ascites"]}',
         ["+cardiomegaly", "-ascites", *NO_PNEUMOTHORAX]),
        ('{"pneumothorax": {"present": true, "side": "left", "confidence": 0.9}, "ascites": {"present": false}}',
         ["+pneumothorax left", "-ascites"]),
        ("| Finding | Present | Absent |\n|---|---|---|\n| Pneumothorax | | ✓ |\n| Cardiomegaly | x | |",
         ["+cardiomegaly", *NO_PNEUMOTHORAX]),
        ("| Pneumothorax | Yes | small, left |\n| Ascites | No | |", ["+pneumothorax left", "-ascites"]),
        # What a model thinks.
        ("<think>A pneumothorax? Or ascites.</think>The lungs are clear.", CLEAR),
        ("It may be a pneumothorax.</think>\nThe lungs are clear.", CLEAR),
        ("<scratchpad>A pneumothorax\n<answer>The lungs are clear.</answer>", CLEAR),
        ("<think>There is a pneumothorax, and", []),
        ("<findings>The lungs are clear.</findings><impression>No pneumothorax.</impression>", [*CLEAR, *NO_PNEUMOTHORAX]),
    ],
)  # fmt: skip
def test_reports_with_markup(said, report: str, findings: list[str]) -> None:
    assert said(report) == sorted(findings)


@pytest.mark.parametrize(
    "report",
    [
        "There is an opacity ? pneumonia.", "Small left pneumothorax, no\nascites.", "No\npneumothorax\nidentified.",
        "A mass of 3 * 4 cm, HU <30 and >10.", "Nodules: 1. Left upper lobe 5 mm. 2. Right lower lobe 4 mm.",
        "Nodules:\n- right upper lobe 4 mm\n- left lower lobe 6 mm", "Heart: normal.\nLungs: clear.", "Pacemaker: normal",
        "Nodules:\n▪ right upper lobe\n▪ left lower lobe",
    ],
)  # fmt: skip
def test_prose_is_left_as_it_is(scorer: Scorer, report: str) -> None:
    assert scorer.reader.markup.plain(report).text == report


def test_offsets_are_those_of_the_report(scorer: Scorer) -> None:
    report = '```json\n{"pleural_effusion": true, "note": {"Rib fracture": "Yes, mild"}}\n```'
    assert [report[one.start : one.end] for one in scorer.read(report).findings] == [
        "pleural_effusion",
        'Rib fracture": "Yes, mild',
    ]
    assert all(one.text == report[one.start : one.end] for one in scorer.read(report).findings)


def test_thoughts_are_passed_over_and_told(scorer: Scorer) -> None:
    fates = [(step.sentence, step.fate) for step in scorer.reader.trace("<think>Ascites?</think>The lungs are clear.")]
    assert fates == [("<think>Ascites?</think>", "reasoning"), ("The lungs are clear.", "findings")]


@pytest.mark.parametrize("unit", ["{", '{"a": ', "[think]", "| a ", "a: ", "+-", "* a ", "(", "☐ Yes ", "<br>", "X\n"])
def test_signs_that_recur_take_linear_time(scorer: Scorer, unit: str) -> None:
    text = unit * (20_000 // len(unit))
    assert len(scorer.reader.markup.plain(text).text) == len(text)
