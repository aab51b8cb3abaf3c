# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Builds: CMake presets, run under one lock each, compiler messages shown in full."""

from __future__ import annotations

import enum
import os
import re
import subprocess
from collections import deque
from pathlib import Path

from wyrmlab import boards
from wyrmlab.base import paths, proc
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.network import namespaces
from wyrmlab.setup import host_setup, third_party

TEST_PRESETS = ("host", "host-clang")
_STEP = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")


class Target(enum.StrEnum):
    FIRMWARE = "firmware"
    LIB = "lib"
    TESTS = "tests"
    WYRMD = "wyrmd"


def build(target: Target, board: str | None = None) -> Path:
    """Builds and returns the path of the product."""
    if board is not None and target is not Target.FIRMWARE:
        raise UsageError("--board goes with the target `firmware` only.")
    if target is Target.FIRMWARE:
        return firmware(board or boards.DEFAULT)
    if target is Target.LIB:
        return library()
    if target is Target.WYRMD:
        return daemon()
    return tests()[0]


def library() -> Path:
    host_setup.ensure("build")
    cmake("host", target="wyrm")
    _offer_compile_commands()
    return paths.BUILD / "host" / "libwyrm.a"


def daemon() -> Path:
    """The daemon for Linux; instrumented builds of it have other names."""
    host_setup.ensure("build")
    cmake("host", target="wyrmd")
    _offer_compile_commands()
    return paths.BUILD / "host" / "daemon" / "wyrmd"


def firmware(board: str = boards.DEFAULT, preset: str | None = None) -> Path:
    """Builds a board's firmware; `preset` picks a variant such as `m7-lab`."""
    chosen = boards.board(board)
    if not namespaces.restarted():
        host_setup.ensure("build", "firmware")
        cmake(preset or chosen.name)
    product = chosen.firmware(preset)
    if not product.exists():
        raise WyrmError(f"The build went through but left no {paths.shown(product)}.")
    return product


def conf_check() -> Path:
    """Builds the program that reads a configuration as the device does."""
    if not namespaces.restarted():
        host_setup.ensure("build")
        cmake("host", target="wyrm_conf_check")
    return paths.BUILD / "host" / "lab" / "native" / "wyrm_conf_check"


def flood() -> Path:
    """Builds the program that sends initiations at a steady rate."""
    if not namespaces.restarted():
        host_setup.ensure("build")
        cmake("host", target="wyrm_flood")
    return paths.BUILD / "host" / "lab" / "native" / "wyrm_flood"


def tests() -> list[Path]:
    """Builds the host tests with both compilers; returns their folders."""
    host_setup.ensure("build", "firmware", "check")
    for preset in TEST_PRESETS:
        cmake(preset)
    _offer_compile_commands()
    return [paths.BUILD / preset / "tests" for preset in TEST_PRESETS]


def cmake(preset: str, *, target: str | None = None) -> None:
    """Configures a preset if that is due, and builds it."""
    folder = paths.BUILD / preset
    sources = {"WYRM_THIRD_PARTY": str(third_party.FREERTOS_LWIP.target)}
    if third_party.MBEDTLS.present:
        sources["WYRM_MBEDTLS"] = str(third_party.MBEDTLS.target)
    with third_party.locked(folder):
        if not configured(folder, sources):
            options = [f"-D{name}={path}" for name, path in sources.items()]
            follow(["cmake", "--preset", preset, *options], f"configuring {preset}")
        command = ["cmake", "--build", "--preset", preset, "-j", str(os.cpu_count() or 1)]
        command += ["--target", target] if target else []
        follow(command, f"building {preset}")


def configured(folder: Path, sources: dict[str, str], *, home: Path = paths.ROOT) -> bool:
    """Once configured, ninja itself notices changed CMake files; only the sources may move."""
    cached = folder / "CMakeCache.txt"
    if not (folder / "build.ninja").exists() or not cached.exists():
        return False
    wanted = {f"{name}:PATH={path}" for name, path in sources.items()}
    wanted.add(f"CMAKE_HOME_DIRECTORY:INTERNAL={home}")
    return wanted <= set(cached.read_text().splitlines())


def follow(command: list[str], title: str) -> None:
    """Shows progress on one line; on failure all that was said, compiler errors included."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    said: deque[str] = deque(maxlen=20_000)
    program = str(proc.find(command[0]))
    with (
        subprocess.Popen(
            proc.dying_with_us([program, *command[1:]]),
            cwd=paths.ROOT,
            env={**os.environ, "NINJA_STATUS": "[%f/%t] "},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as running,
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ) as progress,
    ):
        task = progress.add_task(title, total=None)
        assert running.stdout is not None
        after_failed = False
        for line in running.stdout:
            if step := _STEP.match(line):
                progress.update(task, completed=int(step[1]), total=int(step[2]))
            # Neither finished steps nor the command line under FAILED are worth reading: what
            # follows them is.
            if not step and not after_failed:
                said.append(line.rstrip())
            after_failed = line.startswith("FAILED: ")
        code = running.wait()
    if code != 0:
        raise WyrmError(f"{title.capitalize()} failed.", detail="\n".join(said))


def _offer_compile_commands() -> None:
    """A link at the root, where editors look for it."""
    link = paths.ROOT / "compile_commands.json"
    if not link.exists() and not link.is_symlink():
        link.symlink_to(Path("build/host/compile_commands.json"))
