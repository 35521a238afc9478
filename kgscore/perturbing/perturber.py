"""From records to perturbed records of a kind, in the form that `kgscore bench` reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kgscore.engine import Scorer
from kgscore.errors import KgscoreError
from kgscore.knowledge import load_knowledge
from kgscore.metrics.severity import Severities
from kgscore.ontology.modules import Module, distinct, load_terms
from kgscore.ontology.tables import Term
from kgscore.perturbing.headct import HeadCt
from kgscore.perturbing.inserting import Inserter
from kgscore.perturbing.means import Means
from kgscore.perturbing.outcome import Broken, Unfit
from kgscore.perturbing.rexerr import CLINICAL, COUNT, RexErr
from kgscore.perturbing.settings import settings
from kgscore.perturbing.source import source_of
from kgscore.perturbing.ssree import Ssree
from kgscore.perturbing.wordings import Wordings
from kgscore.profile import load_profile

KINDS = ("ssree", "headct", "rexerr")
# What a record is called, and where its report stands, in the file that each kind makes.
_NAMES = {"ssree": ("case", "reference"), "headct": ("id", "report"), "rexerr": ("id", "reference")}
_REMEMBERED = 500


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
        self.read = means.read
        self.made_by: Mapping[str, Any] = {
            "kind": kind, "seed": seed, "kgscore": scorer.signature["kgscore"], "knowledge": scorer.signature["knowledge"],
        }  # fmt: skip
        self._make = _maker(kind, means, errors, count)

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
        source = source_of(report, self.read)
        if not source.reading.findings:
            raise Unfit("no finding was read; kgscore reads English findings")
        return self._make(source, f"{self.seed} {self.kind} {id}")


def _maker(kind: str, means: Means, errors: Sequence[str], count: int) -> Callable[..., dict[str, Any]]:
    if kind == "ssree":
        return Ssree(means).make
    inserter = Inserter(means)
    return HeadCt(inserter).make if kind == "headct" else RexErr(inserter, errors, count).make


@lru_cache(maxsize=2)
def _terms(modules: tuple[Module, ...]) -> Sequence[Term]:
    """Return the terms of the ontology with modules, which are told apart by the hashes of their contents."""
    return load_terms(modules)[0]


def means_of(scorer: Scorer, modules: Sequence[str]) -> Means:
    """Return what changing reports needs, with the reader and the ontology of a scorer."""
    knowledge = load_knowledge(modules)
    lists = settings()
    words = Wordings(_terms(tuple(distinct(modules))), scorer.index, lists)
    return Means(scorer.read, scorer.index, knowledge.lexicon, scorer.relator, words, Severities(scorer.index), lists)
