"""What a module says of itself beside its terms: where a bare finding is, and its units."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.errors import OntologyError
from kgscore.knowledge import load_knowledge
from kgscore.ontology.author import check_module
from kgscore.ontology.modules import find_module

FILES = {
    "anatomy.tbl": """
macula | macula | part: retina | paired | syn: macular region | adj: macular
subretinal_space | subretinal space | part: retina | paired | adj: subretinal
retinal_pigment_epithelium | retinal pigment epithelium | part: retina | paired | abbr: RPE
""",
    "findings.tbl": """
subretinal_fluid | subretinal fluid | is: abnormality | def: fluid @ subretinal_space | tier: urgent
drusen | drusen | is: abnormality | site: retinal_pigment_epithelium ! | tier: notable
""",
    "defaults.txt": """
# In optical coherence tomography a fluid without a place is below the retina, anything else in the retina.
fluid | oct | subretinal_space
fluid | @retina | subretinal_space
abnormality | oct | retina
""",
    "units.txt": "refraction dpt 1 | dpt; diopter; dioptre | signed\n",
}


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modules") / "oct"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def reader(module: Path) -> Scorer:
    return Scorer(modules=[module])


def places(scorer: Scorer, report: str) -> list[tuple[str | None, tuple[str, ...]]]:
    return [(finding.concept, finding.sites) for finding in scorer.read(report).findings]


@pytest.mark.parametrize("report", ["No fluid.", "Drusen of the RPE. No fluid.", "Retina: drusen. The lens is clear. No fluid."])
def test_a_bare_finding_is_where_the_module_says(reader: Scorer, report: str) -> None:
    assert places(reader, report)[-1] == ("subretinal_fluid", ("subretinal_space",))


def test_without_the_module_it_is_where_the_shipped_defaults_say(scorer: Scorer) -> None:
    assert set(places(scorer, "No fluid.")) == {("pleural_effusion", ("pleural_space",))}


@pytest.mark.parametrize("report", ["The lungs are clear. No fluid.", "CT of the chest. Nodule in the left lung. No fluid."])
def test_another_region_keeps_its_own_defaults_beside_the_module(reader: Scorer, report: str) -> None:
    assert places(reader, report)[-1] == ("pleural_effusion", ("pleural_space",))


def test_anything_else_without_a_place_of_its_own_is_at_the_place_of_all(reader: Scorer) -> None:
    assert places(reader, "A lesion is seen.") == [("lesion", ("retina",))]


def test_units_of_the_module_are_read(reader: Scorer, scorer: Scorer) -> None:
    report = "Macular lesion, -2.5 diopters."
    assert [(d.category, d.value) for d in reader.read(report).findings[0].details] == [("refraction", "-2.5 dpt")]
    assert not scorer.read(report).findings or not scorer.read(report).findings[0].details


def test_a_change_of_the_settings_changes_the_signature(module: Path, tmp_path: Path, reader: Scorer) -> None:
    other = tmp_path / "oct"
    other.mkdir()
    for name, text in FILES.items():
        (other / name).write_text(
            text if name != "defaults.txt" else text.replace("fluid | oct", "edema | oct"), encoding="utf-8"
        )
    assert find_module(other).hash != find_module(module).hash
    assert load_knowledge([other]).hash != load_knowledge([module]).hash


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("defaults.txt", "fluid | oct | subretinal_spac\n", "unknown id 'subretinal_spac'; did you mean 'subretinal_space'"),
        ("defaults.txt", "fluid | subretinal_space\n", "a line must have three cells"),
        ("units.txt", "refraction dpt | dpt |\n", "a unit is 'quantity base factor"),
    ],
)
def test_a_wrong_setting_says_where_and_how_to_mend_it(tmp_path: Path, name: str, text: str, message: str) -> None:
    folder = tmp_path / "oct"
    folder.mkdir()
    for file, content in {**FILES, name: text}.items():
        (folder / file).write_text(content, encoding="utf-8")
    if name == "defaults.txt":
        (problem,) = [problem for problem in check_module(find_module(folder)).problems if problem.severity == "error"]
        assert (problem.where, message in problem.message) == (f"oct/{name}", True)
    with pytest.raises(OntologyError, match=message):
        Scorer(modules=[folder])


def test_the_module_is_sound_and_a_folder_with_units_only_is_one(module: Path, tmp_path: Path) -> None:
    assert not check_module(find_module(module)).wrong
    folder = tmp_path / "lenses"
    folder.mkdir()
    (folder / "units.txt").write_text(FILES["units.txt"], encoding="utf-8")
    assert not check_module(find_module(folder)).wrong
    assert load_knowledge([folder]).index.brought("units") == (("refraction dpt 1", "dpt; diopter; dioptre", "signed"),)
