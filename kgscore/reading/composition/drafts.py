"""Conversion of one statement of a structure to heads: what it asserts or denies, by the kind of its head."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY
from kgscore.model import Detail
from kgscore.reading.composition.concepts import NamedConcept, named_concepts, own_findings
from kgscore.reading.composition.descriptors import change_of, details_by_side, details_of, of_change, persists
from kgscore.reading.composition.locations import OF_MOVEMENT, Location, is_shift
from kgscore.reading.composition.negation import ABSENCE, is_denied
from kgscore.reading.composition.parsed_sentence import ParsedSentence, completed_entry, exact_entry
from kgscore.reading.composition.temporality import GRADED, comparative_change, onset
from kgscore.reading.finding_draft import FindingDraft, SiteAndSide
from kgscore.reading.measurement import measurement
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Statement

# The status and certainty of a finding by the status in the structure.
_STATUS = {
    "present": ("present", "definite"),
    "presupposed": ("present", "definite"),
    "past": ("present", "definite"),
    "possible": ("present", "possible"),
    "probable": ("present", "probable"),
    "absent": ("absent", "definite"),
    "unlikely": ("absent", "probable"),
    "normal": ("normal", "definite"),
}
# Kinds of items that join the words of a phrase.
_INSIDE = frozenset(("prep", "stop", "and", "comma"))
# Changes whose denial means that a finding is unchanged.
_TURNING = frozenset(("resolved", "increased", "decreased"))
# Words before a verb of outcome that leave nothing of a finding.
_WHOLLY = frozenset(("has", "have", "is", "are", "was", "were", "been", "now", "since", "completely", "entirely", "fully"))
# The preposition between a distance and its reference point.
FROM = re.compile(r"(?:from|above|below|beyond|(?:proxim|dist|crani|caud)al to|(?:super|infer)ior to)\Z", re.IGNORECASE)


def drafts_of(scene: ParsedSentence, statement: Statement, place: Location) -> list[FindingDraft]:
    """Return the heads of a statement at its place: one for each quality or sequence, usually one; none if the words of its
    head name nothing."""
    said, words = named_concepts(scene, statement, place), scene.knowledge.words
    own = own_findings(scene, statement, said[0].concept) if said and said[0].kind == FINDING else []
    degrees = {one.item.start: _degree_of(scene, statement, one) for one in own}
    taken = {at for modifiers in degrees.values() for at in modifiers}
    rest = statement._replace(
        modifiers=tuple(at for at in statement.modifiers if at not in taken or scene.items[at].kind != DESCRIPTOR)
    )
    heads = [_head(scene, rest if own else statement, place, one) for one in said]
    for head in heads:  # "heterogeneous enhancement"
        if head.concept in words.own or (head.kind == FINDING and head.item.kind == DESCRIPTOR):  # "with dorsal angulation"
            head.details += [detail for detail in _own_detail(scene, head.item) if detail not in head.details]
    if heads and heads[0].status == "present":
        borne = _borne(scene, place, heads[0].concept)
        for one in own:
            heads.append(_head(scene, statement._replace(modifiers=degrees[one.item.start]), borne, one))
            heads[-1].details += _own_detail(scene, one.item)
        if own and heads[0].concept in words.empty and not heads[0].details:  # "a focus is bright": nothing more than that
            heads = heads[1:]
    if statement.status == "absent" and heads:  # "evacuation of the haematoma": the act took place, and its object is gone
        acts = [scene.items[at] for at in statement.modifiers if scene.items[at].kind == FINDING]
        done = [NamedConcept(FINDING, item.id, item) for item in acts if item.id in scene.knowledge.words.states]
        for head in heads:
            head.details = [d for d in head.details if d.value not in {act.concept for act in done}]
        bare = statement._replace(status="present", modifiers=())
        heads += [_head(scene, bare, place, act) for act in done]
    return heads


def _borne(scene: ParsedSentence, place: Location, bearer: str) -> Location:
    """Return the location of what a finding shows: its own, or the usual one of its bearer ("enhancing renal mass")."""
    usual = tuple((site, place.side) for site in scene.knowledge.index.default_sites(bearer))
    return place if place.sites or not usual else place._replace(sites=(usual,), weak=True)


def _persisted(scene: ParsedSentence, statement: Statement) -> bool:
    """Whether a denied finding would be a persisting one ("persistent enhancement is not seen")."""
    before = any(at < statement.head and scene.items[at].kind == "change" for at in statement.modifiers)
    return before and any(item.kind == "negpost" for item in scene.items[statement.head :])


def _own_detail(scene: ParsedSentence, item: Mention) -> list[Detail]:
    """Return the descriptor that names a separate finding ("heterogeneous enhancement")."""
    entry = item.types.get(DESCRIPTOR) if item.kind == NORMAL else None
    if item.id == scene.knowledge.words.role("like_tissue"):
        return []
    return [scene.knowledge.words.detail(entry.id if entry else item.id)] if entry or item.kind == DESCRIPTOR else []


def _degree_of(scene: ParsedSentence, statement: Statement, own: NamedConcept) -> tuple[int, ...]:
    """Return the descriptors among the modifiers that belong to a separate finding: the one directly before it ("slightly T2
    hyperintense", not "solid enhancing mass" or "tiny T2 hyperintense lesion"), and the word itself if it says more than the
    finding ("heterogeneous enhancement")."""
    at = next(at for at, item in enumerate(scene.items) if item.start == own.item.start)
    words = scene.knowledge.words
    belonging = [one for one in (at - 1, at) if one in statement.modifiers and scene.items[one].kind == DESCRIPTOR]
    things = words.flagged("of_things") if own.item.adjective and at < statement.head else frozenset()
    adverbs = {one for one in belonging if scene.said(one).endswith("ly")}  # "peripherally enhancing"
    return tuple(one for one in belonging if one in (at, *adverbs) or words.detail(scene.items[one].id).category not in things)


def _head(scene: ParsedSentence, statement: Statement, place: Location, said: NamedConcept) -> FindingDraft:
    """Return the head for the concept that a statement names, at its place, with its modifiers."""
    status, certainty = _status(scene, statement, said)
    parts = [scene.items[at] for at in (statement.head, *statement.modifiers, *_phrase(scene, statement))]
    head = FindingDraft(said.kind, said.concept, said.item, min(i.start for i in parts), max(i.end for i in parts))
    head.status, head.certainty = status, certainty
    if said.kind == NORMAL:
        head.normals = [entry.id for entry in said.item.choices if entry.type == NORMAL]
    head.quality, head.direction = said.quality, said.direction
    own = {one.item.start for one in own_findings(scene, statement, said.concept)} if status == "present" else set()
    describing = [at for at in _describing(scene, statement, said) if scene.items[at].start not in own]
    if status == "absent":
        describing = [at for at in describing if scene.items[at].kind != NORMAL]  # "clear of effusion"
        head.certainty = "probable" if _unlikely(scene, statement.head) else certainty
    head.details = details_by_side(scene, describing, said.concept) or details_of(scene, describing, said.concept)
    told = [at for at in statement.modifiers if scene.items[at] is not said.direction]
    grown = scene.items[statement.head].kind == "change" and said.kind == QUALITY and scene.items[statement.head].id != "stable"
    # "the heart has enlarged", not "the density is not increased"
    head.change = change_of(scene, (statement.head, *told) if grown else told)
    if status == "present":
        grown_lesion = _grown(scene, head)
        head.change = head.change or comparative_change(scene, statement.head) or grown_lesion or onset(scene, statement.head)
    if head.change == "decreased" and any(_put_back(scene, at) for at in statement.modifiers):
        _reduced(scene, head)
    elif status == "present" and (ends := [at for at in statement.modifiers if _ends(scene, at, head.concept)]):
        head.status, head.change = "absent", "resolved"
        told_then = details_of(scene, ends, said.concept)
        head.details = [detail for detail in head.details if detail not in told_then]
    elif head.change == "resolved" and head.status == "present":
        head.change = "decreased"  # "clearing": in progress
    persisting = persists(scene, statement.modifiers) or _none_changed(scene, statement, head)
    if persisting is not None:
        head.status, head.change = "present", persisting
    elif head.change == "stable" and status == "absent":
        if is_denied(scene, statement.head) or _persisted(scene, statement):  # "no persistent leak"
            head.change = None
        else:
            head.status = "present"  # "has not changed" denies the change
    if head.status == "absent" and head.concept == scene.knowledge.words.role("any_abnormality") and not head.details:
        head.status = "normal"  # "no abnormality is found at any level"
    _put(scene, statement, head, place)
    _moved(scene, head)
    _narrow(scene, statement, head)
    _count_from(scene, statement, head)
    return head


def _put_back(scene: ParsedSentence, at: int) -> bool:
    """Whether an item means that something was reduced to its normal position ("has been reduced")."""
    return at > 0 and scene.said(at).split()[-1] == "reduced" and (scene.items[at - 1].kind == "cop" or " " in scene.said(at))


def _ends(scene: ParsedSentence, at: int, concept: str) -> bool:
    """Whether an item after a verb means that a finding is no more ("the hematoma has resorbed", "the fistula has closed")."""
    said = scene.said(at).lower().split()
    stated = _WHOLLY.issuperset(said[:-1]) and (len(said) > 1 or (at > 0 and scene.items[at - 1].kind in ("have", "cop")))
    classes = scene.knowledge.words.outcomes.get(said[-1], frozenset())
    return stated and scene.knowledge.index.is_any(concept, classes)


def _reduced(scene: ParsedSentence, head: FindingDraft) -> None:
    """Set the status of a finding that was reduced to absent ("the dislocation has been reduced"); a fracture is kept without
    a change."""
    index, words = scene.knowledge.index, scene.knowledge.words
    if index.is_any(head.concept, words.flagged("reducible")):
        head.status, head.change = "absent", "resolved"
    elif index.is_a(head.concept, words.role("broken")):
        head.change = None


def _none_changed(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> str | None:
    """Return "stable" for a denial that any finding has gone, grown or changed ("no nodule has disappeared"): all are still
    present, unchanged."""
    if head.status != "absent" or not is_denied(scene, statement.head):
        return None
    verbs = [at for at in statement.modifiers if at > statement.head]
    told = any(
        (scene.items[at].id in _TURNING and scene.said(at).startswith(("has ", "have ")))
        or (scene.said(at) == "changed" and scene.items[at - 1].kind == "have")
        for at in verbs
    )
    return "stable" if told else None


def _phrase(scene: ParsedSentence, statement: Statement) -> list[int]:
    """Return the places and sides in the noun phrase of a head."""
    own = {at for place in statement.places for at in (*place.items, *((place.side,) if place.side is not None else ()))}
    around: list[int] = []
    for step in (-1, 1):
        at = statement.head + step
        while 0 <= at < len(scene.items) and (at in own or at in statement.modifiers or scene.items[at].kind in _INSIDE):
            around += [at] if at in own else []
            at += step
    return around


def _unlikely(scene: ParsedSentence, at: int) -> bool:
    """Whether the clause of an item contains "unlikely"."""
    ends = [number for number, item in enumerate(scene.items) if item.kind in ("semi", "but")]
    first = max((end for end in ends if end < at), default=0)
    last = min((end for end in ends if end > at), default=len(scene.items))
    told = (n for n in range(first, last) if scene.items[n].kind == "hedge" and scene.items[n].id == "unlikely")
    return any(scene.said(n) != "unlike" for n in told)  # "the spleen, unlike the liver"


def _count_from(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> None:
    """Handle the reference point of a distance ("4 cm above the carina", "tube above the carina"): it becomes a detail, not a
    site."""
    for place in statement.places:
        if not place.items or place.items[0] < 2:
            continue
        at = place.items[0] - 1
        while at > 1 and scene.items[at].kind in ("stop", "sideword"):
            at -= 1
        joint, size = scene.items[at], scene.items[at - 1]
        measured = size.kind == "meas"
        if not FROM.match(scene.text, joint.start, joint.end) or not (measured or head.concept in scene.knowledge.words.devices):
            continue
        text = measurement(size.id, scene.knowledge.words.units)[1] if measured else ""
        counted = f"{text} {scene.text[joint.start : scene.items[place.items[-1]].end]}".strip()
        head.details = [d for d in head.details if d.text != text]
        head.details.append(Detail("distance", text, counted) if measured else Detail("position", counted, counted))
        point = {scene.items[one].id for one in place.items}
        head.sites = [one for one in head.sites if not point & {name for name, _ in one}]
        tip = any(item.kind == "tip" for item in scene.items[max(0, statement.head - 2) : at])
        head.tip_at_home = tip and head.concept in scene.knowledge.words.devices


def _grown(scene: ParsedSentence, head: FindingDraft) -> str | None:
    """Return "increased" for a lesion described as enlarged ("a cyst of 4 cm, enlarged"), and drop that descriptor; or None."""
    words = scene.knowledge.words
    grown = [detail for detail in head.details if detail.value == words.role("grown")]
    leading = scene.knowledge.index.is_any(head.concept, words.flagged("lumps") | words.flagged("leading_lesions"))
    if not grown or not leading:
        return None
    head.details = [detail for detail in head.details if detail not in grown]
    return "increased"


def _status(scene: ParsedSentence, statement: Statement, said: NamedConcept) -> tuple[str, str]:
    """Return status and certainty of a head: a negated normal word asserts what it would have denied, and a quality that is
    absent is lost."""
    status, certainty = _STATUS[statement.status]
    if said.concept == scene.knowledge.words.role("altered") and scene.items[statement.head].kind not in (FINDING, "abnormal"):
        return "absent", certainty  # "the heart is stable" denies a change, "interval change in the heart" does not
    told = {scene.knowledge.words.role(role) for role in ("missing", "unseen", "removed")}
    if said.concept in told and scene.items[statement.head].kind in ("neg", "negpost"):
        again = statement.head > 0 and scene.items[statement.head - 1].kind == "neg"
        return "absent" if again else "present", certainty  # "the uterus is not seen", "no absence of the uterus"
    if said.concept in told and scene.items[statement.head].kind == "seen":
        return "absent", certainty  # "both ovaries are present"
    if said.kind == FINDING and status == "normal":
        return "present", certainty  # "anteverted uterus": a variant that is present
    named = scene.items[statement.head].kind == FINDING
    if said.kind == FINDING and named and status == "absent" and ABSENCE.match(scene.said(statement.head)):
        return "present", certainty  # "no enhancement" is one word of the lexicon: an absent enhancement
    if (said.kind == NORMAL or not named) and status == "absent" and ABSENCE.match(scene.said(statement.head)):
        return "normal", certainty  # "no abnormality", "with no displacement": one word too
    if status == "normal":
        certainty = _hedged(scene, statement.head) or certainty
    if said.kind == NORMAL or (
        said.quality is not None and said.direction is None and scene.items[statement.head].kind != QUALITY
    ):
        return ("present" if status == "absent" else "normal"), certainty
    if said.quality is not None and said.direction is None:
        lost = status == "absent" or any(GRADED.match(scene.said(at)) for at in statement.modifiers)
        return ("present" if lost else "normal"), certainty
    return status, certainty


def _hedged(scene: ParsedSentence, at: int) -> str | None:
    """Return the certainty of a hedge directly before a normal word ("probably normal"), or None."""
    before = next((item for item in reversed(scene.items[:at]) if item.kind not in ("stop", "cop", DESCRIPTOR)), None)
    return before.id if before is not None and before.kind == "hedge" and before.id in ("possible", "probable") else None


def _describing(scene: ParsedSentence, statement: Statement, said: NamedConcept) -> Sequence[int]:
    """Return the descriptive modifiers: not the qualities and sequences that are part of the concept."""
    own = [at for at in statement.modifiers if scene.items[at] is not said.item and "seq" not in scene.items[at].types]
    own = [at for at in own if at != said.part and not of_change(scene, at)]
    if said.kind == QUALITY:  # "abnormal curvature", one concept
        own = [at for at in own if scene.items[at].id != scene.knowledge.words.role("any_abnormality")]
    said_of_places = (
        at for place in statement.places for at in (*place.items, *((place.side,) if place.side is not None else ()))
    )
    return [*own, *(at for at in said_of_places if at not in own and _is_descriptive(scene, at, said.concept))]


def _is_descriptive(scene: ParsedSentence, at: int, concept: str) -> bool:
    """Whether a word of a place is descriptive: it names no structure ("the lateral midzone"), or is the direction of a shift."""
    item = scene.items[at]
    if item.kind != DESCRIPTOR or ANATOMY in item.types or completed_entry(scene, at, ANATOMY) is not None:
        return False
    return item.id not in OF_MOVEMENT or is_shift(scene, concept)


def _put(scene: ParsedSentence, statement: Statement, head: FindingDraft, place: Location) -> None:
    """Set the sites and side of a head: its own, those of its subject, or those of the label."""
    head.sites, head.side = list(place.sites), place.side
    subject = scene.items[statement.head]
    if not head.sites and subject.kind == ANATOMY:
        head.sites = [((subject.id, subject.side or head.side),)]
    entries = {side for one in head.sites for _, side in one if side}
    head.sites = _fitting(scene, head)
    if head.concept == scene.knowledge.words.role("altered"):
        head.sites = _each(scene, head.sites)
    unsided = bool(head.sites) and not any(side for one in head.sites for _, side in one)
    if len(entries) == 1 and unsided and head.concept in scene.knowledge.words.devices:
        head.side = head.side or min(entries)  # "a right frontal shunt with its tip in the third ventricle"
    head.inherited = head.shared = place.weak
    if not head.sites:
        own = next((entry.site for entry in head.item.types.values() if entry.type in (QUALITY, NORMAL) and entry.site), None)
        if own is not None:
            head.sites = [((own, head.side),)]
    if not head.sites and scene.label:
        head.sites, head.inherited = list(scene.label), True
        head.side = head.side or scene.label_side
    if head.side is None and not head.sites and head.status == "present" and _of_both(scene, head.item):
        head.side = "both"
    if head.side is None and not any(side for one in head.sites for _, side in one):
        head.side = head.item.side if head.item.kind == FINDING else scene.label_side if not head.sites else None


def _moved(scene: ParsedSentence, head: FindingDraft) -> None:
    """Convert the side of a shift of an unpaired structure to its direction ("Trachea deviated left")."""
    words = scene.knowledge.words
    names = {name for one in head.sites for name, _ in one} or scene.knowledge.index.sites_implied(head.concept)
    sides = {side for one in head.sites for _, side in one if side} | ({head.side} if head.side else set())
    way = next((name for name, side in OF_MOVEMENT.items() if sides == {side}), None)
    upright = words.flagged("raised") | words.flagged("lowered")
    if way is None or not names or not is_shift(scene, head.concept) or scene.knowledge.index.is_any(head.concept, upright):
        return
    if not names.isdisjoint(words.lateral | words.sided):
        return
    head.sites, head.side = [tuple((name, None) for name, _ in one) for one in head.sites], None
    if all(detail.value not in OF_MOVEMENT for detail in head.details):
        head.details.append(words.detail(way))


def _each(scene: ParsedSentence, sites: list[tuple[SiteAndSide, ...]]) -> list[tuple[SiteAndSide, ...]]:
    """Return coordinated structures as separate places, unless one is inside the other ("stable heart size and mediastinal
    contours")."""
    inside = scene.knowledge.index.inside
    apart = (
        [(one,) for one in place] if not any(x != y and inside(x, y) for x, _ in place for y, _ in place) else [place]
        for place in sites
    )
    return [one for found in apart for one in found]


def _narrow(scene: ParsedSentence, statement: Statement, head: FindingDraft) -> None:
    """Resolve a direction of a finding to the part of its site with that name, if there is one ("HUMERUS: distal fracture",
    "the oesophagus is thickened distally")."""
    words, index = scene.knowledge.words, scene.knowledge.index
    if any(index.is_any(head.concept, words.flagged(role)) for role in ("moving", "shifts", "local_shifts")):
        return
    said = {*statement.modifiers, *(at for place in statement.places for at in place.items)}
    compared = {at + 1 for at, item in enumerate(scene.items) if item.kind in ("greater", "less", "change")}  # "worse medially"
    for way in (scene.items[at] for at in sorted(said - compared) if scene.items[at].kind == DESCRIPTOR):
        if words.parents.get(way.id) not in words.flagged("placing"):
            continue
        for number, one in enumerate(head.sites):
            parts = {
                name: exact_entry(scene, (*words.labels[way.id].split(), *words.labels[name].split()), ANATOMY) for name, _ in one
            }
            told = any(words.labels[name].startswith(f"{words.labels[way.id]} ") for name, _ in one)  # "FEMUR, DISTAL: distal …"
            inner = {name: part.id for name, part in parts.items() if part is not None and index.inside(part.id, name)}
            head.sites[number] = tuple((inner.get(name, name), side) for name, side in one)
            if inner or told:
                head.details = [detail for detail in head.details if detail.value != way.id]


def _fitting(scene: ParsedSentence, head: FindingDraft) -> list[tuple[SiteAndSide, ...]]:
    """Return the places of a head without those where it cannot be; if it can be at none, a quality falls back to its own site
    and others keep all."""
    if head.kind == NORMAL or not head.sites:
        return head.sites
    fits = scene.knowledge.fitting.fits
    kept = [one for one in head.sites if any(fits(head.concept, name) for name, _ in one)]
    return kept or ([] if head.kind == QUALITY else head.sites)


def _of_both(scene: ParsedSentence, item: Mention) -> bool:
    """Whether the words of a finding end with a paired structure in the plural ("enlarged kidneys")."""
    last = scene.tokens[item.last]
    named = scene.knowledge.lexicon.lookup((last.norm.lower(),)) if item.last > item.first else ()
    plural = last.norm.lower() != scene.text[last.start : last.end].lower()
    own = scene.knowledge.index.soft_sites.get(item.id, ())
    return plural and any(entry.id in own and entry.id in scene.knowledge.words.paired for entry in named)
