"""Words, numbers, measurements and levels, each with the normal form in which the lexicon knows it.

Text and lexicon pass through the same function, so that spelling (oedema/edema), number (nodules/nodule),
hyphens (ground-glass/ground glass) and the possessive never have to be listed.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

WORD, NUMBER, MEASURE, PUNCTUATION = range(4)


class Token(NamedTuple):
    """A token: normal form, kind, and character offsets in the report."""

    norm: str
    kind: int
    start: int
    end: int


_UNIT = r"(?:mm|millimet(?:er|re)s?|cm/s|cm|centimet(?:er|re)s?|ml|cc|HU|degrees?|°|%|per cent|percent|bpm|kg|mSv|SUV)"
_NUM = r"\d+(?:\.\d+)?"
_LEVEL = r"(?:[CLST]|Th|D)\d{1,2}\s?(?:[-/–—]|to)\s?(?:[CLSTD]|Th)?\d{1,2}(?!\d|\.\d|\s?(?:mm|cm))"
_TOKEN = re.compile(
    rf"(?P<measure>{_NUM}(?:\s?{_UNIT}?\s?(?:[x×*]|by|-|–|to|and)\s?{_NUM}){{0,2}}\s?{_UNIT}(?![a-z]))"
    rf"|(?P<size>{_NUM}\s?[x×*]\s?{_NUM}(?:\s?[x×*]\s?{_NUM})?)"
    rf"|(?P<level>\b{_LEVEL}\b)"
    r"|(?P<word>[A-Za-zÀ-ÿ]+\d*(?:'s\b|’s\b)?|\d+(?:st|nd|rd|th|[a-c])\b)"
    rf"|(?P<number>{_NUM})"
    r"|(?P<punct>\(\+\)|\(-\)|[^\sA-Za-z0-9])",
    re.IGNORECASE,
)
_GROUPS = _TOKEN.groupindex
_WORD_GROUP, _PUNCT_GROUP, _LEVEL_GROUP, _NUMBER_GROUP = _GROUPS["word"], _GROUPS["punct"], _GROUPS["level"], _GROUPS["number"]
# Prefixes that are written with or without a hyphen.
_PREFIX = frozenset(
    [
        "extra",
        "intra",
        "sub",
        "non",
        "peri",
        "para",
        "pre",
        "post",
        "inter",
        "supra",
        "infra",
        "retro",
        "hyper",
        "hypo",
        "bi",
        "multi",
        "pseudo",
        "hemi",
        "micro",
        "macro",
        "mid",
        "semi",
        "trans",
        "de",
        "re",
        "un",
        "pneumo",
        "cardio",
        "endo",
        "epi",
        "ecto",
        "atelecto",
    ]
)
_KEEP_S = frozenset(
    [
        "pancreas",
        "atlas",
        "gas",
        "has",
        "was",
        "is",
        "as",
        "whereas",
        "its",
        "this",
        "biceps",
        "triceps",
        "pus",
        "lens",
        "always",
        "various",
        "us",
        "plus",
        "series",
        "basis",
        "axis",
        "pelvis",
        "previous",
        "uterus",
        "thymus",
        "hiatus",
        "diabetes",
        "herpes",
        "forceps",
        "perhaps",
        "sometimes",
        "besides",
        "afterwards",
        "towards",
        "mets",
        "pons",
        "less",
        "unless",
        "ascites",
        "sequelae",
        "facies",
        "cannabis",
        "rales",
        "does",
        "caries",
        "scabies",
        "s",
    ]
)
_IRREGULAR = {
    "vertebrae": "vertebra",
    "bronchi": "bronchus",
    "thrombi": "thrombus",
    "emboli": "embolus",
    "nuclei": "nucleus",
    "sulci": "sulcus",
    "gyri": "gyrus",
    "hila": "hilum",
    "foramina": "foramen",
    "bullae": "bulla",
    "fossae": "fossa",
    "diverticula": "diverticulum",
    "calculi": "calculus",
    "menisci": "meniscus",
    "cortices": "cortex",
    "apices": "apex",
    "appendices": "appendix",
    "atria": "atrium",
    "septa": "septum",
    "antra": "antrum",
    "pelves": "pelvis",
    "maxillae": "maxilla",
    "epididymides": "epididymis",
    "metastases": "metastasis",
    "stenoses": "stenosis",
    "diagnoses": "diagnosis",
    "thromboses": "thrombosis",
    "anastomoses": "anastomosis",
    "prostheses": "prosthesis",
    "exostoses": "exostosis",
    "diaphyses": "diaphysis",
    "epiphyses": "epiphysis",
    "metaphyses": "metaphysis",
    "apophyses": "apophysis",
    "foci": "focus",
    "loci": "locus",
    "lumina": "lumen",
    "testes": "testis",
    "ova": "ovum",
    "pleurae": "pleura",
    "scapulae": "scapula",
    "clavicles": "clavicle",
    "fibulae": "fibula",
    "tibiae": "tibia",
    "ulnae": "ulna",
    "bursae": "bursa",
    "labra": "labrum",
    "fimbriae": "fimbria",
    "aortae": "aorta",
    "venae": "vena",
    "cysternae": "cistern",
    "cisternae": "cistern",
    "cisterna": "cistern",
    "axillae": "axilla",
    "conchae": "concha",
    "sequestra": "sequestrum",
    "haustrae": "haustra",
    "phalanges": "phalanx",
    "ganglia": "ganglion",
    "acini": "acinus",
    "villi": "villus",
    "hemidiaphragms": "hemidiaphragm",
    "adnexae": "adnexa",
    "feet": "foot",
    "teeth": "tooth",
    "women": "woman",
    "men": "man",
    "lungs": "lung",
    "neuromas": "neuroma",
    "calices": "calyx",
    "calyces": "calyx",
    "indices": "index",
    "radii": "radius",
    "humeri": "humerus",
    "femora": "femur",
    "thalami": "thalamus",
    "hippocampi": "hippocampus",
    "uteri": "uterus",
    "meatus": "meatus",
    "plexus": "plexus",
    "sinuses": "sinus",
    "viruses": "virus",
    "lenses": "lens",
    "abscesses": "abscess",
    "masses": "mass",
    "biopsies": "biopsy",
    "processes": "process",
    "bases": "base",
    "crises": "crisis",
    "pelvises": "pelvis",
    "buses": "bus",
    "leaves": "leaf",
    "halves": "half",
    "scleroses": "sclerosis",
    "fibroses": "fibrosis",
    "osteolyses": "osteolysis",
    "ascites": "ascites",
    "lie": "lie",
    "lies": "lies",
    "species": "species",
    "coronary": "coronary",
    "symphyses": "symphysis",
    "hypophyses": "hypophysis",
    "ductus": "ductus",
    "corpora": "corpus",
    "inguinal": "inguinal",
    "rami": "ramus",
    "loculi": "loculus",
    "tori": "torus",
    "fundi": "fundus",
    "emphysematous": "emphysematous",
    "1st": "first",
    "2nd": "second",
    "3rd": "third",
    "4th": "fourth",
    "5th": "fifth",
    "6th": "sixth",
    "7th": "seventh",
    "8th": "eighth",
    "9th": "ninth",
    "10th": "tenth",
    "11th": "eleventh",
    "12th": "twelfth",
}
_BRITISH = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"oedema", "edema"),
        (r"haem", "hem"),
        (r"aemi", "emi"),
        (r"oesoph", "esoph"),
        (r"umour", "umor"),
        (r"olour", "olor"),
        (r"calibre", "caliber"),
        (r"^centre", "center"),
        (r"centred", "centered"),
        (r"^grey", "gray"),
        (r"fibre", "fiber"),
        (r"paed", "ped"),
        (r"leuco", "leuko"),
        (r"foet", "fet"),
        (r"rrhoea", "rrhea"),
        (r"gynaec", "gynec"),
        (r"caec", "cec"),
        (r"faec", "fec"),
        (r"oestr", "estr"),
        (r"sulph", "sulf"),
        (r"anaes", "anes"),
        (
            r"(opacif|general|local|visual|mineral|pneumat|catheter|hospital|recan|character|hypertroph|organ|calc|emphas|stabil|"
            r"norm|colon|necrot|minim|maxim|lateral|real|util|recogn|fluid|emb|embol|vascular|central|keratin|immobil|cavit|special|canal|"
            r"metabol|random|equal|symmetr|optim|marginal|harmon|neutral|crystal|devascular|mobil|revascular|cicatr|popular|epithel)is(e|ed|es|ing|ation|ations)$",
            r"\1iz\2",
        ),
        (r"behaviour", "behavior"),
        (r"neighbour", "neighbor"),
        (r"metre$", "meter"),
        (r"litre$", "liter"),
        (r"mould", "mold"),
        (r"ageing", "aging"),
        (r"disc$", "disk"),
        (r"discs$", "disks"),
        (r"labell", "label"),
        (r"tunnell", "tunnel"),
        (r"oligaem", "oligem"),
        (r"ischaem", "ischem"),
        (r"distention", "distension"),
        (r"mucocoele", "mucocele"),
        (r"coele$", "cele"),
        (r"dilation", "dilatation"),
        (r"artefact", "artifact"),
        (r"programme", "program"),
        (r"favour", "favor"),
        (r"harbour", "harbor"),
        (r"vapour", "vapor"),
        (r"signalling", "signaling"),
        (r"modell", "model"),
        (r"practise", "practice"),
        (r"licence", "license"),
        (r"defence", "defense"),
    )
)


@lru_cache(maxsize=200_000)
def normal_form(word: str) -> str:
    """Return the normal form of one word: lower case, American spelling, singular, no possessive.

    >>> normal_form("Oedematous"), normal_form("opacities"), normal_form("Metastases"), normal_form("Baker's")
    ('edematous', 'opacity', 'metastasis', 'baker')
    """
    word = word.lower().replace("’", "'")
    if word.endswith("'s"):
        word = word[:-2]
    for pattern, put in _BRITISH:
        word = pattern.sub(put, word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ly") and len(word) > 6:
        return word[:-2]
    if word in _KEEP_S or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]


def _level(text: str) -> str:
    parts = re.findall(r"([A-Za-z]*)\s?(\d+)", text)
    letter = parts[0][0].upper().replace("TH", "T").replace("D", "T")
    second = (parts[1][0].upper().replace("TH", "T").replace("D", "T")) or letter
    return f"{letter}{parts[0][1]}-{second}{parts[1][1]}"


_new = tuple.__new__


def tokenize(text: str, offset: int = 0) -> list[Token]:
    """Cut `text` into tokens; `offset` is added to every position."""
    tokens: list[Token] = []
    append = tokens.append
    prefix: Token | None = None
    hyphen_at = -1
    for match in _TOKEN.finditer(text):
        kind = match.lastindex
        start, end = match.span()
        raw = text[start:end]
        if kind == _WORD_GROUP:
            norm = normal_form(raw)
            if prefix is not None:
                if start == hyphen_at + 1:
                    tokens[-1] = Token(normal_form(prefix.norm + raw.lower()), WORD, prefix.start, end + offset)
                    prefix = None
                    continue
                prefix = None
            token = _new(Token, (norm, WORD, start + offset, end + offset))
            append(token)
            if norm in _PREFIX:
                prefix = token
        elif kind == _PUNCT_GROUP:
            if raw in "-–" and tokens and tokens[-1].end == start + offset:
                hyphen_at = start
                if end >= len(text) or not text[end].isalnum():
                    append(Token("-", PUNCTUATION, start + offset, end + offset))
            else:
                append(_new(Token, (raw, PUNCTUATION, start + offset, end + offset)))
        elif kind == _LEVEL_GROUP:
            append(Token(_level(raw).lower(), WORD, start + offset, end + offset))
        else:
            append(Token(raw, NUMBER if kind == _NUMBER_GROUP else MEASURE, start + offset, end + offset))
    return tokens


_ARTICLES = frozenset(("the", "a", "an"))


@cache
def phrase_key(form: str) -> tuple[str, ...]:
    """Return the normal forms of the words of a surface form, articles left out: its key in the lexicon."""
    return tuple(token.norm.lower() for token in tokenize(form) if token.norm not in _ARTICLES)
