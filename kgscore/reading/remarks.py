"""Words that only speak of an examination ("portable", "radiograph", "obtained"), not of what it shows."""

from __future__ import annotations

from kgscore.ontology.files import table
from kgscore.reading.tokens import normal_form
from kgscore.resources import resource


def remark_words() -> frozenset[str]:
    """Return the normal forms of `mappings/reading/remarks.txt`; of a form with hyphens those of its parts too."""
    forms = [form.strip() for _, _, cell in table(resource("mappings", "reading", "remarks.txt")) for form in cell.split(";")]
    return frozenset(normal_form(word) for form in forms if form for word in (form, *form.split("-")) if word)
