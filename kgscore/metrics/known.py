"""Findings that are only reported as known or as fitting, and the ranks of sizes and severities: the words of
`mappings/corrections.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kgscore.metrics.lines import Line, line_at
from kgscore.model import Finding
from kgscore.resources import yaml_of


class PriorFindings:
    """Separates findings reported as known from those reported with a comparison. `degrees` ranks sizes and severities, 1–3."""

    def __init__(self) -> None:
        data = yaml_of("mappings", "corrections.yaml")
        words = (re.compile(data[name], re.IGNORECASE) for name in ("known", "compared", "fits"))
        self._known, self._compared, self._fits = words
        self.degrees: Mapping[str, int] = data["degrees"]

    def only(self, findings: Sequence[Finding], text: str, lines: Sequence[Line]) -> frozenset[int]:
        """Return the positions of findings reported as already known ("again seen"), without a comparison to before."""
        if not lines:
            return frozenset()
        return frozenset(i for i, f in enumerate(findings) if f.change in (None, "stable") and self._is_known(f, text, lines))

    def certain(self, findings: Sequence[Finding], text: str, lines: Sequence[Line]) -> list[Finding]:
        """Return the findings, those that what is seen is said to fit as definite."""
        return [replace(f, certainty="definite") if lines and self._fitting(f, text, lines) else f for f in findings]

    def _fitting(self, finding: Finding, text: str, lines: Sequence[Line]) -> bool:
        start, end = lines[line_at(lines, finding.start)]
        return finding.certainty == "probable" and self._fits.search(text, start, end) is not None

    def _is_known(self, finding: Finding, text: str, lines: Sequence[Line]) -> bool:
        line = lines[line_at(lines, finding.start)]
        said = text[line.start : line.end]
        return bool(self._known.search(said)) and not self._compared.search(said)
