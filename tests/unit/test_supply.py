"""What is shipped is pinned, every extra by its version and the core by hashes, and what SECURITY.md promises has its tests."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PIN = re.compile(r"^([\w.-]+)==([\w.]+)", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    return {canonicalize_name(package): version for package, version in PIN.findall((ROOT / name).read_text())}


@pytest.mark.parametrize("extra", ["", *PROJECT["optional-dependencies"]])
def test_every_requirement_is_pinned_to_a_version_that_it_allows(extra: str) -> None:
    pinned = pins("constraints.txt")
    for row in PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]:
        wanted = Requirement(row)
        assert pinned[canonicalize_name(wanted.name)] in wanted.specifier


def test_the_core_is_pinned_alike_with_hashes_and_without_an_index() -> None:
    text, pinned = (ROOT / "requirements.txt").read_text(), pins("requirements.txt")
    assert {canonicalize_name(Requirement(row).name) for row in PROJECT["dependencies"]} <= pinned.keys()
    assert pinned.items() <= pins("constraints.txt").items()
    blocks = [block for block in text.replace("\\\n", "").splitlines() if not block.startswith("#")]
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", block) for block in blocks)
    assert "://" not in text


def test_every_promise_of_security_names_tests_that_exist() -> None:
    rows = re.findall(r"^\| \*\*(.+)\*\*.* \| (.+) \|$", (ROOT / "SECURITY.md").read_text(), re.MULTILINE)
    assert len(rows) > 10
    for promise, named in rows:
        tests = re.findall(r"`([^`]+)`", named)
        assert tests, promise
        assert [test for test in tests if not (ROOT / test).exists()] == [], promise
