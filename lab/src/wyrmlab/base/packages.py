# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""What the machine must have, read from packages.txt, probed for, and installed with apt."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from wyrmlab.base.errors import MissingError

GROUPS = ("base", "build", "firmware", "net", "check", "all", "extra")
USUAL = ("base", "build", "firmware", "net", "check")


@dataclass(frozen=True)
class Package:
    name: str
    group: str
    probe: str
    reason: str

    def found(self) -> bool:
        kind, _, what = self.probe.partition(" ")
        if kind == "cmd":
            return which(what) is not None
        if kind == "file":
            return Path(what).exists()
        if kind == "py":
            return find_spec(what) is not None
        return _clang_runtime(what) if kind == "clang" else _arm_file(what)


def which(program: str) -> str | None:
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def _arm_file(name: str) -> bool:
    """arm-none-eabi-gcc echoes the bare name of a file it does not find."""
    if not which("arm-none-eabi-gcc"):
        return False
    command = ["arm-none-eabi-gcc", f"-print-file-name={name}"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.strip()
    return Path(said).is_absolute() and Path(said).exists()


def _clang_runtime(part: str) -> bool:
    if not which("clang"):
        return False
    command = ["clang", "-print-runtime-dir"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.strip()
    # Newer versions keep it in a folder per target beside the one they name.
    return any(Path(said).parent.glob(f"*/libclang_rt.{part}*.a"))


@cache
def table() -> tuple[Package, ...]:
    rows = []
    for line in (Path(__file__).parent / "packages.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            rows.append(Package(*(cell.strip() for cell in line.split("|"))))
    return tuple(rows)


def missing(groups: Iterable[str], names: Iterable[str] = ()) -> list[Package]:
    """Of whole groups, and of packages named one by one."""
    wanted = {*groups}, {*names}
    if unknown := wanted[1] - {package.name for package in table()}:
        raise ValueError(f"packages.txt does not name {', '.join(sorted(unknown))}")
    return [
        package
        for package in table()
        if (package.group in wanted[0] or package.name in wanted[1]) and not package.found()
    ]


def package_for_command(program: str) -> str | None:
    for package in table():
        if package.probe == f"cmd {program}":
            return package.name
    return None


def is_debian() -> bool:
    """Debian, Ubuntu, or something that says it is like them and has apt."""
    release = Path("/etc/os-release")
    lines = release.read_text().splitlines() if release.exists() else []
    ids = " ".join(line for line in lines if line.startswith(("ID=", "ID_LIKE=")))
    return ("debian" in ids or "ubuntu" in ids) and which("apt-get") is not None


def sudo() -> list[str]:
    """What to put before a command that root must run: nothing, if we are root."""
    return [] if os.geteuid() == 0 else ["sudo"]


def install_command(names: Sequence[str]) -> str:
    if not is_debian():
        return f"your system's package manager (Debian's names: {' '.join(names)})"
    return shlex.join([*sudo(), "apt-get", "install", "--no-install-recommends", *names])


def installed_versions(names: Sequence[str]) -> dict[str, str]:
    """Versions as dpkg knows them; packages it does not have are left out."""
    if which("dpkg-query") is None:
        return {}
    layout = "${Package} ${Version} ${db:Status-Status}\n"
    command = ["dpkg-query", "-W", "-f", layout, *names]
    said = subprocess.run(command, capture_output=True, text=True, timeout=30).stdout
    rows = (line.split() for line in said.splitlines())
    return {row[0]: row[1] for row in rows if len(row) == 3 and row[2] == "installed"}


def candidate_version(name: str) -> str | None:
    """The version apt would install, or None."""
    command = ["apt-cache", "policy", name]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    for line in said.splitlines():
        word, _, version = line.strip().partition(" ")
        if word == "Candidate:" and version.strip() != "(none)":
            return version.strip()
    return None


def apt(*args: str, timeout_s: float = 1800) -> subprocess.CompletedProcess[str]:
    """apt-get, through sudo when we are not root; waits for another apt to finish."""
    if sudo() and which("sudo") is None:
        raise MissingError(
            "Installing packages needs root, and there is no sudo here.",
            remedy=f"As root, run: apt-get {shlex.join(args)}",
        )
    command = [*sudo(), "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]
    command += ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=900", *args]
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL if not sudo() else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=timeout_s,
    )


def refresh_lists() -> None:
    done = apt("update")
    if done.returncode != 0:
        raise MissingError(
            "apt-get could not refresh its package lists.",
            remedy="Check the network and /etc/apt/sources.list, then try again.",
            detail=tail(done.stdout),
        )


def install(names: Sequence[str]) -> str:
    """Installs packages by name, refreshing apt's lists once if that is what it takes.

    Returns the disk space this took, in apt's words, or nothing if apt did not say.
    """
    command = ("install", "-y", "--no-install-recommends", *names)
    done = apt(*command)
    if done.returncode != 0:
        refresh_lists()
        done = apt(*command)
    if done.returncode != 0:
        raise MissingError(
            f"apt-get could not install {' '.join(names)}.",
            remedy=f"Try: {install_command(names)}",
            detail=tail(done.stdout),
        )
    took = re.search(r"After this operation, (.+) of additional disk space", done.stdout)
    return took[1] if took else ""


def tail(text: str, lines: int = 15) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])
