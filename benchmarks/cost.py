"""What a part of kgscore costs on this machine: JSON lines of figures.

    python benchmarks/cost.py tables examples/systems/a.jsonl --sizes 1000,10000
    python benchmarks/cost.py rewards examples/systems/a.jsonl --metrics radsem,headct_one
    python benchmarks/cost.py graph examples/pairs.jsonl --sizes 1000
    python benchmarks/cost.py html RUN --sizes 50000    # opening needs playwright and chromium
    python benchmarks/cost.py explorer RUN
    python benchmarks/cost.py clinical ssree.jsonl
    python benchmarks/cost.py modules FOLDER
    python benchmarks/cost.py sentence sentences.txt    # modules, functions and calls of reading each line
    python benchmarks/cost.py fma 100000                # generates a file of that many classes in the FMA's form
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module

NAMES = ("clinical", "explorer", "fma", "graph", "html", "modules", "rewards", "sentence", "tables")


def main() -> None:
    """Run a program and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("file")
    parser.add_argument("--profile", default="default")
    parser.add_argument("--sizes", type=lambda text: tuple(map(int, text.split(","))))
    parser.add_argument("--metrics", type=lambda text: tuple(text.split(",")))
    given = vars(parser.parse_args())
    program, path = import_module(f"costs.{given.pop('name')}"), given.pop("file")
    found = program.run(path, **{name: value for name, value in given.items() if value})
    for line in [found] if isinstance(found, dict) else found:
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
