"""Label sets: files that define each label of a published set by class expressions.

A set is YAML (`mappings/labels/*.yaml`, or a file of the user's) or SSSOM/TSV. An expression is `finding`, or `finding @ site`
(`@ left site`, `@ site & site`), and `+ descriptor` for each required descriptor: `breast_mass @ breast + spiculated`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscore.errors import InputError, check_keys, did_you_mean
from kgscore.model import Side
from kgscore.ontology.index import Index
from kgscore.resources import resource

if TYPE_CHECKING:
    from kgscore.ontology.sssom import Mapping as Mapped
    from kgscore.ontology.sssom import MappingSet
    from kgscore.ontology.tables import Term

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
        return " + ".join((f"{self.finding}{at}", *self.details))

    @property
    def slots(self) -> dict[str, str]:
        """What narrows the finding, as the extension slots of an SSSOM mapping."""
        side = f"_{self.side}" if self.side else ""
        located_in = "|".join(f"kgs:{site}{side}" for site in self.sites)
        return {"ext_located_in": located_in, "ext_detail": "|".join(map("kgs:{}".format, self.details))}


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
    head, *details = map(str.strip, text.split("+"))
    finding, _, place = map(str.strip, head.partition("@"))
    side = next((side for side in SIDES if place.startswith(f"{side} ")), None)
    sites = map(str.strip, place.removeprefix(f"{side} " if side else "").split("&"))
    return Expression(finding, tuple(filter(None, sites)), tuple(details), side)


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
    check_keys(values, {*LabelSet.__slots__} - {"where"}, path.name, InputError)
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
    check_keys(values, Label.__slots__, where, InputError)
    if values.get("rule", "") not in ("", NO_FINDING):
        raise InputError(f"{where}: 'rule' is '{NO_FINDING}', not '{values['rule']}'")
    if not values.get("any") and not values.get("rule"):
        raise InputError(f"{where}: neither 'any' nor 'rule'; say what the label means")
    parts: dict[str, Any] = {key: tuple(map(expression, map(str, values.get(key, ())))) for key in ("any", "unless", "denied_by")}
    parts |= {key: str(values.get(key, "")) for key in ("name", "rule", "match")}
    return Label(
        **parts, aside=tuple(values.get("aside", ())), codes=tuple(map(str, values.get("codes", ()))),
        unsaid=tuple(str(word).lower() for word in values.get("unsaid", ())),
        offered=bool(values.get("offered", not values.get("unsaid"))),
    )  # fmt: skip


def _from_sssom(path: Path) -> LabelSet:
    """Labels are the objects; a concept affirms those that are the same or broader, itself narrowed by the extensions."""
    from kgscore.ontology import sssom

    found = sssom.read_sssom(path)
    classes: dict[str, list[Expression]] = {}
    names: dict[str, str] = {}
    for row in found.mappings:
        if not (row.predicate_modifier or row.loose or row.predicate_id == sssom.RELATED):
            classes.setdefault(row.object_id, []).append(_class_of(row))
            names[row.object_id] = row.object_label or row.object_id.partition(":")[2]
    twice = _duplicates(names.values())
    names |= {key: f"{name} ({key})" for key, name in names.items() if name in twice}
    labels = tuple(Label(names[key], tuple(several)) for key, several in classes.items())
    title, source = (str(found.metadata.get(slot, "")) for slot in ("mapping_set_title", "object_source"))
    return LabelSet(found.name, title, source, labels, notice=str(found.metadata.get("comment", "")), where=path.name)


def _class_of(row: Mapped) -> Expression:
    """Return the class of a mapping: its subject, narrowed by the extensions."""
    places = [_site_of_key(key) for key in _keys_of(row.ext_located_in)]
    side = next((side for _, side in places if side), None)
    return Expression(row.key, tuple(site for site, _ in places), _keys_of(row.ext_detail), side)


def _keys_of(cell: str) -> tuple[str, ...]:
    return tuple(curie.partition(":")[2] for curie in cell.split("|") if curie)


def _site_of_key(key: str) -> tuple[str, Side | None]:
    """Return the structure and side in the key of a sided class (`lung_left`)."""
    side = next((side for side in SIDES if key.endswith(f"_{side}")), None)
    return key.removesuffix(f"_{side}"), side


def _duplicates(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def mappings_of(found: LabelSet, index: Index) -> MappingSet:
    """Return a set as SSSOM mappings: a concept that alone is the label is `exactMatch`, one of several `broadMatch` (the label
    is broader), and one that is the label only with a site or descriptors `narrowMatch`, with these in the extension slots."""
    from kgscore.ontology import sssom

    rows: dict[sssom.Mapping, None] = {}
    for label in found.labels:
        match = sssom.EXACT if len(label.any) == 1 and not label.unless else sssom.BROAD
        match = f"skos:{label.match}Match" if label.match else match
        for one in label.any:
            rows[sssom.Mapping(
                f"kgs:{one.finding}", index.label(one.finding), predicate_id=sssom.NARROW if one.sites or one.details else match,
                object_id=f"{found.name}:{slug(label.name)}", object_label=label.name, **one.slots,
            )] = None  # fmt: skip
    about = (
        f"Generated from mappings/labels/{found.where}, which also holds exceptions and what denies a label. The object ids "
        "are kgscore's own, for labels that have no identifier."
    )
    prefixes = {found.name: f"https://w3id.org/kgscore/labels/{found.name}/"}
    metadata = sssom.metadata_of(found.name, f"kgscore to {found.title}", about, prefixes, object_source=found.source)
    return sssom.MappingSet(found.name, metadata, tuple(rows))


def generated_mappings(terms: Sequence[Term]) -> list[MappingSet]:
    """Return every generated mapping set, from these terms."""
    from kgscore.ontology.compile import build_index
    from kgscore.ontology.sssom import fma_mappings

    index = build_index(list(terms))
    names = sorted(path.stem for path in resource("mappings", "labels").glob("*.yaml"))
    return [fma_mappings(terms), *(mappings_of(load_set(name), index) for name in names)]


def stale_files(folder: Path, made: Iterable[MappingSet]) -> list[str]:
    """Return one line for every generated file that does not match its source."""
    from kgscore.ontology.sssom import write_sssom

    problems = []
    for found in made:
        path = folder / f"{found.name}.sssom.tsv"
        if not path.exists() or path.read_text(encoding="utf-8") != write_sssom(found):
            problems.append(f"error: {path.name}: does not match its source; run: kgscore ontology mappings --write")
    return problems


def slug(name: str) -> str:
    """Return a name as the local part of a CURIE.

    >>> slug("Pleural Other")
    'pleural_other'
    """
    return "_".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
