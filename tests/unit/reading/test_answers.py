"""Answers to the name of a finding, in every layout: a finding, an answer and a layout say what the answer says, wherever it
stands. What each answer means is told here, by hand."""

from __future__ import annotations

from collections import Counter
from itertools import product

from kgscore.engine import Scorer

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
)  # fmt: skip
PRESENT = (
    "Yes", "yes.", "Present", "Present.", "True", "true", "1", "Y", "+", "✓", "✅", "✅ Yes", "☑", "☑ Yes ☐ No", "[x] Yes [ ] No",
    "Positive", "Seen", "(+)", "Identified.",
)  # fmt: skip
MILD = ("Yes, mild", "Mild", "Present, mild", "Yes - mild", "Yes (mild)", "Present; mild.", "☑ Yes, mild")
NOTHING = ("n/a", "N/A", "Not assessed", "Not evaluated.", "Unknown", "Not applicable", "Cannot be assessed", "☐ Yes ☐ No")
NORMAL = ("Normal", "Unremarkable", "No abnormality", "No abnormality.", "Within normal limits", "WNL")  # of what is no device
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
    "tag": "<finding_list><{x}>{a}</{x}></finding_list>",
}
SHARE = 0.99


def _cases():
    answers = [(a, "absent") for a in ABSENT] + [(a, "present") for a in PRESENT] + [(a, "mild") for a in MILD]
    answers += [(a, "") for a in NOTHING] + [(a, "normal") for a in NORMAL]
    for (layout, form), (name, concept), (answer, kind) in product(LAYOUTS.items(), FINDINGS.items(), answers):
        if kind == "normal" and concept == "endotracheal_tube":
            continue
        named = name.replace(" ", "_") if layout == "tag" else name
        yield layout, form.format(x=named, a=answer), concept, "absent" if kind == "normal" else kind


def _right(findings, concept: str, kind: str) -> bool:
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
    low = sorted((share, layout) for layout, share in shares.items() if share < SHARE)
    assert not low, f"{low}\n{wrong[:: max(1, len(wrong) // 60)]}"
