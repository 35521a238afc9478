"""The little grammar that made-up sentences need: number, articles, capitals, agreement."""

from __future__ import annotations

import re
from collections.abc import Collection

from kgscore.perturbing.settings import settings
from kgscore.reading.tokens import normal_form

_SPACES = re.compile(r"[ \t]{2,}")
_BEFORE_STOP = re.compile(r"\s+([,.;:])")
_ARTICLE = re.compile(r"\b([Aa])n?(\s+)(?=([A-Za-z0-9][\w-]*))")
# Letters whose names begin with a vowel: "an MRI", "an NG tube".
_SPOKEN = frozenset("AEFHILMNORSX")
# "5 mm of shift" takes no article.
_AMOUNT = re.compile(r"\d[\d.\s]*(?:mm|cm|ml)\s+of\b")
_OPEN = re.compile(r"(?:[aeio]|u(?!ni|s[aeiu]|ti|re|ro|ter|tero)|hour|honest|8|11\b|18\b)", re.IGNORECASE)


def head_noun(phrase: str) -> str:
    """Return the noun that decides the number of a noun phrase.

    >>> head_noun("fractures of the left ribs"), head_noun("small pleural effusion")
    ('fractures', 'effusion')
    """
    front = re.split(r"\s(?:of|in|within|at|along|over|on|from|with|to|near|about|involving|measuring|overlying)\s", phrase)[0]
    words = re.findall(r"[A-Za-z][\w'’-]*", front)
    return words[-1] if words else ""


def is_plural(phrase: str) -> bool:
    """Return whether a noun phrase is plural.

    >>> is_plural("rib fractures"), is_plural("diffuse atelectasis"), is_plural("metastases"), is_plural("thickening of the ribs")
    (True, False, True, False)
    """
    word = head_noun(phrase).lower()
    rules = settings()
    if word in rules.plurals or word in rules.irregular.values():
        return True
    if word in rules.singulars or re.search(r"\band\b", phrase.split(" of ")[0]):
        return word not in rules.singulars
    norm = normal_form(word)
    return (norm != word and word.endswith("s") and not word.endswith(("ss", "us", "is"))) or word.endswith("ae")


def plural(phrase: str) -> str:
    """Return the plural of a noun phrase whose last word is its head; as it is where it has none.

    >>> plural("opacity"), plural("pleural effusion"), plural("metastasis"), plural("white matter")
    ('opacities', 'pleural effusions', 'metastases', 'white matter')
    """
    if is_plural(phrase) or is_mass(phrase):
        return phrase
    stem, last = phrase.rpartition(" ")[::2]
    if last.lower() in settings().irregular:
        return f"{stem} {settings().irregular[last.lower()]}".strip()
    for end, new in (("osis", "oses"), ("asis", "ases"), ("esis", "eses")):
        if last.endswith(end):
            last = last[: -len(end)] + new
            break
    else:
        if re.search(r"[^aeiou]y\Z", last):
            last = last[:-1] + "ies"
        elif last.endswith(("s", "x", "ch", "sh", "z")):
            last += "es"
        else:
            last += "s"
    return f"{stem} {last}".strip()


def is_mass(phrase: str) -> bool:
    """Return whether the head of a phrase takes no article: "edema", "thickening", "cardiomegaly"."""
    rules = settings()
    noun = head_noun(phrase).lower()
    words = (noun, normal_form(noun))
    return any(word in rules.mass for word in words) or (words[1] not in rules.countable and noun.endswith(rules.mass_endings))


def article(word: str) -> str:
    """Return the indefinite article that goes before a word.

    >>> article("effusion"), article("small"), article("MRI"), article("8"), article("unilateral")
    ('an', 'a', 'an', 'an', 'a')
    """
    if len(word) > 1 and word[:2].isupper():
        return "an" if word[0] in _SPOKEN and word not in settings().spoken_as_words else "a"
    return "an" if _OPEN.match(word) else "a"


def with_article(phrase: str) -> str:
    """Return a noun phrase with the indefinite article, or bare where it is plural or takes none.

    >>> with_article("pleural effusion"), with_article("acute fracture"), with_article("edema"), with_article("opacities")
    ('a pleural effusion', 'an acute fracture', 'edema', 'opacities')
    """
    bare = is_plural(phrase) or is_mass(phrase) or _AMOUNT.match(phrase) is not None
    return phrase if bare else f"{article(phrase)} {phrase}"


def be(phrase: str, past: bool = False) -> str:
    """Return the form of "to be" that agrees with a noun phrase."""
    return ("were" if past else "are") if is_plural(phrase) else ("was" if past else "is")


def upper_first(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def lower_first(text: str, names: Collection[str] = ()) -> str:
    """Return a text that may stand inside a sentence: abbreviations and names keep their capitals.

    >>> lower_first("Small effusion"), lower_first("NG tube"), lower_first("T2 hyperintensity"), lower_first("L4-L5 disc")
    ('small effusion', 'NG tube', 'T2 hyperintensity', 'L4-L5 disc')
    """
    word = re.match(r"[\w'’-]*", text)
    first = word[0] if word else ""
    if any(letter.isupper() or letter.isdigit() for letter in first[1:]) or first in settings().names or first in names:
        return text
    return text[:1].lower() + text[1:]


def tidy(text: str) -> str:
    """Return a text with single blanks, no blank before a stop, and articles that agree with what follows."""
    text = _BEFORE_STOP.sub(r"\1", _SPACES.sub(" ", text)).strip()
    text = re.sub(r",\s*([.;])", r"\1", text)
    return _ARTICLE.sub(lambda found: _agreeing(found), text)


def _agreeing(found: re.Match[str]) -> str:
    right = article(found[3])
    return (upper_first(right) if found[1] == "A" else right) + found[2]


def sentence(text: str) -> str:
    """Return a text as a sentence: a capital, a full stop, tidy."""
    said = tidy(text).rstrip(" ,;:")
    return upper_first(said) + ("" if said.endswith((".", "!", "?")) else ".")
