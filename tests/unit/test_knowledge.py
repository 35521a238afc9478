"""The cache of compiled knowledge: written once, thrown away when damaged, not needed when it cannot be written."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

from kgscore import knowledge
from kgscore.errors import OntologyError
from kgscore.knowledge import Knowledge, load_knowledge
from kgscore.ontology import load, modules
from kgscore.ontology.write import build
from kgscore.private_files import add_checksum
from kgscore.resources import resource

ANATOMY = "body | body\npleural_space | pleural space | part: body | paired\n"
FINDINGS = """abnormality | abnormality | group
pleural_effusion | pleural effusion | is: abnormality | site: pleural_space ! | syn: effusion
"""


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a small ontology in the place of the shipped one."""
    core = tmp_path / "small" / "tables" / "core"
    core.mkdir(parents=True)
    (core / "anatomy.tbl").write_text(ANATOMY, encoding="utf-8")
    (core / "findings.tbl").write_text(FINDINGS, encoding="utf-8")
    build(core.parent, tmp_path / "small")

    def found(*parts: str) -> Path:
        return tmp_path / "small" if parts == ("ontologies",) else resource(*parts)

    for module in (knowledge, modules):
        monkeypatch.setattr(module, "resource", found)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set an empty cache folder."""
    monkeypatch.setenv("KGSCORE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by one each time the ontologies are read from Turtle."""
    times: list[int] = []
    original = load.load_turtle

    def counted(folder: Path) -> object:
        times.append(1)
        return original(folder)

    monkeypatch.setattr(load, "load_turtle", counted)
    return times


def same(one: Knowledge, other: Knowledge) -> bool:
    return one.hash == other.hash and one.index.concepts == other.index.concepts and one.lexicon.size == other.lexicon.size


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_cache_is_written_once_and_used(cache: Path, compiled: list[int]) -> None:
    first = load_knowledge()
    (written,) = files(cache)
    assert written.suffix == ".index"
    before = written.read_bytes()
    second = load_knowledge()
    assert same(first, second)
    assert len(compiled) == 1
    assert files(cache) == [written]
    assert written.read_bytes() == before
    forms = [k.lexicon.lookup(["pleural", "effusion"]) for k in (first, second)]
    assert forms[0] == forms[1] != ()


@pytest.mark.parametrize("damage", ["", "not marshal at all", "half", "other data", "one bit"])
def test_a_damaged_cache_is_ignored_and_made_again(cache: Path, compiled: list[int], damage: str) -> None:
    first = load_knowledge()
    (path,) = files(cache)
    whole = path.read_bytes()
    damaged = {
        "half": whole[: len(whole) // 2], "other data": add_checksum(marshal.dumps([1, 2])),
        "one bit": whole.replace(b"pleural effusion", b"pleural effusioo"),
    }  # fmt: skip
    path.write_bytes(damaged.get(damage, damage.encode()))
    assert same(load_knowledge(), first)
    assert len(compiled) == 2
    load_knowledge()
    assert len(compiled) == 2


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("KGSCORE_CACHE", str(blocked))
    assert load_knowledge().lexicon.size > 0
    assert blocked.read_text(encoding="utf-8") == "in the way"


def test_a_module_of_the_user_changes_the_hash_and_adds_its_terms(cache: Path, tmp_path: Path) -> None:
    module = tmp_path / "mine"
    module.mkdir()
    (module / "findings.tbl").write_text("blorf | blorf | is: abnormality | syn: wobbly blotch\n", encoding="utf-8")
    plain, more = load_knowledge(), load_knowledge([module])
    assert plain.hash != more.hash
    assert "blorf" in more.index.concepts
    assert "blorf" not in plain.index.concepts
    assert more.lexicon.lookup(["wobbly", "blotch"])[0].id == "blorf"


def test_a_wrong_module_is_one_line(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(OntologyError) as error:
        load_knowledge([tmp_path / "missing"])
    assert "\n" not in str(error.value)
