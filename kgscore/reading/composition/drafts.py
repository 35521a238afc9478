"""Conversion of one statement of a structure to heads: what it asserts or denies, by the kind of its head."""

from __future__ import annotations

from itertools import chain, takewhile

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.model import Detail
from kgscore.reading.composition.assertion import hedge_before
from kgscore.reading.composition.compound_terms import NamedConcept, own_findings
from kgscore.reading.composition.concepts import named_concepts
from kgscore.reading.composition.descriptors import (
    change_of,
    comparative_change,
    details_by_side,
    details_of,
    is_graded,
    of_change,
    onset,
    persists,
)
from kgscore.reading.composition.draft_sites import put
from kgscore.reading.composition.locations import OF_MOVEMENT, Location, is_shift
from kgscore.reading.composition.negation import ABSENCE, is_denied
from kgscore.reading.composition.parsed_sentence import ParsedSentence, completed_entry, without
from kgscore.reading.finding_draft import FindingDraft
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

# The status and certainty of a finding by the status in the structure.
_STATUS = dict.fromkeys(("present", "presupposed", "past"), ("present", "definite")) | {
    "possible": ("present", "possible"), "probable": ("present", "probable"), "absent": ("absent", "definite"),
    "unlikely": ("absent", "probable"), "normal": ("normal", "definite"),
}  # fmt: skip
_INSIDE = frozenset(("prep", "stop", "and", "comma"))  # kinds of items that join the words of a phrase
_TURNING = frozenset(("resolved", "increased", "decreased"))  # changes whose denial means that a finding is unchanged
# Words before a verb of outcome that leave nothing of a finding.
_WHOLLY = frozenset(("has", "have", "is", "are", "was", "were", "been", "now", "since", "completely", "entirely", "fully"))


def drafts_of(scene: ParsedSentence, statement: Statement, place: Location) -> list[FindingDraft]:
    """Return the heads of a statement at its place, usually one; none if the words of its head name nothing."""
    said = named_concepts(scene, statement, place)
    if not said:
        return []
    own = own_findings(scene, statement, said[0].concept) if said[0].kind == FINDING else []
    degrees = [_degree_of(scene, statement, one) for one in own]
    rest = statement._replace(modifiers=without(statement.modifiers, {*chain.from_iterable(degrees)}))
    heads = [_head_with_own(scene, rest, place, one) for one in said]
    if own and heads[0].status == "present":
        if heads[0].concept in scene.vocabulary.empty and not heads[0].details:
            heads = heads[1:]  # "a focus is bright": nothing more than that
        borne = _borne(scene, place, said[0].concept)
        for one, degree in zip(own, degrees, strict=True):
            heads.append(_head(scene, statement._replace(modifiers=degree), borne, one))
            heads[-1].details += _own_detail(scene, one.item)
    return heads + _acts(scene, statement, place, heads) if statement.status == "absent" else heads


def _head_with_own(scene: ParsedSentence, statement: Statement, place: Location, said: NamedConcept) -> FindingDraft:
    """Return a head with the descriptor that names it ("heterogeneous enhancement", "with dorsal angulation")."""
    head = _head(scene, statement, place, said)
    if head.concept in scene.vocabulary.own or (head.kind == FINDING and head.item.kind == DESCRIPTOR):
        head.details += _own_detail(scene, head.item)
    return head


def _acts(scene: ParsedSentence, statement: Statement, place: Location, heads: list[FindingDraft]) -> list[FindingDraft]:
    """Return the acts that a denial states: they took place, and their object is gone ("evacuation of the haematoma")."""
    items = [scene.items[at] for at in scene.of_kind(FINDING, statement.modifiers)]
    done = [NamedConcept(FINDING, item.id, item) for item in items if item.id in scene.vocabulary.states]
    names = {act.concept for act in done}
    for head in heads:
        head.details = [detail for detail in head.details if detail.value not in names]
    return [_head(scene, statement._replace(status="present", modifiers=()), place, act) for act in done]


def _borne(scene: ParsedSentence, place: Location, bearer: str) -> Location:
    """Return the location of what a finding shows: its own, or the usual one of its bearer ("enhancing renal mass")."""
    usual = tuple((site, place.side) for site in scene.index.default_sites(bearer))
    return place if place.sites or not usual else place._replace(sites=(usual,), weak=True)


def _persisted(scene: ParsedSentence, statement: Statement) -> bool:
    """Whether a denied finding would be a persisting one ("persistent enhancement is not seen")."""
    changes = scene.of_kind("change", statement.modifiers)
    return min(changes, default=statement.head) < statement.head and "negpost" in scene.run(statement.head, len(scene.items))


def _own_detail(scene: ParsedSentence, item: Mention) -> list[Detail]:
    """Return the descriptor that names a separate finding ("heterogeneous enhancement")."""
    named = {NORMAL: item.types.get(DESCRIPTOR), DESCRIPTOR: item}.get(item.kind)
    return [scene.vocabulary.detail(named.id)] if named and named.id != scene.role("like_tissue") else []


