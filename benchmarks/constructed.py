"""Sentences by construction: what is said is known, since it was drawn before the words were.

    python benchmarks/constructed.py [--number N] [--seed K] [--clauses M] [--show FRAME]

One half are one to `M` clauses with a joint between each two. A clause says one thing (present, absent, possible, normal,
stable …) of a finding at a site, in one of the frames of `constructed/frames.txt`, with words of one region of
`constructed/words.txt`. The other half say several things in one frame of a file of `constructed/several` (lists, contrasts,
changes, hedges, descriptors, labels). The gold is what each thing is read as alone, in the first frame of its kind: so it is
asked whether a thing said in other words and beside others is read as by itself, not whether the canon is right. Printed: the
share that is read wrongly, by kind and by frame, and (`--show`) the sentences.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import kgscore
from kgscore.model import Finding

HERE = Path(__file__).parent / "constructed"
CHANGES = {"increased", "decreased", "stable", "new", "resolved"}
# Regions whose words only frames that name them take.
OWN = ("lines", "signals")
PLURALS = {"is": "are", "has": "have", "was": "were", "lies": "lie", "appears": "appear", "measures": "measure"}
Said = tuple[str | None, tuple[str, ...], str | None, str, str, str | None, frozenset[tuple[str, str]]]


class Clause(NamedTuple):
    """What a clause says in its own words and in those of the canon."""

    kind: str
    frame: str
    text: str
    canon: str


def blocks(path: Path) -> dict[str, list[str]]:
    """Return the lines of a file by the heading above them."""
    out: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            out[line.strip("[]")] = lines = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return out


def words(lines: Sequence[str], name: str) -> list[str]:
    """Return the words of a line of a region."""
    line = next(one for one in lines if one.startswith(f"{name}:"))
    return [word.strip() for word in line.split(":", 1)[1].split("|")]


def bare(text: str) -> str:
    """Return words without their article."""
    return re.sub(r"^(?:an?|the) ", "", text)


def clause(frames: dict[str, list[str]], region: Sequence[str], draw: random.Random) -> Clause:
    """Draw what is said, and words for it."""
    site = draw.choice(words(region, "site")).replace("~", draw.choice(("left", "right")))
    finding = draw.choice(words(region, "finding"))
    never = {"joints", *(CHANGES if "+" not in finding else ()), *(("sized",) if "*" not in finding else ())}
    kind = draw.choice([*(one for one in frames if one not in never), "present", "absent", "normal"])
    finding = finding.rstrip(" *+")
    size = f"{draw.randint(4, 60)} mm"
    frame = draw.choice(frames[kind])

    def filled(one: str) -> str:
        one = one.removeprefix("! ").rstrip(".")
        one = one.format(F=finding, f=bare(finding), S=site, s=bare(site), N=size)
        return re.sub(r"\b(\w+s) (is|has|was|lies|appears|measures)\b", plural, one) if finding.endswith("s") else one

    def plural(match: re.Match[str]) -> str:
        many = finding.endswith(match[1]) and not re.search("[is]s$", match[1])
        return f"{match[1]} {PLURALS[match[2]]}" if many else match[0]

    return Clause(kind, frame, filled(frame), filled(frames[kind][0]) + ".")


def sentence(clauses: Sequence[Clause], joints: Sequence[str], draw: random.Random) -> tuple[str, list[str]]:
    """Return the words of clauses with a joint between each two, and the joints."""
    text, used = clauses[0].text, []
    for one in clauses[1:]:
        joint = draw.choice(joints)
        used.append(joint)
        text = joint.rstrip(".").format(A=text, B=one.text)
    return _capital(text) + ".", used


def said(findings: Sequence[Finding]) -> Counter[Said]:
    """Return what of findings counts: a former size is no detail of now."""
    return Counter(
        (f.concept, tuple(sorted(f.sites)), f.side, f.status, f.certainty, f.change, frozenset(_details(f))) for f in findings
    )


def unlike(text: str, canons: Sequence[str]) -> tuple[Counter[Said], Counter[Said]] | None:
    """Return what is lost and what is read and not said where a text is read otherwise than its canons, else None."""
    gold: Counter[Said] = Counter()
    for one in canons:
        gold += said(kgscore.read(one).findings)
    got = said(kgscore.read(text).findings)
    return (gold - got, got - gold) if gold != got else None


def _details(finding: Finding) -> set[tuple[str, str]]:
    return {(one.category, one.value) for one in finding.details if one.category != "previous"}


def joined(number: int, most: int, draw: random.Random) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield sentences of several clauses, with their canons and what to count them under."""
    frames, regions = blocks(HERE / "frames.txt"), blocks(HERE / "words.txt")
    for _ in range(number):
        region = draw.choice([lines for name, lines in regions.items() if name not in OWN])
        clauses: list[Clause] = []
        wanted = draw.randint(1, most)
        while len(clauses) < wanted:
            one = clause(frames, region, draw)
            if all(one.canon != other.canon and _places(one).isdisjoint(_places(other)) for other in clauses):
                clauses.append(one)
        text, joints = sentence(clauses, frames["joints"], draw)
        keys = [f"{len(clauses)} clauses", *{f"[{one.kind}] {one.frame}" for one in clauses}, *set(joints)]
        yield text, [one.canon for one in clauses], keys


