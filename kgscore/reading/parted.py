"""Names whose words stand apart: by a structure ("partial supraspinatus tear"), a verb ("the fibroid is calcified") or a list."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.linking.lexicon import Entry, Lexicon
from kgscore.reading.items import Item
from kgscore.reading.spread import item_words
from kgscore.reading.tokens import Token

_BETWEEN = frozenset(("A", "sideword", "stop", "M", "num"))
_LINKS = frozenset(("stop", "cop"))
_CONJ = frozenset(("and", "or", "comma"))
_INNER = frozenset(("in", "within", "of", "at"))
_OPENING = frozenset(("neg", "seen", "semi"))


def join_parted(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> None:
    """Join an adjective and its noun that make one name, over a structure ("partial supraspinatus tear": a partial tear)
    or a verb ("the fibroid is calcified": a calcified fibroid)."""
    for position, item in enumerate(items):
        predicate = item.kind == "F" and item.adjective
        if not predicate and (item.kind != "M" or "M" not in item.types):
            continue
        noun = _noun_before(items, position) or (None if predicate else _noun_after(items, position))
        if noun is not None:
            found = _findings(lexicon, (*item_words(tokens, item), *item_words(tokens, noun)))
            if found:
                _become(noun, found)
                item.kind = "stop"
            continue
        structure = None if predicate else _structure_after(items, position)
        if structure is not None:
            _name_by_tail(item, structure, tokens, lexicon)


def _noun_after(items: list[Item], position: int) -> Item | None:
    """Return the finding that ends the noun phrase of an adjective, where a structure stands between."""
    seen = listed = False
    for item in items[position + 1 :]:
        if item.kind == "F":
            return item if seen and not item.adjective else None
        if seen and item.kind in _CONJ:  # "healed right fifth and sixth rib fractures"
            listed = True
            continue
        if item.kind not in _BETWEEN or (listed and item.kind == "M"):
            return None
        seen = seen or item.kind in ("A", "sideword")
    return None


def _noun_before(items: list[Item], position: int) -> Item | None:
    """Return the finding of which an adjective is the predicate."""
    following = items[position + 1].kind if position + 1 < len(items) else "semi"
    verb = False
    for item in reversed(items[:position]):
        if item.kind == "F":
            return item if verb and not item.adjective and following not in ("A", "F", "M", "Q") else None
        if item.kind not in _LINKS:
            return None
        verb = verb or item.kind == "cop"
    return None


def _structure_after(items: list[Item], position: int) -> Item | None:
    """Return the structure that ends the noun phrase of an adjective."""
    found = None
    for item in items[position + 1 :]:
        if item.kind == "A":
            found = item
        elif item.kind not in _BETWEEN:
            return found if item.kind != "F" else None
    return found


def _name_by_tail(item: Item, structure: Item, tokens: Sequence[Token], lexicon: Lexicon) -> None:
    """ "Subcentimetre obturator lymph node": an adjective that makes a finding of the last words of a structure's name."""
    words = item_words(tokens, structure)
    for start in range(len(words)):
        found = _findings(lexicon, (*item_words(tokens, item), *words[start:]))
        if found:
            _become(item, found)
            return


