"""The status of a head as far as the words around it determine it, regardless of the structure."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.reading.composition.descriptors import MOVED
from kgscore.reading.composition.negation import denial, is_denied
from kgscore.reading.composition.parsed_sentence import ASSERTED, RELATIVE, ParsedSentence, follows_nothing
from kgscore.reading.disambiguation import DIRECTIONS
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import STATUSES, Statement

# Cues that can negate a finding or make it past.
_DENYING = frozenset(("neg", "negpost", "change", "hedge", "lost", "except", "rather", "versus", "past", "other"))
# Cues that can make a finding uncertain; an unknown word may.
_HEDGING = frozenset(("hedge", "infer", "ask", "versus", "rather", "neg", "negpost", "except", UNKNOWN, "drop", "history", "num"))
_MOVING = ("increased", "decreased", "new")  # changes that negate nothing
_PASSING = frozenset(("past", "history", "ref", "drop", "hedge", "ask"))
# Kinds of items allowed between the noun of a subject and its verb.
_OF_SUBJECT = frozenset((
    ANATOMY, FINDING, DESCRIPTOR, UNKNOWN, QUALITY, "meas", "num", "sideword", "stop", "and", "or", "slash", "open", "close",
    "dash", "seq",
))  # fmt: skip
_PREDICATES = frozenset(("negpost", "hedge", "rather", "cop"))  # kinds of items that end a subject
_ENDING = frozenset(("comma", "semi", "but", "and"))

_BEING = ("is ", "are ", "was ", "were ")
_LIKELIER = re.compile(r"likely|probable|favou?red|preferred")
# Kinds of items allowed between a noun and its negated verb.
_OF_VERB = frozenset(("tip", "cop", "stop", "with", "near", DESCRIPTOR, "meas"))

# Kinds of items after a negation that is complete.
_SAYING_NO_MORE = frozenset(("prep", "comma", "semi", "and", "or", "negpost"))
# A prior examination and what it showed ("the CT of last week, which showed …" in a comparison).
_SHOWED = r"(?:showed|shown|demonstrated|described|revealed|reported|depicted|disclosed|mentioned)"
_SHOWN_THEN = re.compile(
    rf"\b(?i:prior|previous|earlier|compar\w+)\b[^;:]*,?\s(?:which|that)(?:\s+had)?\s+{_SHOWED}\b[^,;:]*\Z"
    rf"|\b(?i:prior|previous|earlier)\s+(?:[A-Z]+\b|stud|exam|film|scan|image|radiograph|ultrasound|x-?ray)[^,;:]*\s{_SHOWED}\b[^,;:]*\Z"
)


_OF_LIST = _OF_SUBJECT | {"comma", "prep", "colon", "near"}  # kinds of items in a list of subjects
_EXCLUDABLE = re.compile(r"(?:can|may|could) be ")
_AUXILIARY = frozenset(("do", "does", "did"))


def assertion_by_cue(scene: ParsedSentence, one: Statement, clause: Sequence[int]) -> Statement:
    """Return a statement with the status that the words allow; `clause` numbers the clauses of the items."""
    kind, status = scene.kind(one.head), one.status
    cues = (then for kinds, of, holds, then in _CUES if kind in kinds and status in of and holds(scene, one))
    told = next(cues, "") or _without_cue(scene, one, _after_but(scene, one.head, clause))
    return one._replace(status=told)


def _is_denial(scene: ParsedSentence, one: Statement) -> bool:
    if one.status == "presupposed" and not one.places:
        return False
    return _denied_here(scene, one) or any(denied(scene, one.head) for denied in _DENIALS)


def _is_unlikely(scene: ParsedSentence, one: Statement) -> bool:
    after = scene.beyond(one.head, 1, ("stop", "cop"))
    return scene.kind(after) == "hedge" and scene.items[after].id == "unlikely"


def _without_cue(scene: ParsedSentence, one: Statement, around: Sequence[Mention]) -> str:
    """Return the status of a statement that no cue determines, given the items that may negate it."""
    item, kinds = scene.items[one.head], {other.kind for other in around if other.id not in _MOVING}
    if one.status == "absent" and (status := _undenied(scene, item, one.head, kinds)):
        return status
    if one.status not in ("none", "past") and _shown_then(scene, one):
        return "past"
    if item.kind == FINDING:
        return _of_finding(scene, one, kinds)
    moved = item.kind in (*MOVED, "abnormal") or item.id in ("increased", "decreased")
    return "present" if moved and one.status == "normal" else one.status


def _of_finding(scene: ParsedSentence, one: Statement, kinds: set[str]) -> str:
    """Return the status of a finding among items of some kinds: past only with a cue, and certain without one."""
    if one.status == "past" and (_known(scene, one.head) or not (kinds & _PASSING or _was(scene))):
        return "present"
    if one.status in ("present", "absent") and _before(scene, one.head) == "history":
        return "past"
    return _certainty(scene, one, kinds) or one.status


def _undenied(scene: ParsedSentence, item: Mention, at: int, kinds: set[str]) -> str:
    """Return the status if no cue negates the head, else ""."""
    denying = not _DENYING.isdisjoint(kinds)
    if item.kind in (FINDING, DESCRIPTOR, NORMAL) and not denying and not is_denied(scene, at):
        return "normal" if item.kind == NORMAL else "present"
    known, before = scene.knowledge, {*scene.run(0, at)}
    if known.index.is_any(item.id, scene.flagged("assessments")) and _DENYING.isdisjoint(before):
        return "present"  # "BI-RADS 1: negative"

    if item.kind == NORMAL and _denied_only_later(scene, at):
        return "normal"
    return "present" if item.kind in DIRECTIONS and not (kinds - {"lost"}) & _DENYING else ""


def _shown_then(scene: ParsedSentence, one: Statement) -> bool:
    changed = "change" in scene.kinds_at(one.modifiers)
    return not changed and _SHOWN_THEN.search(scene.text, 0, scene.items[one.head].start) is not None


def _denied_only_later(scene: ParsedSentence, at: int) -> bool:
    """Whether a sentence negates only what follows a normal word after a comma ("are well seen, with no abnormality")."""
    found = [n for n, item in enumerate(scene.items) if item.kind in _DENYING]
    return all("comma" in scene.run(at, n) and scene.kind(n) == "neg" and scene.kind(n - 1) != "cop" for n in found)


def _certainty(scene: ParsedSentence, one: Statement, kinds: set[str]) -> str:
    """Return the only status that the hedges around a finding, or their absence, allow; "" if they do not determine it."""
    uncertain = one.status in ("possible", "probable")
    hedge = hedge_before(scene, one.head, (DESCRIPTOR, "stop")) if uncertain else ""
    if one.status in ASSERTED and not one.names:
        hedge = hedge or _hedged_at_end(scene, one.head)
    if hedge:
        return hedge
    if uncertain and not _hedging(scene, one.head, kinds):
        return "present" if not one.names or caused(scene, one) else ""

    return "possible" if one.status == "none" and scene.kind(one.head - 1) == "ask" else ""


def caused(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a finding is the cause or the effect of another one ("hydronephrosis due to a stone")."""
    ends = (*one.names, one.head)
    return "cause" in scene.run(min(ends) - 2, max(ends))