def several(number: int, draw: random.Random, only: str = "") -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield sentences that say several things in one frame, with the canons of these."""
    regions = blocks(HERE / "words.txt")
    everywhere = [name for name in regions if name not in OWN]
    files = [blocks(path) for path in sorted((HERE / "several").glob("*.txt")) if only in path.stem]
    kinds = [(*kind.split(" @"), frame) for frames in files for kind, lines in frames.items() for frame in lines]
    for _ in range(number):
        kind, *own, frame = draw.choice(kinds)
        filled = None
        while filled is None:
            filled = _filled(frame, draw.choice([regions[name] for name in own or everywhere]), draw)
        text, canons = filled.split(" => ")
        whole = _capital(text.replace("\\n", "\n")).rstrip(".") + "."
        yield whole, [_capital(one) + "." for one in canons.split(" | ")], [kind, f"[{kind}] {frame}"]


def _filled(frame: str, region: Sequence[str], draw: random.Random) -> str | None:
    """Return a frame with words of a region, None where it has too few that fit."""
    sized = "{D" in frame or "{N" in frame
    changes = re.search("stable|changed|increas|decreas|new |resolv|larger|develop", frame)
    findings = [one for one in words(region, "finding") if ("*" in one or not sized) and ("+" in one or not changes)]
    findings = [one for one in (two.rstrip(" *+") for two in findings) if not re.search("[^isu]s$", one)]
    sites = words(region, "site")
    if len(findings) < 3 or len(sites) < 3:
        return None
    chosen = draw.sample(findings, 3)
    places = [one.replace("~", draw.choice(("left", "right"))) for one in draw.sample(sites, 3)]
    told = draw.sample(words(region, "descriptor"), 2)
    fill = {f"F{n}": one for n, one in enumerate(chosen, 1)} | {f"f{n}": bare(one) for n, one in enumerate(chosen, 1)}
    fill |= {f"S{n}": one for n, one in enumerate(places, 1)} | {f"s{n}": bare(one) for n, one in enumerate(places, 1)}
    return frame.format(**fill, D1=told[0], D2=told[1], N=f"{draw.randint(16, 60)} mm", M=f"{draw.randint(4, 15)} mm")


def _capital(text: str) -> str:
    text = re.sub(r"\ba ([aeiou])", r"an \1", re.sub(r"\ban ([^aeiou])", r"a \1", text))
    return re.sub(r"(^|[.:] |\n- )([a-z])", lambda m: m[1] + m[2].upper(), text)


def _places(one: Clause) -> set[str]:
    return set(re.findall(r"in (?:the )?([^.]+?)(?: has| is|$|\.| measuring)", one.canon)) or {one.canon.split(" is ")[0]}


def main() -> None:
    """Draw, read, count and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--number", type=int, default=2000)
    parser.add_argument("--clauses", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", help="a frame or joint, or part of one; 'all' for every wrong sentence")
    args = parser.parse_args()
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    how: Counter[str] = Counter()
    draw = random.Random(args.seed)
    for text, canons, keys in (*joined(args.number // 2, args.clauses, draw), *several(args.number // 2, draw)):
        tried.update(keys)
        if (otherwise := unlike(text, canons)) is not None:
            wrong.update(keys)
            lost, more = otherwise
            how.update([f"lost {sum(lost.values())}, more {sum(more.values())}"])
            if args.show and (args.show == "all" or any(args.show in key for key in keys)):
                print(text, *(f"    - {one}" for one in lost.elements()), *(f"    + {one}" for one in more.elements()), sep="\n")
    for key in sorted(tried, key=lambda one: -wrong[one] / tried[one]):
        if wrong[key]:
            print(f"{wrong[key] / tried[key]:6.1%} {wrong[key]:4d} of {tried[key]:4d}  {key}")
    print(how.most_common(8))


if __name__ == "__main__":
    main()
