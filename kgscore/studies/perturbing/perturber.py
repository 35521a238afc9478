"""From records to perturbed records of a kind, in the form that `kgscore bench` reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from kgscore.clinical.significance import Significances
from kgscore.engine import Scorer
from kgscore.errors import KgscoreError
from kgscore.knowledge import load_knowledge
from kgscore.ontology.modules import Module, distinct, load_terms
from kgscore.ontology.tables import Term
from kgscore.profile import load_profile
from kgscore.studies.perturbing import sets
from kgscore.studies.perturbing.inventions import Inserter
from kgscore.studies.perturbing.means import Means
from kgscore.studies.perturbing.sets import CLINICAL, COUNT, Unfit
from kgscore.studies.perturbing.source import source_of
from kgscore.studies.perturbing.words import Words

KINDS = ("ssree", "headct", "rexerr")
# What a record is called, and where its report stands, in the file that each kind makes.
_NAMES = {"ssree": ("case", "reference"), "headct": ("id", "report"), "rexerr": ("id", "reference")}
_REMEMBERED = 500


class Broken(KgscoreError):
    """A defect of ours met one report; the others go on. The message quotes nothing of it."""


class Perturber:
    """Perturbs reports in one way. The same report, id and seed give the same output, whatever else the file holds.

    Args:
        kind: `ssree`, `headct` or `rexerr`.
        seed: a whole number; another one gives other choices.
        errors, count: of `rexerr`: the kinds of errors, and how many a report has.
        profile, modules: as for `Scorer`.

    Raises:
        ProfileError: the profile does not exist.
        OntologyError: a module is wrong.
    """

    def __init__(
        self, kind: str, *, seed: int = 0, errors: Sequence[str] = CLINICAL, count: int = COUNT, profile: str = "default",
        modules: Sequence[str] = (),
    ) -> None:
        self.kind = kind
        self.seed = seed
        scorer = Scorer(profile, (), modules, remember=_REMEMBERED)
        means = means_of(scorer, (*load_profile(profile).modules, *modules))
        self.means = means
        self.made_by: Mapping[str, Any] = {
            "kind": kind, "seed": seed, "kgscore": scorer.signature["kgscore"], "knowledge": scorer.signature["knowledge"],
        }  # fmt: skip
        errs = partial(sets.rexerr, kinds=errors, count=count)
        makers: dict[str, Callable[..., dict[str, Any]]] = {"ssree": sets.ssree, "headct": sets.headct, "rexerr": errs}
        self._make = partial(makers[kind], Inserter(means))

    def perturb(self, report: str, *, id: str, modality: str = "") -> dict[str, Any]:
        """Return the record made of a report.

        Raises:
            Unfit: the report cannot be perturbed in this way; the message says why and quotes nothing of it.
            Broken: a defect of ours.
        """
        try:
            made = self._made(report, id)
        except KgscoreError:
            raise
        except Exception as error:
            raise Broken(f"internal error ({type(error).__name__}); please report it") from None
        name, text = _NAMES[self.kind]
        return {name: id, "modality": modality, text: report, **made, "made_by": dict(self.made_by)}

    def _made(self, report: str, id: str) -> dict[str, Any]:
        source = source_of(report, self.means.read, self.means.lexicon)
        if not source.reading.findings:
            raise Unfit("no finding was read; kgscore reads English findings")
        return self._make(source, f"{self.seed} {self.kind} {id}")


@lru_cache(maxsize=2)
def _terms(modules: tuple[Module, ...]) -> Sequence[Term]:
    """Return the terms of the ontology with modules, which are told apart by the hashes of their contents."""
    return load_terms(modules)[0]


def means_of(scorer: Scorer, modules: Sequence[str]) -> Means:
    """Return what changing reports needs, with the reader and the ontology of a scorer."""
    knowledge = load_knowledge(modules)
    words = Words(_terms(tuple(distinct(modules))), scorer.index)
    return Means(scorer.read, scorer.index, knowledge.lexicon, scorer.relator, words, Significances(scorer.index))