def _hedging(scene: ParsedSentence, at: int, kinds: set[str]) -> bool:
    """Whether items of some kinds hedge a finding: not a question mark about the next one ("opacity ? pneumonia")."""
    found, after = _HEDGING & kinds, scene.run(at + 1, len(scene.items))
    later = after[after.index("ask") + 1 :] if found == {"ask"} and "ask" in after else []
    return bool(found) and FINDING not in later


def _known(scene: ParsedSentence, at: int) -> bool:
    """Whether a sentence opens with a known finding, which is present ("known cirrhosis")."""
    before = [n for n in range(at) if scene.items[n].kind not in (ANATOMY, DESCRIPTOR, "sideword", "stop")]
    return len(before) == 1 and scene.said(before[0]) == "known"


def _was(scene: ParsedSentence) -> bool:
    """Whether a sentence is in the past tense, apart from verbs of seeing ("a cyst was observed")."""
    told = (at for at in range(len(scene.items)) if scene.run(at, at + 2) != ["cop", "seen"])
    return any("was" in scene.said(at).split() for at in told)


def _only_its_tip(scene: ParsedSentence, one: Statement) -> bool:
    """Whether only the tip of a device is not seen ("the tip of the tube is not visualized")."""
    tip = scene.beyond(one.head, -1, ("stop", "sideword", DESCRIPTOR, "prep"))
    device = scene.items[one.head].id in scene.vocabulary.devices
    return device and scene.kind(tip) == "tip" and "neg" not in scene.run(0, tip)


