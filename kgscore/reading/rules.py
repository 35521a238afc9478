"""The default reader: rules over the lexicon, no model, no network."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.linking.lexicon import Lexicon
from kgscore.model import Finding, Reading, Unlinked
from kgscore.ontology.index import Index
from kgscore.reading.build import Builder, Context, deduplicate
from kgscore.reading.clauses import Composer, Head, Place, Vocabulary
from kgscore.reading.mentions import Item, items_of, share_head_noun
from kgscore.reading.sections import SILENT, Sentence, sentences
from kgscore.reading.tokens import tokenize

# Heads that only show something: what "likely …" adds to them is a detail, not a second finding.
_GENERIC = (
    "opacity", "lesion", "nodule", "mass", "density_abnormality", "signal_abnormality", "lucency", "collection", "cyst", "shadow", "focus", "area",
    "thickening", "enhancement", "fluid", "filling_defect", "abnormality_unspecified",
)


class Reader:
    """Reads reports into findings with the help of an index and a lexicon."""

    def __init__(self, index: Index, lexicon: Lexicon) -> None:
        self.index = index
        self.lexicon = lexicon
        self.builder = Builder(index)
        concepts = index.concepts
        findings = [c for c in concepts.values() if c.kind in ("findings", "devices")]
        self.vocabulary = Vocabulary(
            empty=frozenset(c.id for c in concepts.values() if "empty" in c.flags),
            qualities=index.qualities,
            generic=frozenset(c.id for c in findings if any(index.is_a(c.id, g) for g in _GENERIC) and not index.is_a(c.id, "malignancy")),
            labels={c.id: c.label for c in concepts.values()},
            parents={c.id: self._category(c.id) for c in concepts.values() if c.kind == "descriptors"},
            devices=frozenset(c.id for c in concepts.values() if c.kind == "devices"),
            nested=None,
        )

    def _category(self, concept: str) -> str:
        above = self.index.ancestors[concept]
        top = [a for a in above if "descriptor" in self.index.concepts[a].parents]
        return top[0] if top else "descriptor"

    def read(self, report: str) -> Reading:
        """Return the findings of a report, in order, and the words that no concept covers."""
        findings: list[Finding] = []
        unlinked: list[Unlinked] = []
        context = Context([])
        pending: list[Head] = []
        for sentence in sentences(report):
            if sentence.section == SILENT:
                continue
            self._sentence(report, sentence, context, findings, unlinked, pending)
        return Reading(tuple(deduplicate(findings)), unlinked=tuple(unlinked))

    # ---- one sentence --------------------------------------------------------------------------------------------
    def _items(self, report: str, start: int, end: int) -> list[Item]:
        tokens = tokenize(report[start:end], start)
        items = items_of(tokens, self.lexicon.scan(tokens))
        share_head_noun(items, tokens, self.lexicon)
        return items

    def _sentence(
        self, report: str, sentence: Sentence, context: Context, findings: list[Finding], unlinked: list[Unlinked], pending: list[Head]
    ) -> None:
        items = self._items(report, sentence.start, sentence.end)
        label: list[tuple[Place, ...]] = []
        side: str | None = None
        if sentence.label is not None:
            named = self._items(report, *sentence.label)
            if any(item.kind == "F" and not item.adjective for item in named) and not (any(item.kind == "A" for item in named) and items):
                colon = Item("comma" if items and items[0].kind in ("F", "A") else "colon", "", None, False, sentence.label[1], sentence.label[1], 0, 0)
                if not items:
                    pending[:] = Composer(self.vocabulary, report).run(named, [], None)
                    return
                items = [*named, colon, *items]
            else:
                places = self._label_places(named, report, sentence, context)
                sides = {item.id for item in named if item.kind == "sideword"} | {item.side for item in named if item.side}
                side = next((s for s in ("left", "right", "both") if s in sides), None)
                if {"left", "right"} <= sides:
                    side = "both"
                if not items:
                    context.heading, context.heading_side = places, side
                    pending.clear()
                    return
                if not places and side:
                    places = [tuple((name, side) for name, _ in alternative) for alternative in context.heading]
                if places and any(item.kind == "Q" for item in named):
                    items = [item for item in named if item.kind == "Q"] + items
                if not places and any(item.kind == "Q" for item in named):
                    items = [*named, Item("colon", "", None, False, sentence.label[1], sentence.label[1], 0, 0), *items]
                if not places and not side and any(item.kind == "F" for item in named):
                    items = [*named, Item("colon", "", None, False, sentence.label[1], sentence.label[1], 0, 0), *items]
                label = places
                context.heading_side = side if places or side else context.heading_side
                if places:
                    context.last_sites = ()
        elif sentence.alone and items and all(item.kind in ("A", "sideword", "stop", "and", "comma", "M", "slash", "colon") for item in items):
            if pending and sentence.bullet:
                for head in pending:
                    for place in self._coordinated(items):
                        clone = Head(head.kind, head.concept, head.item, head.start, head.end, [place], None, head.status, head.certainty, list(head.details))
                        findings.extend(self.builder.build(clone, report, sentence.section, context))
                return
            places = self._coordinated(items)
            if places and not sentence.bullet:
                context.heading = places
                context.heading_side = next((item.id for item in items if item.kind == "sideword"), None)
                return
        if sentence.label is None and not sentence.bullet:
            pending.clear()
        saved = (context.heading, context.heading_side)
        if label:
            context.heading = label + [h for h in context.heading if h not in label]
        composer = Composer(self.vocabulary, report)
        heads = composer.run(items, label, side)
        built: list[tuple[Head, list[Finding]]] = []
        for head in heads:
            result = self.builder.build(head, report, sentence.section, context)
            built.append((head, result))
            if result and not context.last_sites or result and head.status == "present":
                context.last_sites = tuple((site, result[0].side if len(result) == 1 else None) for site in result[0].sites)
            for finding in result:
                if finding.side and finding.sites and any(self.index.inside(finding.sites[0], limb) for limb in ("upper_limb", "lower_limb")):
                    context.limb_side = finding.side
        findings.extend(self._exceptions(built))
        if label and not sentence.opens_line:
            context.heading = label
        elif label:
            context.heading, context.heading_side = (saved[0] if sentence.bullet or saved[0] and side and not label else label), side
            if saved[0] and saved[0] != label and self._below(label, saved[0]):
                context.heading, context.heading_side = saved
        if not heads and not composer.dropped:
            self._unlinked(items, report, unlinked)
        else:
            self._unlinked_words(items, report, unlinked)

    def _below(self, label: list[tuple[Place, ...]], heading: list[tuple[Place, ...]]) -> bool:
        return all(
            any(self.index.inside(place[-1][0], above[-1][0]) for above in heading if above) for place in label if place
        )

    def _label_places(self, named: list[Item], report: str, sentence: Sentence, context: Context) -> list[tuple[Place, ...]]:
        places = self._coordinated(named)
        if context.heading and sentence.label is not None:
            # "Main:" below "PULMONARY ARTERIES" is the main pulmonary artery.
            words = [t.norm.lower() for t in tokenize(report[sentence.label[0] : sentence.label[1]]) if t.norm not in ("left", "right")]
            above = context.heading[0][-1][0] if context.heading[0] else ""
            for form in (self.index.label(above),):
                tail = [t.norm.lower() for t in tokenize(form)]
                entries = [e for e in self.lexicon.lookup([*words, *tail]) if e.type == "A"]
                if entries:
                    return [((entries[0].id, None),)]
        return places

    def _coordinated(self, items: Sequence[Item]) -> list[tuple[Place, ...]]:
        """Return the sites named in a heading, one alternative each."""
        found: list[tuple[Place, ...]] = []
        side: str | None = None
        sides = {item.id for item in items if item.kind == "sideword"}
        for item in items:
            if item.kind == "sideword":
                side = item.id
            elif item.kind == "A":
                found.append(((item.id, item.side or side or (next(iter(sides)) if len(sides) == 1 else None)),))
        return found

    def _exceptions(self, built: list[tuple[Head, list[Finding]]]) -> list[Finding]:
        """ "Kidneys normal except …": the restricted normal statement carries `otherwise`, on the side of the exception only."""
        out: list[Finding] = []
        for head, findings in built:
            if not head.otherwise:
                out += findings
                continue
            sides = {f.side for other, fs in built if other is not head and other.status == "present" for f in fs}
            for finding in findings:
                if finding.both and sides and finding.side not in sides and None not in sides:
                    details = tuple(d for d in finding.details if d.value != "otherwise")
                    finding = _replace(finding, details=details, restricted=False)
                out.append(finding)
        return out

    # ---- what was not understood ---------------------------------------------------------------------------------
    def _unlinked(self, items: list[Item], report: str, unlinked: list[Unlinked]) -> None:
        words = [item for item in items if item.kind in ("W", "A", "M", "Q")]
        if any(item.kind == "W" for item in words):
            start, end = words[0].start, words[-1].end
            unlinked.append(Unlinked(report[start:end], start, end))

    def _unlinked_words(self, items: list[Item], report: str, unlinked: list[Unlinked]) -> None:
        for item in items:
            if item.kind == "W" and len(item.id) > 2 and not item.used:
                unlinked.append(Unlinked(report[item.start : item.end], item.start, item.end))


def _replace(finding: Finding, **changes: object) -> Finding:
    from dataclasses import replace

    return replace(finding, **changes)  # type: ignore[arg-type]
