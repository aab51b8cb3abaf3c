# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""House rules that a program can check."""

from __future__ import annotations

import fnmatch
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths

ROOT = paths.ROOT
PYTHON = ("lab", "tests", "tools")


def tracked(*patterns: str) -> list[Path]:
    """The project's files as git knows them, or all but the generated where there is no git."""
    command = ["git", "ls-files", "-z", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    if listed.returncode != 0:
        pytest.skip("this is no git working copy")
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in files if path.is_file() and not path.is_symlink()]


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1000)
    assert done.returncode == 0, done.stdout + done.stderr


def test_layers_include_only_lower_ones() -> None:
    run(sys.executable, "tools/check_layers.py")


def test_core_and_crypto_need_nothing_but_mem_functions() -> None:
    run(sys.executable, "tools/check_layers.py", "--library", "build/host/libwyrm.a")


def test_layer_check_notices_a_wrong_include(tmp_path: Path) -> None:
    """The checker itself: in a tree where crypto reaches into core it must complain."""
    (tmp_path / "tools").mkdir()
    script = tmp_path / "tools/check_layers.py"
    script.write_text((ROOT / "tools/check_layers.py").read_text())
    for folder in ("core", "crypto"):
        (tmp_path / "src" / folder).mkdir(parents=True)
    (tmp_path / "src/core/wyrm_peer.h").write_text("")
    (tmp_path / "src/crypto/wyrm_bad.c").write_text('#include "../core/wyrm_peer.h"\n')
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "crypto may not include ../core/wyrm_peer.h" in done.stdout


def test_layer_check_notices_cycles_and_upward_imports(tmp_path: Path) -> None:
    script = tmp_path / "tools/check_layers.py"
    lab = tmp_path / "lab/src/wyrmlab"
    files = {
        script: (ROOT / "tools/check_layers.py").read_text(),
        tmp_path / "daemon/one.h": '#include "two.h"\n',
        tmp_path / "daemon/two.c": '#include "one.h"\n',
        tmp_path / "daemon/two.h": "",
        lab / "base/low.py": "from wyrmlab.commands import high\n",
        lab / "commands/high.py": "def run():\n    from wyrmlab.base.low import x\n",
        lab / "attic/other.py": "",
    }
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert sorted(done.stdout.splitlines()) == [
        "import cycle: base.low, commands.high",
        "include cycle: daemon/one, daemon/two",
        "lab: attic is not among the rooms",
        "lab: base.low may not import commands.high, which is above it",
    ]


def test_layer_check_notices_cycles_and_upward_includes_and_calls_inside_core(
    tmp_path: Path,
) -> None:
    """A tree like ours, in which the timers reach up into the peers."""
    for folder in ("src", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    command = [sys.executable, str(tmp_path / "tools/check_layers.py")]
    clean = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (clean.returncode, clean.stdout) == (0, "")

    timers = tmp_path / "src/core/wyrm_timers.c"
    timers.write_text(timers.read_text() + '#include "wyrm_peer.h"\n')
    (tmp_path / "src/core/wyrm_attic.c").write_text("")
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert sorted(done.stdout.splitlines()) == [
        "include cycle: src/core/wyrm_peer, src/core/wyrm_timers",
        "src/core/wyrm_attic.c is missing in CORE_LEVELS",
        "src/core/wyrm_timers.c: wyrm_peer.h is not below it in CORE_LEVELS",
    ]

    check_layers = runpy.run_path(str(ROOT / "tools/check_layers.py"))
    defined = {"wyrm_peer.c.o": {"wyrm_peer_sent"}, "wyrm_timers.c.o": {"wyrm_timers_expire"}}
    called = {"wyrm_peer.c.o": {"wyrm_timers_expire"}, "wyrm_timers.c.o": {"wyrm_peer_sent"}}
    assert check_layers["check_core_calls"](defined, called) == [
        "core: wyrm_timers.c.o may not call wyrm_peer_sent of wyrm_peer.c.o"
    ]


def test_every_file_states_its_licence() -> None:
    covered = [
        pattern
        for entry in tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]
        for pattern in entry["path"]
    ]

    def stated(path: Path) -> bool:
        name = path.relative_to(ROOT).as_posix()
        if name == "LICENSE" or any(_matches(name, pattern) for pattern in covered):
            return True
        head = path.read_text(errors="replace")[:1000]
        return all(
            line in head
            for line in (
                "SPDX-FileCopyrightText: 2026 The Wyrmling authors",
                "SPDX-License-Identifier: MIT",
            )
        )

    assert [str(path.relative_to(ROOT)) for path in tracked() if not stated(path)] == []


def _matches(name: str, pattern: str) -> bool:
    """REUSE's patterns: `**/` also stands for no folder at all."""
    return fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, pattern.replace("**/", ""))


def test_c_sources_are_formatted() -> None:
    if not packages.which("clang-format"):
        pytest.skip("clang-format is not installed: ./wyrm setup")
    sources = [str(path) for path in tracked("*.c", "*.h")]
    run("clang-format", "--dry-run", "--Werror", *sources)


def test_python_is_formatted_and_free_of_lint() -> None:
    config = ("--config", "lab/pyproject.toml", "--no-cache")
    files = [str(path) for path in tracked("*.py")]
    run(sys.executable, "-m", "ruff", "check", *config, *files)
    run(sys.executable, "-m", "ruff", "format", "--check", *config, *files)


def test_lab_is_typed(tmp_path: Path) -> None:
    config = ("--config-file", "lab/pyproject.toml", "--cache-dir", str(tmp_path))
    run(sys.executable, "-m", "mypy", *config, "lab/src/wyrmlab")


def test_no_file_contains_a_private_path() -> None:
    # Spelled in two parts so that this file does not find itself.
    place = re.compile(r"/(?:home|Users|work)/" + r"[a-z]|/ro" + r"ot/[a-z.]")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        if (match := place.search(path.read_text(errors="replace")))
    ]
    assert found == []


def test_shell_scripts_parse() -> None:
    run("sh", "-n", "wyrm")


def test_no_two_test_files_share_a_name() -> None:
    """A name in a report or a search leads to one file; some names are fixed by the tools."""
    fixed = {"CMakeLists.txt", "__init__.py", "conftest.py", "lwipopts.h", "cc.h", "sys_arch.h"}
    fixed |= {"FreeRTOS.h", "semphr.h", "task.h"}
    names = Counter(path.name for path in tracked("tests") if path.name not in fixed)
    assert [name for name, times in names.items() if times > 1] == []
