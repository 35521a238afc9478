"""Every command that the documentation shows runs and prints what the page says.

`python tests/docs/test_transcripts.py [PAGE …]` writes the pages anew with what their commands print now; read the difference.

A page is a folder of its own. In a ```console block, `$ ` begins a command; a line with `> `, or after one that ends in a
backslash, goes on with it. What is printed follows, on a terminal's terms (standard output and error as they come); `…` stands
for what was cut. Files come from the page too: `$ cat NAME` of a file that is not there lays it as shown, a ```python block is
run by the next `$ python NAME`, and a block whose first line is `# NAME` is that file. A block after `<!-- not run: WHY -->` is
shown only.
"""

from __future__ import annotations

import gc
import importlib
import io
import multiprocessing
import os
import pkgutil
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "examples" / "README.md"))
_MARK = re.compile(r"<!-- not run: (.+) -->")
_NAMED = re.compile(r"# ([\w.-]+\.\w+)(?::.*)?")
_SIGNATURE = re.compile(r"( \| kgscore )\S+ \| code .*")
_CLIENT = """#!{python} -IS
import os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({place!r})
    words = "\\0".join((os.getcwd(), *sys.argv[1:])).encode()
    socket.send_fds(server, [len(words).to_bytes(8, "big") + words], [0, 1, 2])
    sys.exit(int(server.recv(8) or b"70"))
"""


