"""What findings that are said together share, and what only one of them has: places, changes, hedges and sides."""

from __future__ import annotations

import re

from kgscore.reading.composition.scene import LISTING, Scene
from kgscore.reading.composition.status import ASSERTING
from kgscore.reading.structure.values import Place, Statement, Structure

_SAID = ASSERTING | {"absent"}
# What may stand between two findings of which the first is where the second is said to be.
_BETWEEN = LISTING | {"but", "with", "neg", "M", "meas", "change", "hedge", "seen", "stop"}
# Joints after which two findings are at one place, and those with which a company opens its sentence.
_COMPANY = re.compile(r"(?:with|accompanied by|associated with|along with|together with|in association with|in addition to)\b")
_OPENING = re.compile(r"(?:in addition to|along with|together with|besides|apart from|aside from|other than|as well as)\Z")
# What hedges, and what denies.
_CUES = (
    frozenset(("hedge", "ask", "infer")),
    frozenset(("neg", "negpost", "change", "lost", "except", "rather", "versus", "other", "past", "but")),
)
_DOUBT = re.compile(r"\w+ly|\w+ble|suspected")
# A denial that a list follows, and what says the same of one more subject.
_OF = re.compile(r"(?:(?:interval|complete) )*(?:absence|lack|resolution|disappearance|clearing) of")
_TOO = re.compile(r"(?:as|so) (?:is|are|was|were|has|have)|.*\bsame\b.*")
# What stands between two findings with places of their own in one list.
_JOINING = frozenset(("and", "or", "comma", "neg", "hedge", "change", "prep", "A", "sideword", "num", "M", "meas"))
_PHRASE = frozenset(("M", "meas", "num", "stop", "A", "sideword"))
_PLACED = frozenset(("prep", "A", "sideword", "num", "stop"))


