"""Profiles: the shipped ones load; what is unknown or out of range is refused in one clear line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.errors import ProfileError
from kgscore.metrics.radsem import Options
from kgscore.profile import Profile, load_profile
from kgscore.resources import resource

NAMES = sorted(path.stem for path in resource("mappings", "profiles").glob("*.yaml"))


@pytest.mark.parametrize("name", NAMES)
def test_unlinked_findings_weigh_little_and_as_published_one(name: str) -> None:
    assert load_profile(name).unlinked_weight == (1.0 if "-published" in name else 0.1)


@pytest.mark.parametrize("name", NAMES)
def test_shipped_profiles_load_under_their_own_name(name: str) -> None:
    assert load_profile(name).name == name


def test_radsem_published_holds_the_constants_of_the_paper() -> None:
    assert load_profile("radsem-published") == Profile(
        name="radsem-published", description=load_profile("radsem-published").description, part_whole="fixed", link_share=0.0,
        conflict_factor=1.0, unlinked_weight=1.0, contradiction_first=False,
        metrics={"radsem": {"denial": 0.0}, "radsem_alt": {"denial": 0.0}},
    )
    assert (Options().abnormal, Options().normal) == (0.9, 0.1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("link_shar: 0.5", "unknown key 'link_shar'; did you mean 'link_share'?"),
        ("part_hole: fixed", "unknown key 'part_hole'; did you mean 'part_whole'?"),
        ("zzz: 1", "unknown key 'zzz'; known keys: "),
        ("link_share: high", "'link_share' must be a float"),
        ("link_share: true", "'link_share' must be a float"),
        ("link_share: 1.5", "'link_share' must lie between 0 and 1"),
        ("depth_decay: -0.1", "'depth_decay' must lie between 0 and 1"),
        ("part_whole: half", "part_whole is 'fixed' or 'depth', not 'half'"),
        ("name: 3", "'name' must be a str"),
        ("link_share: [1", "cannot be read as a profile"),
    ],
)
def test_a_wrong_profile_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError) as error:
        load_profile(path)
    message = str(error.value)
    assert message.startswith("mine.yaml: ")
    assert said in message
    assert "\n" not in message


def test_a_users_profile_keeps_the_rest_at_its_default(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("link_share: 1", encoding="utf-8")
    assert load_profile(str(path)) == Profile(name="mine", link_share=1)


@pytest.mark.parametrize("name", ["defualt", "no-such-profile", "missing.yaml"])
def test_a_missing_profile_is_one_line(name: str) -> None:
    with pytest.raises(ProfileError, match=name) as error:
        load_profile(name)
    assert "\n" not in str(error.value)


def test_bytes_that_are_no_text_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(ProfileError, match="cannot be read as a profile"):
        load_profile(path)


# --- inheritance and weights ---


def test_an_heir_keeps_what_it_does_not_say_in_every_table(tmp_path: Path) -> None:
    (tmp_path / "parent.yaml").write_text(
        "part_whole: fixed\nlink_share: 0.5\nweights:\n  entity: {anatomy: 0, descriptor: 2}\n  severity: {4: 3}\n"
        "metrics:\n  radsem: {abnormal: 0.5, normal: 0.2}\n"
    )
    (tmp_path / "heir.yaml").write_text(
        "inherits: parent.yaml\nlink_share: 0.7\nweights:\n  entity: {anatomy: 1}\n  region: {lung: 2}\n"
        "metrics:\n  radsem: {normal: 0.3}\n  headct_one: {partial: false}\n"
    )
    heir = load_profile(tmp_path / "heir.yaml")
    assert (heir.name, heir.part_whole, heir.link_share, heir.depth_decay) == ("heir", "fixed", 0.7, 0.5)
    assert heir.weights.entity == {"anatomy": 1, "descriptor": 2}
    assert (heir.weights.severity, heir.weights.region) == ({"4": 3}, {"lung": 2})
    assert heir.metrics == {"radsem": {"abnormal": 0.5, "normal": 0.3}, "headct_one": {"partial": False}}


def test_a_users_profile_inherits_from_a_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("inherits: radsem-published\nweights:\n  concept: {pneumothorax: 5}\n")
    mine, parent = load_profile(path), load_profile("radsem-published")
    assert (mine.part_whole, mine.link_share) == (parent.part_whole, parent.link_share) == ("fixed", 0.0)
    assert (mine.name, mine.description, mine.weights.concept) == ("mine", "", {"pneumothorax": 5})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("inherits: mine.yaml", "inherits from itself (mine → mine)"),
        ("inherits: defualt", "profile 'defualt': not found; did you mean 'default'?"),
        ("inherits: [default]", "'inherits' must be the name of a profile or the path of a .yaml file"),
        ("weights: 3", "'weights' must be a mapping"),
        ("weights: {entity: 3}", "weights: 'entity' must be a mapping of names to weights"),
        ("weights: {subtre: {a: 1}}", "weights: unknown key 'subtre'; did you mean 'subtree'?"),
        ("weights: {entity: {observation: 1}}", "weights: entity: unknown key 'observation'; did you mean 'observation_"),
        ("weights: {relation: {located: 1}}", "weights: relation: unknown key 'located'; did you mean 'located_at'?"),
        ("weights: {severity: {5: 1}}", "weights: severity: unknown key '5'"),
        ("weights: {concept: {a: high}}", "weights: concept: 'a' must be a number of 0 or more"),
        ("weights: {concept: {a: true}}", "weights: concept: 'a' must be a number of 0 or more"),
        ("weights: {concept: {a: -1}}", "weights: concept: 'a' must be a number of 0 or more"),
        ("weights: {concept: {a: .inf}}", "weights: concept: 'a' must be a number of 0 or more"),
        ("weights: {concept: {a: .nan}}", "weights: concept: 'a' must be a number of 0 or more"),
        ("metrics: [radsem]", "'metrics' must map names of metrics to their options"),
        ("- 1", "expected a mapping of keys to values"),
    ],
)
def test_wrong_heirs_and_weights_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError) as error:
        load_profile(path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_two_profiles_that_inherit_from_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("inherits: b.yaml")
    (tmp_path / "b.yaml").write_text("inherits: a.yaml")
    with pytest.raises(ProfileError, match="inherits from itself"):
        load_profile(tmp_path / "a.yaml")
