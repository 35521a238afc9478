"""The reviewed list of checks that may fail, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from kgscore.authoring.ontology_checks.world import Check
from kgscore.errors import OntologyError
from kgscore.resources import resource

COLUMNS = ("check", "concept", "about", "reason")


@dataclass(frozen=True, slots=True)
class Exemption:
    """One row: of the checks of a kind, those whose concept and subject match the patterns (`*` for any) may fail.

    `where` is its line, as `file:line`."""

    kind: str
    concept: str
    about: str
    reason: str
    where: str

    @property
    def named(self) -> bool:
        """Whether the row applies to one concept only."""
        return not set("*?[") & set(self.concept)

    def fits(self, check: Check) -> bool:
        """Return whether the row applies to a check."""
        pairs = (check.kind, self.kind), (check.concept, self.concept), (check.about.lower(), self.about.lower())
        return all(fnmatchcase(*pair) for pair in pairs)

    def __str__(self) -> str:
        return f"{self.where}: {self.kind}, {self.concept}, {self.about}"


def exemptions(further: Path | None = None) -> list[Exemption]:
    """Return the rows of `ontologies/exceptions.tsv`, and of a further file. Raises OntologyError if a row is malformed."""
    paths = filter(None, (resource("ontologies", "exceptions.tsv"), further))
    return [row for path in paths for row in read_exemptions(path)]


def read_exemptions(path: Path) -> list[Exemption]:
    """Return the rows of a file: tab-separated check, concept, about and reason, under a header. Raises OntologyError if the file
    cannot be read, or a row has no reason or does not have four cells."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OntologyError(f"{path.name}: cannot be read as UTF-8 text ({error})") from None
    found = []
    rows = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    for number, line in rows[1:]:
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != len(COLUMNS) or not all(cells):
            raise OntologyError(f"{path.name}:{number}: a row needs {', '.join(COLUMNS)}, none of them empty")
        found.append(Exemption(cells[0], cells[1], cells[2], cells[3], where=f"{path.name}:{number}"))
    if rows and tuple(rows[0][1].split("\t")) != COLUMNS:
        raise OntologyError(f"{path.name}:{rows[0][0]}: the first line must be the tab-separated header {', '.join(COLUMNS)}")
    return found
