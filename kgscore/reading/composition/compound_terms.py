"""Names composed of several words of a statement: a finding with its noun, its site or the descriptor before it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, UNKNOWN, Entry
from kgscore.reading.composition import parsed_sentence as sentence
from kgscore.reading.composition.locations import Location
from kgscore.reading.composition.parsed_sentence import ParsedSentence, completed_entry, endings, exact_entry
from kgscore.reading.composition.qualities import known, qualities_of, sequences, signals
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

_WITHOUT = ("no", "without")  # first words of a descriptor that expresses absence ("without enhancement")
# First words of one that compares a finding with something else ("similar to cerebrospinal fluid").
_LIKE = ("similar", "resembl", "like", "close", "follow", "isointense", "isodense", "approach", "approximat", "of")


class NamedConcept(NamedTuple):
    """A concept that a statement names, the kind of its head, the item that names it, the quality and direction if it is a
    value of a quality, and the modifier that is `part` of the name."""

    kind: str
    concept: str
    item: Mention
    quality: str | None = None
    direction: Mention | None = None
    part: int | None = None


def findings_named(names: Iterable[str], item: Mention, part: int | None = None) -> list[NamedConcept]:
    """Return findings that an item names, with a modifier that is part of the name."""
    return [NamedConcept(FINDING, name, item, part=part) for name in names]


def is_of_wall(scene: ParsedSentence, statement: Statement) -> bool:
    """Whether a statement is about the wall of an organ ("the wall of the splenic artery is thickened")."""
    places = [at for at in statement.placed if "wall" in scene.words(at)]
    return bool(places) and scene.flagged("no_organ").isdisjoint(scene.ids(places))


def finding_of(scene: ParsedSentence, statement: Statement, item: Mention) -> Entry | None:
    """Return the finding that an item of another kind names, by itself or with shared words."""
    entry = completed_entry(scene, statement.head, FINDING) or item.types.get(FINDING)
    if item.kind == ANATOMY:
        entry = entry or sentence.noun_after(scene, statement.head) or sentence.noun_before(scene, statement.head)
    elif item.kind == DESCRIPTOR and _opens_list(scene, statement.head):
        entry = entry or sentence.noun_after(scene, statement.head)  # "patchy, nodular and linear opacities"
    return entry or _noun_within(scene, statement) or _with_noun(scene, statement)


def _chosen(item: Mention) -> Entry | None:
    return next((entry for entry in item.choices if entry.type == FINDING), None)


def _noun(entries: Iterable[Entry | None]) -> Entry | None:
    return next((entry for entry in filter(None, entries) if not entry.adjective), None)


def _opens_list(scene: ParsedSentence, at: int) -> bool:
    """Whether a descriptor may share the noun of the next member of its list: not every comma joins two."""
    joint = scene.kind(at + 1) if at + 2 < len(scene.items) else ""
    return joint in ("and", "or") or (joint == "comma" and scene.items[at].id in scene.flagged("forming"))


def abnormal_of(scene: ParsedSentence, statement: Statement, item: Mention, place: Location) -> str | None:
    """Return the deviation for an abnormality of a quality ("no attenuation abnormality"), and the concept of a broken device."""
    words = scene.vocabulary
    if item.id == scene.role("broken") and not (words.devices - words.states).isdisjoint(scene.ids(place.bearers)):
        return scene.role("broken_device")  # "broken left L5 screw"
    if item.id != scene.role("any_abnormality"):
        return None
    found = (words.qualities.get(one.id, {}).get("dev") for one in qualities_of(scene, statement))
    return next(filter(None, found), None)


def _noun_within(scene: ParsedSentence, statement: Statement) -> Entry | None:
    """Return the finding that the last words of a head name, with those before it ("small retroperitoneal lymph nodes")."""
    item, words = scene.items[statement.head], scene.words(statement.head)
    if item.kind not in (ANATOMY, DESCRIPTOR) or words[0].startswith((*_WITHOUT, *_LIKE)):
        return None
    before = [scene.words(at) for at in scene.of_kind(DESCRIPTOR, statement.modifiers) if at < statement.head]
    said = before if item.kind == ANATOMY else [()]
    return _noun(exact_entry(scene, (*one, *words[cut:]), FINDING) for cut in range(1, len(words)) for one in said)


def shared_in(scene: ParsedSentence, statement: Statement, entry: Entry) -> int | None:
    """Return the descriptor before a structure that is part of the name of the finding ("subcentimeter hilar nodes")."""
    words, before = scene.words(statement.head), scene.of_kind(DESCRIPTOR, statement.modifiers)
    if scene.kind(statement.head) != ANATOMY:
        return None
    said = ((at, exact_entry(scene, (*scene.words(at), *words[cut:]), FINDING)) for cut in range(1, len(words)) for at in before)
    return next((at for at, one in said if one and one.id == entry.id), None)


def _with_noun(scene: ParsedSentence, statement: Statement) -> Entry | None:
    """Return the finding that a descriptor names with its site directly after it ("suspicious cervical lymph nodes")."""
    after = statement.head + 1
    if scene.items[statement.head].kind != DESCRIPTOR or after not in statement.placed:
        return None
    noun, words = scene.words(after), scene.words(statement.head)
    return _noun(exact_entry(scene, (*words, *noun[cut:]), FINDING) for cut in range(len(noun)))


def adjective_of(scene: ParsedSentence, statement: Statement) -> Mention | None:
    """Return the adjective of a finding among the modifiers of a structure that heads a statement."""
    items = (scene.items[at] for at in scene.of_kind(FINDING, statement.modifiers))
    return next((item for item in items if item.adjective), None)


def after_label(scene: ParsedSentence, statement: Statement) -> Mention | None:
    """Return the finding after a structure and "of"."""
    after = statement.head + 2
    told = statement.modifiers == (after,) and scene.kind(after) == FINDING and scene.said(after - 1) == "of"
    return scene.items[after] if told else None


def implied_finding(scene: ParsedSentence, item: Mention) -> str:
    """Return the finding that a normal word for organs names for a lesion ("the mass enhances homogeneously"), or ""."""
    words, entry = scene.vocabulary, item.types.get(DESCRIPTOR) if item.kind == NORMAL else None
    if entry is None or not any(_lesion_beside(scene, at, item) for at in range(len(scene.items))):
        return ""
    noun = exact_entry(scene, words.labels[entry.id].split()[-1:], FINDING)
    return noun.id if noun is not None and noun.id in words.own else ""


def _lesion_beside(scene: ParsedSentence, at: int, item: Mention) -> bool:
    other = scene.items.index(item)
    return is_lesion(scene, at) and {"neg", "semi", "but"}.isdisjoint(scene.run(min(at, other) - 2, max(at, other)))


def is_lesion(scene: ParsedSentence, at: int) -> bool:
    """Whether an item is a finding that is a lesion."""
    item = scene.items[at]
    return item.kind == FINDING and (item.id in scene.vocabulary.lumps or scene.is_any(item.id, "lesions"))


def own_noun(scene: ParsedSentence, at: int) -> str:
    """Return the finding that a descriptor or its last words name ("heterogeneous enhancement"), or ""."""
    words, own = scene.words(at), scene.vocabulary.own  # "heterogeneously enhancing"
    lasts = endings(scene, () if "".join(words[:1]).startswith(_WITHOUT) else words, FINDING)
    found = _chosen(scene.items[at]) or next((one for one in lasts if not one.adjective or one.id in own), None)
    return found.id if found else ""


def finding_of_modifier(scene: ParsedSentence, statement: Statement) -> str | None:
    """Return the finding that a modifier of an empty noun names: "hypodense area", "fluid shadow"."""
    empty = scene.vocabulary.empty
    # "a dot of hyperdensity", "a valve prosthesis shadow"
    places = [at for at in statement.placed if at >= statement.head - 1]
    items = [scene.items[at] for at in (*places, *statement.modifiers)]
    nouns = [item.id for item in items if item.kind == FINDING and item.id not in empty]
    values = filter(None, (_chosen(item) for item in items if item.kind == DESCRIPTOR))
    return next(iter((*reversed(nouns), *(entry.id for entry in values))), None)


def specific(scene: ParsedSentence, statement: Statement) -> tuple[str, int | None]:
    """Return the finding that a head names with its list, a modifier ("acute osseous abnormality") or as a kind of lesion."""
    item, before = scene.items[statement.head], statement.head - 1
    if before in statement.modifiers and _is_kind_of_lesion(scene, before, item):
        return scene.items[before].id, before
    whole = completed_entry(scene, statement.head, FINDING) if item.adjective else sentence.leading_entry(scene, statement)
    if whole and not whole.adjective:
        return whole.id, None
    naming = [at for at in scene.of_kind(DESCRIPTOR, statement.modifiers) if at < statement.head]
    if scene.kind(statement.head + 1) == "colon":  # "Hernia: hiatal"
        naming = [at for at in statement.modifiers if scene.kind(at) in (DESCRIPTOR, UNKNOWN)]
    for at in naming:
        entry = exact_entry(scene, (*scene.words(at), *scene.words(statement.head)), FINDING)
        if entry and not entry.adjective:
            return entry.id, at
    return item.id, None


def _is_kind_of_lesion(scene: ParsedSentence, at: int, item: Mention) -> bool:
    """Whether an item is a noun for a kind of lesion before "lesion"."""
    kind = scene.items[at]
    noun = item.id == scene.role("any_lesion") and kind.is_noun
    return noun and kind.id != item.id and scene.index.is_a(kind.id, item.id)


def own_findings(scene: ParsedSentence, statement: Statement, concept: str) -> list[NamedConcept]:
    """Return the modifiers of a finding that are separate findings: its enhancement and its signal."""
    own, found = scene.vocabulary.own, list[NamedConcept]()
    for at in statement.modifiers:
        item, entry = scene.items[at], _own_finding(scene, at)
        if entry in own and entry != concept:
            found += findings_named((signals(scene, statement, item) if item.kind == FINDING else []) or [entry], item)
    return found


def _own_finding(scene: ParsedSentence, at: int) -> str:
    """Return the finding that a modifier names, or ""."""
    item = scene.items[at]
    if item.kind == FINDING:
        return item.id
    return own_noun(scene, at) if item.kind == DESCRIPTOR else implied_finding(scene, item)


def signals_of_modifiers(scene: ParsedSentence, statement: Statement, item: Mention) -> list[NamedConcept]:
    """Return the signals on a sequence named by modifiers of an empty noun: "a bright area on T2-weighted images"."""
    for at in statement.modifiers if sequences(scene, statement) else ():
        if named_by := _signals_of(scene, statement, scene.items[at]):
            return findings_named(named_by, item, at)
    return []


def _signals_of(scene: ParsedSentence, statement: Statement, item: Mention) -> list[str]:
    if item.kind == FINDING:
        return signals(scene, statement, item)
    alike = (item.kind, item.id) == (DESCRIPTOR, scene.role("like_tissue"))  # "an isointense focus on T1"
    return isointensities(scene, statement) if alike else []


def isointensities(scene: ParsedSentence, statement: Statement) -> list[str]:
    """Return the concepts of a signal like that of another tissue on the sequences of a statement."""
    return known(scene, (f"{one}_isointensity" for one in sequences(scene, statement)))
