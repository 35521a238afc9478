"""What an author is told about a module: every fault in words, with its line, and nothing about a sound one."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.errors import OntologyError
from kgscore.ontology import reason
from kgscore.ontology.author import check_logic, check_module
from kgscore.ontology.load import load_module, load_turtle
from kgscore.ontology.modules import distinct_modules, find_module, load_terms, merge_terms
from kgscore.ontology.tables import Form, Term
from kgscore.resources import resource

ANATOMY = """# a comment
molar_x | molar x | is: tooht
canal_x | canal x | part: lower jaw | def: gas @ tooth
ring_a | ring a | part: ring_b
ring_b | ring b | part: ring_a
+lung | | syn: breathing bag x
+lnug | | syn: breathing bag y
lung | lung again | part: thorax
floating | floating x | is: bone
fracture_place | fracture | part: tooth
each n=20..21 | rib_x_{n} | {n:ordinal} x | part: thorax
odd line
"""
FINDINGS = """sign_x | sign x | is: abnormality | syn: a; b | syn: c
sign_y | no sign y | is: abnormality | site: tooth ?
sign_z | sign z | is: abnormality | tier: 9
sign_w | sign w | is: finding | site: tooth ?
sign_v | sign v | is: abnormality
sign_u | pneumothorax | is: abnormality | site: pleural_space !
sign_t | probable | is: abnormality | site: tooth ?
+tooth | | syn: biter x
"""
TOLD = [
    ("error", "bad/anatomy.tbl:2", "molar_x", "parent 'tooht' is not known; did you mean 'tooth'?"),
    ("error", "bad/anatomy.tbl:3", "canal_x", "whole (part:) 'lower jaw' is not known; did you mean 'mandible' (mandible)?"),
    ("error", "bad/anatomy.tbl:3", "canal_x", "'def:' is not valid in anatomy.tbl"),
    ("error", "bad/anatomy.tbl:4", "ring_a", "a cycle of 'is and part': ring_a → ring_b → ring_a"),
    ("error", "bad/anatomy.tbl:7", "lnug", "'+lnug' extends an unknown term; did you mean 'lung'?"),
    ("error", "bad/anatomy.tbl:8", "lung", "begin the line with '+lung' to add to that one"),
    ("warning", "bad/anatomy.tbl:9", "floating", "no chain of parents leads to the body"),
    ("warning", "bad/anatomy.tbl:10", "fracture_place", "'fracture' is also the finding fracture"),
    ("error", "bad/anatomy.tbl:11", "each n=20..21", "'20' has no ordinal here"),
    ("error", "bad/anatomy.tbl:12", "odd line", "at least 'id | label'"),
    ("error", "bad/findings.tbl:1", "sign_x", "'syn:' is given twice, and only the last counts"),
    ("warning", "bad/findings.tbl:2", "sign_y", "contains a negation"),
    ("error", "bad/findings.tbl:3", "sign_z", "tier is critical, urgent, notable, routine"),
    ("warning", "bad/findings.tbl:4", "sign_w", "it is not an abnormality"),
    ("warning", "bad/findings.tbl:5", "sign_v", "no site, own or inherited"),
    ("note", "bad/findings.tbl:6", "sign_u", "takes 'pneumothorax' from pneumothorax"),
    ("warning", "bad/findings.tbl:7", "sign_t", "'probable' is a cue word"),
    ("error", "bad/findings.tbl:8", "tooth", "adds to one of anatomy; move the line to anatomy.tbl"),
    ("error", "bad/normals.tbl:1", "quiet_x", "it negates nothing"),
    ("error", "bad/qualities.tbl:1", "index_x", "no deviation"),
    ("warning", "bad/anatomie.tbl", "anatomie", "not read: tables are named"),
]


def write(folder: Path, **tables: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, text in tables.items():
        (folder / f"{kind}.tbl").write_text(text, encoding="utf-8")
    return folder


def test_every_fault_is_told_with_its_line_and_a_remedy(tmp_path: Path) -> None:
    bad = write(
        tmp_path / "bad", anatomy=ANATOMY, findings=FINDINGS, normals="quiet_x | quiet x", qualities="index_x | index x",
        anatomie="x | x",
    )
    checked = check_module(find_module(bad), reserved={"probable"})
    assert checked.wrong
    for severity, where, term, words in TOLD:
        found = [p for p in checked.problems if (p.severity, p.where, p.term) == (severity, where, term) and words in p.message]
        assert found, (where, words, [str(p) for p in checked.problems if p.where == where])
    assert all(problem.where.startswith("bad/") for problem in checked.problems)


def test_a_sound_module_gives_no_problem(tmp_path: Path) -> None:
    findings = "sign_x | sign x | is: lesion | site: tooth ? | syn: x sign\n+lesion | | syn: spottle\n"
    good = write(tmp_path / "good", findings=findings)
    checked = check_module(find_module(good))
    assert checked.problems == ()
    assert [term.id for term in checked.terms] == ["sign_x"]


def test_a_file_that_is_no_text_and_an_empty_folder_are_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    with pytest.raises(OntologyError, match="not a module; give a folder with"):
        find_module(broken)
    (broken / "findings.tbl").write_bytes(b"\xff\xfe\x00x")
    (problem,) = check_module(find_module(broken)).problems
    assert (problem.severity, problem.where) == ("error", "broken/findings.tbl")
    assert "UTF-8" in problem.message


def test_what_extends_a_term_grows_its_lists_and_keeps_its_label() -> None:
    base = Term("x", "x", "findings", "core", "core", synonyms=(Form("a"),), tier=2, flags=frozenset({"whole"}))
    more = Term("x", "", "findings", "mine", "mine:1", synonyms=(Form("a"), Form("b", "left")), extends=True)
    (found,) = merge_terms([base], [more])
    assert (found.label, found.tier, found.flags, found.extends) == ("x", 2, {"whole"}, False)
    assert found.synonyms == (Form("a"), Form("b", "left"))


def test_turtle_without_a_key_extends_a_shipped_concept(tmp_path: Path) -> None:
    path = tmp_path / "mine.ttl"
    path.write_text(
        "@prefix kgs: <https://w3id.org/kgscore/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        'kgs:fracture skos:altLabel "crackle x"@en .\n'
        '<https://example.org/s> kgs:key "sign_x" ; kgs:kind "findings" ; skos:prefLabel "sign x"@en .\n',
        encoding="utf-8",
    )
    extending, new = load_module(path, load_turtle(resource("ontologies")))
    assert (extending.id, extending.extends, extending.synonyms) == ("fracture", True, (Form("crackle x"),))
    assert (new.id, new.label, new.module, new.extends) == ("sign_x", "sign x", "mine", False)


def test_the_hash_follows_contents_and_names_not_the_place(tmp_path: Path) -> None:
    one = find_module(write(tmp_path / "a" / "mine", findings="x | x | is: lesion\n"))
    same = find_module(write(tmp_path / "b" / "mine", findings="x | x | is: lesion\r\n"))
    (tmp_path / "b" / "mine" / "README.md").write_text("not part of it")
    other = find_module(write(tmp_path / "c" / "mine", findings="x | x y | is: lesion\n"))
    renamed = find_module(write(tmp_path / "a" / "yours", findings="x | x | is: lesion\n"))
    assert one.hash == same.hash
    assert len({one.hash, other.hash, renamed.hash}) == 3
    assert [module.name for module in distinct_modules([one.path, one.path, renamed.path])] == ["mine", "yours"]
    with pytest.raises(OntologyError, match="the name of the module is that of"):
        distinct_modules([one.path, same.path])


@pytest.mark.skipif(bool(reason.missing_requirement()), reason=reason.missing_requirement())
def test_the_reasoner_is_given_the_axioms_of_a_module_in_turtle(tmp_path: Path) -> None:
    path = tmp_path / "mine.ttl"
    path.write_text(
        "@prefix : <https://example.org/> . @prefix kgs: <https://w3id.org/kgscore/> .\n"
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        ':s a owl:Class ; kgs:key "sign_x" ; kgs:kind "findings" ; skos:prefLabel "sign x"@en ;\n'
        "  rdfs:subClassOf kgs:lesion ; owl:disjointWith kgs:lesion .\n",
        encoding="utf-8",
    )
    shipped = [
        Term("finding", "finding", "findings", "core", "core.tbl:1"),
        Term("lesion", "lesion", "findings", "core", "core.tbl:2", parents=("finding",)),
    ]
    own = load_module(path, shipped)
    (problem,) = check_logic([*shipped, *own], {"sign_x"}, [path])
    assert (problem.severity, problem.term) == ("error", "sign_x")
    assert "nothing can satisfy it" in problem.message


def test_a_folder_with_a_core_stands_in_the_place_of_the_shipped_ontologies(tmp_path: Path) -> None:
    whole = write(tmp_path / "all" / "core", anatomy="body | body\n", findings="finding | finding | group\n").parent
    module = find_module(whole)
    assert module.whole
    terms, own = load_terms([module])
    assert [term.id for term in terms] == ["body", "finding"]
    assert own == []
