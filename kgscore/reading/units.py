"""The units of measurement (`mappings/reading/units.txt`, and those of a user's modules): their forms in text, and their
conversion to the base unit of their quantity."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from kgscore.errors import OntologyError
from kgscore.ontology.files import table
from kgscore.resources import resource

Row = tuple[str, str, str]
DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?|(?<![\w.,])\.\d+)"
_MARKS = frozenset(("", "signed", "before", "parted"))
# Axes of the body beside the sizes along them ("4 cm AP x 3 cm").
_AXIS = r"(?:\s?\(?(?:ap|tr|trv|cc|si|ml|lr|w|l|h|d)\)?(?=\s?[x×*]))?"
_END = r"(?![a-wyz0-9²³]|x(?!\s?\d)|\s?/\s?(?:s|sec|min|h|yr|year|m2|kg)\b)"
_KINDS = ("number", "word", "bound", "between", "about")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its quantity, the base unit of that, the factor to the base unit, and whether its numbers may be negative."""

    quantity: str
    base: str
    factor: float
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Units:
    """All units in use. `measure` is the pattern of a measurement in text (to be matched in either case) and `piece` that of a
    number with or without its unit; `named` maps the plain form of a unit to it, and the `parted` ones are weeks and days.
    `numbers` are number words, `words` maps words to the size that they mean, `bound` matches a bound before a number and
    `bounds` gives its meaning."""

    measure: str
    named: dict[str, Unit]
    numbers: dict[str, float]
    words: dict[str, tuple[str, str]]
    bound: re.Pattern[str]
    bounds: dict[str, str]
    piece: re.Pattern[str]
    parted: tuple[Unit, ...] = ()

    def find(self, form: str) -> Unit | None:
        """Return the unit of a written form, in either case and number."""
        key = plain(form)
        return self.named.get(key) or self.named.get(key.removesuffix("s"))


def plain(form: str) -> str:
    """Return the normal form of a unit: lower case, one sign for micro, single spaces."""
    return " ".join(form.lower().replace("μ", "µ").split())


@cache
def units(own: tuple[Row, ...] = ()) -> Units:
    """Return the shipped units together with the rows of modules, which take precedence.

    Raises:
        OntologyError: a row is wrong; the message names it and the remedy.
    """
    return _compiled([*table(resource("mappings", "reading", "units.txt")), *own])


def _compiled(rows: Iterable[Row]) -> Units:
    forms = defaultdict[str, list[str]](list)
    named: dict[str, Unit] = {}
    numbers: dict[str, float] = {}
    words: dict[str, tuple[str, str]] = {}
    bounds: dict[str, str] = {}
    parted: list[Unit] = []
    for head, written, mark in rows:
        texts = [text.strip() for text in written.split(";") if text.strip()]
        kind, _, rest = head.partition(" ")
        if kind == "number":
            numbers.update((text.lower(), _number(rest, head)) for text in texts)
        elif kind == "word":
            quantity, _, value = rest.partition(" ")
            words.update((text.lower().replace("-", ""), (quantity, value)) for text in texts)
        elif kind == "bound":
            bounds.update((text.lower(), rest) for text in texts)
        elif kind in ("between", "about"):
            forms[kind] += texts
        else:
            unit = _unit(head, mark)
            named.update((plain(text), unit) for text in texts)
            parted += [unit] if mark == "parted" else []
            forms["after" if mark != "parted" else "week" if unit.factor > 1 else "day"] += texts
            forms[mark] += texts
    bound = rf"(?:^|(?<=[\s(,:]))({_any(bounds)})\s*(?:(?:{_any(forms['about'])})\s*)?\Z"
    unit_forms = f"{_written(forms['after'])}|{_written([*forms['week'], *forms['day']])}"
    piece = rf"(?P<sign>[-−–]|minus )?(?P<number>{DIGITS}|\b(?:{_any(numbers)})\b)[\s-]{{0,2}}(?P<unit>{unit_forms})?"
    return Units(
        _measure(forms, numbers), named, numbers, words, re.compile(bound, re.IGNORECASE), bounds,
        re.compile(piece, re.IGNORECASE), tuple(sorted(parted, key=lambda unit: -unit.factor)),
    )  # fmt: skip


def _unit(head: str, mark: str) -> Unit:
    cells = head.split()
    if len(cells) != 3 or mark not in _MARKS:
        raise OntologyError(
            f"units.txt: '{head}': a unit is 'quantity base factor | forms | mark', the mark one of signed, before and parted, "
            f"or nothing; other rows begin with {', '.join(_KINDS)}"
        )
    return Unit(cells[0], cells[1], _number(cells[2], head), mark == "signed")


def _number(text: str, head: str) -> float:
    try:
        found = float(text)
    except ValueError:
        raise OntologyError(f"units.txt: '{head}': '{text}' is no number") from None
    if not found > 0:
        raise OntologyError(f"units.txt: '{head}': '{text}' must be above 0")
    return found


def _any(texts: Iterable[str]) -> str:
    """Return a pattern for any of some texts, the longest first, with any kind of space."""
    ordered = sorted(set(texts), key=lambda text: (-len(text), text))
    return "|".join(re.escape(text).replace(r"\ ", r"\s") for text in ordered) or r"(?!)"


def _written(texts: Sequence[str]) -> str:
    """Return a pattern for units in text: a word ends at a boundary or with a plural s, a sign anywhere."""
    names = [text for text in texts if text[-1].isalnum() or text[-1] in "²³."]
    signs = [text for text in texts if text not in names]
    return rf"(?:(?:{_any(names)})s?{_END}|{_any(signs)})"


def _measure(forms: dict[str, list[str]], numbers: Iterable[str]) -> str:
    """Return the pattern of a measurement: numbers followed by a unit, a unit with its number, weeks and days."""
    unit, word = _written(forms["after"]), _any(numbers)
    signed, before = _written(forms["signed"]), _any(forms["before"])
    between = rf"(?:\s?(?:{_any([*forms['between'], *forms['about']])}))*"
    first = rf"(?:{DIGITS}|\b(?:{word})\b(?=[\s-](?:[a-z]{{2}}|to\b|or\b|by\b)))"
    joint = rf"(?:[\s-]?{unit})?{_AXIS}\s?(?:[x×*]|\bby\b|[-–—]|\bto\b|\band\b)\s?"
    week, day = _any(forms["week"]), _any(forms["day"])
    part = rf"\d{{1,2}}\s?(?:{week})\s?(?:,|\+|and)?\s?\d\s?(?:{day})\b"
    added = rf"\d{{1,2}}\s?(?:\+\s?\d(?:/7)?|\s\d/7)\s?(?:{week})\b"
    starts = "".join(sorted({text[0].lower() for text in [*numbers, *forms["before"]]}))
    negative = rf"(?<![\w.])[-−–]\s?{DIGITS}(?:\s?(?:to|and|[-–])\s?[-−–]?{DIGITS})?[\s-]?{signed}"
    sized = rf"{first}(?:{joint}(?:{DIGITS}|\b(?:{word})\b)){{0,2}}[\s-]?{unit}"
    led = rf"\b(?:{before}){between}\s?[<>~]?\s?\d+(?:\.\d+)?(?!\.?\d|\s?[-–x×])"
    kinds = "|".join((negative, part, added, sized, led))
    return rf"(?=[\d.−–-]|\b[{re.escape(starts)}])(?:{kinds})"  # most words are told apart by their first letter
