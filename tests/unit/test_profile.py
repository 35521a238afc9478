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
def test_shipped_profiles_load_under_their_own_name(name: str) -> None:
    assert load_profile(name).name == name


def test_radsem_published_holds_the_constants_of_the_paper() -> None:
    assert load_profile("radsem-published") == Profile(
        name="radsem-published", description=load_profile("radsem-published").description, part_whole="fixed", link_share=0.0,
        conflict_factor=1.0,
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
