"""Import of an FMA-sized file: processor seconds, memory. FILE: an .owl file, or how many classes to generate in the FMA's form.

Generated: a tree of kinds of eight steps, each class part of an earlier one, every tenth with a left and a right class and
a long annotation, so that 100,000 classes make a file of over 200 MB.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from costs import timed
from kgscore.lab.fma.terms import write_fma

_FMA = "http://purl.org/sig/ont/fma/"
_HEAD = f"""<?xml version="1.0"?>
<rdf:RDF xmlns:fma="{_FMA}" xmlns:owl="http://www.w3.org/2002/07/owl#"
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
"""
_WORDS = ("groove", "ridge", "notch", "fascicle", "recess", "lamina", "septum", "tubercle", "plate", "band")
_FILLER = "x" * 1700
_FIRST = 1_000_000


def run(path: str | Path, *, profile: str = "default") -> dict[str, Any]:
    """Return the size of the file, processor seconds of the import, peak memory of this process (MB) and what was imported."""
    import resource  # not on every platform

    with tempfile.TemporaryDirectory() as folder:
        file = Path(path)
        if str(path).isdigit():
            file = Path(folder, "generated.owl")
            with file.open("w", encoding="utf-8") as stream:
                stream.writelines(_generated(int(str(path))))
        seconds, counts = timed(lambda: write_fma(file, Path(folder, "fma")))
        return {
            "file (MB)": round(file.stat().st_size / 1e6, 1), "import (s)": round(seconds, 1),
            "peak memory (MB)": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024), **counts,
        }


def _generated(count: int) -> Iterator[str]:
    yield _HEAD
    for number in range(count):
        parent, whole = (number - 1) // 5, (number - 1) // 3
        side, base = ("", number) if number % 10 not in (8, 9) else (("left ", "right ")[number % 2], number - number % 10 + 7)
        name = f"{side}{_WORDS[base % 10]} {base}"
        rows = [f'<fma:preferred_name>{name}</fma:preferred_name><fma:synonym>{name} of body</fma:synonym>']
        if number:
            rows.append(f'<rdfs:subClassOf rdf:resource="{_FMA}fma{_FIRST + (base if side else parent)}"/>')
            rows.append(
                f'<rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="{_FMA}regional_part_of"/>'
                f'<owl:someValuesFrom rdf:resource="{_FMA}fma{_FIRST + whole}"/></owl:Restriction></rdfs:subClassOf>'
            )
        rows.append(f"<fma:definition>{_FILLER}</fma:definition>")
        body = "\n  ".join(rows)
        yield f'<owl:Class rdf:about="{_FMA}fma{_FIRST + number}">\n  {body}\n</owl:Class>\n'
    yield "</rdf:RDF>\n"
