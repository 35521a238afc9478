"""Marked sentences as brat standoff files: NAME.txt with the text and NAME.ann with regions, statuses and ties."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate, count
from pathlib import Path

from kgscore.errors import InputError
from kgscore.lab.annotation.marks import Marked
from kgscore.lab.annotation.regions import Region, Tie, from_regions, to_regions

_REGION = re.compile(r"(T\d+)\t(\w+) (\d+) (\d+)\t")
_STATUS = re.compile(r"[AM]\d+\tStatus (T\d+) (\w+)\Z")
_TIE = re.compile(r"R\d+\t(\w+) Arg1:(T\d+) Arg2:(T\d+)\s*\Z")
_HEADING = "## "


def write_brat(sentences: Sequence[Marked]) -> tuple[str, str]:
    """Return the text (a heading line and a line for each sentence) and the annotations."""
    texts, lines = list[str](), list[str]()
    at, names, numbers = 0, count(1), count(1)
    for marked in sentences:
        heading = f"{_HEADING}{marked.modality} {marked.register}\n"
        regions, ties = to_regions(marked)
        begin, ids = at + len(heading), {region.id: next(names) for region in regions}
        for region in regions:
            id, span = ids[region.id], f"{begin + region.start} {begin + region.end}"
            lines.append(f"T{id}\t{region.name} {span}\t{marked.text[region.start : region.end]}")
            lines += [f"A{id}\tStatus T{id} {region.status}"] if region.status else []
        lines += [f"R{next(numbers)}\t{tie.name} Arg1:T{ids[tie.source]} Arg2:T{ids[tie.target]}" for tie in ties]
        texts.append(f"{heading}{marked.text}\n\n")
        at += len(texts[-1])
    return "".join(texts), "".join(f"{line}\n" for line in lines)


def read_brat(path: Path, modality: str, register: str) -> list[Marked]:
    """Return the marked sentences of NAME.ann and NAME.txt; those before a heading line have the given modality and register."""
    try:
        text = path.with_suffix(".txt").read_text(encoding="utf-8")
        lines = path.with_suffix(".ann").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read; brat's files are NAME.txt and NAME.ann") from None
    places, statuses, ties = _parse_annotations(path, lines)
    sentences = text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, sentences))]
    regions, tied = dict[int, list[Region]](), dict[int, list[Tie]]()
    for id, (name, start, end) in places.items():
        at = bisect(starts, start) - 1
        regions.setdefault(at, []).append(Region(id, name, start - starts[at], end - starts[at], statuses.get(id, "")))
    for tie in ties:
        tied.setdefault(bisect(starts, places[tie.source][1]) - 1, []).append(tie)
    made = list[Marked]()
    for at, line in enumerate(sentences):
        sentence, where = line.rstrip("\r\n"), f"{path.with_suffix('.txt')}:{at + 1}"
        if sentence.startswith(_HEADING):
            modality, _, register = sentence.removeprefix(_HEADING).strip().partition(" ")
        elif sentence.strip():
            made.append(from_regions(sentence, modality, register, regions.get(at, []), tied.get(at, []), where))
    return made


def _parse_annotations(path: Path, lines: Sequence[str]) -> tuple[dict[str, tuple[str, int, int]], dict[str, str], list[Tie]]:
    """Return regions, statuses and ties; notes and normalisations are ignored."""
    places: dict[str, tuple[str, int, int]] = {}
    statuses: dict[str, str] = {}
    ties: list[Tie] = []
    for number, line in enumerate(lines, 1):
        if region := _REGION.match(line):
            places[region[1]] = region[2], int(region[3]), int(region[4])
        elif status := _STATUS.match(line):
            statuses[status[1]] = status[2]
        elif (tie := _TIE.match(line)) and tie[2] in places and tie[3] in places:
            ties.append(Tie(tie[2], tie[3], tie[1]))
        elif line.strip() and line[0] not in "#N":
            raise InputError(f"{path}:{number}: not a contiguous region, status or tie of annotation.conf")
    return places, statuses, ties
