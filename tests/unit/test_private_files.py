"""Files of reports and caches: for their owner only, complete or absent, swept after a kill, and checked before they are used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from kgscore.private_files import (
    OWNER_ONLY,
    add_checksum,
    atomic_file,
    read_sealed,
    remove_checksum,
    temporary_folder,
    write_sealed,
)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def aged(path: Path) -> Path:
    os.utime(path, (1, 1))
    return path


def test_a_file_is_private_and_complete_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with atomic_file(path) as stream:
        stream.write(b"report")
        assert not path.exists()
    assert (mode(path), path.read_bytes()) == (0o600, b"report")
    with pytest.raises(TypeError), atomic_file(path) as stream:
        stream.write("no bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"report"
    assert [one.name for one in tmp_path.iterdir()] == ["out.csv"]


def test_a_link_stays_one_and_a_device_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "file").touch()
    for path in (tmp_path / "link", Path(os.devnull)):
        with atomic_file(path) as stream:
            stream.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"x"
    assert not Path(os.devnull).is_file()


def test_what_a_killed_process_left_is_swept_and_what_another_uses_is_not(tmp_path: Path) -> None:
    imports = "import os, sys; from pathlib import Path; from kgscore.private_files import temporary_folder, whole"
    script = imports + "\n{with}\n    {do}"
    opened = "with temporary_folder(Path(sys.argv[1])), whole(Path(sys.argv[1], 'a')):"
    killed = script.replace("{with}", opened).replace("{do}", "os.kill(os.getpid(), 9)")
    subprocess.run([sys.executable, "-c", killed, tmp_path], check=False)
    left = sorted(tmp_path.iterdir())
    assert [path.name[:3] for path in left] == [".a.", ".kg"]
    holding = script.replace("{with}", opened).replace("{do}", "print(flush=True); sys.stdin.read()")
    with subprocess.Popen([sys.executable, "-c", holding, tmp_path], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used = set(tmp_path.iterdir()) - set(left)
        for path in tmp_path.iterdir():
            aged(path)
        with temporary_folder(tmp_path) as mine, atomic_file(tmp_path / "a"):
            assert mode(mine) == 0o700
            assert used <= set(tmp_path.iterdir())
            assert not set(left) & set(tmp_path.iterdir())
        process.communicate(b"")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_files_of_a_similar_name_are_not_swept(tmp_path: Path) -> None:
    for name in (".kgscore-notes", ".a.backup.part", "a.12345678.part"):
        aged(tmp_path / name if (tmp_path / name).write_text("mine") else tmp_path)
    with temporary_folder(tmp_path), atomic_file(tmp_path / "a"):
        pass
    assert len(list(tmp_path.iterdir())) == 4


def test_threads_restore_the_mask_once_the_last_is_done() -> None:
    before = os.umask(0o022)
    try:
        with OWNER_ONLY:
            threads = [Thread(target=lambda: OWNER_ONLY.__enter__()) for _ in range(3)]
            for thread in threads:
                thread.start()
                thread.join()
        for _ in threads:
            now = os.umask(0o077)
            OWNER_ONLY.__exit__()
            assert now == 0o077
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


def test_a_changed_bit_is_found_wherever_it_is() -> None:
    data = add_checksum(b"No pneumothorax.")
    assert remove_checksum(data) == b"No pneumothorax."
    for at in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[at // 8] ^= 1 << at % 8
        assert remove_checksum(bytes(flipped)) is None


def test_what_others_could_have_written_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "new" / "cache"
    write_sealed(path, b"index")
    assert (mode(path), mode(path.parent), read_sealed(path)) == (0o600, 0o700, b"index")
    path.chmod(0o666)
    assert read_sealed(path) is None
    path.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
        assert read_sealed(path) is None