def _degree_of(scene: ParsedSentence, statement: Statement, own: NamedConcept) -> tuple[int, ...]:
    """Return the modifiers of a separate finding: a descriptor before it ("slightly T2 hyperintense"), or the word itself."""
    at = next(at for at, item in enumerate(scene.items) if item.start == own.item.start)
    belonging = scene.of_kind(DESCRIPTOR, sorted({at - 1, at} & {*statement.modifiers}))
    thing = scene.vocabulary.detail(scene.items[at - 1].id).category in scene.flagged("of_things")
    apart = thing and own.item.adjective and at < statement.head and not scene.said(at - 1).endswith("ly")
    return without(belonging, (at - 1,) if apart else ())  # not "peripherally enhancing"


def _head(scene: ParsedSentence, statement: Statement, place: Location, said: NamedConcept) -> FindingDraft:
    parts = [scene.items[at] for at in (statement.head, *statement.modifiers, *_phrase(scene, statement))]
    start, end = min(item.start for item in parts), max(item.end for item in parts)
    status, certainty = _status(scene, statement, said)
    head = FindingDraft(said.kind, said.concept, said.item, start, end, status=status, certainty=certainty)
    head.normals = [entry.id for entry in said.item.choices if entry.type == said.kind == NORMAL]
    head.quality, head.direction = said.quality, said.direction
    if status == "absent" and _unlikely(scene, statement.head):
        head.certainty = "probable"
    describing = _describing(scene, statement, said, status)
    head.details = details_by_side(scene, describing, said.concept) or details_of(scene, describing, said.concept)
    _change(scene, statement, said, head)
    _end(scene, statement, head)
    _persist(scene, statement, head)
    if (head.status, head.concept, head.details) == ("absent", scene.role("any_abnormality"), []):
        head.status = "normal"  # "no abnormality is found at any level"
    put(scene, statement, head, place)
    return head


def _change(scene: ParsedSentence, statement: Statement, said: NamedConcept, head: FindingDraft) -> None:
    """Set the change of a head by its modifiers, and of one that is present by its own words."""
    item = scene.items[statement.head]
    told = [at for at in statement.modifiers if scene.items[at] is not said.direction]
    if (item.kind, said.kind) == ("change", QUALITY) and item.id != "stable":
        told.insert(0, statement.head)  # "the heart has enlarged", not "the density is not increased"
    head.change = change_of(scene, told)
    if head.status == "present":
        larger = _grown(scene, head)
        head.change = head.change or comparative_change(scene, statement.head) or larger or onset(scene, statement.head)