def split_qualities(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> list[Item]:
    """Part a normal word from its quality where more of these follow: "normal size and echotexture of the liver"."""
    out: list[Item] = []
    for position, item in enumerate(items):
        kinds = [other.kind for other in items[position + 1 : position + 3]]
        words = item_words(tokens, item) if item.kind == "N" and kinds in (["and", "Q"], ["comma", "Q"]) else ()
        normal = [entry for entry in lexicon.lookup(words[:1]) if entry.type == "N"]
        quality = [entry for entry in lexicon.lookup(words[1:]) if entry.type == "Q"]
        if normal and quality:
            cut = item.last - len(words) + 2
            last = Item(
                "Q", quality[0].id, None, False, tokens[cut].start, item.end, cut, item.last, {"Q": quality[0]}, tuple(quality)
            )
            item.id, item.types, item.choices = normal[0].id, {"N": normal[0]}, tuple(normal)
            item.last, item.end = cut - 1, tokens[cut - 1].end
            out += [item, last]
        else:
            out.append(item)
    return out


def split_adjectives(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> list[Item]:
    """Part an adjective from its structure where it holds for more of them: "dilated stomach and duodenum"."""
    out: list[Item] = []
    for position, item in enumerate(items):
        after = [other.kind for other in items[position + 1 :] if other.kind not in ("sideword", "stop")][:3]
        listed = after[:2] == ["and", "A"] and after[2:] not in (["F"], ["Q"], ["N"], ["A"])
        words = item_words(tokens, item) if item.kind == "F" and listed else ()
        found = [entry for entry in _findings(lexicon, words[:1]) if entry.adjective] if len(words) > 1 else []
        structure = [entry for entry in lexicon.lookup(words[1:]) if entry.type == "A"] if found else []
        if structure and tokens[item.first].norm.lower() == words[0]:
            cut = item.first + 1
            kind = {"A": structure[0]}
            place = Item("A", structure[0].id, None, False, tokens[cut].start, item.end, cut, item.last, kind, tuple(structure))
            _become(item, found)
            item.last, item.end = item.first, tokens[item.first].end
            out += [item, place]
        else:
            out.append(item)
    return out


def split_of(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> list[Item]:
    """Part a finding from the structure in its name where it is of more of them: "thickening of the skin and trabeculae", "no
    fluid in the middle ears or sinuses"."""
    out: list[Item] = []
    for position, item in enumerate(items):
        after = [other.kind for other in items[position + 1 :] if other.kind not in ("sideword", "stop")][:3]
        words = [token.norm.lower() for token in tokens[item.first : item.last + 1]]
        if after[1:] == ["prep", "A"]:
            after = [after[0], "A"]  # "in the portal vein or in the splenic vein"
        listed = item.kind == "F" and after[:2] in (["and", "A"], ["comma", "A"], ["or", "A"])
        at = next((at for at, word in enumerate(words) if at and word in _INNER), None)
        if not listed or at is None or after[2:] in (["F"], ["Q"], ["N"], ["A"], ["cop"], ["have"], ["prep"]):
            out.append(item)
            continue
        cut = item.first + at
        found = [entry for entry in _findings(lexicon, words[: cut - item.first]) if not entry.adjective]
        rest = [word for word in words[cut + 1 - item.first :] if word != "the"]
        structure = [entry for entry in lexicon.lookup(rest) if entry.type == "A"] if found and rest else []
        if not structure:
            out.append(item)
            continue
        of = Item("prep", "in", None, False, tokens[cut].start, tokens[cut].end, cut, cut)
        kind = {"A": structure[0]}
        start = tokens[cut + 1].start
        place = Item("A", structure[0].id, None, False, start, item.end, cut + 1, item.last, kind, tuple(structure))
        _become(item, found)
        item.last, item.end = cut - 1, tokens[cut - 1].end
        out += [item, of, place]
    return out


def share_around(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> None:
    """Give the next of a list the word with which a place begins: "around the liver and spleen"."""
    for one, joint, other in zip(items, items[1:], items[2:], strict=False):
        words = item_words(tokens, one) if one.kind == other.kind == "A" and joint.kind in _CONJ else ()
        if len(words) > 1 and words[0] in ("around", "surrounding", "adjacent"):
            entries = [e for e in lexicon.lookup((words[0], *item_words(tokens, other))) if e.type == "A"]
            if entries:
                other.id, other.types, other.choices = entries[0].id, {"A": entries[0]}, tuple(entries)


def share_finding(items: list[Item], tokens: Sequence[Token], lexicon: Lexicon) -> list[Item]:
    """Give a structure the finding that it shares with the next one of a list: "no spinal canal or foraminal stenosis",
    "disc bulge, moderate canal and mild foraminal stenosis"."""
    out: list[Item] = []
    for position, item in enumerate(items):
        out.append(item)
        after = [i for i in items[position + 1 : position + 6] if i.kind not in ("stop", "M", "sideword")]
        if item.kind != "A" or len(after) < 2 or after[0].kind not in ("and", "or") or after[1].kind not in "AF":
            continue
        if after[1].kind == "A":
            if _graded_twins(items, position, after):
                noun = after[2]
                shared = Item("F", "", None, False, item.end, item.end, item.last, item.last)
                shared.first, shared.last = noun.first, noun.last
                _become(shared, noun.choices)
                out.append(shared)
            continue
        beside = items[position + 1] is after[0] and items[position + 2] is after[1]
        opens = beside and _opens(items, position)
        words = item_words(tokens, after[1])
        for cut in range(len(words) - 1, 0, -1):
            found = _findings(lexicon, words[cut:])
            named = _begins(items, position) and bool(_findings(lexicon, (*item_words(tokens, item), *words[cut:])))
            if found and not found[0].adjective and (opens or named):
                noun = after[1]
                shared = Item("F", "", None, False, item.end, item.end, item.last, item.last)
                shared.first, shared.last = noun.first + cut, noun.last
                _become(shared, found)
                out.append(shared)
                break
    return out


def _graded_twins(items: list[Item], position: int, after: list[Item]) -> bool:
    """Whether two structures with a degree each share a noun: "mild medial and moderate lateral joint space narrowing"."""
    if len(after) < 3 or after[2].kind != "F" or after[2].adjective or not position:
        return False
    other = items.index(after[1])
    return items[position - 1].kind == items[other - 1].kind == "M" and items[position + 1] is after[0]


def _begins(items: list[Item], position: int) -> bool:
    """Whether a part of a list begins with this item: nothing but degrees and sides stand before it, up to its joint."""
    before = next((item.kind for item in reversed(items[:position]) if item.kind not in ("M", "sideword", "stop")), "semi")
    return before in ("comma", "and", "with", "semi", "colon", "neg", "seen")


def _opens(items: list[Item], position: int) -> bool:
    """Whether a list begins with this item: nothing but adjectives and structures stand before it, up to a cue."""
    for item in reversed(items[:position]):
        if item.kind in _OPENING:
            return True
        if item.kind not in ("A", "M", "sideword", "stop", "comma") and not (item.kind == "F" and item.adjective):
            return False
    return True


def _findings(lexicon: Lexicon, words: Sequence[str]) -> list[Entry]:
    """Return the findings that these words name."""
    return [entry for entry in lexicon.lookup(words) if entry.type == "F"]


def _become(item: Item, entries: Sequence[Entry]) -> None:
    """Make an item a finding."""
    item.kind, item.id, item.adjective = "F", entries[0].id, entries[0].adjective
    item.types, item.choices = {"F": entries[0]}, tuple(entries)
