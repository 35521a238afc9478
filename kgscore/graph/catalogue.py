"""Queries as files, with typed parameters bound as data: those shipped in `mappings/queries`, and users' own.

A query file begins with comments: the first is its title, those of the form `# param NAME: TYPE = DEFAULT -- description`
declare its parameters, the rest describe it. A parameter is a variable of the outermost group of the query.

A query, declaration or parameter that is unknown, missing or of another type raises QueryError; a file that cannot be read, or
a pair without `=`, raises InputError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from pyoxigraph import Literal, NamedNode

from kgscore.errors import InputError, QueryError, did_you_mean
from kgscore.graph.queries import Source, blank_out
from kgscore.graph.resolve import concept_node, run_node
from kgscore.io.records import read_text
from kgscore.resources import resource

Term = NamedNode | Literal
TYPES = ("integer", "number", "text", "boolean", "concept", "iri", "run")
ANY = "any"
_PARAMETER = re.compile(r"#\s*param\s+(\w+)\s*:\s*([\w|]+)\s*(?:=\s*(.*?)\s*)?(?:--\s*(.*))?\Z")
_TYPED_NAME = re.compile(r"([A-Za-z_]\w*)(?::([\w|]+))?\Z")
_GROUP = re.compile(r"\bWHERE\s*\{|\{", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its `type` is one of TYPES or the allowed words (`left|right`); `default` None: it is required."""

    name: str
    type: str
    default: str | None = None
    about: str = ""

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed words, if it is of that kind."""
        return () if self.type in TYPES else tuple(self.type.split("|"))


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its description; `name` is empty for one typed in."""

    name: str
    title: str
    about: str
    parameters: tuple[Parameter, ...]
    text: str


def shipped_queries() -> tuple[Query, ...]:
    """Return the shipped queries by name."""
    files = sorted(resource("mappings", "queries").glob("*.rq"))
    return tuple(parse(path.read_text(encoding="utf-8"), path.stem) for path in files)


def find(wanted: str) -> Query:
    """Return a query given as the name of a shipped one, the path of a file, or the query text."""
    if re.search(r"[\s{]", wanted.strip()):
        return parse(wanted)
    path = resource("mappings", "queries") / f"{wanted}.rq"
    if re.fullmatch(r"[a-z0-9-]+", wanted) and path.is_file():
        return parse(path.read_text(encoding="utf-8"), wanted)
    if Path(wanted).is_file():
        return parse(read_text(wanted), wanted)
    hint = did_you_mean(wanted, [query.name for query in shipped_queries()])
    raise QueryError(f"query '{wanted}': not a shipped query or a file; {hint or 'list them with: kgscore query --list'}")


def parse(text: str, name: str = "") -> Query:
    """Parse a query with its title and parameters from its leading comments.

    >>> parse("# Findings.\\n# param least: integer = 1 -- at least so many\\nASK { FILTER($least > 0) }").parameters[0].name
    'least'
    """
    parameters, words = [], []
    for line in takewhile(lambda line: line.startswith("#"), text.splitlines()):
        found = _PARAMETER.match(line)
        if found is None:
            words.append(line.lstrip("# ").strip())
        else:
            parameters.append(_check_parameters(Parameter(found[1], found[2], found[3], found[4] or ""), name))
    title, *about = words or [""]
    return Query(name, title, " ".join(about).strip(), tuple(parameters), text)


def _check_parameters(parameter: Parameter, name: str) -> Parameter:
    if parameter.type not in TYPES and "|" not in parameter.type:
        known = f"{', '.join(TYPES)}, or the allowed words: a|b"
        raise QueryError(f"{name or 'query'}: parameter '{parameter.name}': type '{parameter.type}' is not known; give {known}")
    return parameter


