"""The wheel, made of the source distribution, works with the sources out of reach."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from kgscore import __version__

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_runs_the_demo_outside_the_checkout(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def run(*command: object, cwd: Path = tmp_path) -> str:
        done = subprocess.run(
            [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=ROOT)
    (sources,) = tmp_path.glob("kgscore-*.tar.gz")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, sources)
    (wheel,) = tmp_path.glob("kgscore-*.whl")
    assert (sources.name, wheel.name) == (f"kgscore-{__version__}.tar.gz", f"kgscore-{__version__}-py3-none-any.whl")
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv)
    python = venv / "bin" / "python"
    # The packages it depends on come from here; a path file's own path files are not read, so an editable kgscore is not seen.
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *_extra_paths()}
    (site / "dependencies.pth").write_text("".join(f"{path}\n" for path in sorted(paths)))
    run(*pip, "--python", python, "install", "--no-deps", "--ignore-installed", wheel)
    where = run(python, "-c", "import kgscore; print(kgscore.__file__)")
    assert str(venv) in where
    out = run(venv / "bin" / "kgscore", "demo", "--output", tmp_path / "run")
    assert " 0 failed" in out
    assert "How radsem adds up" in out
    assert (tmp_path / "run" / "results.duckdb").is_file()
    assert run(venv / "bin" / "kgscore", "ontology", "show", "pneumothorax")
    run(venv / "bin" / "kgscore", "report", tmp_path / "run", "-o", tmp_path / "report.html")
    assert "chest-radiograph-mixed" not in (tmp_path / "report.html").read_text(encoding="utf-8")  # cases are packed
    assert "14 cases: 13 scored" in " ".join((tmp_path / "report.html").read_text(encoding="utf-8").split())
    static = "from kgscore.serve.pages import _STATIC, static; print(all(static(name).body for name in _STATIC))"
    assert run(python, "-c", static) == "True\n"


def _extra_paths() -> list[str]:
    """Return further package folders of this interpreter (a shared environment), but not the checkout."""
    return [path for path in sys.path if path.endswith("site-packages") and not str(ROOT).startswith(path)]
