"""Pairs of texts generated from the ontology with a known relation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from string import Formatter
from typing import Any

from kgscore.engine import Scorer
from kgscore.lab.bench._ask import Ask, benchmark, evenly_spaced, groups
from kgscore.lab.bench._contest import Grid, figures_by_group, shares_by_part
from kgscore.linking.lexicon import ANATOMY
from kgscore.ontology.index import Concept
from kgscore.reading.tokens import phrase_key
from kgscore.resources import yaml_of

_FINDING = re.compile(r"[a-z]+( [a-z]+)?")
_SITE = re.compile(r"[a-z]+( [a-z]+){0,2}")
_VALUE = re.compile(r"[a-z-]{5,}")
_PLURAL = re.compile(r"[^isu]s\Z")
_CONDITION = re.compile(r"(?:iasis|osis|itis|emia)\Z")
_PLURALS = (("sis", 2, "es"), ("s", 0, "es"), ("x", 0, "es"), ("y", 1, "ies"), ("", 0, "s"))
_RELATIONS = {"kin": ("equivalent", "part_whole"), "contradiction": ("contradiction",)}
Slots = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """Two texts, the required relation (`mappings/bench/invariance.yaml`: `want`), and the module of the finding, if any."""

    test: str
    module: str
    first: str
    second: str
    want: str


class _Source:
    """Draws compatible findings and places, in the order of the ontology."""

    def __init__(self, scorer: Scorer, data: Mapping[str, Any]) -> None:
        self.index, self.lexicon, self.data = scorer.index, scorer.lexicon, data
        self._placed = list(self._pairs())

    def draws(self, frame: Mapping[str, Any]) -> Iterator[Slots]:
        """Yield the values for the slots of a frame, once for each finding, or pair of findings, that it applies to."""
        kind = frame["draw"]
        if kind in self.data["lists"]:
            for row in self.data["lists"][kind]:
                yield from ({"said": row["said"], "each": row["each"], **self._name_slots(name)} for name in row["findings"])
        elif kind == "valued":
            yield from self._value_slots()
        elif kind == "placed":
            yield from (self._slots(*pair) for pair in self._placed if self._fits(frame, *pair))
        else:
            yield from self._pair_slots(kind)

    def _fits(self, frame: Mapping[str, Any], finding: str, site: str) -> bool:
        place = self.index.concepts[site]
        paired = "paired" in place.flags and " of " not in place.label
        return (paired or not frame.get("paired")) and ("of" not in frame or self.index.is_any(finding, frame["of"]))

    def _slots(self, finding: str, site: str) -> dict[str, str]:
        modules = [self.index.concepts[name].module for name in (finding, site)]
        module = modules[modules[0] == "core"]
        return {**self._name_slots(self.index.label(finding)), "site": self.index.label(site), "module": module}

    def _name_slots(self, name: str) -> dict[str, str]:
        several = next(f"{name[: len(name) - cut]}{end}" for last, cut, end in _PLURALS if name.endswith(last))
        return {"finding": name, "findings": several, "a": name if name.split()[-1] in self.data["uncounted"] else f"a {name}"}

    def _pairs(self) -> Iterator[tuple[str, str]]:
        """Yield each plain finding with its possible places: where a definition gives a subclass, and its default sites."""
        index = self.index
        for name, concept in index.concepts.items():
            if not (concept.kind == "findings" and index.is_any(name, self.data["bodies"]) and self._has_plain_name(concept)):
                continue
            sites = [site for site, defined in index.definitions.get(name, ()) if index.is_a(defined, name)]
            for site in dict.fromkeys((*sites, *index.soft_sites.get(name, ())[:1])):
                place = index.concepts[site]
                if "group" not in place.flags and _SITE.fullmatch(place.label) and not _PLURAL.search(place.label):
                    yield name, site

    def _has_plain_name(self, concept: Concept) -> bool:
        """Return whether a finding has a short singular name without a place."""
        named = any(entry.type == ANATOMY for word in concept.label.split() for entry in self.lexicon.lookup(phrase_key(word)))
        return bool(_FINDING.fullmatch(concept.label)) and not (
            named or _PLURAL.search(concept.label) or _CONDITION.search(concept.label)
        )

    def _value_slots(self) -> Iterator[Slots]:
        index = self.index
        for value, rows in index.differentiae.items():
            for genus, defined in rows:
                names = _VALUE.fullmatch(index.label(value)), re.fullmatch(r"[a-z ]+", index.label(genus))
                if all(names) and index.is_a(defined, genus) and not _PLURAL.search(index.label(genus)):
                    named = self._name_slots(index.label(genus))
                    yield {**named, "value": index.label(value), "module": index.concepts[defined].module}

    def _pair_slots(self, kind: str) -> Iterator[Slots]:
        """Yield two unrelated findings at one site (`findings`), or one finding at two separate sites (`sites`)."""
        here = int(kind == "findings")
        for one, other in pairwise(sorted(self._placed, key=lambda pair: pair[here])):
            holds = self.index.is_a if here else self.index.inside
            mine, yours = one[1 - here], other[1 - here]
            if one[here] == other[here] and not holds(mine, yours) and not holds(yours, mine):
                second = self._slots(*other)
                yield {**self._slots(*one), "finding2": second["finding"], "a2": second["a"], "site2": second["site"]}


def trials(scorer: Scorer, data: Mapping[str, Any], sample: int = 0) -> Iterator[Trial]:
    """Yield the pairs of every frame of the data: all that the ontology gives, or so many of each frame, evenly spaced."""
    source = _Source(scorer, data)
    for frame in data["tests"]:
        texts = frame["first"], frame["second"]
        used = {field.rstrip("23") for text in texts for _, field, _, _ in Formatter().parse(text) if field}
        lists = [name for name in data["words"] if name in used]
        drawn = [{**slots, **_words(data["words"], lists, place)} for place, slots in enumerate(source.draws(frame))]
        for slots in evenly_spaced(drawn, sample):
            first, second = (_fill(text, slots) for text in texts)
            if first != second:
                yield Trial(frame["test"], slots.get("module", ""), first, second, frame["want"])


def _words(words: Mapping[str, Sequence[Sequence[str]]], names: Sequence[str], place: int) -> dict[str, str]:
    """Return a row of each list: with increasing positions every combination occurs in turn."""
    found: dict[str, str] = {}
    for name in names:
        place, row = divmod(place, len(words[name]))
        found |= {f"{name}{number if number > 1 else ''}": word for number, word in enumerate(words[name][row], 1)}
    return found


def _fill(text: str, slots: Slots) -> str:
    each = slots["each"] if "{each}" in text else [""]
    filled = " ".join(text.format(**{**slots, "each": one}) for one in each)
    filled = re.sub(r"\b([Aa]) (?=[aeiouAEIOU])", r"\1n ", filled)
    return re.sub(r"(^|[.\n] ?)([a-z])", lambda match: match[1] + match[2].upper(), filled)


def relation_holds(scorer: Scorer, trial: Trial) -> bool:
    """Return whether the second text has the required relation to the first."""
    first, second = trial.first, trial.second
    if trial.want in _RELATIONS:
        return scorer.relate_readings(scorer.read(first), scorer.read(second)).relation in _RELATIONS[trial.want]
    verdict = scorer.entails(first, second).verdict
    if trial.want == "alone":
        return verdict == "entailed" and len(scorer.read(first).findings) == len(scorer.read(second).findings)
    return verdict == "entailed" and (trial.want == "says" or scorer.entails(second, first).verdict == "entailed")


@benchmark(
    "reader", "sampling", "sample", "show", file=False,
    grids=lambda figures: [Grid("Generated pairs: share with the required relation", ("right",), figures_by_group(figures))],
)  # fmt: skip
def invariance(ask: Ask) -> dict[str, Any]:
    """Return the share of generated pairs of texts with the required relation (the same in other words,
    a contradiction …), with intervals by pair, and by test and module. The pairs come from the ontology; `sample`: so many of
    each frame, evenly spaced. A miss is printed as a JSON line. No FILE is needed.
    """
    scorer = ask.scorer()
    made = list(trials(scorer, yaml_of("mappings", "bench", "invariance.yaml"), ask.sample))
    right = [relation_holds(scorer, trial) for trial in made]
    for trial, good in zip(made, right, strict=True) if ask.show else ():
        if not good:
            print(json.dumps(asdict(trial), ensure_ascii=False))
    parts = groups([asdict(trial) for trial in made], ("test", "module"))
    return shares_by_part({"right": right}, parts, ask.sampling, label="invariance")
