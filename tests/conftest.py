"""One scorer a profile for the whole session: the ontologies are compiled once."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.model import Finding


@pytest.fixture(scope="session")
def scorer() -> Scorer:
    return Scorer()


@pytest.fixture(scope="session")
def published() -> Scorer:
    return Scorer("radsem-published")


_SIGN = {"present": "+", "absent": "-", "normal": "="}


def brief(finding: Finding) -> str:
    """Write a finding as sign, concept and side: "-pleural_effusion left", "=lung_opacity right", "+cardiomegaly"."""
    return f"{_SIGN[finding.status]}{finding.concept}{f' {finding.side}' if finding.side else ''}"


@pytest.fixture(scope="session")
def said(scorer: Scorer):
    """Give a function from a report to the sorted briefs of its findings."""
    return lambda report: sorted(brief(finding) for finding in scorer.read(report).findings)


@pytest.fixture(scope="session")
def only(scorer: Scorer):
    """Give a function from a report that holds one finding to that finding."""

    def read(report: str) -> Finding:
        findings = scorer.read(report).findings
        assert len(findings) == 1, [brief(finding) for finding in findings]
        return findings[0]

    return read
