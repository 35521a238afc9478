"""The qualities of a statement, and the concepts of their deviations from normal."""

from __future__ import annotations

from dataclasses import replace

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.reading.composition.parsed_sentence import ParsedSentence, endings, exact_entry
from kgscore.reading.disambiguation import DIRECTIONS
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

# The deviation for each direction.
DEVIATION = {"up": "up", "down": "down", "lost": "lost", "abnormal": "off"}
# Kinds of the further members of a list of values before their quality.
_SHARING = DIRECTIONS | {"and", "comma", DESCRIPTOR, FINDING}


def qualities_of(scene: ParsedSentence, statement: Statement) -> list[Mention]:
    """Return the qualities among the modifiers of a statement."""
    told = (*statement.modifiers, *scene.of_kind(QUALITY, statement.placed))
    items = (_measured(scene, at) for at in told if at != statement.head)
    found = [item for item in items if item.kind == QUALITY or (QUALITY in item.types and item.kind in (FINDING, ANATOMY))]
    return found or _quality_in(scene, statement) or _shared_quality(scene, statement.head)


def _shared_quality(scene: ParsedSentence, at: int) -> list[Mention]:
    """Return the quality that a direction shares with the next members of its list ("increased and coarse markings")."""
    moving = ("increased", "decreased")
    directed = scene.items[at].id in moving or scene.items[at].kind in DIRECTIONS
    if not directed or scene.kind(at + 1) not in ("and", "comma"):
        return []
    for number, item in enumerate(scene.items[at + 1 :], at + 1):
        if item.kind == QUALITY:
            return [item]
        if item.is_noun:
            entries = endings(scene, scene.words(number), QUALITY)
            return [replace(item, kind=QUALITY, id=entry.id) for entry in entries][:1]
        if item.kind not in _SHARING and item.id not in moving:
            return []
    return []


def _quality_in(scene: ParsedSentence, statement: Statement) -> list[Mention]:
    """Return the quality directly after the word that calls it normal or abnormal ("the cisterns are abnormal in size")."""
    item, at = scene.items[statement.head], statement.head + 1
    telling = item.kind in (NORMAL, "neg", "negpost", "abnormal") or item.id == scene.knowledge.words.role("any_abnormality")
    if not telling or scene.kind(at) != "stop" or scene.words(at)[:1] != ("in",):
        return []
    named_by = _measured(scene, at)
    return [named_by] if named_by.kind == QUALITY else []


def _measured(scene: ParsedSentence, at: int) -> Mention:
    """Return an item, as a quality if it only names what is measured ("the diameter of the duct is normal")."""
    item, words = scene.items[at], scene.words(at)
    if item.kind != "stop" or len(words) != 2 or not (words[1] == "of" or words[0] == "in"):
        return item
    entry = exact_entry(scene, (words[0] if words[1] == "of" else words[1],), QUALITY)
    return item if entry is None else replace(item, kind=QUALITY, id=entry.id)


def quality_id(item: Mention) -> str:
    return item.types[QUALITY].id if item.kind != QUALITY else item.id


def deviation(scene: ParsedSentence, quality: str, direction: str | None) -> str | None:
    """Return the finding for a value of a quality (up, down, lost or abnormal; None: any deviation), or None if unknown."""
    values = scene.knowledge.words.qualities.get(quality)
    if values is None:
        return None
    chief = values.get("dev", scene.knowledge.words.role("any_abnormality"))
    return chief if direction is None else values.get(DEVIATION[direction], chief)


def denied_deviation(scene: ParsedSentence, statement: Statement, item: Mention) -> str | None:
    """Return the deviation of a quality for a denied bare noun ("no lesions of abnormal density": no abnormal density)."""
    index = scene.knowledge.index
    if statement.status != "absent" or item.id not in (index.role("any_lesion"), *scene.knowledge.words.empty):
        return None
    names = scene.ids(statement.modifiers)
    named = [*names, *(row.genus for name in names for row in index.denials.get(name, ()))]
    return next((name for name in named if name in index.deviations()), None)
