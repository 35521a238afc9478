"""The rows of features that decisions are made from: one an item, one a pair of items."""

from __future__ import annotations

import numpy as np

from kgscore.reading.structure.attributes import CONTEXT, COUNTED, GROUP, ID, LEXICAL, TAG, WORDS, Attributes, Seen, between
from kgscore.reading.structure.hashing import Codes, Slots, Templates, code, fold

BITS = 19
_SHIFT = np.uint64(64 - BITS)
# Columns of the neighbours of an item.
_NEAR = ("kind", "id", "words", "last", "tag")
_NEAR_AT = [LEXICAL.index(name) for name in _NEAR]
_REACH = 3
# What the first pass decided of an item (0: no head) and of those around it.
FIRST = ("was", "was-1", "was+1", "was-2", "was+2", "was<", "was<.path", "was>", "linked", "linked-1", "linked+1")

ITEM_COLUMNS = (
    *LEXICAL,
    *CONTEXT,
    *(f"{name}{step:+d}" for step in (-3, -2, -1, 1, 2, 3) for name in _NEAR),
    *FIRST,
)
ITEM_TEMPLATES = """
kind|id|up1|up2|top|words|last|first|tail|stem|types|tag|form|tag form|tag side|types tag
id article|tag article|tag zone|id zone|tag caps|tag bracket|tag order|id order|tag clause zone
words-1|words+1|tag-1 tag|tag tag+1|tag-1 tag tag+1|id id-1|id id+1|words words-1|words words+1|tag words-1|tag words+1
tag words-2 words-1|tag words+1 words+2|id words-1 words+1|tag tag-2 tag-1|tag tag+1 tag+2|kind-2 kind-1 kind kind+1|kind-1 kind kind+1 kind+2|kind kind+1 kind+2 kind+3|kind-3 kind-2 kind-1 kind
tag words-2|tag words+2|tag words-3|tag words+3|words-1 words+1|id tag-1 tag+1|id kind-1 kind+1|up1 tag-1 tag+1|tag kind-2 kind-1 kind+1 kind+2
lop|lop tag|lop lop.path|lop lop.path tag|lop id|lop lop2|lop lop2 tag|lop lop.path lop2|lop article|rop|rop tag|rop rop.path|rop rop.path tag|rop id|lop rop|lop rop tag
lop lop.path rop rop.path|lverb tag|rverb tag|lverb rverb tag|rverb id|lverb id|lop rverb|lop rverb tag|lhead tag|lhead lhead.path|lhead lhead.path tag|rhead tag|rhead rhead.path|rhead rhead.path tag
lhead lhead.path lop|rhead rhead.path lop|lsite tag|rsite tag|lsite rsite tag|lop words-1|rop words+1|lop zone tag
""".replace("\n", "|").strip("|").split("|")
SECOND_TEMPLATES = """
was|was tag|was id|was was-1|was was+1|was-1 tag|was+1 tag|was was-1 was+1|was was<|was was>|was< was<.path|was< was<.path tag|was was< was<.path|was> tag|was was> rhead.path|was was< was>|was lop|was rop|was lop lop.path
linked tag|linked was|linked was tag|linked-1 tag|linked+1 tag|linked linked-1 was|linked linked+1 was|was< lop tag|was< was<.path lop|was was-2|was was+2|was< kind-1 tag
""".replace("\n", "|").strip("|").split("|")

