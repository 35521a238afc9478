"""Measurements in canonical form: every quantity in its base unit, lengths in millimetres."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgscore.reading.units import Unit, Units, units

_MILLIMETERS = Unit("length", "mm", 1.0)
_SIDE_BY_SIDE = re.compile(r"[x×*]|\bby\b", re.IGNORECASE)
_BOTH = re.compile(r"\band\b", re.IGNORECASE)


def measurement(text: str, known: Units | None = None) -> tuple[str, str]:
    """Return (quantity, canonical text) of a measurement as split off by `tokenize`; ("value", the text) if no unit is known.

    >>> measurement("4.2 x 3.1 cm"), measurement("60-70%"), measurement("32w4d")
    (('length', '42 x 31 mm'), ('percent', '60-70%'), ('age', '228 days'))
    """
    known = known or units()
    pieces: list[tuple[float, Unit | None]] = []
    joints: list[str] = []
    end = 0
    unit = _leading(text, known)
    for found in known.piece.finditer(text, 0 if unit is None else re.search(r"\.?\d", text).start()):  # type: ignore[union-attr]
        between = text[end : found.start()]
        own = known.find(found["unit"]) if found["unit"] else unit
        number = known.numbers.get(found["number"].lower()) or _decimal(found["number"])
        below = found["sign"] is not None and (not pieces or bool(between.strip()))
        if pieces:
            joints.append(_joint(between + ("" if below or found["sign"] is None else "-")))
        pieces.append((-number if below else number, own))
        end = found.end()
    if any(own in known.parted for _, own in pieces):
        return _parted(text, known.parted)
    return _canonical(text, pieces, joints)


def bounded(before: str, known: Units | None = None) -> str:
    """Return the bound given by the words directly before a measurement, "<", ">", "<=" or ">=", or "".

    >>> bounded("nodules less than "), bounded("a nodule of about ")
    ('<', '')
    """
    known = known or units()
    found = known.bound.search(before)
    return known.bounds[" ".join(found[1].lower().split())] if found else ""


def _leading(text: str, known: Units) -> Unit | None:
    """Return the unit before its number ("SUVmax of 5.2")."""
    if not text[:1].isalpha():
        return None
    lower = " ".join(text.lower().split())
    names = [name for name in known.named if lower.startswith(name) and not lower[len(name) : len(name) + 1].isalpha()]
    return known.named[max(names, key=len)] if names else None


def _decimal(text: str) -> float:
    """Return a number; a comma before three digits separates thousands, any other is a decimal comma."""
    grouped = re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", text)
    return float(text.replace(",", "") if grouped else text.replace(",", "."))


def _joint(between: str) -> str:
    if _SIDE_BY_SIDE.search(between):
        return " x "
    return " and " if _BOTH.search(between) else "-"


def _parted(text: str, parts: Sequence[Unit]) -> tuple[str, str]:
    """Return weeks with their days ("32+4 weeks") as days."""
    large = parts[0]
    first, *rest = (float(number) for number in re.findall(r"\d+", text.replace("/7", "")))
    return large.quantity, f"{_written(first * large.factor + sum(rest[:1]))} {large.base}"


def _canonical(text: str, pieces: Sequence[tuple[float, Unit | None]], joints: Sequence[str]) -> tuple[str, str]:
    """Return the pieces in the base unit; a number without a unit has that of the next one with a unit."""
    unit: Unit | None = None if any(own for _, own in pieces) else _MILLIMETERS if len(pieces) > 1 else None
    joined = ""
    quantities = set()
    for (number, own), joint in zip(reversed(pieces), ("", *reversed(joints)), strict=False):
        unit = own or unit
        if unit is None:
            return "value", text.lower()
        quantities.add(unit.quantity)
        joined = _written((number if unit.signed else abs(number)) * unit.factor) + joint + joined
    if unit is None or len(quantities) > 1:
        return "value", text.lower()
    return unit.quantity, f"{joined}%" if unit.base == "%" else f"{joined} {unit.base}"


def _written(number: float) -> str:
    """Return a number with at most four decimals, without trailing zeros."""
    return f"{number:.4f}".rstrip("0").rstrip(".") if abs(number) >= 0.001 else f"{number:.3g}"