def _not_seen(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is directly followed by a negation ("a catheter is not in place")."""
    after = [kind for kind in scene.run(at + 1, at + 5) if kind != "stop"]
    not_seen = " ".join(after).startswith(("cop neg seen", "neg seen"))
    return not_seen or (after[:1] == ["negpost"] and {*after[1:2]} <= _SAYING_NO_MORE)


def _not_there(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding, or its tip, is directly followed by a negated location ("the tube tip does not project over ...")."""
    inside = (n for n in range(at + 1, len(scene.items)) if scene.kind(n) not in _OF_VERB and scene.said(n) not in _AUXILIARY)
    said = next(inside, len(scene.items))
    kinds = scene.run(said, said + 3)
    placed = kinds[:2] == ["neg", "prep"] or kinds == ["neg", UNKNOWN, "prep"]  # "not in", "not projected at"
    if said == at + 1 or not placed or "not" not in scene.words(said):
        return False
    return not scene.said(said + 1).endswith(" to")  # "is not limited to the orbit" says nothing of other places


def _denied_at_end(scene: ParsedSentence, at: int) -> bool:
    """Whether a negation ends a sentence with the finding as its subject ("a nodule in the spleen is not present")."""
    position = _ends_subject(scene, at)
    verb = position > at + 1 and (scene.said(position).startswith(_BEING) or "comma" not in scene.run(at, position))
    return verb and scene.items[position].kind == "negpost"


def _hedged_at_end(scene: ParsedSentence, at: int) -> str:
    """Return the certainty of the hedge that ends a clause with the finding as its subject ("is only possible"), else ""."""
    first = _ends_subject(scene, at)
    last = scene.beyond(first - 1, 1, ("cop", "stop"))
    if first < 0 or last >= len(scene.items):
        return ""
    item, said = scene.items[last], scene.said(last)
    if item.kind == "rather":
        return "probable" if _LIKELIER.search(said) else ""
    verb = last > first or said.startswith(_BEING)
    ends = scene.kind(last + 1) in ("", *_ENDING) or scene.said(last + 1) == "."
    return item.id if item.kind == "hedge" and verb and ends else ""


def _ends_subject(scene: ParsedSentence, at: int) -> int:
    """Return the first item after the subject with the finding, its sites and descriptions, or -1."""
    owner = ""  # the kind of word that attaches the next noun to the preceding words
    for position, item in enumerate(scene.items[at + 1 :], at + 1):
        if item.kind in _PREDICATES and not scene.said(position).startswith("measur"):
            return position
        if item.kind in ("with", "prep", "near"):
            owner = item.kind
        elif item.kind == "comma" or (item.kind in ("and", "or") and owner != "with"):
            owner = ""
        elif not _describes_subject(scene, position) or (item.is_noun and not owner):
            break
    return -1


def _describes_subject(scene: ParsedSentence, at: int) -> bool:
    kind, said = scene.items[at].kind, scene.said(at)
    apart = kind in (ANATOMY, FINDING, "sideword") and scene.items[at - 1].kind == "comma"
    return not apart and said not in RELATIVE and (kind in _OF_SUBJECT or said.startswith("measur"))


def _left_open(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a finding is among those that cannot be excluded ("neither a cyst nor a mass can be excluded")."""
    at, after = one.head, scene.next_of(one.head, 1, ("negpost",))
    if after >= len(scene.items) or not _EXCLUDABLE.match(scene.said(after)):
        return False
    cue = denial(scene, at)
    cue = cue if cue >= 0 else next((n for n in range(at) if scene.said(n) == "neither"), -1)
    return cue >= 0 and _OF_LIST.issuperset(scene.run(cue + 1, after))


def _normal_together(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding shares a normal word ("heart size and vascular congestion are within normal limits")."""
    joined = scene.kind(at - 2) in (QUALITY, ANATOMY) and scene.kind(at - 1) in ("and", "comma")
    return joined and scene.run(at + 1, at + 3) == ["cop", NORMAL]


def _denied_together(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is among the subjects of a negated plural verb ("ascites and adenopathy have been excluded")."""
    position = scene.beyond(at, 1, _OF_LIST)
    if {"and", "or"}.isdisjoint(scene.run(at + 1, position)) or not _OF_LIST.issuperset(scene.run(0, at)):
        return False
    after = " ".join(kind for kind in scene.run(position, position + 5) if kind != "stop")
    denied = after.startswith(("negpost", "cop negpost", "cop neg seen"))
    return denied and scene.said(position).startswith(("are", "were", "have"))


def _dropped(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a finding is only the object of a limitation ("limits detection of subtle fractures")."""
    return scene.kind(scene.beyond(one.head, -1, (DESCRIPTOR, "stop", "prep"))) == "drop"


def _after_but(scene: ParsedSentence, at: int, clause: Sequence[int]) -> Sequence[Mention]:
    """Return the items that may negate an item: those of its clause, after the last "but" before it."""
    start = scene.next_of(at, -1, ("but",))
    return [item for n, item in enumerate(scene.items) if n >= start and clause[n] == clause[at]]


def _before(scene: ParsedSentence, at: int) -> str:
    return scene.kind(scene.beyond(at, -1, ("stop", DESCRIPTOR, "prep", ANATOMY, "sideword")))


def hedge_before(scene: ParsedSentence, at: int, passed: Container[str]) -> str:
    """Return the certainty of the hedge before an item ("suspected small patchy defects"), past items of some kinds, or ""."""
    before = scene.beyond(at, -1, passed)
    return scene.items[before].id if scene.kind(before) == "hedge" and scene.items[before].id != "unlikely" else ""


def _denied_here(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a negation reaches this statement of a finding ("no effusion on the right; a small one on the left")."""
    after = [at for at in (*one.placed, *one.sides) if at > one.head]
    apart = after and not {"semi", "but"}.isdisjoint(scene.run(one.head, min(after)))
    return not apart and is_denied(scene, one.head)


# The statuses by cues, in order: kinds of heads, statuses in the structure, what holds, and the status then.
_CUES: tuple[tuple[Container[str], Container[str], Callable[[ParsedSentence, Statement], bool], str], ...] = (
    ((DESCRIPTOR,), ("normal",), lambda scene, one: follows_nothing(scene, one.head), "absent"),

    ((FINDING,), STATUSES, _left_open, "possible"),
    ((FINDING,), {*STATUSES} - {"none"}, _dropped, "none"),
    ((FINDING,), ("absent",), _only_its_tip, "present"),
    ((FINDING,), ("normal", "presupposed"), lambda scene, one: is_denied(scene, one.head), "absent"),
    ((FINDING, DESCRIPTOR), ASSERTED | {"presupposed"}, _is_denial, "absent"),
    ((FINDING,), ASSERTED, _is_unlikely, "unlikely"),
)
_DENIALS = (_not_seen, _not_there, _denied_at_end, _denied_together, _normal_together)