PAIR_COLUMNS = (
    *(f"h.{name}" for name in LEXICAL),
    *(f"d.{name}" for name in LEXICAL),
    *(f"h.{name}" for name in CONTEXT),
    *(f"d.{name}" for name in CONTEXT),
    *(f"h{step:+d}.{name}" for step in (-2, -1, 1, 2) for name in _NEAR),
    *(f"d{step:+d}.{name}" for step in (-2, -1, 1, 2) for name in _NEAR),
    "way", "far", "near", "path.kinds", "path.words", "path.main", "fit", "commas", "ands", "cuts", "withs", "preps", "sites", "nouns", "verbs", "negs",
    "brackets", "heads", "heads.near", "h.was", "d.was", "free", "d.lefthead", "d.righthead", "colons", "infers",
    # What the first pass decided of pairs.
    "was", "sure", "was.d-1", "was.d+1", "d.left", "d.right", "h.places<", "h.places", "d.heads", "lasthead.d", "nexthead.d", "d.other",
)  # fmt: skip
PAIR_TEMPLATES = """
way h.tag d.tag|way h.group d.group far|way h.tag d.tag far|way h.group d.tag near|way h.tag d.group near|way d.id near|way h.id near|h.id d.id|h.id d.id way|h.up1 d.id|h.id d.up1|h.up1 d.up1|h.id d.tag way|h.tag d.id way|h.words d.words
h.group d.types way|h.types d.group way|d.form h.group way|d.up1 h.group way near|d.up2 h.group way|d.words way near|d.last way h.group|d.tail h.group way|h.tail d.group way
way path.kinds|way path.kinds d.tag|way path.kinds h.group d.group|way path.kinds h.tag d.tag|way path.words h.group d.group|way path.words d.tag|way path.words h.tag d.tag|way path.main d.group|way path.main h.tag d.tag|way path.kinds h.was|way path.words h.was d.group|way path.main h.was d.group|path.words d.id way|path.words h.id way
fit way d.group|fit way far h.group d.group|fit path.words way d.group|fit nouns way d.group|fit heads way d.group|fit sites way d.group
way commas d.group h.group|way cuts d.group|way ands commas d.group h.group|way nouns d.group h.group|way nouns heads d.tag|way sites d.group h.group|way heads d.group|way heads d.tag h.group|way heads heads.near d.group|way verbs d.group h.group|way verbs nouns d.group|way withs d.group|way withs nouns d.group h.group|way preps d.group h.group|way preps nouns d.group|way negs d.group|way negs h.was d.group|way brackets d.group|way cuts heads d.group|way commas ands nouns sites d.group|way colons d.group|way colons cuts d.group h.group|way infers d.group|way infers heads d.group
h.was d.group way|h.was d.tag way|h.was d.was way|h.was d.was way d.group|d.was h.group way nouns|h.was d.was path.words way|h.was d.was path.main way|h.was d.was heads way|free way d.group|free way d.tag h.group|free fit d.group way
d-1.words d.group way|d+1.words d.group way|d-1.words d.tag near|d+1.words d.tag near|d-1.tag d.group d+1.tag way|d-1.kind d.group d+1.kind way near|h-1.words d.group way|h+1.words d.group way|h-1.kind h.group h+1.kind d.group way|d-1.words h.group d.group way far|d+1.words h.group d.group way far|h+1.words d-1.words d.group way|h-1.words d+1.words d.group way|d-2.words d-1.words d.group way|d+1.words d+2.words d.group way|h+1.words h+2.words d.group way|d+1.kind d+2.kind d.group way nouns|d-2.kind d-1.kind d.group way nouns
d.lefthead d.righthead way d.group|d.lefthead way h.group heads|d.righthead way h.group heads|d.zone h.zone d.group|d.zone h.zone way d.group commas|d.bracket h.bracket d.group way|d.clause h.clause d.group|d.lop h.lop way d.group|d.lop d.group way heads|d.rop d.group way heads|h.lop d.group way|d.rverb d.group way heads|d.lverb d.group way heads|h.rverb d.group way heads|d.order d.group way heads|h.order d.group way heads|d.lop d.lop.path d.group way|d.rhead d.rhead.path d.group way|d.lhead d.lhead.path d.group way|d.lsite d.group way heads|d.rsite d.group way heads|h.article d.group way
""".replace("\n", "|").strip("|").split("|")
PAIR_SECOND = """
was d.group way|was sure|was sure d.group|was d.tag|was h.tag|was path.words way|was path.main way d.group|was fit way|was heads way d.group|was d.left|was d.right|was d.left d.right way|d.left d.right way d.group|d.left way path.words d.group|d.right way path.words d.group
d.left heads way d.group|d.right heads way d.group|was was.d-1|was was.d+1|was was.d-1 d-1.kind d.group|was.d-1 d-1.kind d.group way|was.d+1 d+1.kind d.group way|was.d-1 d-1.words d.tag way|was.d+1 d+1.words d.tag way|was h.places|was h.places d.group way|was h.places< d.group way|d.heads was d.group way|d.heads d.group way heads|was d.heads heads way
lasthead.d was d.group way|nexthead.d was d.group way|lasthead.d path.words d.group way|nexthead.d path.words d.group way|lasthead.d nexthead.d was way|d.other was way d.group|d.other d.heads was|lasthead.d h.was d.group way commas ands|nexthead.d h.was d.group way commas ands|was sure h.tag d.tag|lasthead.d h-1.words d.group way was|lasthead.d h-1.words h-2.kind d.tag way
""".replace("\n", "|").strip("|").split("|")

