"""What tells one scorer from another: the version once, and the code by the hash of the sources that decide."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import kgscore
from kgscore.cli import main
from kgscore.code_hash import DECIDING, code_hash, hash_of
from kgscore.profile import load_profile
from kgscore.signature import signature_of

PACKAGE = Path(kgscore.__file__).parent
# Loaded while scoring, and no score depends on them: where files are, how records come in and results go out.
_ASIDE = re.compile(
    r"kgscore\.(?:code_hash|config|errors|escaping|io|notebook_html|private_files|process|report|resources|results|signature|time_limit|version)\b"
    r"|kgscore\.(?:entailment|ontology|reading|matching|metrics|linking|labelling)\Z|kgscore\Z"
)
_SCORES = """
import sys, kgscore
from kgscore.engine import Scorer
scorer = Scorer(metrics=("all",))
result = scorer.score(reference="Small left effusion, 5 mm nodule.", candidate="Large left effusion.")
scorer.read("No pneumothorax."); scorer.entails("No effusion.", "Effusion.")
print("\\n".join(sorted(name for name in sys.modules if name.split(".")[0] == "kgscore")))
"""


def copy(folder: Path) -> Path:
    return Path(shutil.copytree(PACKAGE, folder / "kgscore", ignore=shutil.ignore_patterns("__pycache__")))


def test_the_version_stands_once() -> None:
    stated = [path for path in PACKAGE.rglob("*.py") if kgscore.__version__ in path.read_text(encoding="utf-8")]
    assert stated == [PACKAGE / "version.py"]


def test_the_signature_tells_version_and_code() -> None:
    found = signature_of("k", load_profile("default"), {"reader": "parser"})
    assert (found["kgscore"], found["code"]) == (kgscore.__version__, hash_of(PACKAGE))


def test_the_hash_changes_with_every_source_that_decides_and_with_no_other(tmp_path: Path) -> None:
    package = copy(tmp_path)
    before = hash_of(package)
    assert before == code_hash()
    for name in ("reading/units.py", "matching/relation.py", "ontology/index.py", "model.py", "metrics/radsem.py"):
        path = package / name
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n# changed\n", encoding="utf-8")
        assert hash_of(package) != before, name
        path.write_text(text, encoding="utf-8")
    (package / "cli" / "score.py").write_text("", encoding="utf-8")
    (package / "reading" / "tokens.py").write_bytes((package / "reading" / "tokens.py").read_bytes().replace(b"\n", b"\r\n"))
    assert hash_of(package) == before


def test_every_module_that_scores_is_in_the_hash() -> None:
    done = subprocess.run((sys.executable, "-c", _SCORES), capture_output=True, text=True, check=True)
    loaded = [name for name in done.stdout.split() if not _ASIDE.match(name)]
    named = {name.removesuffix(".py").replace("/", ".") for name in DECIDING}
    missing = [name for name in loaded if not any(f"{name.removeprefix('kgscore.')}.".startswith(f"{one}.") for one in named)]
    assert missing == []


def test_the_command_prints_the_signature_as_one_line(capsys: object) -> None:
    assert main(["score", "--signature", "--metrics", "radsem"]) == 0
    out = capsys.readouterr().out  # type: ignore[attr-defined]
    assert out.startswith(f"radsem | kgscore {kgscore.__version__} | code {code_hash()} | knowledge ")
    assert out.count("\n") == 1
