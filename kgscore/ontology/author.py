"""Checks for the author of a module: line by line, then problems in its terms for reader and scorer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kgscore.errors import OntologyError
from kgscore.ontology.check import Problem, check_reasoner, check_structure, error_of, warning_of
from kgscore.ontology.compile import reachable, unknown_ids
from kgscore.ontology.files import reader_files, table, table_lines
from kgscore.ontology.load import load_module
from kgscore.ontology.modules import Module, add_to, merge_terms
from kgscore.ontology.tables import FIELDS, FINDINGS, KEYS, KINDS, Term, fold, line_terms, module_tables, read_tables
from kgscore.ontology.turtle import SIDES, compile_terms
from kgscore.private_files import temporary_folder
from kgscore.resources import resource

_DENIAL = re.compile(r"(?:no|not|without|absent|absence of|negative for|free of)\b", re.IGNORECASE)
_NOWHERE = {"group", "empty"}
_TABLES = ", ".join(f"{kind}.tbl" for kind in KINDS)
# Keys allowed on any line, and further keys by kind.
_EVERYWHERE = {"is", "syn", "abbr", "adj", "narrow", "broad", "sign", "role"}
_BESIDES = {
    "anatomy": {"part", "overlaps", "fma", "chief", "made"},
    "findings": {"site", "def", "with", "has", "tier", "opp", "implies"},
    "devices": {"site", "def", "with", "has", "tier", "opp", "implies", "tip"},
    "descriptors": {"opp", "overlaps"},
    "qualities": {"noun", "site"},
    "normals": {"denies", "site"},
}


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a module: its own terms (without lines that extend shipped ones), and the problems."""

    terms: tuple[Term, ...]
    problems: tuple[Problem, ...]

    @property
    def wrong(self) -> bool:
        """Whether there is an error, so that the module cannot be used."""
        return any(problem.severity == "error" for problem in self.problems)


def check_module(
    module: Module, *, beside: Iterable[Module] = (), reserved: Collection[str] = (), reasoner: bool = False
) -> Checked:
    """Return the problems of a module: every unreadable line, and every term that is inconsistent with the shipped ones.

    `beside` gives other modules in use, `reserved` the cue words of the reader, which cannot be names.
    With `reasoner`, HermiT searches for unsatisfiable classes, if there is no other problem.
    """
    problems = list(_files(module))
    shipped = read_tables(resource("ontologies", "tables"))
    try:
        for other in beside:
            shipped = merge_terms(shipped, load_module(other.path, shipped))
        own = _read_terms(module, shipped, problems)
    except OntologyError as error:
        where, _, message = str(error).partition(": ")
        return Checked((), (*problems, Problem("error", where, module.name, message)))
    terms = _merge_terms(shipped, own, problems)
    problems += _structure(shipped, terms, own)
    known = {term.id: term for term in terms}
    problems += _settings(module, known)
    problems += _author(own, known, {" ".join(word.lower().split()) for word in reserved})
    if not own and not problems and not reader_files(module.path):
        problems.append(Problem("error", module.name, module.name, f"no term in it; tables are named {_TABLES}"))
    found = Checked(tuple(term for term in own if not term.extends), tuple(sorted(problems, key=_place)))
    if not reasoner or found.wrong:
        return found
    logic = check_logic(terms, [term.id for term in found.terms], [file for file in module.files if file.suffix == ".ttl"])
    return replace(found, problems=tuple(sorted((*problems, *logic), key=_place)))


def _structure(shipped: Sequence[Term], terms: Sequence[Term], own: Sequence[Term]) -> Iterator[Problem]:
    """Return the problems of structure that a module adds, at its own lines."""
    before = set(check_structure(shipped))
    added = {term.id: term.where for term in own if term.extends}
    fresh = (problem for problem in check_structure(terms, own) if problem not in before)
    return (replace(problem, where=added.get(problem.term, problem.where)) for problem in fresh)


def _files(module: Module) -> Iterator[Problem]:
    for path in sorted(module.path.glob("*.tbl")) if module.path.is_dir() else ():
        if path.stem not in KINDS:
            message = f"not read: tables are named {_TABLES}; rename it"
            yield Problem("warning", f"{module.name}/{path.name}", path.stem, message)


def _settings(module: Module, known: Mapping[str, Term]) -> Iterator[Problem]:
    """Return the problems of a module's rows in the reader's data files."""
    for path in reader_files(module.path):
        try:
            rows = table(path)
            wrong = dict.fromkeys(unknown_ids(rows, known) if path.stem == "defaults" else ())
        except OntologyError as error:
            wrong = {str(error): None}
        yield from (Problem("error", f"{module.name}/{path.name}", path.stem, message) for message in wrong)


def _read_terms(module: Module, shipped: Sequence[Term], problems: list[Problem]) -> list[Term]:
    """Return the terms of a module; an unreadable line becomes a problem, and the rest are processed."""
    tables = module_tables(module.path) if module.path.is_dir() else []
    if not tables:
        return load_module(module.path, shipped)
    own: list[Term] = []
    for path, kind in tables:
        for where, line in table_lines(path):
            name = line.partition("|")[0].strip()
            try:
                own += line_terms(line, kind, module.name, where)
                problems += (Problem("error", where, name, message) for message in _duplicate_keys(line))
            except OntologyError as error:
                problems.append(Problem("error", where, name, str(error).removeprefix(f"{where}: ")))
    if any(module.path.glob("*.ttl")):
        known = {(term.id, term.where) for term in own}
        more = load_module(module.path, shipped) if not any(p.severity == "error" for p in problems) else []
        own += [term for term in more if (term.id, term.where) not in known]
    return own