item_templates = Templates([line for line in ITEM_TEMPLATES], ITEM_COLUMNS, BITS)
item_second = Templates([*ITEM_TEMPLATES, *SECOND_TEMPLATES], ITEM_COLUMNS, BITS)
pair_templates = Templates(PAIR_TEMPLATES, PAIR_COLUMNS, BITS)
pair_second = Templates([*PAIR_TEMPLATES, *PAIR_SECOND], PAIR_COLUMNS, BITS)

_BAG, _BAG_TAG, _BAG_KIND, _PAIR_BAG, _PAIR_TAG = (np.uint64(code(name)) for name in ("bag", "bag tag", "bag kind", "pair bag", "pair bag tag"))


def _shifted(table: Codes, step: int) -> Codes:
    out = np.zeros_like(table)
    if step > 0:
        out[:-step] = table[step:]
    else:
        out[-step:] = table[:step]
    return out


def near(seen: Seen) -> dict[int, Codes]:
    """Return what stands one to three items before and after each item."""
    own = seen.lexical[:, _NEAR_AT]
    return {step: _shifted(own, step) if len(own) > abs(step) else np.zeros_like(own) for step in (-3, -2, -1, 1, 2, 3)}


def item_rows(seen: Seen, first: Codes | None) -> Slots:
    """Return the features of each item; `first` are the columns `FIRST`, in the second pass."""
    count = len(seen.kinds)
    blocks = near(seen)
    empty = np.zeros((count, len(FIRST)), np.uint64)
    table = np.concatenate([seen.lexical, seen.context, *blocks.values(), empty if first is None else first], axis=1)
    slots = (item_templates if first is None else item_second).slots(table)
    return np.concatenate([slots, _bag(seen)], axis=1)


_BAG_LIMIT = 48


