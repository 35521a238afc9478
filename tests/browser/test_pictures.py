"""The pictures of the documentation are what the program shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT

IMAGES = ROOT / "docs" / "images"
FAR = 12.0  # mean difference of a channel, 0 to 255: fonts of another machine stay below


@pytest.mark.usefixtures("browser")
def test_the_pictures_are_those_of_the_examples(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    from PIL import ImageChops, ImageStat

    command = [sys.executable, str(ROOT / "docs" / "pictures.py"), str(tmp_path)]
    path = os.pathsep.join([str(ROOT), *sys.path])
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True, env={**os.environ, "PYTHONPATH": path})
    for file in tmp_path.glob("*.svg"):  # what a drawing tells is its name
        new, kept = (re.search('aria-label="[^"]*"', one.read_text(encoding="utf-8")) for one in (file, IMAGES / file.name))
        assert new is not None
        assert kept is not None
        assert new[0] == kept[0], f"{file.name}: run python docs/pictures.py"
    made = sorted(tmp_path.glob("*.png"))
    assert made
    for file in made:
        new, kept = (image.open(one).convert("RGB") for one in (file, IMAGES / file.name))
        assert new.size == kept.size, file.name
        assert max(ImageStat.Stat(ImageChops.difference(new, kept)).mean) < FAR, f"{file.name}: run python docs/pictures.py"
