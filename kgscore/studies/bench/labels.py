"""F1 of labels between references and candidates: micro and macro, over all labels of a set and over its subsets.

File form: JSON lines with `reference` and `candidate`. The set is that of the profile (`metrics: label_f1: {labels: …}`), by
default CheXpert's 14 with the published subset of five.
"""

from __future__ import annotations

from typing import Any

from kgscore import metrics as registry
from kgscore.labelling.agreement import Counts, compare, summary, support
from kgscore.labelling.sets import load_set
from kgscore.studies.bench._ask import Ask, benchmark


@benchmark("reader", "show")
def run(ask: Ask) -> dict[str, Any]:
    """Return micro and macro F1 of all labels and of each subset, the support of each label, and the pairs without labels."""
    scorer = ask.scorer()
    options = registry.options("label_f1", scorer.profile)
    found = load_set(options.labels)
    pairs: list[dict[str, Counts]] = []
    unused = 0
    for record in ask.records():
        one, other = (scorer.labels(record[side], options.labels) for side in ("reference", "candidate"))
        if one.status != "read" or other.status != "read":
            unused += 1
            continue
        pairs.append(compare(one.values, other.values, uncertain=options.uncertain))
        if ask.show:
            print(record.get("id"), {name: counts for name, counts in pairs[-1].items() if counts != Counts()})
    names = {"all": tuple(label.name for label in found.labels), **(found.subsets or {})}
    figures = {subset: summary(pairs, members) for subset, members in names.items()}
    return {"set": found.name, **figures, "support": dict(support(pairs)), "pairs without labels": unused}
