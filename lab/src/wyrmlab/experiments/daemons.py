# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The daemons that are compared: ours, Debian's, and the newest releases of others from their
registries."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base import packages, paths
from wyrmlab.setup import build, host_setup

_INSTALL_S = 1800


@dataclass(frozen=True)
class Daemon:
    """`missing` is the reason why `program` is None."""

    name: str
    program: Path | None
    version: str = ""
    missing: str = ""


def fetch() -> None:
    """Builds the ones from a registry once, which needs a network."""
    for one in (_current_wireguard_go, _boringtun):
        one(install=True)


def fetch_boringtun() -> None:
    """The same for BoringTun alone, which tests use too."""
    if why := _boringtun(install=True).missing:
        host_setup.say(f"boringtun-cli: {why}; tests that need it are skipped.")


def all_daemons() -> list[Daemon]:
    return [
        Daemon("wyrmd", build.daemon(), _version(build.daemon(), "--version")),
        _debian_wireguard_go(),
        _current_wireguard_go(install=False),
        _boringtun(install=False),
    ]


def _version(program: Path, option: str) -> str:
    done = subprocess.run([program, option], capture_output=True, text=True, timeout=20)
    words = (done.stdout + done.stderr).split()
    return next((word for word in words if word.lstrip("v")[:1].isdigit()), "")


def _debian_wireguard_go() -> Daemon:
    name = "wireguard-go (Debian)"
    found = packages.which("wireguard-go")
    if not found:
        return Daemon(name, None, missing="wireguard-go is not installed")
    return Daemon(name, Path(found), _version(Path(found), "--version"))


def _current_wireguard_go(*, install: bool) -> Daemon:
    name = "wireguard-go (current)"
    folder = paths.cache() / "rivals" / "wireguard-go"
    command = ["go", "install", "golang.zx2c4.com/wireguard@latest"]
    why = _install(folder / "wireguard", command, {"GOBIN": str(folder)}) if install else ""
    return _fetched(name, folder / "wireguard", "go", why)


def _boringtun(*, install: bool) -> Daemon:
    folder = paths.cache() / "rivals" / "boringtun"
    program = folder / "bin" / "boringtun-cli"
    command = ["cargo", "install", "boringtun-cli", "--locked", "--root", str(folder)]
    why = _install(program, command, {}) if install else ""
    return _fetched("boringtun-cli", program, "cargo", why)


def _install(program: Path, command: Sequence[str], env: dict[str, str]) -> str:
    """Builds the program once with its language's package tool; returns the reason if that
    fails."""
    if program.exists() or not packages.which(command[0]):
        return ""
    host_setup.say(f"Fetching and building {program.name} (once) ...")
    program.parent.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INSTALL_S,
        )
    except subprocess.TimeoutExpired:
        return f"`{command[0]}` took too long"
    return "" if done.returncode == 0 else f"`{' '.join(command[:3])}` failed"


def _fetched(name: str, program: Path, tool: str, why: str) -> Daemon:
    if program.exists():
        return Daemon(name, program, _version(program, "--version"))
    if not shutil.which(tool):
        why = f"`{tool}` is not installed"
    return Daemon(name, None, missing=why or f"could not be fetched with `{tool}`")