def _bag(seen: Seen) -> Slots:
    """Return the words of the sentence as seen from each item: on which side, how far, in the same clause or not."""
    count = len(seen.kinds)
    at = np.arange(count)
    gap = at[None, :] - at[:, None]
    cuts = seen.counts[:, COUNTED.index("semi")] + seen.counts[:, COUNTED.index("but")]
    apart = (cuts[at][None, :] != cuts[at][:, None]).astype(np.int64)
    side = (gap > 0).astype(np.int64) + 2 * apart
    words = np.broadcast_to(seen.lexical[:, WORDS], (count, count))
    tags = np.broadcast_to(seen.lexical[:, TAG][:, None], (count, count))
    zone = side.astype(np.uint64)
    far = (np.minimum(np.abs(gap), 12) // 3).astype(np.uint64)
    out = np.concatenate([fold(_BAG, [words, zone, far], _SHIFT), fold(_BAG_TAG, [words, tags, zone], _SHIFT)], axis=1)
    out[np.concatenate([gap == 0, gap == 0], axis=1)] = 0
    return out


def pair_table(
    seen: Seen, attributes: Attributes, heads: np.ndarray, others: np.ndarray, status: np.ndarray, first: Codes | None
) -> Slots:
    """Return the features of pairs (head, other); `status` holds the code of each item's status (0: no head)."""
    count = len(seen.kinds)
    low, high = np.minimum(heads, others), np.maximum(heads, others)
    way = (others > heads).astype(np.uint64) + np.uint64(1)
    gap = high - low
    between_counts = np.minimum(seen.counts[high] - seen.counts[low + 1], 3)

    def counted(*kinds: str) -> Codes:
        total = between_counts[:, [COUNTED.index(kind) for kind in kinds]].sum(axis=1)
        return np.minimum(total, 4).astype(np.uint64)

    is_head = status > 0
    before = np.concatenate([[0], np.cumsum(is_head)])
    heads_between = np.minimum(before[high] - before[low + 1], 4)
    left_head = np.zeros(count, np.uint64)
    right_head = np.zeros(count, np.uint64)
    last = 0
    for position in range(count):
        left_head[position] = last
        if is_head[position]:
            last = int(seen.lexical[position, GROUP])
    last = 0
    for position in range(count - 1, -1, -1):
        right_head[position] = last
        if is_head[position]:
            last = int(seen.lexical[position, GROUP])
    free = ((counted("comma", "and", "or") == 0) & (counted("semi", "but", "cop", "have") == 0) & (heads_between == 0)).astype(np.uint64)
    fit = np.array([attributes.fit(seen.ids[h], seen.ids[d]) for h, d in zip(heads.tolist(), others.tolist(), strict=True)], np.uint64)
    blocks = near(seen)
    columns = [
        seen.lexical[heads],
        seen.lexical[others],
        seen.context[heads],
        seen.context[others],
        *(blocks[step][heads] for step in (-2, -1, 1, 2)),
        *(blocks[step][others] for step in (-2, -1, 1, 2)),
    ]
    single = [
        way,
        np.searchsorted([1, 2, 3, 4, 6, 8, 11, 15, 22], gap).astype(np.uint64),
        np.minimum(gap, 5).astype(np.uint64),
        between(seen, 0, low, high),
        between(seen, 1, low, high),
        between(seen, 2, low, high),
        fit,
        counted("comma"),
        counted("and", "or"),
        counted("semi", "but"),
        counted("with"),
        counted("prep"),
        counted("A"),
        counted("F", "N"),
        counted("cop", "have", "seen"),
        counted("neg"),
        counted("open", "close"),
        heads_between.astype(np.uint64),
        (heads_between == 0).astype(np.uint64),
        status[heads],
        status[others],
        free,
        left_head[others],
        right_head[others],
        counted("colon"),
        counted("infer"),
    ]
    columns.append(np.stack(single, axis=1))
    columns.append(np.zeros((len(heads), 12), np.uint64) if first is None else first)
    slots = (pair_templates if first is None else pair_second).slots(np.concatenate(columns, axis=1))
    return np.concatenate([slots, _pair_bag(seen, low, high, way, heads, others)], axis=1)


def _pair_bag(seen: Seen, low: np.ndarray, high: np.ndarray, way: Codes, heads: np.ndarray, others: np.ndarray) -> Slots:
    """Return the words between the two of a pair, up to twelve from its left end."""
    reach = np.arange(1, 13)
    at = low[:, None] + reach[None, :]
    inside = at < high[:, None]
    words = seen.lexical[np.minimum(at, len(seen.kinds) - 1), WORDS]
    shape = words.shape
    group = np.broadcast_to(seen.lexical[others, GROUP][:, None], shape)
    tag = np.broadcast_to(seen.lexical[heads, GROUP][:, None], shape)
    ways = np.broadcast_to(way[:, None], shape)
    out = fold(_PAIR_TAG, [words, group, tag, ways], _SHIFT)
    out[~inside] = 0
    return out
