"""The patient's context: from the record, or from the report's own sections on history, technique and procedure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

from kgscore.errors import InputError
from kgscore.reading.sections import SILENT, sentences
from kgscore.resources import yaml_of

_UNITS = {"d": 365.25, "w": 52.18, "m": 12.0, "y": 1.0}
_YEARS = r"y(?:ears?|rs?|/?o)?|m(?:onths?|os?)|w(?:eeks?|ks?)|d(?:ays?)?"
_AGE = re.compile(rf"(\d{{1,3}}(?:\.\d+)?)[\s-]*({_YEARS})\b", re.IGNORECASE)
# In free text, only numbers marked as ages count.
_AGE_TOLD = re.compile(rf"(\d{{1,3}})[\s-]*({_YEARS})[\s-]*(?:old\b|/?o\b)", re.IGNORECASE)
_AGED = re.compile(r"\baged?:?\s+(\d{1,3})\b(?:\s*(years?|months?|weeks?|days?))?|\b(\d{1,3})\s?(?:[MF]\b|y/?o\b)", re.IGNORECASE)
_NEWBORN = re.compile(r"\b(?:newborn|neonat\w*)\b", re.IGNORECASE)
_LETTER = re.compile(r"\b\d{1,3}(?:[\s-]?y/?o)?\s?([MF])\b", re.IGNORECASE)
_FEMALE = re.compile(r"\b(?:female|wom[ae]n|girl|lady|pregnan\w*|postmenopausal)\b", re.IGNORECASE)
_MALE = re.compile(r"\b(?:male|m[ae]n|boy|gentleman)\b", re.IGNORECASE)
_HEADING = re.compile(
    r"\b(?:(?P<procedure>procedure|technique|protocol|exam(?:ination)?(?: type)?|study|views?|comparisons?|priors?"
    r"|prior (?:study|studies|exams?))"
    r"|(?P<indication>(?:(?:clinical|patient|relevant|brief)\s*)?(?:history|indications?|information|details|question|data"
    r"|background|context|notes?)|clinical|reason(?: for [\w ]{1,30})?|request|referral))\s*(?::|$)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """The patient's context: age in years, the sex ("female", "male"), and, in words, the indication, recent or past procedures
    and the setting ("icu", "emergency", "screening", "outpatient"); None or "" if unknown."""

    age: float | None = None
    sex: str = ""
    indication: str = ""
    procedure: str = ""
    setting: str = ""

    def over(self, other: Context) -> Context:
        """Return this context, with unknown values taken from another one.

        >>> Context(age=70.0).over(Context(age=20.0, sex="male"))
        Context(age=70.0, sex='male', indication='', procedure='', setting='')
        """
        known = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) not in (None, "")}
        return replace(other, **known)


UNKNOWN = Context()
FIELDS = frozenset(field.name for field in fields(Context))
# A report without any of these has no section on the patient.
_TELLING = re.compile(r"\b(?:indication|histor|clinical|reason|techni|procedure|exam|study|compari|\d+[ -]?y)", re.IGNORECASE)


def age_in_years(value: object) -> float | None:
    """Return an age in years, from a number or words; None if there is none.

    >>> [age_in_years(value) for value in ("84 years", "6 months", "3-year-old", 71, "newborn", "adult")]
    [84.0, 0.5, 3.0, 71.0, 0.0, None]
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value) if value >= 0 else None
    text = str(value).strip()
    if re.fullmatch(r"\d{1,3}(?:\.\d+)?", text):
        return float(text)
    found = _AGE.search(text)
    return _in_years(*found.groups()) if found else 0.0 if _NEWBORN.search(text) else None


def _in_years(number: str, unit: str | None) -> float:
    return float(number) / _UNITS[(unit or "y")[0].lower()]