def bind(query: Query, given: Mapping[str, str], source: Source) -> str:
    """Return the text with its parameters bound as data (a VALUES block in the outermost group): whatever a value contains, it is
    one term. `any` leaves a numeric parameter unbound.

    A parameter that the query does not declare may be passed with its type (`name:integer`), else it is text. Concepts
    are given by id, label, synonym or IRI, runs by number or `latest`; both are looked up in the `source`."""
    declared = {parameter.name: parameter for parameter in query.parameters}
    values: dict[str, str] = {p.name: p.default for p in query.parameters if p.default is not None}
    for key, value in given.items():
        parameter = _parameter(query, key, declared)
        declared[parameter.name] = parameter
        values[parameter.name] = value
    for name, parameter in declared.items():
        if name not in values:
            raise QueryError(f"parameter '{name}': is missing; give --param {name}=VALUE ({parameter.type}: {parameter.about})")
    bound = {name: value for name, value in values.items() if value != ANY or declared[name].type in ("integer", "number")}
    terms = {name: _term(declared[name], value, source) for name, value in bound.items()}
    return _insert_values(query.text, terms)


def _parameter(query: Query, key: str, declared: Mapping[str, Parameter]) -> Parameter:
    """Return the parameter that a key means: a declared one, or one that the text has."""
    found = _TYPED_NAME.match(key)
    if found is None:
        raise QueryError(f"parameter '{key}': give NAME=VALUE or NAME:TYPE=VALUE")
    name, type = found[1], found[2]
    if name in declared:
        if type and type != declared[name].type:
            raise QueryError(f"parameter '{name}': has type {declared[name].type}; give {name}=VALUE")
        return declared[name]
    if not re.search(rf"[?$]{name}\b", blank_out(query.text)):
        hint = did_you_mean(name, declared) or (f"it has {', '.join(declared)}" if declared else "it has none")
        raise QueryError(f"parameter '{name}': the query has no such parameter; {hint}")
    return _check_parameters(Parameter(name, type or "text"), query.name)


def _term(parameter: Parameter, value: str, source: Source) -> Term:
    makers: dict[str, Callable[[str], Term]] = {
        "integer": lambda text: Literal(int(text)), "number": lambda text: Literal(float(text)), "text": Literal,
        "boolean": lambda text: Literal({"true": True, "false": False}[text]), "iri": NamedNode,
        "concept": lambda text: concept_node(source, text), "run": lambda text: run_node(source, text),
    }  # fmt: skip
    if parameter.choices:
        if value not in parameter.choices:
            raise QueryError(f"parameter '{parameter.name}': '{value}' is not one of {', '.join(parameter.choices)}")
        return Literal(value)
    try:
        return makers[parameter.type](value)
    except (ValueError, KeyError):
        raise QueryError(f"parameter '{parameter.name}': '{value}' is not of type {parameter.type}") from None


def _insert_values(text: str, terms: Mapping[str, Term]) -> str:
    if not terms:
        return text
    names, row = " ".join(f"?{name}" for name in terms), " ".join(str(term) for term in terms.values())
    place = _outermost_group(blank_out(text))
    return f"{text[:place]} VALUES ({names}) {{ ({row}) }} {text[place:]}"


def _outermost_group(bare: str) -> int:
    """Return the start of the outermost group of a query, after its brace: a WHERE, or the first that is not a template."""
    if re.search(r"\bCONSTRUCT\s*\{", bare, re.IGNORECASE):
        found = re.search(r"\bWHERE\s*\{", bare, re.IGNORECASE) or re.search(r"\}\s*\{", bare)
    else:
        found = _GROUP.search(bare)
    if found is None or re.search(r"\bCONSTRUCT\s+WHERE\b", bare, re.IGNORECASE):
        raise QueryError("the query has no group that parameters can be bound in; write WHERE { … }")
    return found.end()


def parameters_of(pairs: list[str]) -> dict[str, str]:
    """Return `NAME=VALUE` texts as a mapping."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise InputError(f"--param {pair}: give NAME=VALUE")
        found[name.strip()] = value
    return found
