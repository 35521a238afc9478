"""Findings that are only reported as known, and the ranks of sizes and severities: the words of `mappings/corrections.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kgscore.metrics.lines import Line, line_at
from kgscore.model import Finding
from kgscore.resources import yaml_of


class PriorFindings:
    """Separates findings reported as known from those reported with a comparison. `degrees` ranks sizes and severities, 1–3."""

    def __init__(self) -> None:
        data = yaml_of("mappings", "corrections.yaml")
        self._known, self._compared = (re.compile(data[name], re.IGNORECASE) for name in ("known", "compared"))
        self.degrees: Mapping[str, int] = data["degrees"]

    def only(self, findings: Sequence[Finding], text: str, lines: Sequence[Line]) -> frozenset[int]:
        """Return the positions of findings reported as already known ("again seen"), without a comparison to before."""
        if not lines:
            return frozenset()
        return frozenset(i for i, f in enumerate(findings) if f.change in (None, "stable") and self._is_known(f, text, lines))

    def _is_known(self, finding: Finding, text: str, lines: Sequence[Line]) -> bool:
        line = lines[line_at(lines, finding.start)]
        said = text[line.start : line.end]
        return bool(self._known.search(said)) and not self._compared.search(said)
