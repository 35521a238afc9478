"""Measurements in canonical form: lengths in millimetres, percentages, angles."""

from __future__ import annotations

import re

_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s?(mm|millimet\w*|cm|centimet\w*)?")


def measurement(text: str) -> tuple[str, str]:
    """Return (kind, canonical text) of a measurement: lengths in mm ("2.1 × 1.8 cm" → "21 x 18 mm").

    >>> measurement("4.2 x 3.1 cm"), measurement("60-70%")
    (('length', '42 x 31 mm'), ('percent', '60-70%'))
    """
    plain = text.lower().replace("×", "x").replace("*", "x").replace("–", "-").replace("per cent", "%").replace("percent", "%")
    if (
        "mm" in plain
        or ("cm" in plain and "cm/s" not in plain)
        or "meter" in plain
        or "metre" in plain
        or re.search(r"\dx|\d x", plain)
    ):
        scale = 10.0 if "cm" in plain or "centi" in plain else 1.0
        if "mm" in plain and "cm" in plain:
            scale = 1.0
        numbers = [float(n) * scale for n, _ in _LENGTH.findall(plain)]
        joiner = "-" if re.search(r"\d\s?(?:mm|cm)?\s?(?:-|to)\s?\d", plain) else " x "
        return "length", joiner.join(f"{n:g}" for n in (round(n, 2) for n in numbers)) + " mm"
    if "%" in plain:
        return "percent", re.sub(r"\s?(?:to|-)\s?", "-", plain.replace(" %", "%"))
    if "°" in plain or "degree" in plain:
        return "angle", re.sub(r"\s?(?:to|-)\s?", "-", re.sub(r"\s?(?:°|degrees?)", "", plain)) + " degrees"
    return "value", plain
