"""Signals on MRI: the sequences of a statement, and the concepts of a bright or dark signal on them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from kgscore.linking.lexicon import DESCRIPTOR, FINDING
from kgscore.reading.composition.parsed_sentence import ParsedSentence, exact_entry
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

_WAYS = ("hyper", "hypo")
_LIST = ("and", "slash", "comma")
# Kinds of items after a list of sequences of one signal.
_ENDING = frozenset(("stop", "comma", "semi", "and", "with", "prep", "seen"))
_OPENING = frozenset(("prep", "stop", "and", "comma"))


def signals(scene: ParsedSentence, statement: Statement, item: Mention) -> list[str]:
    """Return the concepts of a signal on the sequences of a statement ("DWI: hyperintense", "bright foci on DWI")."""
    way = _way(scene, item.id)
    if way is None:
        return on_sequences(scene, statement, _shown_by(scene, item)) or _joined(scene, item)
    found = on_sequences(scene, statement, item.id)
    return found or [name for name in other_way(scene, scene.items.index(item), way) if name != item.id]


def on_sequences(scene: ParsedSentence, statement: Statement, signal: str) -> list[str]:
    """Return the concepts of a signal on the sequences of a statement ("a low-signal focus on T1"); none for other findings."""
    way = _way(scene, signal)
    return signals_on(scene, statement, way) if way is not None else []


def signals_on(scene: ParsedSentence, statement: Statement, way: str) -> list[str]:
    """Return the concepts of a bright ("up") or dark signal on the sequences of a statement."""
    names = (f"{one}_{'hyper' if way == 'up' else 'hypo'}intensity" for one in sequences(scene, statement))
    return [name for name in names if name in scene.knowledge.index.concepts]


def _way(scene: ParsedSentence, signal: str) -> str | None:
    """Return whether a finding is a bright ("up") or a dark signal ("down"), or None."""
    values = scene.knowledge.words.qualities.get("signal", {})
    return next((way for way in ("up", "down") if values.get(way) == signal), None)


def _shown_by(scene: ParsedSentence, item: Mention) -> str:
    """Return the signal that the first word of an empty noun gives it ("bright foci", of ultrasound if there is no sequence)."""
    words = scene.words(scene.items.index(item))
    bare, entry = exact_entry(scene, words[1:], FINDING), exact_entry(scene, words[:1], "signalword")
    if len(words) < 2 or bare is None or entry is None or bare.id not in scene.knowledge.words.empty:
        return ""
    return scene.knowledge.words.qualities.get("signal", {}).get(entry.id, "")


def other_way(scene: ParsedSentence, at: int, way: str) -> list[str]:
    """Return the deviations of a direction with the noun of the opposite one after it ("mixed high and low density")."""
    after = scene.beyond(at + 1, 1, (DESCRIPTOR, "stop"))
    if scene.kind(at + 1) not in (*_LIST, "or") or scene.kind(after) != FINDING or scene.items[after].adjective:
        return []
    index, item = scene.knowledge.index, scene.items[after]
    for values in scene.knowledge.words.qualities.values():
        own, opposite = values.get(way, ""), values.get("down" if way == "up" else "up", "")
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
    """Return the concepts of a signal on other sequences."""
    ways = [way for way in _WAYS if item.id.endswith(f"_{way}intensity")]
    found = (f"{one}_{way}intensity" for one in names for way in ways)
    return [name for name in found if name in scene.knowledge.index.concepts]


def _sequences_after(scene: ParsedSentence, at: int) -> list[str]:
    """Return the sequences that continue the list opened by a signal with its own ("low signal on T1 and T2")."""
    found: list[str] = []
    next_ = at + 1
    for number in range(at + 1, len(scene.items)):
        item, listed = scene.items[number], number > next_
        if item.kind == "seq" and listed:
            found.append(item.id)
            next_ = number + 1
        elif item.kind not in _LIST:
            break
    name = scene.items[at].id.partition("_")[0]  # and not "T1 low signal and T2 …"
    own = any(word.lower().startswith(name) for word in scene.words(at)[1:])
    told = next_ < len(scene.items) and scene.items[next_].kind not in _ENDING
    return found if own and not told else []


def sequences(scene: ParsedSentence, statement: Statement) -> list[str]:
    """Return the MRI sequences of a statement, or else those that open its sentence ("On T2, …"), or that of the label."""
    told = [at for at in (*statement.modifiers, statement.head) if "seq" in scene.items[at].types]
    told = [at for at in told if not _of_next(scene, at, statement.head)]  # "T1 low, T2 slightly high"
    # "T1 hypointensity with slight DWI hyperintensity"
    near = [at for at in told if not _has_signal_between(scene, at, statement.head)]
    said = [scene.items[at].types["seq"].id for at in near or told] or _opening_sequences(scene)
    return list(dict.fromkeys(said)) or ([scene.sequence] if scene.sequence else [])


def _opening_sequences(scene: ParsedSentence) -> list[str]:
    """Return the sequences that open a sentence."""
    opens = scene.items[0].kind == "prep" or "seq" in scene.items[0].types
    opening = takewhile(lambda item: item.kind in _OPENING or "seq" in item.types, scene.items if opens else ())
    return [item.types["seq"].id for item in opening if "seq" in item.types]


def _of_next(scene: ParsedSentence, at: int, head: int) -> bool:
    """Whether a sequence follows a comma and precedes its own signal level, in a word other than the head."""
    after = scene.beyond(at, 1, (DESCRIPTOR,))
    return head not in (at, after) and scene.kind(after) in ("up", "down") and scene.kind(at - 1) == "comma"


def _has_signal_between(scene: ParsedSentence, one: int, other: int) -> bool:
    """Whether another signal stands between two items."""
    first, last = sorted((one, other))
    return any(item.id in scene.knowledge.words.own for item in scene.items[first + 1 : last])