def context_of(values: Mapping[str, Any]) -> Context:
    """Return the context from values of a record or the command line: age, sex, indication, procedure, setting.

    Raises:
        InputError: an unknown key, or a value that cannot be used; the message quotes keys only.

    >>> context_of({"age": "5 years", "sex": "F", "setting": "ICU"})
    Context(age=5.0, sex='female', indication='', procedure='', setting='ICU')
    """
    names = [f.name for f in fields(Context)]
    unknown = sorted(set(values) - set(names))
    if unknown:
        raise InputError(f"context: unknown key '{unknown[0]}'; known keys: {', '.join(names)}")
    told = {name: value for name in names if (value := values.get(name)) not in (None, "")}
    age = age_in_years(told["age"]) if "age" in told else None
    if "age" in told and age is None:
        raise InputError("context: 'age' must be a number of years or words like '5 months'")
    for name, value in told.items():
        if name != "age" and not isinstance(value, str):
            raise InputError(f"context: '{name}' must be text")
    sex = sex_of(told.pop("sex", ""))
    told.pop("age", None)
    return Context(age, sex, **told)


def sex_of(text: str) -> str:
    """Return "female" or "male" according to a text; "" if it states neither.

    >>> sex_of("F"), sex_of("72-year-old man"), sex_of("72M with cough"), sex_of("other")
    ('female', 'male', 'male', '')
    """
    letter = _LETTER.search(text)
    said = (letter[1] if letter else text.strip()).upper()
    if said == "F" or _FEMALE.search(text):
        return "female"
    return "male" if said == "M" or _MALE.search(text) else ""


@cache
def word_groups(key: str) -> Mapping[str, re.Pattern[str]]:
    """Return groups of words by name: those of `words` (reasons and procedures) or `settings` in `mappings/significance.yaml`."""
    groups = yaml_of("mappings", "significance.yaml")[key]
    return {name: re.compile(rf"\b(?:{'|'.join(some)})", re.IGNORECASE) for name, some in groups.items()}


def settings_of(text: str) -> frozenset[str]:
    """Return the settings that a text names.

    >>> sorted(settings_of("Portable film, neonatal intensive care")), sorted(settings_of("ED"))
    (['icu'], ['emergency'])
    """
    return frozenset(name for name, words in word_groups("settings").items() if words.search(text))


def context_from_report(text: str) -> Context:
    """Return the context from a report's own sections: its history and indication, and its technique, procedure and comparison.
    These sections give no findings.

    >>> context_from_report("INDICATION: 72-year-old woman with cough. FINDINGS: The lungs are clear.")
    Context(age=72.0, sex='female', indication='72-year-old woman with cough.', procedure='', setting='')
    """
    headings = list(_HEADING.finditer(text))
    told: dict[str, list[str]] = {"indication": [], "procedure": []}
    for place, one in enumerate(sentences(text)):
        said = text[one.start : one.end]
        if one.section == SILENT:
            above = [heading for heading in headings if heading.end() <= one.start]
            told[(above[-1].lastgroup if above else None) or "indication"].append(said)
        elif place == 0 and _AGE_TOLD.search(said):
            told["indication"].append(said)
    indication, procedure = (" ".join(told[name]) for name in ("indication", "procedure"))
    setting = " ".join(sorted(settings_of(f"{indication} {procedure}")))
    return Context(_age_of(indication), sex_of(indication), indication, procedure, setting)


def _age_of(text: str) -> float | None:
    if found := _AGE_TOLD.search(text):
        return _in_years(*found.groups())
    if found := _AGED.search(text):
        return _in_years(found[1] or found[3], found[2])
    return 0.0 if _NEWBORN.search(text) else None


def context_in(extra: Mapping[str, object]) -> Context:
    """Return the context from further fields of a record: age, sex, indication, procedure and setting, at the top level or under
    `context`. Unusable values (an age without a number) are treated as unknown.

    >>> context_in({"age": "71 years", "modality": "CT"}).age, context_in({"age": "unknown"}).age
    (71.0, None)
    """
    inner = extra.get("context")
    told = {**extra, **inner} if isinstance(inner, Mapping) else extra
    if FIELDS.isdisjoint(told):
        return UNKNOWN
    known = {name: str(told[name]) for name in sorted(FIELDS) if told.get(name) not in (None, "")}
    if age_in_years(known.get("age", "")) is None:
        known.pop("age", None)
    return context_of(known)


def with_report(context: Context, text: str) -> Context:
    """Return a context supplemented from a report's own sections."""
    return context.over(context_from_report(text)) if _TELLING.search(text) else context
