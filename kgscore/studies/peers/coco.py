"""METEOR and CIDEr of pycocoevalcap. METEOR is a Java program that the package carries."""

from __future__ import annotations

from shutil import which

from kgscore.errors import MissingExtraError
from kgscore.studies.peers.base import Pairs, PeerInfo
from kgscore.studies.peers.overlap import words


class Meteor:
    """METEOR 1.5 for English, with its own normalisation of punctuation; one Java process a call.

    Raises:
        MissingExtraError: there is no Java.
    """

    def __init__(self, options: object = None) -> None:
        if which("java") is None:
            raise MissingExtraError("baseline 'meteor': needs Java, and there is no 'java' on the path; install a Java runtime")

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return METEOR of each pair."""
        from pycocoevalcap.meteor.meteor import Meteor as Program

        program = Program()
        try:
            # The program reads a line a text, and takes ||| for the end of one.
            texts = [[" ".join(text.replace("|", " ").split()) for text in pair] for pair in pairs]
            references = {at: [reference] for at, (reference, _) in enumerate(texts)}
            candidates = {at: [candidate] for at, (_, candidate) in enumerate(texts)}
            return list(program.compute_score(references, candidates)[1])
        finally:
            for stream in (program.meteor_p.stdout, program.meteor_p.stderr):
                stream.close()


class Cider:
    """CIDEr with words weighed by how many of the set's distinct references hold them; none for a set of one reference."""

    def __init__(self, options: object = None) -> None:
        del options

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return CIDEr of each pair of a set."""
        from pycocoevalcap.cider.cider import Cider as Scorer

        by_reference: dict[str, list[int]] = {}
        for at, (reference, _) in enumerate(pairs):
            by_reference.setdefault(reference, []).append(at)
        found: list[float | None] = [None] * len(pairs)
        if len(by_reference) < 2:
            return found
        # One round for each candidate of a reference, so that every reference counts once as a document.
        for turn in range(max(map(len, by_reference.values()))):
            turns = {reference: places[turn] for reference, places in by_reference.items() if turn < len(places)}
            texts = [(reference, pairs[turns[reference]][1] if reference in turns else reference) for reference in by_reference]
            joined = [[" ".join(words(text)) for text in pair] for pair in texts]
            values = Scorer().compute_score(
                {at: [reference] for at, (reference, _) in enumerate(joined)},
                {at: [candidate] for at, (_, candidate) in enumerate(joined)},
            )[1]
            for (reference, _), value in zip(texts, values, strict=True):
                if reference in turns:
                    found[turns[reference]] = float(value)
        return found


_COCO = {"modules": ("pycocoevalcap",), "packages": ("pycocoevalcap",), "extra": "peers"}
INFOS = (
    PeerInfo(
        "meteor", Meteor, 0.0, 1.0, True, "Denkowski and Lavie 2014, as pycocoevalcap", "aligned words with stems, synonyms and"
        " paraphrases", "METEOR 1.5, English, -norm; needs Java", **_COCO, beside=("java",),  # type: ignore[arg-type]
    ),
    PeerInfo(
        "cider", Cider, 0.0, 10.0, True, "Vedantam et al. 2015, as pycocoevalcap", "tf-idf cosine of n-grams up to 4, weighed by"
        " the references of the set", "lower case, words and numbers only", **_COCO,  # type: ignore[arg-type]
    ),
)  # fmt: skip
