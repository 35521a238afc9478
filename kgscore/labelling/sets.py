"""Label sets: files that define each label of a published set by class expressions.

A set is YAML (`mappings/labels/*.yaml`, or a file of the user's) or SSSOM/TSV. An expression is `finding`, or `finding @ site`
(`@ left site`, `@ site & site`), and `+ descriptor` for each required descriptor: `breast_mass @ breast + spiculated`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscore.errors import InputError, did_you_mean
from kgscore.model import Side
from kgscore.ontology.index import Index
from kgscore.resources import resource

if TYPE_CHECKING:
    from kgscore.ontology.sssom import MappingSet

NO_FINDING = "no_finding"
_CERTAINTIES = ("probable", "possible")
_SHIPPED_SSSOM = ("oifm",)
SIDES: tuple[Side, Side] = ("left", "right")


@dataclass(frozen=True, slots=True)
class Expression:
    """A class: a finding, at all the named sites and side, with all the named descriptors."""

    finding: str
    sites: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    side: Side | None = None

    def __str__(self) -> str:
        """Return the expression as text.

        >>> str(Expression("breast_mass", ("breast",), ("spiculated",), "left"))
        'breast_mass @ left breast + spiculated'
        """
        side = f"{self.side} " if self.side else ""
        at = f" @ {side}{' & '.join(self.sites)}" if self.sites else ""
        return f"{self.finding}{at}{''.join(f' + {detail}' for detail in self.details)}"


@dataclass(frozen=True, slots=True)
class Label:
    """One label. A finding that falls under one of `any` and under none of `unless` affirms it, if none of its words has a
    prefix in `unsaid`; an alternative offered for a finding counts if `offered` (if `unsaid` is given, only then). It is negated
    if each of `any` is, or, if `denied_by` says so, if one of those is. `rule: no_finding`: true if no other label is affirmed
    or uncertain, ignoring those in `aside`. `codes` is the label's name in other data, if different from the name."""

    name: str
    any: tuple[Expression, ...] = ()
    unless: tuple[Expression, ...] = ()
    unsaid: tuple[str, ...] = ()
    offered: bool = True
    denied_by: tuple[Expression, ...] = ()
    rule: str = ""
    aside: tuple[str, ...] = ()
    match: str = ""
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelSet:
    """A set of labels. `uncertain` lists the certainties that make a label uncertain (the others count as present);
    `restricted_denials` tells whether a negation of part of a class ("no large effusion") negates the label."""

    name: str
    title: str
    source: str
    labels: tuple[Label, ...]
    uncertain: tuple[str, ...] = _CERTAINTIES
    restricted_denials: bool = False
    subsets: Mapping[str, tuple[str, ...]] | None = None
    notice: str = ""
    where: str = ""


def set_names() -> tuple[str, ...]:
    """Return the names of the shipped sets."""
    return tuple(sorted({path.stem for path in resource("mappings", "labels").glob("*.yaml")} | set(_SHIPPED_SSSOM)))


@lru_cache(maxsize=16)
def load_set(name: str) -> LabelSet:
    """Return a shipped set by name, or the set in a `.yaml` or `.sssom.tsv` file. Raises InputError if the set does not exist, or
    the file is malformed."""
    if name.endswith((".yaml", ".yml")):
        return _from_yaml(Path(name))
    if name.endswith(".tsv"):
        return _from_sssom(Path(name))
    if name not in set_names():
        hint = did_you_mean(name, set_names())
        known = ", ".join(set_names())
        raise InputError(f"label set '{name}': not found; {hint} known sets: {known}; or give a .yaml or .sssom.tsv file")
    if name in _SHIPPED_SSSOM:
        return _from_sssom(resource("mappings", f"{name}.sssom.tsv"))
    return _from_yaml(resource("mappings", "labels", f"{name}.yaml"))


def set_hash(name: str) -> str:
    """Return a hash of the content of a set (12 hex digits), for the signature of scores made with it. Raises InputError if the
    set does not exist."""
    return hashlib.sha256(repr(load_set(name)).encode()).hexdigest()[:12]