def _end(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> None:
    """Set a finding that was reduced, or that is no more, to absent."""
    cops = (at for at in statement.modifiers if scene.kind(at - 1) == "cop")
    if head.change == "decreased" and any(scene.said(at).endswith("reduced") for at in cops):  # to its normal position
        _reduced(scene, head)
    elif head.status == "present" and (ends := [at for at in statement.modifiers if _ends(scene, at, head.concept)]):
        head.status, head.change = "absent", "resolved"
        head.details = [*without(head.details, details_of(scene, ends, head.concept))]
    elif (head.change, head.status) == ("resolved", "present"):
        head.change = "decreased"  # "clearing": in progress


def _persist(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> None:
    """Set a finding whose end or change is denied to present."""
    persisting = persists(scene, statement.modifiers) or _none_changed(scene, statement, head)
    if persisting:
        head.status, head.change = "present", persisting
    elif (head.change, head.status) == ("stable", "absent"):
        if is_denied(scene, statement.head) or _persisted(scene, statement):
            head.change = None  # "no persistent leak"
        else:
            head.status = "present"  # "has not changed" denies the change


def _ends(scene: ParsedSentence, at: int, concept: str) -> bool:
    """Whether an item after a verb means that a finding is no more ("the hematoma has resorbed", "the fistula has closed")."""
    said = scene.said(at).lower().split()
    stated = _WHOLLY.issuperset(said[:-1]) and (len(said) > 1 or scene.kind(at - 1) in ("have", "cop"))
    classes = scene.vocabulary.outcomes.get(said[-1], frozenset())
    return stated and scene.index.is_any(concept, classes)


def _reduced(scene: ParsedSentence, head: FindingDraft) -> None:
    """Set a finding that was reduced to absent ("the dislocation has been reduced"); a fracture has no change."""
    if scene.is_any(head.concept, "reducible"):
        head.status, head.change = "absent", "resolved"
    elif scene.index.is_a(head.concept, scene.role("broken")):
        head.change = None


def _none_changed(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> str | None:
    """Return "stable" for a denial that any finding has gone, grown or changed ("no nodule has disappeared")."""
    if head.status != "absent" or not is_denied(scene, statement.head):
        return None
    later = [at for at in statement.modifiers if at > statement.head]
    turned = any(scene.items[at].id in _TURNING and scene.said(at).startswith(("has ", "have ")) for at in later)
    changed = any((scene.kind(at - 1), scene.said(at)) == ("have", "changed") for at in later)
    return "stable" if turned or changed else None


def _of_places(statement: Statement) -> list[int]:
    return [at for place in statement.places for at in (*place.items, place.side) if at is not None]


def _phrase(scene: ParsedSentence, statement: Statement) -> list[int]:
    own = {*_of_places(statement)}
    before, after = range(statement.head - 1, -1, -1), range(statement.head + 1, len(scene.items))
    inside = own.union(statement.modifiers, (at for at, item in enumerate(scene.items) if item.kind in _INSIDE))
    return [at for way in (before, after) for at in takewhile(inside.__contains__, way) if at in own]


def _unlikely(scene: ParsedSentence, at: int) -> bool:
    """Whether the clause of an item contains "unlikely"."""
    first, last = scene.next_of(at, -1, ("semi", "but")), scene.next_of(at, 1, ("semi", "but"))
    hedges = scene.of_kind("hedge", range(max(0, first), last))
    return any(scene.items[n].id == "unlikely" and scene.said(n) != "unlike" for n in hedges)  # "the spleen, unlike the liver"


def _grown(scene: ParsedSentence, head: FindingDraft) -> str | None:
    """Return "increased" for a lesion described as enlarged ("a cyst of 4 cm, enlarged"), and drop that descriptor; or None."""
    left = [detail for detail in head.details if detail.value != scene.role("grown")]
    if left == head.details or not scene.is_any(head.concept, "lumps", "leading_lesions"):
        return None
    head.details = left
    return "increased"


def _status(scene: ParsedSentence, statement: Statement, said: NamedConcept) -> tuple[str, str]:
    """Return status and certainty of a head: a negated normal word asserts, and a quality that is absent is lost."""
    status, certainty = _STATUS[statement.status]
    if told := _of_whole(scene, statement, said) or _by_form(scene, statement, said, status):
        return told, certainty
    if status == "normal":
        certainty = hedge_before(scene, statement.head, ("stop", "cop", DESCRIPTOR)) or certainty
    if said.kind != NORMAL and (said.quality is None or said.direction):
        return status, certainty
    graded = said.kind != NORMAL and scene.kind(statement.head) == QUALITY and is_graded(scene, statement)
    return "present" if graded or status == "absent" else "normal", certainty


def _of_whole(scene: ParsedSentence, statement: Statement, said: NamedConcept) -> str | None:
    """Return the status of a predicate of a whole structure: unchanged, missing, not seen or removed; None for others."""
    role, kind = scene.vocabulary.role, scene.items[statement.head].kind
    if said.concept == role("altered") and kind not in (FINDING, "abnormal"):
        return "absent"  # "the heart is stable" denies a change, "interval change in the heart" does not
    if said.concept not in (role("missing"), role("unseen"), role("removed")):
        return None
    if kind in ("neg", "negpost"):  # "the uterus is not seen", "no absence of the uterus"
        return "absent" if scene.kind(statement.head - 1) == "neg" else "present"
    return "absent" if kind == "seen" else None  # "both ovaries are present"


def _by_form(scene: ParsedSentence, statement: Statement, said: NamedConcept, status: str) -> str | None:
    """Return the status of a head whose form of the lexicon is a denial or a variant itself, or None."""
    if status == "normal" and said.kind == FINDING:
        return "present"  # "anteverted uterus": a variant that is present
    if status != "absent" or not ABSENCE.match(scene.said(statement.head)):
        return None
    # "no abnormality", "with no displacement", "no enhancement": an absent enhancement
    return "present" if scene.kind(statement.head) == FINDING else "normal"


def _describing(scene: ParsedSentence, statement: Statement, said: NamedConcept, status: str) -> list[int]:
    """Return the descriptive modifiers of a head, but no separate findings, nor words of health if absent ("clear of")."""
    found = _descriptive(scene, statement, said)
    if status == "absent":
        return [at for at in found if scene.kind(at) != NORMAL]
    own = {one.item.start for one in own_findings(scene, statement, said.concept)} if status == "present" else ()
    return [at for at in found if scene.items[at].start not in own]


def _descriptive(scene: ParsedSentence, statement: Statement, said: NamedConcept) -> list[int]:
    """Return the descriptive modifiers: not the qualities and sequences that are part of the concept."""
    abnormal = scene.role("any_abnormality") if said.kind == QUALITY else None  # "abnormal curvature", one concept
    told = [at for at in statement.modifiers if at != said.part and not of_change(scene, at)]
    own = [at for at in told if scene.items[at] is not said.item and scene.items[at].id != abnormal]
    own = [at for at in own if "seq" not in scene.items[at].types]
    return [*own, *(at for at in _of_places(statement) if _is_descriptive(scene, at, said.concept))]


def _is_descriptive(scene: ParsedSentence, at: int, concept: str) -> bool:
    """Whether a word of a place is descriptive: it names no structure ("the lateral midzone"), or is the direction of a shift."""
    item = scene.items[at]
    if item.kind != DESCRIPTOR or ANATOMY in item.types or completed_entry(scene, at, ANATOMY):
        return False
    return item.id not in OF_MOVEMENT or is_shift(scene, concept)
