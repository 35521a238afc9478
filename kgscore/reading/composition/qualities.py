"""The qualities of a statement and their deviations from normal; the sequences of MRI and the signals on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, QUALITY
from kgscore.reading.composition.parsed_sentence import ParsedSentence, endings, exact_entry, without
from kgscore.reading.disambiguation import DIRECTIONS
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

# The deviation for each direction.
DEVIATION = {"up": "up", "down": "down", "lost": "lost", "abnormal": "off"}
# Kinds of the further members of a list of values before their quality.
_SHARING = DIRECTIONS | {"and", "comma", DESCRIPTOR, FINDING}
_WAYS = ("hyper", "hypo")
_LIST = ("and", "slash", "comma")
# Kinds of items after a list of sequences of one signal.
_ENDING = frozenset(("", "stop", "comma", "semi", "and", "with", "prep", "seen"))
_OPENING = frozenset(("prep", "stop", "and", "comma"))


def qualities_of(scene: ParsedSentence, statement: Statement) -> list[Mention]:
    """Return the qualities among the modifiers of a statement."""
    told = without((*statement.modifiers, *scene.of_kind(QUALITY, statement.placed)), (statement.head,))
    items = (_measured(scene, at) for at in told)
    found = [item for item in items if item.kind == QUALITY or (QUALITY in item.types and item.kind in (FINDING, ANATOMY))]
    return found or _shared_quality(scene, statement.head)


def _shared_quality(scene: ParsedSentence, at: int) -> list[Mention]:
    """Return the quality that a direction shares with the next members of its list ("increased and coarse markings")."""
    moving = ("increased", "decreased")
    directed = scene.items[at].id in moving or scene.kind(at) in DIRECTIONS
    if not directed or scene.kind(at + 1) not in ("and", "comma"):
        return []
    for number in range(at + 1, len(scene.items)):
        item = scene.items[number]
        if item.kind == QUALITY:
            return [item]
        if item.is_noun:
            entries = endings(scene, scene.words(number), QUALITY)
            return [replace(item, kind=QUALITY, id=entry.id) for entry in entries][:1]
        if item.kind not in _SHARING and item.id not in moving:
            break
    return []


def _measured(scene: ParsedSentence, at: int) -> Mention:
    """Return an item, as a quality if it only names what is measured ("the diameter of the duct is normal")."""
    item, words = scene.items[at], scene.words(at) if scene.kind(at) == "stop" else ()
    named = words[:-1] if words[1:] == ("of",) else words[1:] if words[:1] == ("in",) else ()
    entry = exact_entry(scene, named, QUALITY) if len(named) == 1 else None
    return item if entry is None else replace(item, kind=QUALITY, id=entry.id)


def quality_id(item: Mention) -> str:
    return item.types[QUALITY].id if item.kind != QUALITY else item.id


def deviation(scene: ParsedSentence, quality: str, direction: str | None) -> str | None:
    """Return the finding for a value of a quality (up, down, lost or abnormal; None: any deviation), or None if unknown."""
    values = scene.vocabulary.qualities.get(quality)
    if values is None:
        return None
    chief = values.get("dev", scene.role("any_abnormality"))
    return chief if direction is None else values.get(DEVIATION[direction], chief)


def denied_deviation(scene: ParsedSentence, statement: Statement, item: Mention) -> str | None:
    """Return the deviation of a quality for a denied bare noun ("no lesions of abnormal density": no abnormal density)."""
    index = scene.index
    if statement.status != "absent" or item.id not in (index.role("any_lesion"), *scene.vocabulary.empty):
        return None
    names = scene.ids(statement.modifiers)
    denied = (row.genus for name in names for row in index.denials.get(name, ()))
    return next(filter(index.deviations().__contains__, (*names, *denied)), None)


def signals(scene: ParsedSentence, statement: Statement, item: Mention) -> list[str]:
    """Return the concepts of a signal on the sequences of a statement ("DWI: hyperintense", "bright foci on DWI")."""
    way = _way(scene, item.id)
    if way is None:
        shown = _way(scene, _shown_by(scene, item))
        return (signals_on(scene, statement, shown) if shown else []) or _joined(scene, item)
    found = signals_on(scene, statement, way)
    return found or [name for name in other_way(scene, scene.items.index(item), way) if name != item.id]


def signals_on(scene: ParsedSentence, statement: Statement, way: str) -> list[str]:
    """Return the concepts of a bright ("up") or dark signal on the sequences of a statement."""
    level = "hyper" if way == "up" else "hypo"
    return known(scene, (f"{one}_{level}intensity" for one in sequences(scene, statement)))


def known(scene: ParsedSentence, names: Iterable[str]) -> list[str]:
    """Return those of some names that are concepts."""
    return [name for name in names if name in scene.index.concepts]


def _way(scene: ParsedSentence, signal: str) -> str | None:
    """Return whether a finding is a bright ("up") or a dark signal ("down"), or None."""
    values = scene.vocabulary.qualities.get("signal", {})
    return next((way for way in ("up", "down") if values.get(way) == signal), None)


def _shown_by(scene: ParsedSentence, item: Mention) -> str:
    """Return the signal that the first word of an empty noun gives it ("bright foci", of ultrasound if there is no sequence)."""
    words = scene.words(scene.items.index(item))
    bare, entry = exact_entry(scene, words[1:], FINDING), exact_entry(scene, words[:1], "signalword")
    if bare is None or entry is None or bare.id not in scene.vocabulary.empty:
        return ""
    return scene.vocabulary.qualities.get("signal", {}).get(entry.id, "")


def other_way(scene: ParsedSentence, at: int, way: str) -> list[str]:
    """Return the deviations of a direction with the noun of the opposite one after it ("mixed high and low density")."""
    after = scene.beyond(at + 1, 1, (DESCRIPTOR, "stop"))
    if scene.kind(at + 1) not in (*_LIST, "or") or scene.kind(after) != FINDING or scene.items[after].adjective:
        return []
    index, item, other = scene.index, scene.items[after], {"up": "down", "down": "up"}.get(way, "up")
    for values in scene.vocabulary.qualities.values():
        own, opposite = values.get(way, ""), values.get(other, "")
        if own and opposite and index.is_a(item.id, opposite):
            own_word = scene.words(after)[0].startswith(item.id.partition("_")[0])  # and not "high signal and T2 hypointensity"
            names = [one.removesuffix(opposite) + own for one in _joined(scene, item) or [item.id]]
            return [own if own_word or one not in index.concepts else one for one in names]
    return []


def _joined(scene: ParsedSentence, item: Mention) -> list[str]:
    """Return a signal on its sequence, and on another that shares its word ("T1 and T2 hyperintense"), if there is one."""
    at = scene.items.index(item)
    if after := _sequences_after(scene, at):
        return [item.id, *_on(scene, after, item)]
    shared = item.id.startswith(f"{scene.words(at)[0]}_")  # and not "low on T1 and bright"
    if at < 2 or not shared or scene.items[at - 1].kind not in ("and", "slash") or "seq" not in scene.items[at - 2].types:
        return []
    found = _on(scene, [scene.items[at - 2].types["seq"].id], item)
    return [*found, item.id] if found else []


def _on(scene: ParsedSentence, names: Sequence[str], item: Mention) -> list[str]:
    ways = [way for way in _WAYS if item.id.endswith(f"_{way}intensity")]
    return known(scene, (f"{one}_{way}intensity" for one in names for way in ways))


def _sequences_after(scene: ParsedSentence, at: int) -> list[str]:
    """Return the sequences that continue the list opened by a signal with its own ("low signal on T1 and T2")."""
    found, last = list[str](), at
    while scene.kind(other := scene.beyond(last, 1, _LIST)) == "seq" and other > last + 1:
        found.append(scene.items[other].id)
        last = other
    name = scene.items[at].id.partition("_")[0]  # and not "T1 low signal and T2 …"
    own = any(word.lower().startswith(name) for word in scene.words(at)[1:])
    return found if own and scene.kind(last + 1) in _ENDING else []


def sequences(scene: ParsedSentence, statement: Statement) -> list[str]:
    """Return the MRI sequences of a statement, or else those that open its sentence ("On T2, …"), or that of the label."""
    told = [at for at in (*statement.modifiers, statement.head) if "seq" in scene.items[at].types]

    # "T1 hypointensity with slight DWI hyperintensity"
    near = [at for at in told if not _has_signal_between(scene, at, statement.head)]
    said = [scene.items[at].types["seq"].id for at in near or told] or _opening_sequences(scene)
    return list(dict.fromkeys(said)) or ([scene.sequence] if scene.sequence else [])


def _opening_sequences(scene: ParsedSentence) -> list[str]:
    opens = scene.kind(0) == "prep" or "seq" in scene.items[0].types
    opening = takewhile(lambda item: item.kind in _OPENING or "seq" in item.types, scene.items if opens else ())
    return [item.types["seq"].id for item in opening if "seq" in item.types]


def _has_signal_between(scene: ParsedSentence, one: int, other: int) -> bool:
    return not scene.vocabulary.own.isdisjoint(scene.ids(range(min(one, other) + 1, max(one, other))))
