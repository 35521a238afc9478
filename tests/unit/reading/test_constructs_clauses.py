"""Hedges, contrast, labels and change of one clause beside another: each is of what it is said of."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A hedge ends its clause, or is not said.
        (
            "A stone in the left kidney is likely, an abscess in the spleen is only possible.",
            {"probable nephrolithiasis left", "possible splenic_abscess"},
        ),
        (
            "Possible abscess in the liver, but a stone in the left kidney is certain.",
            {"possible hepatic_abscess", "present nephrolithiasis left"},
        ),
        # None is excluded; what is likelier than another is not certain.
        (
            "Neither an abscess nor a cyst can be excluded in the liver.",
            {"possible hepatic_abscess", "possible hepatic_cyst"},
        ),
        ("An abscess in the liver is more likely than a cyst.", {"probable hepatic_abscess", "absent hepatic_cyst"}),
        # A hedge labels a list; a question mark asks for what comes after it.
        ("Spleen: ? infarct. Liver: normal.", {"possible splenic_infarct", "normal abnormality"}),
        ("Findings in the left femur may represent osteomyelitis.", {"possible osteomyelitis left"}),
        # A finding that has its own place is not at the next one's.
        (
            "Suspected abscess in the liver and possible infarct in the spleen.",
            {"probable hepatic_abscess", "possible splenic_infarct"},
        ),
        # One place of two findings.
        ("A stone, but no cyst, is seen in the left kidney.", {"present nephrolithiasis left", "absent renal_cyst left"}),
        ("There is a cyst in the left femur without fracture.", {"present bone_cyst left", "absent fracture left"}),
        ("Apart from a cyst, the liver is normal.", {"present hepatic_cyst", "normal abnormality"}),
        ("Instead of an abscess, there is a cyst in the liver.", {"absent hepatic_abscess", "present hepatic_cyst"}),
        # Elsewhere it is not, or is too.
        ("The left kidney, unlike the liver, contains a cyst.", {"present renal_cyst left", "absent hepatic_cyst"}),
        ("Although the liver contains a cyst, the left kidney does not.", {"present hepatic_cyst", "absent renal_cyst left"}),
        ("A cyst is present in the liver and absent in the left kidney.", {"present hepatic_cyst", "absent renal_cyst left"}),
        ("The left kidney contains a cyst, as does the liver.", {"present renal_cyst left", "present hepatic_cyst"}),
        ("An abscess, not a cyst, is seen in the liver.", {"present hepatic_abscess", "absent hepatic_cyst"}),
        # What is known, or is there now.
        ("Known cirrhosis.", {"present cirrhosis"}),
        (
            "The cyst in the liver has resolved, but there is now a stone in the left kidney.",
            {"absent hepatic_cyst resolved", "present nephrolithiasis left new"},
        ),
        ("There is clearly a cyst in the liver.", {"present hepatic_cyst"}),
    ],
)
def test_said_of_one_clause(scorer: Scorer, text: str, expected: set[str]) -> None:
    found = set()
    for one in scorer.read(text).findings:
        sure = one.certainty if one.status == "present" and one.certainty != "definite" else one.status
        found.add(" ".join(word for word in (sure, one.concept, one.side, one.change) if word))
    assert found == expected
