"""The status of a head as far as the words around it determine it, regardless of the structure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.reading.composition.descriptors import MOVED
from kgscore.reading.composition.negation import denial, is_denied
from kgscore.reading.composition.parsed_sentence import RELATIVE, ParsedSentence, follows_nothing
from kgscore.reading.disambiguation import DIRECTIONS
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

ASSERTING = frozenset(("present", "possible", "probable"))
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
# Kinds of items that end a subject, and a clause.
_PREDICATES = frozenset(("negpost", "hedge", "rather", "cop"))
_ENDING = frozenset(("comma", "semi", "but", "and"))
_HEDGED = ("possible", "probable", "unlikely")
_BEING = ("is ", "are ", "was ", "were ")
_LIKELIER = re.compile(r"likely|probable|favou?red|preferred")
# Kinds of items allowed between a noun and its negated verb.
_OF_VERB = frozenset(("tip", "cop", "stop", "with", "near", DESCRIPTOR, "meas"))
_EXCLUDABLE = re.compile(r"(?:can|may|could) be ")
# Kinds of items after a negation that is complete.
_SAYING_NO_MORE = frozenset(("prep", "comma", "semi", "and", "or", "negpost"))
# A prior examination and what it showed ("the CT of last week, which showed …" in a comparison).
_SHOWED = r"(?:showed|shown|demonstrated|described|revealed|reported|depicted|disclosed|mentioned)"
_SHOWN_THEN = re.compile(
    rf"\b(?i:prior|previous|earlier|compar\w+)\b[^;:]*,?\s(?:which|that)(?:\s+had)?\s+{_SHOWED}\b[^,;:]*\Z"
    rf"|\b(?i:prior|previous|earlier)\s+(?:[A-Z]+\b|stud|exam|film|scan|image|radiograph|ultrasound|x-?ray)[^,;:]*\s{_SHOWED}\b[^,;:]*\Z"
)
_AUXILIARY = frozenset(("do", "does", "did"))
# Kinds of items in a list of subjects.
_OF_LIST = _OF_SUBJECT | {"comma", "prep", "colon", "near"}


def assertion_by_cue(scene: ParsedSentence, one: Statement, clause: Sequence[int]) -> Statement:
    """Return a statement with the status that the words allow: none is denied or past without a cue, one directly followed by
    "unlikely" is unlikely, and a direction is never normal. `clause` numbers the clauses of the items."""
    around = _after_but(scene, one.head, clause)
    item, kinds = scene.items[one.head], {other.kind for other in around if other.id not in _MOVING}
    if item.kind == DESCRIPTOR and one.status == "normal" and follows_nothing(scene, one.head):
        return one._replace(status="absent")
    if item.kind == FINDING and _left_open(scene, one.head):
        return one._replace(status="possible")
    if item.kind == FINDING and one.status != "none" and _dropped(scene, one.head):
        return one._replace(status="none")
    if item.kind == FINDING and one.status == "absent" and _only_its_tip(scene, one.head):
        return one._replace(status="present")
    if (
        item.kind in (FINDING, DESCRIPTOR)
        and (one.status in ASSERTING or (one.status == "presupposed" and one.places))
        and (
            _not_seen(scene, one.head)
            or _not_there(scene, one.head)
            or _denied_here(scene, one)
            or _denied_at_end(scene, one.head)
            or _denied_together(scene, one.head)
            or _normal_together(scene, one.head)
        )
    ):
        return one._replace(status="absent")
    if item.kind == FINDING and one.status in ("normal", "presupposed") and is_denied(scene, one.head):
        return one._replace(status="absent")
    if item.kind == FINDING and one.status in ASSERTING and _after(scene, one.head, "hedge") == "unlikely":
        return one._replace(status="unlikely")
    if one.status == "absent" and (status := _undenied(scene, item, one.head, kinds, around)):
        return one._replace(status=status)
    told = _known(scene, one.head) or not (kinds & _PASSING or _was(scene))
    if item.kind == FINDING and one.status == "past" and told:
        return one._replace(status="present")
    history = item.kind == FINDING and one.status in ("present", "absent") and _before(scene, one.head) == "history"
    if history or (one.status not in ("none", "past") and _shown_then(scene, one)):
        return one._replace(status="past")
    if item.kind == FINDING and (sure := _certainty(scene, one, kinds)):
        return one._replace(status=sure)
    moved = item.kind in MOVED or item.kind == "abnormal" or (item.kind == "change" and item.id in ("increased", "decreased"))
    return one._replace(status="present") if moved and one.status == "normal" else one


def _undenied(scene: ParsedSentence, item: Mention, at: int, kinds: Collection[str], around: Sequence[Mention]) -> str:
    """Return the status if no cue negates the head, else ""."""
    denying = not _DENYING.isdisjoint(kinds)
    if item.kind in (FINDING, DESCRIPTOR, NORMAL) and not denying and not is_denied(scene, at):
        return "normal" if item.kind == NORMAL else "present"
    known, before = scene.knowledge, {other.kind for other in scene.items[:at]}
    if known.index.is_any(item.id, known.words.flagged("assessments")) and _DENYING.isdisjoint(before):
        return "present"  # "BI-RADS 1: negative"
    if item.kind == QUALITY and not denying and any(other.kind in ("up", "down", "change") for other in around):
        return "present"  # "increased lucency in the right upper lobe was observed"
    if item.kind == NORMAL and _denied_only_later(scene, at):
        return "normal"
    return "present" if item.kind in DIRECTIONS and not (set(kinds) - {"lost"}) & _DENYING else ""


def _shown_then(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a statement is about a prior examination and does not give its change."""
    changed = any(scene.items[at].kind == "change" for at in one.modifiers)
    return not changed and _SHOWN_THEN.search(scene.text, 0, scene.items[one.head].start) is not None


