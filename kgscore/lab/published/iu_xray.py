"""IU X-ray (Open-i): do the findings read from a report equal its manual codes (MeSH)?

Reports come as XML files or as one table. A code is a heading with qualifiers (`Opacity/lung/base/left`); `normal` stands alone.
The mapping from codes to classes of the ontology is the label set `iuxray_mesh` (`mappings/labels`). A report read as
consolidation also has an opacity, which a coder of the narrower code did not add: so codes and labels are compared with
all their implications by the ontology, and also as written, with the narrowest only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgscore.errors import InputError
from kgscore.io.records import BadRecord, clean
from kgscore.lab.correlation import Figure
from kgscore.lab.published.base import Found, Request, agreement_by_name, by_category, parse, words
from kgscore.lab.published.downloads import LONGEST, Row, Table, map_usable, split_errors, tables_in
from kgscore.labelling.sets import Label, load_set
from kgscore.runs.batch import scorer_for

LAYOUT = "iu-xray"
_READ = ("FINDINGS", "IMPRESSION")


@dataclass(frozen=True, slots=True)
class Coded:
    """A report (findings and impression, under these headings) with its codes as written."""

    where: str
    id: str
    report: str
    codes: tuple[str, ...]


def read_coded(source: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[Coded | BadRecord]:
    """Yield every report of a folder of XML files (recursively), of one such file, or of a table, or its error."""
    path = Path(source)
    files = sorted(path.rglob("*.xml")) if path.is_dir() else [path] if path.suffix.lower() == ".xml" else []
    if files:
        for file in files:
            yield _report_of_xml(file)
        return
    if path.is_dir() and not any(table.suffix.lower() in (".csv", ".parquet") for table in path.iterdir()):
        raise InputError(f"{source}: no .xml file and no table in the folder; unpack the reports of the download there")
    if any(path.name.lower().endswith(end) for end in (".tgz", ".tar.gz", ".tar", ".zip")):
        raise InputError(f"{source}: is an archive; unpack it and give the folder")
    tables = tables_in(path, LAYOUT, columns)  # others of a folder list the images
    for table in [table for table in tables if table.has("codes")] or tables[:1]:
        yield from _reports_of_table(table)


def _report_of_xml(path: Path) -> Coded | BadRecord:
    try:
        root = parse(path)
    except InputError as error:
        return BadRecord(str(path), path.stem, str(error).removeprefix(f"{path}: "))
    uid = root.find(".//uId")
    id = uid.get("id", "") if uid is not None else ""
    parts = {str(part.get("Label", "")).upper(): words(part) for part in root.iter("AbstractText")}
    codes = tuple(words(one) for one in root.iter("major"))
    return _coded_report(str(path), id or path.stem, {name: parts.get(name, "") for name in _READ}, codes)


def _reports_of_table(table: Table) -> Iterator[Coded | BadRecord]:
    whole = table.has("report") is not None

    def coded(row: Row) -> Coded | BadRecord:
        texts = {"": row.text("report")} if whole else {name: clean(row.text(name.lower())) for name in _READ}
        given = tuple(" ".join(one.split()) for one in row.text("codes").split(";"))
        return _coded_report(row.where, row.text("id"), texts, given)

    needed = () if whole or table.has("findings") else ("impression",)
    return map_usable(table.rows("codes", *needed, numbered=True), coded)


def _coded_report(where: str, id: str, parts: Mapping[str, str], codes: tuple[str, ...]) -> Coded | BadRecord:
    report = "\n".join(f"{name}: {text}" if name else text for name, text in parts.items() if text)
    given = tuple(code for code in codes if code)
    if not report:
        return BadRecord(where, id, "the report has neither findings nor impression; it is skipped")
    if not given:
        return BadRecord(where, id, "the report has no MeSH code; it is skipped")
    return Coded(where, id, report, given)


def matches(code: str, pattern: str) -> bool:
    """Return whether a code matches a pattern: the same heading, and all the qualifiers of the pattern.

    >>> matches("Opacity/lung/base/left", "opacity/lung"), matches("Lung/hypoinflation", "Lung/hyperdistention")
    (True, False)
    """
    (heading, *said), (wanted, *needed) = ([_plain(part) for part in one.split("/")] for one in (code, pattern))
    return heading == wanted and set(needed) <= set(said)


def _plain(part: str) -> str:
    return " ".join(part.replace(",", " ").lower().split())


SET = "iuxray_mesh"
_TOLD = 20
_READER, _ALL = "reading", "all codes"


def run(name: str, request: Request) -> Found:
    """Return micro and macro F1 over all codes and the F1 of each; codes without a label are listed."""
    found, bad = split_errors(read_coded(request.source, request.columns))
    scorer = scorer_for(request.settings)
    labels = load_set(SET).labels
    implied = scorer.implied_labels(SET)
    unknown: Counter[str] = Counter()
    sides: list[tuple[set[str], set[str]]] = []
    unread = 0
    for number, one in enumerate(found, 1):
        said = scorer.labels(one.report, SET)
        request.tell(number)
        gold = _labels_of(one, labels, unknown)
        if said.status != "read":
            unread += 1
        elif gold:
            sides.append((gold, {label for label, value in said.values.items() if value in ("present", "uncertain")}))
    names = [label.name for label in labels]
    forms = {"codes and what they imply": _with_implied, "codes as written": _narrowest}
    figures: list[Figure] = []
    for task, form in forms.items():
        rows = [agreement_by_name(form(said, implied), form(gold, implied), names) for gold, said in sides]
        every = by_category(task, _READER, names, rows, request, of=_ALL, macro=True)
        figures += [one for one in every if one.of == _ALL or one.measure == "f1"]
    return Found(figures, bad, _notes(found, unknown, unread, len(sides)))


def _labels_of(one: Coded, labels: Sequence[Label], unknown: Counter[str]) -> set[str]:
    gold: set[str] = set()
    for code in one.codes:
        mine = {label.name for label in labels if any(matches(code, pattern) for pattern in label.codes or (label.name,))}
        gold |= mine
        if not mine:
            heading = code.split("/")[0]
            unknown[heading if len(heading) <= LONGEST else "a text too long for a heading"] += 1
    return gold


def _with_implied(labels: set[str], implied: Mapping[str, frozenset[str]]) -> set[str]:
    return {other for label in labels for other in implied[label]}


def _narrowest(labels: set[str], implied: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the labels that no other one implies; of two that imply each other, both."""
    return {one for one in labels if not any(one in implied[other] and other not in implied[one] for other in labels)}


def _notes(found: Sequence[Coded], unknown: Counter[str], unread: int, used: int) -> list[str]:
    notes = [f"{used} of {len(found)} reports have a code that stands for a label and were read"]
    if unread:
        notes.append(f"{unread} reports could not be read and are skipped")
    if unknown:
        told = ", ".join(f"{code} ({count})" for code, count in unknown.most_common(_TOLD))
        more = f" and {len(unknown) - _TOLD} more" if len(unknown) > _TOLD else ""
        notes.append(f"headings that no label stands for: {told}{more}; they are excluded (mappings/labels/{SET}.yaml)")
    return notes
