"""Signal words of MRI ("hyperintense", "low on T1") joined with the sequence that they are said of."""

from __future__ import annotations

from collections.abc import Container

from kgscore.reading.items import Item

# After one of these a sequence holds no longer, unless another follows.
_ENDING = frozenset(("comma", "and", "semi", "or", "but"))


def signals(items: list[Item], concepts: Container[str], label: str | None = None) -> list[Item]:
    """Return the items with their signal findings; where no sequence is spoken of, signal words are unknown words.

    `label` is the sequence of a heading, or None.
    """
    if label is None and not any("seq" in item.types for item in items):
        for item in items:
            if item.kind == "signalword":
                item.kind = "W"
        return items
    return join_sequences(items, concepts, label)


def join_sequences(items: list[Item], concepts: Container[str], label: str | None = None) -> list[Item]:
    """Make one signal finding of a signal word and the MRI sequence beside it ("low on T1", "T2 signal is high").

    `label` is the sequence of a heading ("DWI: hyperintense"). A sequence without a signal word stays what else it may
    mean (T1 is also a vertebra).
    """
    out: list[Item] = []
    sequence = label
    for position, item in enumerate(items):
        if "seq" in item.types:
            sequence = item.types["seq"].id
        elif item.kind in _ENDING and label is None and not any("seq" in other.types for other in items[position + 1 :][:4]):
            sequence = None
        direction = item.types.get("signalword")
        if direction is None:
            out.append(item)
            continue
        found = _sequence_after(items, position) or sequence
        concept = f"{found}_{'hyper' if direction.id == 'up' else 'hypo'}intensity"
        if found is None or concept not in concepts:
            if item.kind == "signalword":
                item.kind = "W"
            out.append(item)
            continue
        item.kind, item.id, item.adjective, item.types = "F", concept, False, {}
        out.append(item)
        for other in items[max(0, position - 4) : position + 5]:
            if "seq" in other.types or (other.kind == "Q" and other.id.endswith("signal")):
                other.kind = "stop"
    for item in out:
        if item.kind == "seq":
            item.kind = "stop"
    return out


def _sequence_after(items: list[Item], position: int) -> str | None:
    """Return the MRI sequence said right after a signal word ("hyperintense on T2")."""
    for item in items[position + 1 : position + 4]:
        if "seq" in item.types:
            return item.types["seq"].id
        if item.kind not in ("prep", "stop", "Q", "W"):
            return None
    return None