def _denied_only_later(scene: ParsedSentence, at: int) -> bool:
    """Whether a sentence negates only what follows a normal word after a comma ("are well seen, with no abnormality")."""
    found = [n for n, item in enumerate(scene.items) if item.kind in _DENYING]
    apart = [n for n in found if n > at and any(item.kind == "comma" for item in scene.items[at:n])]
    return found == apart and all(scene.items[n].kind == "neg" and scene.items[n - 1].kind != "cop" for n in found)


def _certainty(scene: ParsedSentence, one: Statement, kinds: Collection[str]) -> str:
    """Return the only status that the hedges around a finding, or their absence, allow; "" if they do not determine it."""
    if one.status in ("possible", "probable") and (hedge := _hedge(scene, one.head)):
        return hedge
    if one.status in ASSERTING and not one.names and (hedge := _hedged_at_end(scene, one.head)):
        return hedge
    if one.status in ("possible", "probable") and not _hedging(scene, one.head, kinds):
        return "present" if not one.names or caused(scene, one) else ""
    if one.status == "none" and _is_clause(scene, one.head):
        return "present"
    return "possible" if one.status == "none" and one.head and scene.items[one.head - 1].kind == "ask" else ""


def _is_clause(scene: ParsedSentence, at: int) -> bool:
    """Whether the name of a finding is a statement with a verb ("lobe of the thyroid is not visualized")."""
    return re.search(r"\b(?:is|are)\b", scene.said(at)) is not None


