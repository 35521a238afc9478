"""Roles: the tables give them, the index finds them, and no id of a concept stands in the code instead."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import kgscore
from kgscore.engine import Scorer
from kgscore.errors import OntologyError
from kgscore.ontology.compile import build_index
from kgscore.ontology.files import roles, table
from kgscore.ontology.tables import line_terms, read_tables
from kgscore.resources import resource

PACKAGE = Path(kgscore.__file__).parent
TABLES = resource("ontologies", "tables")

# What the package itself calls kinds of items and cues, fields, types of values and of entities, and its modules: concepts
# happen to have these names, and none is meant where they stand.
OWN = {
    "abdomen",
    "breast",
    "change",
    "clear",
    "colon",
    "descriptor",
    "device",
    "early",
    "finding",
    "flow",
    "head",
    "integrity",
    "normal",
    "pelvis",
    "position",
    "procedure",
    "spine",
    "stable",
    "tips",
    "uncertain",
}
# Categories of details, in which a reading is told.
CATEGORIES = {
    "certainty_descriptor",
    "size",
    "change_descriptor",
    "composition",
    "direction",
    "enhancement_descriptor",
    "fracture_descriptor",
    "margin",
    "component_involved",
    "distribution",
    "normalcy",
    "occupancy",
    "phase",
    "position_descriptor",
    "quantity",
    "severity_descriptor",
    "size_descriptor",
    "temporality",
}
# Words of English that text or labels are searched for.
ENGLISH: dict[str, set[str]] = {
    "authoring/ontology_checks/words.py": {"abnormality"},
    "lab/bench/_ask.py": {"area"},
    "linking/build.py": {"alignment", "caliber", "contour", "height", "shape", "signal", "size", "thickness"},
    "matching/relatedness.py": {"abnormality"},
    "metrics/radot_align.py": {"alignment"},
    "metrics/ratescore_entities.py": {"abnormality"},
    "reading/compose/composer.py": {"fracture"},
    "reading/site_constraints.py": {"muscle", "tendon"},
    "reading/part_names.py": {"body", "neck"},
    "reading/mentions.py": {"large"},
    "reading/parted.py": {"surrounding"},
    "reading/sharing.py": {"artery", "duct", "ligament", "neck", "nerve", "tendon", "vein"},
    "reading/signals.py": {"signal"},
    "reading/level_ranges.py": {"vertebra"},
    "report/plots/regions.py": {"height"},
    "serve/guard.py": {"body"},
    "lab/annotation/marks.py": {"face", "neck"},
}
# Ids of concepts that still stand in code: it may only become shorter. `matching` waits for its rewriting; the others are
# studies and examples, on which no score depends.
STILL: dict[str, set[str]] = {
    "serve/pages.py": {"pneumothorax"},  # with which the page of the ontology opens
    "lab/bench/_errors.py": {"abnormality", "acute_abnormality", "congenital_variant", "incidental_finding", "lesion"},
    "matching/details.py": {"mild", "minimal", "small", "trace", "very_small"},
    "lab/fma/terms.py": {"anatomical_structure"},
    # the parser: what it is told of concepts, and the words of composition
    "reading/composition/qualities.py": {"signal"},
    "reading/composition/locations.py": {"left_to_right", "right_to_left"},
    "reading/structure/columns.py": {
        "abnormality",
        "anatomical_structure",
        "bone",
        "collection",
        "density_abnormality",
        "enlargement",
        "fluid",
        "fracture",
        "hemorrhage",
        "joint",
        "lesion",
        "mass",
        "opacity",
        "organ",
        "signal_abnormality",
        "thickening",
        "vertebra",
        "vessel",
    },
    "ontology/exact.py": {"abnormality", "mass", "opacity"},
    "reading/structure/weights.py": {"shape"},
}


def literals(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.fixture(scope="module")
def found(scorer: Scorer) -> dict[str, set[str]]:
    ids = scorer.index.concepts.keys() - OWN - CATEGORIES
    files = {path.relative_to(PACKAGE).as_posix(): literals(path) & ids for path in sorted(PACKAGE.rglob("*.py"))}
    files = {name: held - ENGLISH.get(name, set()) for name, held in files.items()}
    return {name: held for name, held in files.items() if held}


def test_no_more_ids_of_concepts_stand_in_code(found: dict[str, set[str]]) -> None:
    assert {name: held - STILL.get(name, set()) for name, held in found.items() if held - STILL.get(name, set())} == {}


def test_what_is_gone_from_the_code_is_gone_from_the_list(found: dict[str, set[str]]) -> None:
    assert {name: held - found.get(name, set()) for name, held in STILL.items() if held - found.get(name, set())} == {}


def test_one_concept_has_a_single_role_and_every_role_has_one() -> None:
    counts = Counter(role for term in read_tables(TABLES) for role in term.roles)
    assert {role for role, count in counts.items() if roles()[role] and count != 1} == set()
    assert set(counts) == set(roles())


def test_no_role_is_the_id_of_a_concept(scorer: Scorer) -> None:
    assert roles().keys() & scorer.index.concepts.keys() == set()
    assert len(roles()) == len(table(TABLES / "roles.tbl"))


def test_every_role_is_asked_for_and_described() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py") if path.name != "roles.py")
    rules = "".join(path.read_text(encoding="utf-8") for path in resource("mappings", "reading", "rules").glob("*.yaml"))
    asked = {*re.findall(r'"(\w+)"', code), *re.findall(r"\b(?:is|under|named|category):(\w+)", rules)}
    asked |= {"to_the_left", "to_the_right"}
    assert roles().keys() - asked - WAITING == set()
    text = (TABLES / "FORMAT.md").read_text(encoding="utf-8")
    assert [role for role, _, meaning in table(TABLES / "roles.tbl") if f"| `{role}` | {meaning} |" not in text] == []


# Roles that `matching.details` will ask for.
WAITING = {"placing"}


def test_the_index_finds_them(scorer: Scorer) -> None:
    assert scorer.index.role("any_abnormality") == "abnormality"
    assert scorer.index.flagged("limbs") == {"upper_limb", "lower_limb"}
    assert scorer.index.flagged("nothing") == frozenset()


def test_an_ontology_without_a_role_answers_with_no_concept() -> None:
    index = build_index(list(line_terms("stone | stone", "findings", "own", "own/findings.tbl:1")))
    assert index.role("any_abnormality") == ""
    assert not index.is_a("stone", index.role("any_abnormality"))


def test_a_module_gives_a_role_to_its_own_concepts(tmp_path: Path) -> None:
    folder = tmp_path / "oct"
    folder.mkdir()
    (folder / "descriptors.tbl").write_text("fresh_looking | fresh-looking | is: temporality | role: recent\n", encoding="utf-8")
    index = Scorer(modules=[folder]).index
    assert index.flagged("recent") == {"acute", "subacute", "early", "fresh_looking"}


def test_an_unknown_role_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(OntologyError, match="no role 'lesion'; did you mean 'lesions'"):
        list(line_terms("x | x | role: lesion", "findings", "own", "own/findings.tbl:1"))
