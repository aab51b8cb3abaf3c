# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Builds: one folder each, created under a lock; compiler messages are shown in full.

Builds for the host are presets of CMake, builds for a board are a board and a variant.
"""

from __future__ import annotations

import enum
import os
import re
import subprocess
import sys
from collections import deque
from pathlib import Path

from wyrmlab import boards
from wyrmlab.base import paths, proc
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.network import namespaces
from wyrmlab.setup import extras, host_setup, third_party

TEST_PRESETS = ("host", "host-clang")

# What a build for a board sets beside the board; "" is the one that is released.
RELEASE = {"CMAKE_BUILD_TYPE": "Release"}
VARIANTS: dict[str, dict[str, str]] = {
    "": RELEASE,
    # With the key log: for the lab's capture proof, never for a release.
    "lab": {**RELEASE, "WYRM_FIRMWARE_KEYLOG": "ON"},
    # With -Os, the library optimised as one when linking.
    "small": {"CMAKE_BUILD_TYPE": "MinSizeRel", "WYRM_LTO": "ON"},
    # Without what only measures.
    "product": {**RELEASE, "WYRM_FIRMWARE_IPERF": "OFF"},
    # Without the tunnel: what its size and speed compare with.
    "plain": {**RELEASE, "WYRM_FIRMWARE_TUNNEL": "OFF"},
}
_STEP = re.compile(r"^\[(\d+)/(\d+)\] (.*)$")


class Target(enum.StrEnum):
    FIRMWARE = "firmware"
    LIB = "lib"
    TESTS = "tests"
    WYRMD = "wyrmd"
    DOCS = "docs"


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
    if target is Target.DOCS:
        return docs()
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


def firmware(board: str = boards.DEFAULT, variant: str = "") -> Path:
    """Builds a board's firmware, as one of VARIANTS."""
    chosen = boards.board(board)
    if not namespaces.restarted():
        host_setup.ensure("build", "firmware", names=chosen.packages)
        options = {"WYRM_BOARD": chosen.name, **VARIANTS[variant]}
        _build(chosen.build_folder(variant), options, preset=None, target=None)
    product = chosen.firmware(variant)
    if not product.exists():
        raise WyrmError(f"The build succeeded but did not create {paths.shown(product)}.")
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


def docs() -> Path:
    """Builds the documentation site."""
    if not extras.DOCS.present:
        host_setup.setup(["check"])
    folder = paths.BUILD / "docs"
    with third_party.locked(folder):
        gather = [sys.executable, str(paths.ROOT / "tools" / "site.py"), str(folder)]
        follow(gather, "gathering the documentation")
        config = ["--strict", "--config-file", str(folder / "mkdocs.yml")]
        environment = ["env", "NO_MKDOCS_2_WARNING=1"]
        command = [*environment, str(extras.DOCS.python), "-m", "mkdocs", "build", *config]
        follow(command, "building the documentation")
    return folder / "site" / "index.html"


def cmake(preset: str, *, target: str | None = None) -> None:
    """Configures a preset for the host if that is due, and builds it."""
    _build(paths.BUILD / preset, {}, preset=preset, target=target)


def _build(
    folder: Path, options: dict[str, str], *, preset: str | None, target: str | None
) -> None:
    options = {**options, "WYRM_THIRD_PARTY": str(third_party.FREERTOS_LWIP.target)}
    if third_party.MBEDTLS.present:
        options["WYRM_MBEDTLS"] = str(third_party.MBEDTLS.target)
    with third_party.locked(folder):
        if not configured(folder, options):
            where = (
                ["--preset", preset] if preset else ["-S", ".", "-B", str(folder), "-G", "Ninja"]
            )
            given = [f"-D{name}={value}" for name, value in options.items()]
            follow(["cmake", *where, *given], f"configuring {folder.name}")
        command = ["cmake", "--build", str(folder), "-j", str(os.cpu_count() or 1)]
        command += ["--target", target] if target else []
        follow(command, f"building {folder.name}")


def configured(folder: Path, options: dict[str, str], *, home: Path = paths.ROOT) -> bool:
    """Once configured, ninja itself detects changed CMake files; only our arguments may change."""
    cached = folder / "CMakeCache.txt"
    if not (folder / "build.ninja").exists() or not cached.exists():
        return False
    entries = re.findall(r"^([^#/:=\n]+):\w+=(.*)$", cached.read_text(), re.MULTILINE)
    wanted = {**options, "CMAKE_HOME_DIRECTORY": str(home)}
    return wanted.items() <= dict(entries).items()


def follow(command: list[str], title: str) -> None:
    """Shows progress on one line; on failure prints the whole output, including compiler errors."""
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