def caused(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a finding is the cause or the effect of another one ("hydronephrosis due to a stone")."""
    ends = (*one.names, one.head)
    return any(item.kind == "cause" for item in scene.items[max(0, min(ends) - 2) : max(ends)])


def _hedging(scene: ParsedSentence, at: int, kinds: Collection[str]) -> bool:
    """Whether items of some kinds can make a finding uncertain: a question mark only applies to what follows it, if that is a
    finding too ("opacity in the left base ? pneumonia")."""
    found = _HEDGING & {*kinds}
    after = [item.kind for item in scene.items[at + 1 :]]
    later = after[after.index("ask") + 1 :] if found == {"ask"} and "ask" in after else []
    return bool(found) and FINDING not in later


def _known(scene: ParsedSentence, at: int) -> bool:
    """Whether a sentence opens with a known finding, which is present ("known cirrhosis")."""
    before = [n for n in range(at) if scene.items[n].kind not in (ANATOMY, DESCRIPTOR, "sideword", "stop")]
    return len(before) == 1 and scene.said(before[0]) == "known"


def _was(scene: ParsedSentence) -> bool:
    """Whether a sentence is in the past tense, apart from verbs of seeing ("a cyst was observed")."""
    seen = [at + 1 for at, item in enumerate(scene.items[:-1]) if item.kind == "cop" and scene.items[at + 1].kind == "seen"]
    return any("was" in scene.said(at).split() for at, _ in enumerate(scene.items) if at + 1 not in seen)


def _only_its_tip(scene: ParsedSentence, at: int) -> bool:
    """Whether only the tip of a device is not seen ("the tip of the tube is not visualized")."""
    before = next((n for n in range(at - 1, -1, -1) if scene.items[n].kind not in ("stop", "sideword", DESCRIPTOR, "prep")), -1)
    told = before >= 0 and scene.items[before].kind == "tip" and scene.items[at].id in scene.knowledge.words.devices
    return told and not any(item.kind == "neg" for item in scene.items[:before])


def _not_seen(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is directly followed by a negation ("a catheter is not in place")."""
    after = [item.kind for item in scene.items[at + 1 : at + 5] if item.kind != "stop"]
    not_seen = after[:3] == ["cop", "neg", "seen"] or after[:2] == ["neg", "seen"]
    return not_seen or (after[:1] == ["negpost"] and {*after[1:2]} <= _SAYING_NO_MORE)


def _not_there(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding, or its tip, is directly followed by a negated location ("the tube tip does not project over ...")."""
    said = at + 1
    while said < len(scene.items) and (scene.items[said].kind in _OF_VERB or scene.said(said) in _AUXILIARY):
        said += 1
    kinds = [item.kind for item in scene.items[said : said + 3]]
    placed = kinds[:2] == ["neg", "prep"] or kinds == ["neg", UNKNOWN, "prep"]  # "not in", "not projected at"
    reaching = placed and scene.said(said + 1).endswith(" to")  # "does not extend to the orbit" says nothing of other places
    return said > at + 1 and placed and not reaching and "not" in scene.words(said)


def _denied_at_end(scene: ParsedSentence, at: int) -> bool:
    """Whether a negation ends a sentence whose subject has the finding as its noun or a feature, with only sites or
    descriptions between ("a nodule in the spleen, measuring 6 mm, is not present", "cysts with thin septa are absent")."""
    position = _ends_subject(scene, at)
    if position <= at + 1 or scene.items[position].kind != "negpost":
        return False
    verb = scene.said(position).startswith(_BEING)
    return verb or all(one.kind != "comma" for one in scene.items[at:position])


def _hedged_at_end(scene: ParsedSentence, at: int) -> str:
    """Return the certainty of the hedge that ends a clause whose subject is the finding ("a nodule in the spleen is only
    possible"), "probable" if it is called likelier than another one, else ""."""
    first = last = _ends_subject(scene, at)
    while 0 <= last < len(scene.items) and scene.items[last].kind in ("cop", "stop"):
        last += 1
    if first < 0 or last >= len(scene.items):
        return ""
    item, after = scene.items[last], scene.items[last + 1 : last + 2]
    if item.kind == "rather":
        return "probable" if _LIKELIER.search(scene.said(last)) else ""
    verb = last > first or scene.said(last).startswith(_BEING)
    ends = not after or after[0].kind in _ENDING or scene.said(last + 1) == "."
    return item.id if item.kind == "hedge" and item.id in _HEDGED and verb and ends else ""


def _ends_subject(scene: ParsedSentence, at: int) -> int:
    """Return the first item after the subject whose noun or feature is the finding, with only sites or descriptions between,
    or -1."""
    owner = ""  # the kind of word that attaches the next noun to the preceding words
    for position, item in enumerate(scene.items[at + 1 :], at + 1):
        if item.kind in _PREDICATES and not scene.said(position).startswith("measur"):
            return position
        joined = scene.items[position - 1].kind == "comma" and item.kind in (ANATOMY, FINDING, "sideword")
        other = item.kind == FINDING and not item.adjective and not owner
        if item.kind in ("with", "prep", "near"):
            owner = item.kind
        elif item.kind == "comma" or (item.kind in ("and", "or") and owner != "with"):
            owner = ""
        else:
            describes = item.kind in _OF_SUBJECT or scene.said(position).startswith("measur")
            if joined or other or not describes or scene.said(position) in RELATIVE:
                return -1
    return -1


def _left_open(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is among those that cannot be excluded ("neither a cyst nor a mass can be excluded")."""
    after = next((n for n in range(at + 1, len(scene.items)) if scene.items[n].kind == "negpost"), -1)
    if after < 0 or not _EXCLUDABLE.match(scene.said(after)):
        return False
    cue = denial(scene, at)
    cue = cue if cue >= 0 else next((n for n in range(at) if scene.said(n) == "neither"), -1)
    return cue >= 0 and all(item.kind in _OF_LIST for item in scene.items[cue + 1 : after])


def _normal_together(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding shares the normal word of a structure or quality before it ("heart size and vascular congestion are
    within normal limits")."""
    kinds = [item.kind for item in scene.items]
    joined = at > 1 and kinds[at - 2] in (QUALITY, ANATOMY) and kinds[at - 1] in ("and", "comma")
    return joined and kinds[at + 1 : at + 3] == ["cop", NORMAL]


def _denied_together(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is among the subjects of a negated plural verb ("ascites and adenopathy have been excluded")."""
    if any(item.kind not in _OF_LIST for item in scene.items[:at]):
        return False
    joined = False
    for position, item in enumerate(scene.items[at + 1 :], at + 1):
        if item.kind not in _OF_LIST:
            after = [one.kind for one in scene.items[position : position + 5] if one.kind != "stop"][:3]
            plural = scene.said(position).startswith(("are", "were", "have"))
            denied_there = after[0] == "negpost" or after[:2] == ["cop", "negpost"] or after == ["cop", "neg", "seen"]
            return joined and plural and denied_there
        joined = joined or item.kind in ("and", "or")
    return False


def _dropped(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is only the object of a limitation ("limits detection of subtle fractures")."""
    before = next((item for item in reversed(scene.items[:at]) if item.kind not in (DESCRIPTOR, "stop", "prep")), None)
    return before is not None and before.kind == "drop"


def _after_but(scene: ParsedSentence, at: int, clause: Sequence[int]) -> Sequence[Mention]:
    """Return the items that may negate an item: those of its clause, after the last "but" before it."""
    start = max((n for n in range(at) if scene.items[n].kind == "but"), default=0)
    return [item for n, item in enumerate(scene.items) if n >= start and clause[n] == clause[at]]


def _before(scene: ParsedSentence, at: int) -> str:
    """Return the kind of the item before the noun phrase of an item."""
    kinds = (item.kind for item in reversed(scene.items[:at]))
    return next((kind for kind in kinds if kind not in ("stop", DESCRIPTOR, "prep", ANATOMY, "sideword")), "")


def _hedge(scene: ParsedSentence, at: int) -> str:
    """Return the certainty of the hedge directly before the noun phrase of a finding ("suspected small patchy defects"), or
    ""."""
    before = next((item for item in reversed(scene.items[:at]) if item.kind not in (DESCRIPTOR, "stop")), None)
    return before.id if before is not None and before.kind == "hedge" and before.id in ("possible", "probable") else ""


def _after(scene: ParsedSentence, at: int, kind: str) -> str:
    """Return the value of an item of a kind directly after another one; verbs are skipped."""
    for item in scene.items[at + 1 :]:
        if item.kind == kind:
            return item.id
        if item.kind not in ("stop", "cop"):
            break
    return ""


def _denied_here(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a negation before a finding applies to this statement of it, not only to one in an earlier clause ("no effusion
    on the right; a small one on the left")."""
    after = [at for place in one.places for at in (*place.items, place.side) if at is not None and at > one.head]
    apart = after and any(item.kind in ("semi", "but") for item in scene.items[one.head : min(after)])
    return not apart and is_denied(scene, one.head)
