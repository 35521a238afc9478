"""`kgscore fit ratescore`: the weights of RaTEScore from pairs with a human score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import Profile, finish, progress, put, say
from kgscore.errors import InputError

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.metrics.base import Matched
    from kgscore.metrics.fitting_ratescore import Rated
    from kgscore.metrics.ratescore import Ratescore
    from kgscore.records import Record


def ratescore(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="JSONL, CSV or Parquet: id, reference, candidate, human (higher is better).")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The profile to write, a .yaml file.")],
    profile: Profile = "default",
    objective: Annotated[str, typer.Option("--objective", metavar="O", help="pearson, spearman or kendall.")] = "pearson",
    trials: Annotated[int, typer.Option("--trials", metavar="N", min=1, help="How many matrices to try.")] = 300,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same matrix.")] = 0,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What the pairs are; kept in the profile.")] = "",
) -> None:
    """Learn the weights and the penalty of RaTEScore from human scores, and write them as a profile.

    One reference in five, by its hash, is kept apart; the figures on these are printed beside those of the shipped matrices.
    """
    import hashlib
    import os

    from kgscore.engine import Scorer
    from kgscore.metrics import build, options
    from kgscore.metrics.fitting_ratescore import fit, profile_text
    from kgscore.metrics.ratescore import Ratescore

    if out.suffix not in (".yaml", ".yml"):
        raise typer.BadParameter("a profile is a .yaml file", param_hint="--out")
    if table == "-":
        raise typer.BadParameter("the table must be a file, for its hash is kept", param_hint="TABLE")
    scorer = Scorer(profile)
    metric = build(("ratescore",), scorer.profile, scorer.index)["ratescore"]
    assert isinstance(metric, Ratescore)
    pairs, failed, unused = _rated_pairs(table, scorer, metric)
    fitted = fit(pairs, objective=objective, trials=trials, seed=seed)
    chosen = options("ratescore", scorer.profile)
    model = ("model", "pooling", "tokens") if chosen.similarity == "embedding" else ()
    kept = {name: getattr(chosen, name) for name in ("entities", "similarity", *model, "empty")} | {"floor": 0.0}
    made = {
        "table": f"{Path(table).name}, sha256 {hashlib.sha256(Path(table).read_bytes()).hexdigest()}",
        "pairs": f"{len(pairs)} used, {unused} without entities or findings, {failed} unusable",
        "objective": objective, "trials": trials, "seed": seed,
        "kept apart": "references whose sha256 starts with a byte divisible by 5",
        "signature": ", ".join(f"{key} {value}" for key, value in scorer.signature.items()), **({"note": note} if note else {}),
    }  # fmt: skip
    # A profile that is a file is named from where the new one lies.
    base = os.path.relpath(profile, out.parent) if profile.endswith((".yaml", ".yml")) else profile
    try:
        out.write_text(profile_text(fitted, base=base, options=kept, provenance=made, name=out.stem), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror})") from error
    figures = {matrix: {part: round(value, 4) for part, value in found.items()} for matrix, found in fitted.figures.items()}
    put({"objective": objective, "learnt from": fitted.train, "kept apart": fitted.test, "unused": unused, **figures})
    finish(failed)


def _rated_pairs(table: str, scorer: Scorer, metric: Ratescore) -> tuple[list[Rated], int, int]:
    """Return the pairs of a table, how many records cannot be used, and how many pairs hold nothing to score."""
    from kgscore.metrics.fitting_ratescore import rated
    from kgscore.records import BadRecord, read_records

    pairs: list[Rated] = []
    failed = unused = 0
    with progress("pairs") as tell:
        for number, record in enumerate(read_records(table, ("reference", "candidate", "human"), numbers=("human",)), 1):
            tell(number)
            human = None if isinstance(record, BadRecord) else _number(record.fields["human"])
            if isinstance(record, BadRecord) or human is None:
                failed += 1
                say(str(record) if isinstance(record, BadRecord) else f"{record.where}: field 'human' must be a number")
                continue
            pair = _pair(scorer, record)
            one = rated(metric, pair, human) if pair else None
            if one is None:
                unused += 1
            else:
                pairs.append(one)
    return pairs, failed, unused


def _pair(scorer: Scorer, record: Record) -> Matched | None:
    """Return a record read and matched, or None where the engine says that there is nothing to score."""
    from kgscore.metrics.base import Matched

    texts = record.fields["reference"], record.fields["candidate"]
    result = scorer.score(reference=texts[0], candidate=texts[1], id=record.id)
    if result.reference is None or result.candidate is None:
        return None
    return Matched(result.reference, result.candidate, result.links, result.contradictions, *texts)


def _number(text: str) -> float | None:
    from math import isfinite

    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None
