"""No function is more complex than the bound, nor a package on average, but for those that `complexity.txt` lists with a reason.

`python tests/house/test_complexity.py` writes the figures of that file anew; reasons stay. A function in a folder without a
reason is not listed.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

radon = pytest.importorskip("radon.complexity", reason="the extra test is not installed")
ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("complexity.txt")
MOST, MEAN = 15, 6.0  # of a function, of a package


def measured() -> tuple[dict[str, int], dict[str, float]]:
    """Return the cyclomatic complexity of every function, by file and name, and the mean of every folder."""
    functions: dict[str, int] = {}
    folders: dict[str, list[int]] = {}
    for path in sorted(ROOT.glob("kgscore/**/*.py")):
        blocks = [one for one in radon.cc_visit(path.read_text(encoding="utf-8")) if one.letter != "C"]
        name = path.relative_to(ROOT).as_posix()
        for one in blocks:
            key = f"{name} {one.fullname}"
            functions[key] = max(one.complexity, functions.get(key, 0))
        folders.setdefault(name.rpartition("/")[0], []).extend(one.complexity for one in blocks)
    return functions, {name: fmean(found) for name, found in folders.items() if found}


def listed() -> tuple[dict[str, float], dict[str, str]]:
    """Return the highest figure allowed for each folder and function listed, and the reason for each folder."""
    figures: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("kgscore"):
            folder, _, reasons[folder] = line.partition(": ")
        elif line.startswith("  "):
            figure, _, name = line.strip().partition(" ")
            figures[name] = float(figure)
    return figures, reasons


def written(functions: dict[str, int], folders: dict[str, float], reasons: dict[str, str]) -> str:
    """Return the list with these figures."""
    lines = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    for folder, reason in reasons.items():
        lines += ["", f"{folder}: {reason}"]
        inside = {name: mean for name, mean in folders.items() if _folder(f"{name}/", reasons) == folder and mean > MEAN}
        lines += [f"  {mean + 0.05:.1f} {name}" for name, mean in inside.items()]
        over = [(-found, name) for name, found in functions.items() if found > MOST and _folder(name, reasons) == folder]
        lines += [f"  {-found} {name}" for found, name in sorted(over)]
    return "\n".join(lines) + "\n"


def _folder(name: str, reasons: dict[str, str]) -> str:
    """Return the innermost folder with a reason that holds a file or folder."""
    return max((folder for folder in reasons if name.startswith(f"{folder}/")), key=len, default="")


def test_functions_and_packages_are_within_the_bounds_or_listed_with_a_reason() -> None:
    functions, folders = measured()
    allowed, reasons = listed()
    assert all(reasons.values())
    over = {name: found for name, found in functions.items() if found > allowed.get(name, MOST)}
    over |= {name: round(mean, 2) for name, mean in folders.items() if mean > allowed.get(name, MEAN)}
    assert over == {}, f"simplify them; {LIST.relative_to(ROOT)} lists what may stay for now, with the reason"


if __name__ == "__main__":
    found, means = measured()
    LIST.write_text(written(found, means, listed()[1]), encoding="utf-8")
    for folder, mean in means.items():
        print(f"{mean:5.2f} {folder}")
    core = [one for name, one in found.items() if not name.startswith("kgscore/lab/")]
    print(f"{fmean(core):5.2f} without the laboratory; {sum(one > MOST for one in found.values())} functions above {MOST}")
