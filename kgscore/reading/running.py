"""Dictation without punctuation: finds the start of clauses that nothing separates from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN, LexiconMatch
from kgscore.reading.tokens import Token

_VERBS = frozenset(("cop", "have"))
# Kinds of items that can end a clause before another one without punctuation.
_ENDING = frozenset(
    (NORMAL, FINDING, ANATOMY, QUALITY, DESCRIPTOR, "meas", "change", "seen", "negpost", "up", "down", "lost", "abnormal")
)
_SUBJECT = frozenset((ANATOMY, QUALITY, FINDING))
_BEFORE_SUBJECT = frozenset(("sideword", DESCRIPTOR))
_PREDICATES = frozenset((NORMAL, DESCRIPTOR, "up", "down", "lost", "abnormal"))
# Kinds of items that open another clause, or another member of a list.
_PARTING = frozenset(("and", "or", "but", "comma", "semi"))
_BEING = frozenset(("is", "are", "was", "were"))
_AUXILIARY = _BEING | {"there", "can", "could", "may", "has", "have"}
_SIGNS = {",": "comma", ";": "semi", "&": "and", "+": "and", "/": "or"}
_LONGEST = 4  # mentions of a subject


class _Piece(NamedTuple):
    """A mention as part of a clause: its kind, whether it is an adjective, its first word, and whether it is a clause itself
    ("the bladder is empty")."""

    kind: str
    adjective: bool
    word: str
    clause: bool = False


class _Clause(NamedTuple):
    """What a clause has so far: a subject, a verb, something said, and a denial."""

    subject: bool = False
    verb: bool = False
    said: bool = False
    denied: bool = False


def clauses_begin(tokens: Sequence[Token], mentions: Sequence[LexiconMatch]) -> list[int]:
    """Return the positions, in the text of the tokens, of clauses that begin without punctuation before them ("heart size is
    normal lungs are clear no effusion"): after a complete clause, a structure with a verb, "there is" or "no"."""
    pieces = [_piece(tokens, mention) for mention in mentions]
    if not any(piece.clause or piece.kind in _VERBS or piece.kind == "seen" for piece in pieces):
        return []
    found: list[int] = []
    clause = _Clause()
    for at in range(len(pieces)):
        if _swallows(pieces, mentions, at):
            found.append(tokens[mentions[at].first].end)
            clause = _Clause(subject=True, verb=True)
            continue
        whole = at > 0 and clause.said and (clause.verb or clause.denied)
        if whole and _ends(pieces, at - 1) and _opens(pieces, at, clause.denied and not clause.verb):
            found.append(tokens[mentions[at - 1].last].end)
            clause = _Clause()
        clause = _continued(clause, pieces, at)
    return found


def _continued(clause: _Clause, pieces: Sequence[_Piece], at: int) -> _Clause:
    """Return a clause with one more piece."""
    piece = pieces[at]
    if piece.clause:
        return clause._replace(subject=True, verb=True, said=True)
    if piece.kind in _VERBS:
        return clause._replace(verb=True)
    if _states(pieces, at):
        return clause._replace(verb=True, said=clause.said or clause.subject)
    if piece.kind == "neg" and not clause.subject:
        return clause._replace(denied=True)
    if piece.kind in _PARTING:
        return _Clause()
    if piece.kind not in _ENDING or (piece.kind == DESCRIPTOR and pieces[at - 1].kind != "cop"):
        return clause
    said = clause.said or clause.verb or (clause.denied and piece.kind == FINDING)
    return clause._replace(said=said, subject=clause.subject or piece.kind in _SUBJECT)


def _ends(pieces: Sequence[_Piece], at: int) -> bool:
    """Whether a clause may end here: an adjective must be a predicate ("is mildly enlarged")."""
    piece = pieces[at]
    if piece.kind == "seen":
        return piece.word != "there" and _states(pieces, at)
    if piece.kind in _PREDICATES or (piece.kind == FINDING and piece.adjective):
        before = next((one.kind for one in reversed(pieces[:at]) if one.kind not in (DESCRIPTOR, "stop")), "")
        return before in _VERBS
    return piece.kind in _ENDING


def _states(pieces: Sequence[_Piece], at: int) -> bool:
    """Whether a participle is a verb ("is seen"), and not an adjective ("the visualized liver")."""
    participle = pieces[at].kind == "seen"
    return participle and (pieces[at].word in _AUXILIARY or (at > 0 and pieces[at - 1].kind in ("cop", "neg")))


def _swallows(pieces: Sequence[_Piece], mentions: Sequence[LexiconMatch], at: int) -> bool:
    """Whether a form contains the end of one clause and the start of the next ("the liver is enlarged spleen is normal")."""
    several = pieces[at].kind == FINDING and mentions[at].last > mentions[at].first
    between = at > 0 and pieces[at - 1].kind == "cop" and at + 1 < len(pieces)
    return several and between and pieces[at + 1].kind in _VERBS


def _piece(tokens: Sequence[Token], mention: LexiconMatch) -> _Piece:
    form, words = mention.form, [token.norm for token in tokens[mention.first : mention.last + 1]]
    if form is None:
        return _Piece(_SIGNS.get(words[0], UNKNOWN), False, words[0])
    kind = "have" if words == ["contain"] else "stop" if form.kind in _VERBS and words[-1].endswith("ing") else form.kind
    return _Piece(kind, form.types[form.kind].adjective, words[0], kind == FINDING and not _BEING.isdisjoint(words[1:-1]))


def _opens(pieces: Sequence[_Piece], at: int, denied: bool) -> bool:
    """Whether a clause begins here; after one that is only `denied`, with a structure and a verb ("no effusion heart is …")."""
    first = pieces[at]
    if not denied and (first.clause or (first.kind in ("seen", "neg") and first.word in ("no", "there"))):
        return True
    before = pieces[at - 1]
    if first.kind not in _SUBJECT | _BEFORE_SUBJECT or (before.kind == ANATOMY and before.adjective):
        return False
    if first.kind == FINDING and (before.kind == ANATOMY or (before.kind == FINDING and not before.adjective)):
        return False  # "ground-glass micronodules", "lung nodule"
    ahead = pieces[at : at + _LONGEST + 1]
    subject = list(takewhile(lambda piece: piece.kind in _SUBJECT | _BEFORE_SUBJECT, ahead))
    verb = any(piece.kind in _VERBS for piece in ahead[len(subject) : len(subject) + 1])
    return verb and any(piece.kind in _SUBJECT for piece in subject)