def _duplicate_keys(line: str) -> list[str]:
    keys = [cell.partition(":")[0].strip() for cell in line.split("|")[2:] if ":" in cell]
    twice = sorted({key for key in keys if keys.count(key) > 1 and key in KEYS})
    return [f"'{key}:' is given twice, and only the last counts; join them with ';'" for key in twice]


def _merge_terms(shipped: list[Term], own: Sequence[Term], problems: list[Problem]) -> list[Term]:
    """Return shipped and own terms; an own term that cannot be merged becomes a problem."""
    found = {term.id: term for term in shipped}
    for term in sorted(own, key=lambda term: term.extends):
        try:
            add_to(found, term)
        except OntologyError as error:
            problems.append(Problem("error", term.where, term.id, str(error).removeprefix(f"{term.where}: ")))
    return list(found.values())


def _author(own: Sequence[Term], known: dict[str, Term], reserved: Collection[str]) -> Iterator[Problem]:
    mine = {term.id for term in own}
    steps = {term.id: (*term.parents, *term.parts) for term in known.values()}
    others = (term for term in known.values() if term.kind in FINDINGS and term.id not in mine)
    other = {fold(text): term for term in others for text in term.texts}
    for term in own:
        yield from _misplaced(term)
        yield from _shadowed_wordings(term, other)
        yield from _unreadable_wordings(term, reserved)
        if not term.extends:
            yield from _incomplete(term, [known[name] for name in reachable([term.id], steps) if name in known])


def _unreadable_wordings(term: Term, reserved: Collection[str]) -> Iterator[Problem]:
    for text in term.texts:
        if term.kind != "normals" and text and _DENIAL.match(text):
            message = f"the wording '{text}' contains a negation; write the finding alone, since the reader handles 'no'"
            yield warning_of(term, message)
        if term.kind != "qualities" and text.lower() in reserved:
            yield warning_of(term, f"'{text}' is a cue word of the reader and will not be read as this term; use another")


def _incomplete(term: Term, above: Sequence[Term]) -> Iterator[Problem]:
    if term.kind in FINDINGS and not term.flags & _NOWHERE:
        yield from _finding(term, above)
    elif (
        term.kind == "anatomy" and term.parents and "group" not in term.flags
        and not any("whole_body" in other.roles for other in above)
    ):  # fmt: skip
        yield warning_of(term, "no chain of parents leads to the body; give it, or a parent, 'part:'")
    elif term.kind == "normals" and not term.denies:
        yield error_of(term, "it negates nothing; state what this normal statement negates: 'denies: FINDING @ STRUCTURE'")
    elif term.kind == "qualities" and "dev" not in term.values:
        yield error_of(term, "no deviation; name the finding for a deviation of this quality: 'dev: FINDING'")


def _shadowed_wordings(term: Term, findings: Mapping[str, Term]) -> Iterator[Problem]:
    """Warn of wordings that also name a structure with a finding, which are read as the structure."""
    for text in term.texts if term.kind == "anatomy" else ():
        owner = findings.get(fold(text))
        if text and owner is not None:
            message = f"'{text}' is also the finding {owner.id} ({owner.where}) and reads as the structure; use a longer wording"
            yield warning_of(term, message)


def _finding(term: Term, above: Sequence[Term]) -> Iterator[Problem]:
    if not any(other.sites or other.definitions for other in above):
        message = "no site, own or inherited; without a stated place it will have none: give it 'site:'"
        yield warning_of(term, message)
    roles = {role for other in above for role in other.roles}
    marked = any(other.flags & {"variant", "status"} for other in above)
    if term.kind == "findings" and "any_finding" in roles and "any_abnormality" not in roles and not marked:
        message = "it is not an abnormality, so 'unremarkable' will not contradict it; put it below 'abnormality', or mark it"
        yield warning_of(term, f"{message} 'variant' or 'status'")


def _misplaced(term: Term) -> Iterator[Problem]:
    for key, field in FIELDS.items():
        if getattr(term, field) not in ((), None, {}) and key not in _EVERYWHERE | _BESIDES[term.kind]:
            yield error_of(term, f"'{key}:' is not valid in {term.kind}.tbl; drop it, or move the line to another table")


def check_logic(terms: Iterable[Term], ids: Collection[str], turtle: Sequence[Path] = ()) -> list[Problem]:
    """Return HermiT's findings in the terms; those with `ids` are a module's own.

    Own Turtle files are passed to the reasoner unchanged, with every axiom, tables as compiled.
    """
    only = {*ids, *(f"{key}_{side}" for key in ids for side in SIDES)}
    names = {path.name for path in turtle}
    with temporary_folder() as folder:
        texts = compile_terms(term for term in terms if term.where not in names)
        own = {f"findings/own_{number}.ttl": path.read_text(encoding="utf-8") for number, path in enumerate(turtle)}
        for name, text in {**texts, **own}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_reasoner(folder, only)


def _place(problem: Problem) -> tuple[str, int]:
    file, _, line = problem.where.rpartition(":")
    return (file, int(line)) if line.isdigit() else (problem.where, 0)