def check_set(found: LabelSet, index: Index) -> list[str]:
    """Return the problems of a set: ids missing from the ontology, duplicate labels; one line each."""
    names = [label.name for label in found.labels]
    problems = [f"label '{name}' is duplicated; keep one" for name in sorted(_duplicates(names))]
    for label in found.labels:
        for one in (*label.any, *label.unless, *label.denied_by):
            problems += [f"label '{label.name}': {wrong}" for wrong in _unknown(one, index)]
        problems += [f"label '{label.name}': aside: no label '{name}'" for name in label.aside if name not in names]
    for subset, members in (found.subsets or {}).items():
        problems += [f"subset '{subset}': no label '{name}'" for name in members if name not in names]
    return [f"{found.where}: {problem}" for problem in problems]


def _unknown(one: Expression, index: Index) -> list[str]:
    """Return the ids in an expression that are missing from the ontology, or of the wrong kind."""
    wanted = [
        (one.finding, ("findings", "devices")),
        *((site, ("anatomy",)) for site in one.sites),
        *((detail, ("descriptors", "findings")) for detail in one.details),
    ]
    problems = []
    for key, kinds in wanted:
        concept = index.concepts.get(key)
        if concept is None or concept.kind not in kinds:
            hint = did_you_mean(key, (name for name, other in index.concepts.items() if other.kind in kinds))
            problems.append(f"'{key}' is not an id of {' or '.join(kinds)}; {hint}".rstrip("; "))
    return problems


def expression(text: str) -> Expression:
    """Parse an expression.

    >>> expression("mass @ left breast + spiculated")
    Expression(finding='mass', sites=('breast',), details=('spiculated',), side='left')
    """
    head, *details = (part.strip() for part in text.split("+"))
    finding, _, place = (part.strip() for part in head.partition("@"))
    side: Side | None = "left" if place.startswith("left ") else "right" if place.startswith("right ") else None
    names = (name.strip() for name in (place.removeprefix(f"{side} ") if side else place).split("&"))
    return Expression(finding, tuple(name for name in names if name), tuple(details), side)