@dataclass
class Block:
    """A fenced block of a page: `start` and `end` are the numbers of its first line and of the line that closes it."""

    language: str
    start: int
    end: int
    lines: list[str]
    shown_only: bool = False

    def commands(self) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the lines of each command, and those that it printed."""
        said: list[str] = []
        printed: list[str] = []
        for line in self.lines:
            if line.startswith("$ "):
                if said:
                    yield said, printed
                said, printed = [line], []
            elif not printed and (line.startswith("> ") or (said and said[-1].endswith("\\"))):
                said.append(line)
            else:
                printed.append(line)
        if said:
            yield said, printed


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    found: list[Block] = []
    marked = ""
    lines = page.splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("```"):
            end = next(n for n in range(number + 1, len(lines)) if lines[n] == "```")
            found.append(Block(line[3:].split(" ")[0], number + 1, end, lines[number + 1 : end], bool(marked)))
            number, marked = end, ""
        elif mark := _MARK.fullmatch(line):
            marked = mark[1]
        elif line.strip():
            marked = ""
        number += 1
    return found


class Shell:
    """A shell in a folder with a copy of the examples, where `kgscore` and `python` are those of this run."""

    def __init__(self, home: Path, programs: Path, page: str) -> None:
        home.mkdir(parents=True)
        self.folder = home
        said = "".join(line for block in blocks(page) for line in block.lines if line[:2] in ("$ ", "> "))
        for name in ("examples", "ontologies", "mappings", "tests/readings", "tests/relations"):
            if f"{name}/" in said:
                shutil.copytree(ROOT / name, home / name)
        self.environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "100",
            "TZ": "UTC",
        }
        self.code = 0
        self.python: list[str] = []

    def see(self, block: Block) -> None:
        """Take note of a block that is a file."""
        if named := _NAMED.fullmatch(block.lines[0] if block.lines else ""):
            (self.folder / named[1]).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        if block.language == "python":
            self.python = block.lines

    def run(self, said: list[str], told: list[str]) -> list[str]:
        """Run a command and return what it prints."""
        command = "\n".join(line[2:] for line in said)
        self._lay(command, told)
        if command == "echo $?":
            return [str(self.code)]
        if command.startswith("cd "):
            self.folder /= command[3:]
            return []
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, check=False, text=True, encoding="utf-8",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        self.code = done.returncode
        return _trimmed(done.stdout.splitlines())

    def _lay(self, command: str, told: list[str]) -> None:
        """Lay the files that a command needs and the page shows."""
        program, *names = command.split()
        if program == "python" and names[0].endswith(".py") and not (self.folder / names[0]).exists():
            (self.folder / names[0]).write_text("\n".join(self.python) + "\n", encoding="utf-8")
        missing = [name for name in names if not (self.folder / name).exists()]
        if program != "cat" or "|" in names or not missing:
            return
        assert len(missing) == 1 or len(missing) == len(names) == len(told), f"{command}: one line for each new file"
        for name, lines in zip(missing, [told] if len(missing) == 1 else [[line] for line in told], strict=True):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _trimmed(lines: list[str]) -> list[str]:
    """Return lines without the blanks at their ends and the empty lines around them, as pages show them."""
    return "\n".join(line.rstrip() for line in lines).strip("\n").split("\n") if lines else []


def agrees(told: list[str], found: list[str]) -> bool:
    """Whether what was printed is what the page says, where `…` may stand for anything."""
    pattern = ".*?".join(re.escape(piece) for piece in "\n".join(_trimmed(told)).split("…"))
    return re.fullmatch(pattern, "\n".join(found), re.DOTALL) is not None


# One process has kgscore loaded and forks for each command: a page of thirty commands takes seconds, and they are the real ones.


def serve(place: str) -> None:
    """Answer the clients at a socket: run the command line in a fork, in their folder and with their streams, until killed."""
    import kgscore.cli
    import kgscore.knowledge as knowledge
    import kgscore.ontology.load as ontology
    from kgscore.resources import resource

    own = [module.name for module in pkgutil.walk_packages(kgscore.__path__, "kgscore.")]
    left_out = ("kgscore.__main__", "kgscore.serve", "kgscore.integrations", "kgscore.lab.bench")
    others = ["duckdb", "matplotlib.backends.backend_svg", "rich.console", "rich.table"]
    for name in [*(name for name in own if not name.startswith(left_out)), *others]:
        with suppress(ImportError):  # an extra may be missing
            importlib.import_module(name)
    knowledge._read_cache = lru_cache(2)(knowledge._read_cache)  # type: ignore[assignment]  # by path, which is by content
    ontology.load_turtle = lru_cache(2)(ontology.load_turtle)  # type: ignore[assignment]
    ontology.load_turtle(resource("ontologies"))
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        kgscore.cli.main(["score", str(ROOT / "examples" / "pairs.jsonl"), "--metrics", "all"])
    # A query, which kgscore gives a process of its own, need not load everything again either.
    contexts = multiprocessing.get_context
    multiprocessing.get_context = lambda method=None: contexts("fork")  # type: ignore[assignment, return-value]
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{place}.new")
        server.listen()
        os.rename(f"{place}.new", place)  # who sees it can connect
        while True:
            client, _ = server.accept()
            if os.fork() == 0:
                server.close()
                _answer(client, kgscore.cli)
            client.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def _answer(client: socket.socket, cli: object) -> None:
    data, streams, _, _ = socket.recv_fds(client, 1 << 20, 3)
    while len(data) < 8 + int.from_bytes(data[:8], "big"):
        data += client.recv(1 << 20)
    folder, *arguments = data[8:].decode().split("\0")
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    sys.argv = ["kgscore", *arguments]
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w", 1), os.fdopen(2, "w", 1)
    code = cli.main(arguments)  # type: ignore[attr-defined]
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    client.sendall(str(code).encode())
    os._exit(0)


@contextmanager
def programs(folder: Path) -> Iterator[Path]:
    """Give a folder with the programs `kgscore` and `python`."""
    place = str(folder / "socket")
    (folder / "bin").mkdir()
    for name, text in (
        ("kgscore", _CLIENT.format(python=sys.executable, place=place)),
        ("python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'),
    ):
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "PYTHONWARNINGS": "ignore"}
    server = subprocess.Popen([sys.executable, __file__, "--serve", place], env=environment)
    try:
        while not Path(place).exists():
            assert server.poll() is None, "the server of commands did not start"
            with suppress(subprocess.TimeoutExpired):
                server.wait(0.02)
        yield folder / "bin"
    finally:
        server.kill()
        server.wait()


def tried(page: Path, shell: Shell) -> Iterator[tuple[Block, list[str], list[str], list[str]]]:
    """Run the commands of a page one by one; yield block, command, what it printed and what the page says."""
    for block in blocks(page.read_text(encoding="utf-8")):
        shell.see(block)
        if block.language == "console" and not block.shown_only:
            for said, told in block.commands():
                yield block, said, shell.run(said, told), told


def _has_commands(page: Path) -> bool:
    return any(block.language == "console" and not block.shown_only for block in blocks(page.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def bin_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place, programs(Path(place)) as folder:  # the name of a socket must be short
        yield folder


@pytest.mark.skipif(shutil.which("bash") is None or not hasattr(os, "fork"), reason="needs bash, and a system that can fork")
@pytest.mark.parametrize("page", [*filter(_has_commands, PAGES)], ids=lambda page: str(page.relative_to(ROOT)))
def test_the_page_is_true(page: Path, bin_folder: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path / "page", bin_folder, page.read_text(encoding="utf-8"))
    for _, said, found, told in tried(page, shell):
        if not agrees(told, found):
            assert found == told, f"{said[0]}: the page is out of date; python {Path(__file__).relative_to(ROOT)} writes it anew"


def test_cuts_stand_for_what_was_cut_and_for_nothing_else() -> None:
    assert agrees(["a", "…", "d"], ["a", "b", "c", "d"])
    assert agrees(["one wo…"], ["one word"])
    assert not agrees(["a", "…", "d"], ["a", "b", "c"])
    assert not agrees(["a", "b"], ["a", "c"])


def cut_as(told: list[str], found: list[str]) -> list[str]:
    """Cut new lines where the old ones were cut, and signatures, which every change of the code changes."""
    found = [_SIGNATURE.sub(r"\1…", line) for line in found]
    gaps = [number for number, line in enumerate(told) if line == "…"]
    if gaps:
        tail = len(told) - gaps[-1] - 1
        found = [*found[: gaps[0]], "…", *(found[-tail:] if tail else [])]
    return [
        f"{line[: len(old) - 1]}…" if old.endswith("…") and len(line) >= len(old) > 1 else line
        for line, old in zip(found, [*told, *[""] * len(found)], strict=False)
    ]


def write_anew(page: Path, bin_folder: Path, home: Path) -> int:
    """Write a page with what its commands print now; return how many commands print something else."""
    lines = page.read_text(encoding="utf-8").splitlines()
    anew: dict[int, tuple[Block, list[str]]] = {}
    changed = 0
    for block, said, found, told in tried(page, Shell(home, bin_folder, "\n".join(lines))):
        right = agrees(told, found)
        changed += not right
        anew.setdefault(block.start, (block, []))[1].extend([*said, *(told if right else cut_as(told, found))])
    for start, (block, text) in sorted(anew.items(), reverse=True):
        lines[start : block.end] = text
    if changed:
        page.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return changed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    with tempfile.TemporaryDirectory() as place, programs(Path(place)) as folder:
        for number, name in enumerate(filter(_has_commands, [Path(arg).resolve() for arg in sys.argv[1:]] or PAGES)):
            print(f"{name.relative_to(ROOT)}: {write_anew(name, folder, Path(place) / str(number))} changed")
