"""Composition of the heads of a sentence from its structure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.model import Detail
from kgscore.ontology.alike import alike_of
from kgscore.reading.composition.anatomy import with_side
from kgscore.reading.composition.assertion import caused
from kgscore.reading.composition.attributes import by_attribute, geometric
from kgscore.reading.composition.concepts import of_bounded_size
from kgscore.reading.composition.descriptors import LARGEST, MOVED, details_of, directional_change, state_detail
from kgscore.reading.composition.drafts import drafts_of
from kgscore.reading.composition.extent import extend
from kgscore.reading.composition.locations import Location, location_of
from kgscore.reading.composition.parsed_sentence import ParsedSentence, exact_entry
from kgscore.reading.composition.scope import apply_scope
from kgscore.reading.composition.sizes import sized
from kgscore.reading.finding_draft import CERTAINTY_PREFIX, FindingDraft, SiteAndSide
from kgscore.reading.structure.values import Parse, Statement
from kgscore.reading.structure.values import Place as Said

_SILENT = ("none", "past")
# Kinds of items between the members of a list of findings.
_LISTED = frozenset(("and", "comma", "stop", DESCRIPTOR, "meas"))
# Kinds of items that end the scope of a side.
_PARTING = frozenset(("semi", "but", "sideword"))
_PRONOUN = re.compile(r"(?:this|that|these|those|it|they)\b", re.IGNORECASE)
_POINTING = re.compile(r"\b(?:the|this|that|these|those|its)\s+\Z", re.IGNORECASE)
# Kinds of items between "this" and its interpretation.
_TAKING = frozenset(("hedge", "infer", "stop", "cop", DESCRIPTOR, UNKNOWN))


def compose(scene: ParsedSentence, structure: Parse) -> list[FindingDraft]:
    """Return the heads of a sentence, in the order of the text, each with its details according to the structure."""
    made: dict[int, list[FindingDraft]] = {}
    structure, reached = extend(scene, by_attribute(scene, structure))
    places = {number: location_of(scene, structure, one) for number, one in enumerate(structure)}
    waiting: list[tuple[Statement, Location]] = []
    for number, one in enumerate(structure):
        if not _speaks(scene, one) or _only_bears(scene, structure, one):
            continue
        if one.names or (named := _explained_finding(scene, structure, number, places)) is not None:
            waiting.append((one if one.names else one._replace(names=(named or 0,)), places[number]))
            continue
        if _belongs_to_largest(scene, structure, one, made) or _is_denied_by_normal(scene, structure, one):
            continue
        made.setdefault(one.head, []).extend(drafts_of(scene, one, places[number]))
    _say_of_bearers(scene, structure, places, made)
    for one, place in waiting:
        if not _explains(scene, one, place, made) and not _same_by_definition(scene, one, made):
            heads = drafts_of(scene, one, place)
            label = [item.kind for item in scene.items[one.head + 1 : one.head + 2]] == ["colon"]  # "Portal hypertension: …"
            for head in heads:
                if head.certainty == "definite" and head.status == "present" and not label and not caused(scene, one):
                    head.certainty = "probable"
            made.setdefault(one.head, []).extend(heads)
    for at, details in reached.items():
        for head in made.get(at, ())[:1]:
            head.details += details
    for head in [head for at in sorted(made) for head in made[at]]:
        _finish(scene, structure, head, places, made)
    heads = sorted((*_consistent(scene, made), *sized(scene, structure)), key=lambda head: head.item.start)
    _lend(scene, heads)
    return apply_scope(scene, heads)


def _speaks(scene: ParsedSentence, one: Statement) -> bool:
    """Whether a statement is about the current state: a past operation has left a state."""
    if one.status == "none":
        return False
    if one.status == "past":
        item = scene.items[one.head]
        words, index = scene.knowledge.words, scene.knowledge.index
        stays = item.kind == FINDING and (item.id in words.states or index.is_any(item.id, words.flagged("implants")))
        return stays and not any(i.kind == "history" for i in scene.items)
    return True


def _only_bears(scene: ParsedSentence, structure: Parse, one: Statement) -> bool:
    """Whether a statement only names the device that another one refers to ("lucency around the left S1 screw")."""
    words, name = scene.knowledge.words, scene.items[one.head].id
    if one.status != "presupposed" or name not in words.devices or name in words.states:
        return False
    told = (other for other in structure if other.status in ("present", "possible", "probable") and other is not one)
    return any(scene.items[other.head].kind == FINDING and one.head in place.items for other in told for place in other.places)


def _explained_finding(scene: ParsedSentence, structure: Parse, number: int, places: dict[int, Location]) -> int | None:
    """Return the item of the finding that a hedged one directly after it explains, though not linked in the structure
    ("opacity, pneumonia favored"), or None."""
    one, words = structure[number], scene.knowledge.words
    if (
        one.status not in ("probable", "possible")
        or scene.items[one.head].kind != FINDING
        or scene.items[one.head].id in words.generic
    ):
        return None
    for before, other in enumerate(structure):
        if (
            other.head < one.head
            and other.status == "present"
            and not other.names
            and scene.items[other.head].id in words.generic
        ):
            between = scene.items[other.head + 1 : one.head]
            joints = {item.kind for item in between if item.kind not in ("stop", ANATOMY, "sideword", DESCRIPTOR, "meas", "prep")}
            same = places[number].sites in ((), places[before].sites) and places[number].side in (None, places[before].side)
            if same and joints <= {"comma", "hedge", "infer", "open", "dash"} and joints & {"comma", "open", "dash", "infer"}:
                return other.head
    return None


def _is_denied_by_normal(scene: ParsedSentence, structure: Parse, one: Statement) -> bool:
    """Whether a finding is denied by a normal word before it ("normal radiolucency", "normally lucent"), and not a statement
    of its own."""
    before = (other for other in structure if other.head == one.head - 1 and other.status == "normal")
    adverb = one.head > 0 and scene.said(one.head - 1).lower() == "normally"
    return scene.items[one.head].kind == FINDING and any(adverb or one.head in other.modifiers for other in before)


def _belongs_to_largest(scene: ParsedSentence, structure: Parse, one: Statement, made: dict[int, list[FindingDraft]]) -> bool:
    """Attach the size of the largest to the earlier finding, and return whether there is one ("Several nodules, the largest 8
    mm")."""
    before = made.get(one.head)
    sizes = [at for at in one.modifiers if scene.items[at].kind == "meas"]
    start = scene.items[one.head].end
    if not before and scene.items[one.head].kind == ANATOMY:  # "lymphadenopathy, the largest node 24 mm"
        start = max((scene.items[at].end for at in made if at < one.head), default=0)
        before = [head for at in made for head in made[at] if at < one.head and head.item.end == start and head.kind == FINDING]
    if not before or not sizes:
        return False
    largest = LARGEST.search(scene.text[start : scene.items[sizes[0]].start].lower())
    if largest is None:
        return False
    told = {place for other in structure if other.head == one.head and other != one for place in other.places}
    stated = (place for place in one.places if place.items and scene.items[place.items[-1]].end <= start + largest.start())
    if not told.issuperset(stated):
        return False  # "in the left kidney and the right kidney, the largest 2 cm": of the last member of a list
    large = of_bounded_size(scene, one, scene.items[one.head])
    for head in before:
        head.details += [d for d in details_of(scene, one.modifiers, head.concept) if d not in head.details]
        if large and head.concept == scene.knowledge.words.role("visible_node"):
            head.concept = large[0].concept  # "several nodes, the largest 18 mm"
    return True


def _explains(scene: ParsedSentence, one: Statement, place: Location, made: dict[int, list[FindingDraft]]) -> bool:
    """Attach an interpretation as a detail to a finding that is only a sign, and return whether there is one ("Opacity, likely
    pneumonia")."""
    words = scene.knowledge.words
    if one.status not in ("present", "probable", "possible"):
        return False
    found = drafts_of(scene, one, place)
    targets = [head for at in one.names for head in made.get(at, ()) if head.kind == FINDING and head.status == "present"]
    targets = [head for head in targets if head.concept in words.generic]
    targets = [head for head in targets if any(head.item is scene.items[at] for at in one.names)] or targets
    if not found or not targets or any(head.kind != FINDING for head in found):
        return False
    own = set(place.sites)
    placed = [head for head in targets if head.sites]
    if own and not place.weak and placed and not any(_meet(scene, own, head.sites) for head in placed):
        return False
    strength = one.status if one.status != "probable" or not _sure(scene, one) else "definite"
    for target in (head for head in targets if head.item is targets[-1].item):  # "masses, the right 3 cm and the left 2 cm"
        if not (target.sites or target.side or place.weak):  # "nodules consistent with granulomas in both lungs"
            target.sites, target.side = list(place.sites), place.side
        _infer(target, found, CERTAINTY_PREFIX.get(strength, ""), words.labels)
    return True


def _infer(target: FindingDraft, found: Iterable[FindingDraft], prefix: str, labels: Mapping[str, str]) -> None:
    """Add interpretations to a finding as details and alternatives, with their sizes."""
    for head in found:
        target.details.append(Detail("inference", head.concept, prefix + labels.get(head.concept, head.concept)))
        target.alternatives.append(head.concept)
        target.details += [detail for detail in head.details if detail.category == "length"]


def _meet(scene: ParsedSentence, ones: Iterable[tuple[SiteAndSide, ...]], others: Iterable[tuple[SiteAndSide, ...]]) -> bool:
    """Whether two findings have their places in common, or single places of one side of which one lies in the other or is named
    for it ("opacity at the right base, likely right lower lobe pneumonia")."""
    index = scene.knowledge.index
    alike = alike_of(index).places

    def is_near(one: tuple[SiteAndSide, ...], other: tuple[SiteAndSide, ...]) -> bool:
        if one == other or len(one) > 1 or len(other) > 1:
            return one == other
        (place, side), (counterpart, its_side) = one[0], other[0]
        near = index.inside(place, counterpart) or index.inside(counterpart, place) or counterpart in alike.get(place, ())
        return near and (side == its_side or None in (side, its_side))

    return any(is_near(one, other) for one in ones for other in others)


def _same_by_definition(scene: ParsedSentence, one: Statement, made: dict[int, list[FindingDraft]]) -> bool:
    """Whether a finding restates an earlier one ("The veins of the plexus are dilated, i.e. a varicocele"), or explains an
    absence and replaces it ("the spleen is absent, consistent with splenectomy")."""
    index, name = scene.knowledge.index, scene.items[one.head].id
    for head in (head for at in one.names for head in made.get(at, ())):
        if any(index.fold(head.concept, tuple(site for site, _ in places)) == name for places in head.sites):
            return True
        if head.concept == index.role("missing") and index.is_a(name, head.concept):
            head.concept = name
            return True
    return False


def _sure(scene: ParsedSentence, one: Statement) -> bool:
    """Whether the interpretation of a finding has no hedge: it is given by a cue such as "consistent with"."""
    cues = [item for item in scene.items[: one.head] if item.kind in ("infer", "hedge", "semi")]
    return bool(cues) and cues[-1].kind == "infer"


def _lend(scene: ParsedSentence, heads: list[FindingDraft]) -> None:
    """Record for each head the side of the finding that it accompanies: "left hydronephrosis due to a ureteral stone"."""
    for before, head in pairwise(heads):
        between = [item.kind for item in scene.items if before.item.start < item.start < head.item.start]
        if any(side == "opposite" for one in before.sites for _, side in one) and not _PARTING.intersection(between):
            # "the contralateral kidney and ureter"
            head.sites = [with_side(one, "opposite") if _sidable(scene, one) else one for one in head.sites]
        joint = "cause" if "cause" in between else "with" if "with" in between else None
        sides: set[str | None] = {side for one in before.sites for _, side in one if side} or {before.side}
        side = next(iter(sides)) if len(sides) == 1 else None
        beside = any(detail.value == scene.knowledge.words.role("beside") for detail in head.details)  # "adjacent atelectasis"
        told = before.status == head.status == "present" and before.kind == FINDING
        if (joint or beside) and side and told and "semi" not in between:
            head.lent = (before.concept, side, beside or joint == "cause")
        elif before.lent and before.status == head.status == "present" and set(between) <= _LISTED:
            head.lent = before.lent


def _sidable(scene: ParsedSentence, places: Sequence[SiteAndSide]) -> bool:
    """Whether places are of lateral structures without a side."""
    return all(side is None and name in scene.knowledge.words.lateral for name, side in places)


def _say_of_bearers(
    scene: ParsedSentence, structure: Parse, places: dict[int, Location], made: dict[int, list[FindingDraft]]
) -> None:
    """Attach normal words and directions to the findings they are predicates of: "wires intact", "the mass is larger"."""
    for number, one in enumerate(structure):
        item, place = scene.items[one.head], places[number]
        bearers = [head for at in place.bearers for head in made.get(at, ()) if head.kind == FINDING]
        said = [head for head in bearers if head.status == "present"] or bearers
        if not bearers or one.status in _SILENT:
            continue
        kind = item.kind
        if one.status == "normal" and (kind in (NORMAL, DESCRIPTOR) or NORMAL in item.types):
            if kind == NORMAL and any(head.kind == FINDING for head in made.get(one.head, ())):
                continue  # "the mass enhances homogeneously"
            own = made.pop(one.head, [])
            if any(head.kind == QUALITY for head in own) and not all(h.concept in scene.knowledge.words.devices for h in bearers):
                if all(_breaks(scene, h.concept) for h in bearers):
                    made[one.head] = own  # "alignment of the fracture"
                continue
            for head in said:
                device = head.concept in scene.knowledge.words.devices
                if kind == NORMAL and item.id == scene.knowledge.words.role("plain_normal") and not device:
                    head.status = "normal" if head.status == "present" else head.status
                else:
                    head.details += details_of(scene, (one.head,)) if kind == DESCRIPTOR else [state_detail(scene, item)]
        elif _described(scene, structure, one, place, said) or _shaped(scene, one, place, said):
            made.pop(one.head, None)
        elif (change := _moves(scene, one, made)) is not None:
            made.pop(one.head, None)
            for head in said:
                head.change = change if one.status == "present" else "stable"
        elif kind == DESCRIPTOR and not made.get(one.head) and one.status in ("present", "possible", "probable"):
            for head in said:
                head.details += details_of(scene, (one.head, *one.modifiers))


def _shaped(scene: ParsedSentence, one: Statement, place: Location, said: Sequence[FindingDraft]) -> bool:
    """Attach a predicate of size or position to findings ("the cyst of the kidney is enlarged"), as a change or a detail;
    return whether the statement is nothing else."""
    words, name = scene.knowledge.words, scene.items[one.head].id
    told = one.head > 0 and scene.items[one.head - 1].kind in ("cop", DESCRIPTOR) and geometric(scene, one.head)
    device = any(head.concept in words.devices for head in said)
    if one.places != (Said(place.bearers[:1], None),) or one.status != "present" or not told or device:
        return False
    ways = {words.role("grown"): "increased", words.role("shrunken"): "decreased"}
    for head in said:
        head.change = head.change or ways.get(name)
        head.details += () if name in ways else details_of(scene, (one.head, *one.modifiers), head.concept)
    return True


def _moves(scene: ParsedSentence, one: Statement, made: dict[int, list[FindingDraft]]) -> str | None:
    """Return the change if that is all that a statement says about its bearers ("the mass is larger", "has enlarged"), or
    None."""
    kind = scene.items[one.head].kind
    if kind in MOVED:
        return None if made.get(one.head) else MOVED[kind]
    return directional_change(scene, one.head) if kind == FINDING else None


def _described(scene: ParsedSentence, structure: Parse, one: Statement, place: Location, said: Sequence[FindingDraft]) -> bool:
    """Attach a predicative adjective to the findings that are its only bearers, and return whether it is one ("The nodule is
    calcified")."""
    item, words = scene.items[one.head], scene.knowledge.words
    bearers = [scene.items[at] for at in place.bearers]
    own = [at for said in one.places for at in said.items if at not in place.bearers]
    named = (
        item.kind == FINDING
        and item.adjective
        and DESCRIPTOR in item.types
        and item.id not in words.own
        and one.status == "present"
    )
    named = named and item.id not in words.flagged("lacks")  # "the cyst is nonenhancing"
    alone = sum(other.head == one.head for other in structure) == 1 and not one.names and not one.modifiers
    findings = all(bearer.kind == FINDING and not bearer.adjective and bearer.id not in words.devices for bearer in bearers)
    if not (named and alone and not own and findings):
        return False
    for head in said:
        head.details += details_of(scene, (one.head,), head.concept)
    return True


def _finish(
    scene: ParsedSentence, structure: Parse, head: FindingDraft, places: dict[int, Location], made: dict[int, list[FindingDraft]]
) -> None:
    """Complete a head from the whole sentence: where a device ends, what it is on, and whether it is only a reference."""
    words = scene.knowledge.words
    at = next((at for at in made if any(one is head for one in made[at])), None)
    if at is None:
        return
    numbers = [number for number, one in enumerate(structure) if one.head == at]
    head.definite = any(structure[n].status == "presupposed" for n in numbers) or bool(_POINTING.search(scene.text[: head.start]))
    head.taken = _is_alternative(scene, at)
    if head.concept in words.devices and head.sites and not head.inherited:
        ends = _ends(scene, structure, at, numbers)
        sites = [one for one in head.sites if any(name in ends for name, _ in one)]
        several = scene.text[head.item.start : head.item.end].lower().endswith("s")
        if sites and not any(side for one in sites for _, side in one):
            head.side = head.side or next((side for one in head.sites if one not in sites for _, side in one if side), None)
        if sites:  # "leads ending in the atrium and the ventricle": one each
            head.tips = [name for one in sites for name, _ in one]
            head.sites = sites if several else sites[:1]
            made[at] += [_ending(head, one) for one in sites[1:]] if several else []
            head.sites, head.tips = (sites[:1], [name for name, _ in sites[0]]) if several else (head.sites, head.tips)
        own = _own_side(scene, at)
        if head.tips and own is not None and any(side not in (None, own) for one in head.sites for _, side in one):
            head.side, head.sites = own, [tuple((name, None) for name, _ in one) for one in head.sites]
    if head.tips and head.concept in words.flagged("lines"):
        whole = [one for item in sorted(made) if item < at for one in made[item] if one.concept in words.devices]
        if whole and whole[-1].concept not in words.flagged("lines"):  # "a port with its catheter tip in the vena cava"
            whole[-1].sites, whole[-1].tips, whole[-1].inherited = head.sites, head.tips, False
            head.dead = True
    bearer = next((b for n in numbers for b in places[n].bearers), None)
    if bearer is not None and not head.sites:
        head.host = made[bearer][0].concept if made.get(bearer) else _host(scene, bearer)
    elif bearer is None and not head.sites and _of_break(scene, structure, at, numbers):
        head.host = words.role("broken")


def _own_side(scene: ParsedSentence, at: int) -> str | None:
    """Return the side of a device itself, regardless of where it ends ("right PICC with its tip in the left subclavian vein")."""
    before = next((item for item in reversed(scene.items[:at]) if item.kind not in ("stop", DESCRIPTOR)), None)
    told = before.id if before is not None and before.kind == "sideword" else scene.items[at].side
    return told if told in ("left", "right") else None


def _host(scene: ParsedSentence, at: int) -> str | None:
    """Return a finding that is not a statement of its own but the site of another one ("repair of a hernia")."""
    return scene.items[at].id if scene.items[at].kind == FINDING else None


def _of_break(scene: ParsedSentence, structure: Parse, at: int, numbers: Sequence[int]) -> bool:
    """Whether a statement is about a break mentioned in it ("alignment of the fracture ends")."""
    places = [one for number in numbers for place in structure[number].places for one in place.items]
    told = {at, *places, *(one for number in numbers for one in structure[number].modifiers)}
    qualities = [one for one in told if scene.items[one].kind == QUALITY]
    entries = (exact_entry(scene, (word,), FINDING) for one in qualities for word in scene.words(one))
    names = [scene.items[one].id for one in places] + [entry.id for entry in entries if entry is not None]
    return any(_breaks(scene, name) for name in names)


def _breaks(scene: ParsedSentence, name: str) -> bool:
    return scene.knowledge.index.is_a(name, scene.knowledge.words.role("broken"))


def _is_alternative(scene: ParsedSentence, at: int) -> bool:
    """Whether a finding is an alternative to another: to that of the preceding sentence ("this may be a scar"), or to the one
    directly before it ("basal atelectasis or scar")."""
    anything = scene.knowledge.words.role("any_finding")  # "these findings"
    before = ["stop" if item.id == anything else item.kind for item in scene.items[:at]]
    hedged = not {"hedge", "infer"}.isdisjoint(before) and _TAKING.issuperset(before)
    beside = before[-2:-1] == [FINDING] and before[-1] in ("or", "slash", "versus")
    return beside or (hedged and bool(_PRONOUN.match(scene.text.lstrip())))


def _ending(head: FindingDraft, site: tuple[SiteAndSide, ...]) -> FindingDraft:
    """Return another device like a head, with a different end."""
    twin = FindingDraft(head.kind, head.concept, head.item, head.start, head.end, [site])
    twin.status, twin.certainty, twin.change, twin.side = head.status, head.certainty, head.change, head.side
    twin.details, twin.tips, twin.definite = list(head.details), [name for name, _ in site], head.definite
    return twin


def _consistent(scene: ParsedSentence, made: dict[int, list[FindingDraft]]) -> list[FindingDraft]:
    """Return the heads in the order of the text, without those asserted by a modifier but denied by another statement of the
    sentence ("the enhancing plaque no longer enhances")."""
    heads = [(at, head) for at in sorted(made) for head in made[at] if not head.dead]
    denied = {head.concept for _, head in heads if head.status == "absent"}
    return [h for at, h in heads if h.item is scene.items[at] or h.status != "present" or h.concept not in denied]


def _ends(scene: ParsedSentence, structure: Parse, at: int, numbers: Sequence[int]) -> set[str]:
    """Return the sites that follow the tip of a device ("the tip of the tube projects over the carina"), or else its sites
    where such a device ends ("feeding tube in the stomach")."""
    found: set[str] = set()
    said: set[str] = set()
    for place in (place for number in numbers for place in structure[number].places):
        if place.items:
            first = min(at, place.items[0])
            tips = [n for n in range(max(0, first - 2), place.items[0]) if scene.items[n].kind == "tip"]
            found |= {scene.items[one].id for one in place.items if tips}
            said |= {scene.items[one].id for one in place.items}
    return found or said.intersection(scene.knowledge.index.tips.get(scene.items[at].id, ()))