def _from_yaml(path: Path) -> LabelSet:
    import yaml

    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError:
        raise InputError(f"{path}: cannot be read; check the path and its permissions") from None
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise InputError(f"{path.name}: is not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(values, dict) or not isinstance(values.get("labels"), list):
        raise InputError(f"{path.name}: no 'labels'; a set has name, title, source and a list of labels")
    values.setdefault("name", path.stem)
    known = {field.name for field in fields(LabelSet)} - {"where"}
    _keys(values, known, path.name)
    labels = tuple(_label(one, f"{path.name}: labels") for one in values.pop("labels"))
    uncertain = values.pop("uncertain", _CERTAINTIES)
    if not set(uncertain) <= set(_CERTAINTIES):
        raise InputError(f"{path.name}: 'uncertain' lists some of {', '.join(_CERTAINTIES)}")
    subsets = {name: tuple(members) for name, members in (values.pop("subsets", None) or {}).items()}
    texts = {name: str(values.get(name, "")) for name in ("name", "title", "source", "notice")}
    return LabelSet(
        **texts, labels=labels, uncertain=tuple(uncertain), restricted_denials=bool(values.get("restricted_denials", False)),
        subsets=subsets, where=path.name,
    )  # fmt: skip


def _label(values: Any, where: str) -> Label:
    if not isinstance(values, dict) or not values.get("name"):
        raise InputError(f"{where}: each label is a mapping with a name")
    where = f"{where}: {values['name']}"
    _keys(values, {field.name for field in fields(Label)}, where)
    if values.get("rule", "") not in ("", NO_FINDING):
        raise InputError(f"{where}: 'rule' is '{NO_FINDING}', not '{values['rule']}'")
    if not values.get("any") and not values.get("rule"):
        raise InputError(f"{where}: neither 'any' nor 'rule'; say what the label means")
    classes = {key: tuple(expression(str(text)) for text in values.get(key, ())) for key in ("any", "unless", "denied_by")}
    return Label(
        str(values["name"]), **classes, rule=str(values.get("rule", "")), aside=tuple(values.get("aside", ())),
        unsaid=tuple(str(word).lower() for word in values.get("unsaid", ())), match=str(values.get("match", "")),
        offered=bool(values.get("offered", not values.get("unsaid"))),
        codes=tuple(str(code) for code in values.get("codes", ())),
    )  # fmt: skip


def _keys(values: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    known = set(known)
    for key in values:
        if key not in known:
            hint = did_you_mean(str(key), known) or f"known keys: {', '.join(sorted(known))}"
            raise InputError(f"{where}: unknown key '{key}'; {hint}")


def _from_sssom(path: Path) -> LabelSet:
    """Labels are the objects; a concept affirms those that are the same or broader, itself narrowed by the extensions."""
    from kgscore.ontology import sssom

    found = sssom.read_sssom(path)
    classes: dict[str, list[Expression]] = {}
    names: dict[str, str] = {}
    for row in found.mappings:
        narrowed = bool(row.ext_located_in or row.ext_detail)
        wide = row.predicate_id in (sssom.NARROW, sssom.RELATED) and not narrowed
        if row.predicate_modifier or wide or row.predicate_id == sssom.RELATED:
            continue
        places = [_site_of_key(key) for key in _keys_of(row.ext_located_in)]
        side = next((side for _, side in places if side), None)
        sites = tuple(site for site, _ in places)
        classes.setdefault(row.object_id, []).append(Expression(row.key, sites, _keys_of(row.ext_detail), side))
        names[row.object_id] = row.object_label or row.object_id.partition(":")[2]
    twice = _duplicates(names.values())
    labels = tuple(
        Label(f"{names[key]} ({key})" if names[key] in twice else names[key], tuple(several)) for key, several in classes.items()
    )
    title, source = (str(found.metadata.get(slot, "")) for slot in ("mapping_set_title", "object_source"))
    return LabelSet(found.name, title, source, labels, notice=str(found.metadata.get("comment", "")), where=path.name)


def _keys_of(cell: str) -> tuple[str, ...]:
    """Return the ids in a cell of CURIEs."""
    return tuple(curie.partition(":")[2] for curie in cell.split("|") if curie)


def _site_of_key(key: str) -> tuple[str, Side | None]:
    """Return the structure and side in the key of a sided class (`lung_left`)."""
    for side in SIDES:
        if key.endswith(f"_{side}"):
            return key.removesuffix(f"_{side}"), side
    return key, None


def _duplicates(names: Iterable[str]) -> set[str]:
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}  # type: ignore[func-returns-value]


def mappings_of(found: LabelSet, index: Index) -> MappingSet:
    """Return a set as SSSOM mappings: a concept that alone is the label is `exactMatch`, one of several `broadMatch` (the label
    is broader), and one that is the label only with a site or descriptors `narrowMatch`, with these in the extension slots."""
    from kgscore.ontology import sssom

    rows = []
    for label in found.labels:
        for one in label.any:
            narrowed = bool(one.sites or one.details)
            predicate = sssom.NARROW if narrowed else sssom.EXACT if len(label.any) == 1 and not label.unless else sssom.BROAD
            rows.append(
                sssom.Mapping(
                    f"kgs:{one.finding}",
                    index.label(one.finding),
                    predicate_id=f"skos:{label.match}Match" if label.match and not narrowed else predicate,
                    object_id=f"{found.name}:{slug(label.name)}",
                    object_label=label.name,
                    ext_located_in="|".join(f"kgs:{site}{f'_{one.side}' if one.side else ''}" for site in one.sites),
                    ext_detail="|".join(f"kgs:{detail}" for detail in one.details),
                )
            )
    return sssom.MappingSet(
        found.name,
        sssom.metadata_of(
            found.name,
            f"kgscore to {found.title}",
            f"Generated from mappings/labels/{found.where}, which also holds exceptions and what denies a label. The object ids "
            "are kgscore's own, for labels that have no identifier.",
            {found.name: f"https://w3id.org/kgscore/labels/{found.name}/"},
            object_source=found.source,
        ),
        tuple(dict.fromkeys(rows)),
    )


def slug(name: str) -> str:
    """Return a name as the local part of a CURIE.

    >>> slug("Pleural Other")
    'pleural_other'
    """
    return "_".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
