# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Missing tools, missing permissions and wrong arguments: one sentence and the right exit code."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.network.host import HERE

WYRM = str(paths.ROOT / "wyrm")


def run(*command: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=1000,
        env={**os.environ, **env},
    )


def refused(done: subprocess.CompletedProcess[str], code: int, words: str) -> None:
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("demo", "--board", "z80"), "There is no board `z80`"),
        (("device", "--board", "z80"), "There is no board `z80`"),
        (("device", "--icount-shift", "11"), "--icount-shift"),
        (("device", "--icount-shift", "three"), "--icount-shift"),
        (("device", "--tap", "sixteen-letters-"), "cannot name a network interface"),
        (("device", "--netns", "../../etc"), "cannot name a network interface or namespace"),
        (("device", "--console", "socket:" + "x" * 200), "longer than"),
        (("device", "--conf", "/nowhere/at/all"), "cannot be read"),
        (("device", "--flash", "/proc/nothing/flash"), "cannot be written"),
        (("demo", "extra"), "extra"),
    ],
)
def test_wrong_argument_is_a_usage_error(arguments: tuple[str, ...], words: str) -> None:
    if arguments[1] == "--flash":
        arguments = (*arguments, "--netns", f"wyrm-f{os.getpid()}")
    refused(run(WYRM, *arguments, COLUMNS="200"), 2, words)


def test_flash_file_of_another_size_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "holiday.jpg"
    file.write_bytes(b"picture")
    done = run(WYRM, "device", "--netns", f"wyrm-s{os.getpid()}", "--flash", str(file))
    refused(done, 2, "nothing was changed")
    assert file.read_bytes() == b"picture"


def test_missing_program_is_named_with_the_package_that_brings_it(tmp_path: Path) -> None:
    """A PATH without the emulator, on a machine that is not Debian as far as it can tell."""
    links = tmp_path / "bin"
    links.mkdir()
    for folder in (Path(part) for part in ("/usr/sbin", "/sbin", "/usr/bin", "/bin")):
        for program in folder.iterdir():
            if program.name in ("qemu-system-arm", "apt-get", "apt", "sudo"):
                continue
            link = links / program.name
            if not link.is_symlink():
                link.symlink_to(program)
    done = run(WYRM, "device", "--netns", f"wyrm-m{os.getpid()}", PATH=str(links))
    refused(done, 3, "qemu-system-arm")
    assert not (Path("/run/netns") / f"wyrm-m{os.getpid()}").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has privileges to give up")
@pytest.mark.skipif(not packages.which("setpriv"), reason="setpriv is missing")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("demo",), "Private network namespaces cannot be created here"),
        (("device", "--netns", "wyrm-p"), "Private network namespaces cannot be created here"),
        (("device", "--tap", "wyrm-p"), "The TAP wyrm-p cannot be created"),
    ],
)
def test_without_privileges_one_sentence_says_what_is_needed(
    arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    powerless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")
    done = run(*powerless, WYRM, *arguments, XDG_STATE_HOME=str(tmp_path))
    refused(done, 3, words)
    assert done.stderr.strip().splitlines()[-1].startswith("wyrm: ")
    assert not HERE.has_interface("wyrm-p")


@pytest.mark.netns
def test_console_socket_in_use_gets_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "console"
    with socket.socket(socket.AF_UNIX) as holder:
        holder.bind(str(path))
        holder.listen()
        flash = str(tmp_path / "flash")
        done = run(WYRM, "device", "--tap", "tapu", "--flash", flash, "--console", f"socket:{path}")
    refused(done, 3, "is in use by another program")
    assert not HERE.has_interface("tapu")
