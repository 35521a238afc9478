"""How often each rule of composition is applied, and how often the reading would differ without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from kgscore.lab.bench._ask import Ask, Figures, benchmark
from kgscore.reading.readers import reader_of
from kgscore.report.grid import Column, Grid

_TOLD = ("corrected", "read otherwise without")


def _grid(figures: Figures) -> Grid:
    rows = [[name, *(str(counts[told]) for told in _TOLD)] for name, counts in figures["rules"].items()]
    columns = (Column("rule", words=True), *map(Column, _TOLD))
    return Grid("", columns, rows, notes=(f"{figures['texts']} texts, {figures['sentences']} sentences",))


@benchmark("reader", "sample", "show", table=_grid)
def rules(ask: Ask) -> dict[str, Any]:
    """Return by rule, in order of application, how many sentences it changes, and in how many the findings would
    differ without it (in the sentence itself, or in a later one). FILE: any records with texts.

    Raises:
        InputError: the file cannot be read.
    """
    scorer = ask.scorer()
    reader = reader_of(ask.reader, scorer.index, scorer.lexicon, remembered=0)
    composition, every = reader.composition, reader.composition.rules
    texts = list(dict.fromkeys(text for row in ask.records() for text in _texts(row)))
    sentences, corrected, otherwise = 0, Counter[str](), Counter[str]()
    for text in texts:
        steps = reader.trace(text)
        sentences += sum(bool(step.items) for step in steps)
        fired = Counter(name for step in steps for name in step.rules)
        corrected += fired
        for name in fired:
            composition.rules = {other: rule for other, rule in every.items() if other != name}
            changed = [one for one, other in zip(steps, reader.trace(text), strict=True) if one.findings != other.findings]
            otherwise[name] += len(changed)
            for step in changed if ask.show else ():
                print(name, step.sentence.strip(), sep="\t")
        composition.rules = every
    counts = {name: dict(zip(_TOLD, (corrected[name], otherwise[name]), strict=True)) for name in every}
    return {"texts": len(texts), "sentences": sentences, "rules": counts}


def _texts(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a record: values of more than one word, and those in lists."""
    for value in row.values():
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str) and " " in one.strip())
