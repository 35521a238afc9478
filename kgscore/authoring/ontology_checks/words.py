"""Checks of normal words, qualities and descriptors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgscore.authoring.ontology_checks.world import OTHER_DETAILS, SAME_DETAILS, Check, World, article
from kgscore.ontology.index import ANYWHERE
from kgscore.ontology.tables import Term

# The number of normal statements tested against one finding.
_NORMALS = 6
# The number of bearers with which the wordings of a normal statement are tested.
_BEARERS = 2


def normal_checks(world: World, term: Term) -> Iterator[Check]:
    """Every wording of a normal statement is equivalent to its label, for each bearer in its rows. One that names a
    structure itself refers to that structure, which may be a part of the bearer; one that is read from its words, or that the
    bearer divides ("filling of the bladder is good"), may deny more ("amniotic fluid is normal", a wording of adequate fluid).
    One that is a wording of another normal statement first, for this bearer, has the meaning of that one; one that names a
    structure elsewhere is not said of the bearer."""
    sites: Sequence[str | None] = (None,) if term.sites else list(dict.fromkeys(_bearers(world, term)))[:_BEARERS]
    for site in sites:
        if world.is_another_normal(term.id, term.label, site) or world.is_elsewhere(term.label, site):
            continue
        said = normal_statement(world, term.label, site)
        for form in (*term.synonyms, *term.hidden, *term.adjectives):
            word = world.normal_word(form.text)
            if world.is_another_normal(term.id, form.text, site) or world.is_elsewhere(form.text, site):
                continue
            statement = normal_statement(world, form.text, site)
            whole = form.text.lower() in statement.lower()
            exact = word.site in (None, site) and term.id in word.ids and whole
            wanted = ("equivalent",) if exact else ("equivalent", "part_whole")
            yield Check("normal wording", term.id, form.text, said, statement, wanted)


def _bearers(world: World, term: Term) -> Iterator[str]:
    """Yield the structures that a normal word applies to: those of its rows, or the sites of what it negates."""
    for row in term.denies:
        yield world.bearers(row.genus)[0] if row.site == ANYWHERE else row.site


def normal_statement(world: World, word: str, site: str | None) -> str:
    """Return the statement that a structure is normal, using a word that may name the structure itself."""
    first, *rest = word.lower().split()
    settings = world.settings
    frame = "does" if first in settings["verbs"] else "is" if first in (*settings["predicates"], *settings["places"]) else ""
    named = world.normal_word(word).site is not None and not frame
    if site is None or named:
        return world.say("alone", word=word)
    if verb := next((verb for verb in ("is", "are") if verb in rest), None):
        subject, _, rest_of_it = word.partition(f" {verb} ")
        if world.named_site(subject):
            return world.say("alone", word=word)
        return world.say("clause", subject=subject, site=world.index.label(site), rest=f"{verb} {rest_of_it}")
    inside = not set(rest).isdisjoint(settings["places"])  # "normal in size"
    frame = frame or ("shows" if first in settings["denying"] or (world.names_thing(word) and not inside) else "is")
    return world.say(frame, site=world.index.label(site), word=word)


def against_normal(world: World, term: Term) -> Iterator[Check]:
    """What a normal statement negates of the bearer of a finding excludes the finding. One without a place that at the common
    structure is another finding ("reversal of the kidney": situs inversus) has no such statement; what is left of something long
    over, is at the limit of normal, or denies something itself, has none either."""
    if world.general(term.id) or not _abnormal(world, term) or world.kind_of(term.id, world.unopposed):
        return
    site, placed = world.bearers(term.id)[0], bool(world.index.soft_sites.get(term.id))
    if not placed and world.index.fold(term.id, (site,)) != term.id:
        return
    said = world.finding(term.label) if placed else world.placed(term.label, site)
    classes = world.index.derived(term.id, (site,))
    found = []
    for word in world.normal_words:
        if word.site is None or world.index.inside(site, word.site):
            denied = world.index.denied_by(word.ids, word.site or site).genus
            if denied in classes:
                found.append((word.text != world.settings["normal"], -len(world.index.ancestors[denied]), word.text))
    for _, _, text in sorted(found)[:_NORMALS]:
        yield Check("normal", term.id, text, said, normal_statement(world, text, site), ("contradiction",))


def _abnormal(world: World, term: Term) -> bool:
    """Return whether a normal statement concerns a finding at all: not devices, variants and postoperative changes."""
    return term.kind == "findings" and not any(
        world.terms[name].flags & {"status", "variant"} for name in world.index.ancestors[term.id] if name in world.terms
    ) and world.index.is_a(term.id, "abnormality")


def quality_checks(world: World, term: Term) -> Iterator[Check]:
    """A quality is the same under any noun; its deviation is the finding in the table, which its normality negates. A noun
    that names a structure is asked about that one ("arterial diameter": the artery); one that is first that of another quality,
    or names a structure elsewhere than the deviation, is not asked about."""
    for key, word in world.settings["deviations"].items():
        name = term.values.get(key)
        if name is None or name not in world.terms:
            continue
        for noun in term.nouns:
            if world.is_another_quality(term.id, noun):
                continue
            named = world.quality_site(noun) or (None if term.sites else world.named_site(noun))
            if named and not term.sites and world.elsewhere(name, named):
                continue
            site = named or world.bearers(term.id if term.sites else name)[0]
            said = world.placed(world.terms[name].label, site)
            deviating, normal = (_of_quality(world, noun, None if named else site, value) for value in (word, "normal"))
            yield Check("quality", term.id, f"{noun}: {word}", said, deviating, ("equivalent",))
            yield Check("quality normal", term.id, f"{noun}: {name}", said, normal, ("contradiction",))


def _of_quality(world: World, noun: str, site: str | None, word: str) -> str:
    if site is None:
        return world.say("is", site=noun, word=word)
    return world.say("quality", quality=noun, site=world.index.label(site), word=word)


def descriptor_checks(world: World, term: Term) -> Iterator[Check]:
    """A descriptor has the same meaning in any wording, and differs from its opposite."""
    if world.general(term.id) or not (term.synonyms or term.hidden or term.adjectives or term.opposites):
        return
    probe = _described_finding(world, term.id)
    said = described_sentence(world, term.label, probe)
    for form in (*term.synonyms, *term.hidden, *term.adjectives):
        yield Check("descriptor", term.id, form.text, said, described_sentence(world, form.text, probe), (SAME_DETAILS,))
    for name in sorted(world.index.opposites.get(term.id, ())):
        against = described_sentence(world, world.index.label(name), probe)
        yield Check("descriptor opposite", term.id, name, said, against, ("contradiction", OTHER_DETAILS))


def _described_finding(world: World, descriptor: str) -> str:
    """Return the name of a finding that a descriptor can apply to, and which with the descriptor is no concept of its own: "an
    acute lesion" is an acute abnormality, "a ground-glass lesion" a ground-glass opacity, of which no detail is left."""
    found = (one for category, one in world.settings["described"].items() if world.index.is_a(descriptor, category))
    labels = [world.probe, *map(world.index.label, world.settings["describable"])]
    free = (label for label in labels if not world.is_named(f"{world.index.label(descriptor)} {label}"))
    return next(map(world.index.label, found), None) or next(free, world.probe)


def _is_adverb(word: str) -> bool:
    """Return whether a word cannot stand before a noun ("acutely", "cranially")."""
    return word.endswith(("ally", "tely", "wards"))


def described_sentence(world: World, word: str, finding: str) -> str:
    """Return a sentence that applies a descriptor to a finding."""
    behind = len(word.split()) > 1 or word.split()[0] in (*world.settings["places"], *world.settings["verbs"]) or _is_adverb(word)
    after = word.split()[0] in (*world.settings["places"], *world.settings["joining"])
    frame = "following" if after else "describing" if behind else "described"
    return world.say(frame, article=article(word if frame == "described" else finding), finding=finding, word=word)