def together(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which findings that are said together share their place and change, and nothing else."""
    structure = _described(scene, structure)
    found = tuple(_hedged_apart(scene, structure, one) for one in structure)
    found = tuple(one._replace(places=_not_of_the_next(scene, found, one)) for one in found)
    found = tuple(one._replace(places=_with_the_next(scene, found, one)) for one in found)
    found = tuple(one._replace(places=_with_the_one_before(scene, found, one)) for one in found)
    return tuple(_as_well(scene, found, _gone_too(scene, found, _changed_too(scene, found, one))) for one in found)


def _finding(scene: Scene, at: int) -> bool:
    return scene.items[at].kind == "F" and not scene.items[at].adjective


def _named(one: Statement) -> list[Place]:
    """Return the places of a statement that name a structure."""
    return [place for place in one.places if place.items]


def _described(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which an adjective that is said with its noun is no finding beside it ("no hypodense lesion")."""
    told = {one.places for one in structure}
    nouns = {(one.head, one.status, one.places) for one in structure if _finding(scene, one.head)}
    adjectives = {
        one.head
        for one in structure
        if _adjective(scene, one.head)
        and nouns & {(one.head + 1, one.status, places) for places in (one.places, *([] if one.places else told))}
        and not _joined_adjective(scene, one.head)
    }
    return tuple(
        one._replace(modifiers=tuple(sorted({*one.modifiers, one.head - 1}))) if one.head - 1 in adjectives else one
        for one in structure
        if one.head not in adjectives
    )


def _adjective(scene: Scene, at: int) -> bool:
    return scene.items[at].kind == "F" and scene.items[at].adjective


def _joined_adjective(scene: Scene, at: int) -> bool:
    """Whether an adjective shares its noun with one before it ("hypodense or hyperdense lesion")."""
    return at > 1 and scene.items[at - 1].kind in LISTING and _adjective(scene, at - 2)


def _kinds(scene: Scene, one: int, other: int) -> list[str]:
    """Return the kinds of the items between two, adjectives as descriptors."""
    return ["M" if _adjective(scene, at) else scene.items[at].kind for at in range(one + 1, other)]


# ---- hedges ----------------------------------------------------------------------------------------------------------
def _hedged_apart(scene: Scene, structure: Structure, one: Statement) -> Statement:
    """Return a statement without the hedge or denial of the next finding ("an infarct and possible bleeding are seen", "a cyst
    with no mass is seen"), nor as a reading of the one before ("a nodule and probably also a cyst")."""
    kinds = [item.kind for item in scene.items]
    if one.names and "hedge" in kinds[: one.head]:
        hedge = one.head - 1 - kinds[: one.head][::-1].index("hedge")
        joint = [kind for kind in kinds[max(0, hedge - 2) : hedge] if kind != "comma"]
        if joint[-1:] == ["and"] and _DOUBT.fullmatch(scene.said(hedge)):  # not "and probably represents"
            return one._replace(names=tuple(at for at in one.names if at > hedge))
    if one.status not in ("possible", "probable", "absent") or not _finding(scene, one.head):
        return one
    if any(other.head == one.head and other.status != one.status for other in structure):
        return one
    cues = [at for at, kind in enumerate(kinds) if kind in _CUES[one.status == "absent"]]
    later = {other.head for other in structure if other.head > one.head and other.status == one.status}
    return one._replace(status="present") if cues and all(_opens_member(scene, at, one, later) for at in cues) else one


def _opens_member(scene: Scene, cue: int, one: Statement, later: set[int]) -> bool:
    """Whether a hedge or denial stands between a joint and a finding after another one."""
    after = cue + 1
    while after < len(scene.items) and scene.items[after].kind in _PHRASE:
        after += 1
    without = scene.items[cue].kind == "neg" and scene.said(cue).startswith("with")
    joined = without if one.status == "absent" else scene.items[cue - 1].kind in ("and", "with", "but")
    return cue > one.head and joined and after in later


# ---- places ----------------------------------------------------------------------------------------------------------
def _not_of_the_next(scene: Scene, structure: Structure, one: Statement) -> tuple[Place, ...]:
    """Return the places of a finding that has its own without those of another one ("a nodule in the lingula and a cyst in the
    liver", "the liver shows a cyst and the spleen a nodule")."""
    own = _named(one)
    if len(own) < 2 or one.status not in _SAID or not _finding(scene, one.head):
        return one.places
    others = [other for other in structure if other.head != one.head and other.status in _SAID and _finding(scene, other.head)]

    def away(place: Place) -> bool:
        first, last = min(place.items), max(place.items)
        theirs = [other.head for other in others if any(place.items == there.items for there in _named(other))]
        theirs = [head for head in theirs if _coordinated(scene, one.head, head)]
        pairs = [(min(mine.items), max(mine.items), head) for mine in own if mine is not place for head in theirs]
        after = any(one.head < begin and end < head < first for begin, end, head in pairs)
        before = any(last < head < begin < one.head or (head < first and last < one.head < begin) for begin, _, head in pairs)
        then = any(end < one.head < first < head for _, end, head in pairs)
        return after or before or then

    return tuple(place for place in one.places if not place.items or not away(place))


def _coordinated(scene: Scene, one: int, other: int) -> bool:
    """Whether between two findings nothing stands but their places and what joins them."""
    kinds = {*_kinds(scene, min(one, other), max(one, other))}
    return not kinds.isdisjoint(("and", "or")) and kinds <= _JOINING


def _with_the_next(scene: Scene, structure: Structure, one: Statement) -> tuple[Place, ...]:
    """Return the places of a finding of which none are said: those of the finding that it is said together with ("new oedema but
    stable bleeding in the pons", "in addition to a cyst, there is a nodule in the liver")."""
    if _named(one) or one.names or one.status not in _SAID:
        return one.places
    if _adjective(scene, one.head):
        return _of_the_noun(scene, structure, one)
    if any(_named(other) for other in structure if other.head == one.head):
        return one.places
    kinds = ("F", "N") if _opens(scene, one.head) else ("F",)
    after = [other for other in structure if other.head > one.head and scene.items[other.head].kind in kinds and _named(other)]
    near = [other for other in after if other.head == min(two.head for two in after)]
    places = tuple(dict.fromkeys(place for other in near if _joined(scene, one, other) for place in _named(other)))
    return places if places and _fit(scene, one, places) else one.places


def _of_the_noun(scene: Scene, structure: Structure, one: Statement) -> tuple[Place, ...]:
    """Return the places of an adjective that has none before another one that has ("enlarged, bulging pituitary")."""
    at = one.head
    while _adjective(scene, at) and at + 2 < len(scene.items) and scene.items[at + 1].kind in ("comma", "and"):
        at += 2
        nouns = [_named(other) for other in structure if other.head == at and other.status == one.status]
        if nouns and nouns[0] and scene.items[at + 1].kind == "A":
            return tuple(nouns[0])
    return one.places


def _with_the_one_before(scene: Scene, structure: Structure, one: Statement) -> tuple[Place, ...]:
    """Return the places of a denial that has none of its own and of which not all are said: those of the denial right before it
    ("no wall thickening in the gallbladder or bile ducts, and no dilatation", "liver and spleen are normal in size, with no
    abnormal density")."""
    told = {at for place in one.places for at in (*place.items, place.side) if at is not None}
    if one.names or one.status != "absent" or not _finding(scene, one.head) or any(at > one.head for at in told):
        return one.places
    if scene.knowledge.fitting.default(scene.items[one.head].id) or sum(other.head == one.head for other in structure) > 1:
        return one.places
    heads = [other.head for other in structure if other.head < one.head]
    before = [other for other in structure if heads and other.head == max(heads) and _named(other)]
    kinds = {*_kinds(scene, max(heads), one.head)} if heads else set()
    denied = all(other.status in ("absent", "normal") for other in before)
    if not before or not denied or "neg" not in kinds or not kinds.isdisjoint(("semi", "but", "colon")):
        return one.places
    places = tuple(dict.fromkeys(place for other in before for place in _named(other)))
    spoken = {at for place in places for at in (*place.items, place.side) if at is not None}
    listed = len(places) > 1 and max(spoken) < one.head and told <= spoken
    return places if listed and _fit(scene, one, places) else one.places


def _joined(scene: Scene, one: Statement, other: Statement) -> bool:
    """Whether a finding is where the one after it is said to be."""
    kinds = {*_kinds(scene, one.head, other.head)}
    if one.status == "absent" and other.status != "absent":
        return False  # "no effusion but a nodule in the lingula"
    if _opens(scene, one.head):
        return "comma" in kinds
    placed = all(max(place.items) > other.head for place in _named(other))
    if not placed or not _BETWEEN.issuperset(kinds):
        return False
    sides = {place.side for place in one.places}
    if sides and sides <= {place.side for place in other.places}:
        return min(side for side in sides if side is not None) > other.head  # a side alone, of the structure after it
    withs = [at for at in range(one.head + 1, other.head) if scene.items[at].kind == "with"]
    company = all(_COMPANY.match(scene.said(at)) and _told_with(scene, at) for at in withs)
    denials = [scene.said(at) for at in range(one.head + 1, other.head) if scene.items[at].kind == "neg"]
    again = one.status == "absent" and "and" in kinds and "comma" not in kinds  # "no cyst and no mass in the liver"
    denied = all(again or said.startswith("with") for said in denials) and bool(denials)
    apart = denied or (not denials and "and" in kinds and {"change", "hedge"} & kinds)
    return bool((withs or apart or "but" in kinds) and company and not one.places)


def _told_with(scene: Scene, at: int) -> bool:
    """Whether a joint says that two findings are together, and not only that one has the other."""
    return scene.said(at) != "with" or scene.said(at + 1) in ("associated", "accompanying", "concomitant")


def _opens(scene: Scene, at: int) -> bool:
    """Whether what a finding opens its sentence with says that another one is there too."""
    before = at - 1
    while before > 0 and (scene.items[before].kind in ("M", "meas", "stop", "num") or _adjective(scene, before)):
        before -= 1
    return before == 0 and _OPENING.match(scene.said(0)) is not None


def _fit(scene: Scene, one: Statement, places: tuple[Place, ...]) -> bool:
    """Whether a finding is at home at places that are said of another one; a word that is unknown is nowhere at home."""
    index, fitting, name = scene.knowledge.index, scene.knowledge.fitting, scene.items[one.head].id
    if name not in index.concepts:
        return False
    joints = (index.role("any_joint"),)
    sites = [scene.items[at] for place in places for at in place.items]

    def at_home(site: str) -> bool:
        home = fitting.default(index.fold(name, (site,)))
        inside = not home or index.inside_any(site, home)
        return inside and (home != joints or index.is_a(site, joints[0])) and fitting.belongs(name, site)

    return all(site.kind == "A" and at_home(site.id) for site in sites)


def _changed_too(scene: Scene, structure: Structure, one: Statement) -> Statement:
    """Return a statement with the change that stands before its list ("resolution of effusion and oedema", "unchanged nodule in
    the lingula and cyst in the liver")."""
    if not _finding(scene, one.head) or any(scene.items[at].kind == "change" for at in one.modifiers):
        return one
    before = [other for other in structure if other.head < one.head and _finding(scene, other.head)]
    first = max(before, key=lambda other: other.head, default=None)
    if first is None or first.status != one.status or one.names:
        return one
    told = [at for at in first.modifiers if scene.items[at].kind == "change" and at < first.head]
    kinds = _kinds(scene, first.head, one.head)
    listed = kinds.count("and") + kinds.count("or") == 1 and {"and", "or", *_PLACED}.issuperset(kinds)
    fresh = re.search(r"\ban? \Z", scene.text[: scene.items[one.head].start].lower())
    alone = kinds in (["and"], ["or"])
    given = [at for at in told if alone or scene.items[at].id != "new"]
    if not given or not listed or fresh:
        return one
    return one._replace(modifiers=tuple(sorted({*one.modifiers, given[-1]})))


def _gone_too(scene: Scene, structure: Structure, one: Statement) -> Statement:
    """Return a statement as denied where a denial with "of" stands before its list ("absence of fracture and dislocation",
    "resolution of effusion and oedema")."""
    before = [other for other in structure if other.head < one.head and _finding(scene, other.head)]
    first = max(before, key=lambda other: other.head, default=None)
    if first is None or first.status != "absent" or one.status != "present" or not _finding(scene, one.head):
        return one
    kinds = _kinds(scene, first.head, one.head)
    cue = first.head - 1
    while cue > 0 and scene.items[cue].kind == "M":
        cue -= 1
    of = cue >= 0 and scene.items[cue].kind in ("neg", "change") and _OF.fullmatch(scene.said(cue)) is not None
    if not of or kinds[:1] != ["and"] or any(kind != "M" for kind in kinds[1:]):
        return one
    told = (cue,) if scene.items[cue].kind == "change" else ()
    return one._replace(status="absent", modifiers=tuple(sorted({*one.modifiers, *told})))


def _as_well(scene: Scene, structure: Structure, one: Statement) -> Statement:
    """Return a statement with what is said of the subject before "as is" or "so are" ("the nodule is stable, as is the cyst",
    "the liver is normal and so is the spleen")."""
    at = next((at for at, item in enumerate(scene.items) if item.kind == "and" and _TOO.fullmatch(scene.said(at))), -1)
    predicate = at - 1
    while predicate >= 0 and scene.items[predicate].kind in ("comma", "and", "stop"):
        predicate -= 1
    if at < 0 or predicate < 0:
        return one
    if predicate == one.head and scene.items[predicate].kind == "N" and all(max(p.items, default=0) < at for p in one.places):
        sites = [n for n in range(at + 1, len(scene.items)) if scene.items[n].kind == "A"]
        listed = [n for n in sites if all(i.kind in LISTING or i.kind in ("A", "sideword") for i in scene.items[at + 1 : n])]
        sides = {n: n - 1 if scene.items[n - 1].kind == "sideword" else None for n in listed}
        return one._replace(places=(*one.places, *(Place((n,), sides[n]) for n in listed)))
    first = min((other.head for other in structure if other.head > at and _finding(scene, other.head)), default=-1)
    told = any(scene.items[m].kind == "change" for m in one.modifiers)
    if scene.items[predicate].kind == "change" and one.head == first and not told:
        return one._replace(modifiers=tuple(sorted({*one.modifiers, predicate})))
    return one
