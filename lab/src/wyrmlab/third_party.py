# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Third-party C source: fetched by cargo from the crates registry, checked, cut down to the C.

Each folder of third_party/ with a Cargo.toml is a group. Its Cargo.lock holds the checksums; cargo
verifies them. What is kept lands in `<cache>/third_party/<hash of the lock>/`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wyrmlab import packages, paths
from wyrmlab.errors import MissingError, WyrmError

OLDEST_CARGO = (1, 85)


@dataclass(frozen=True)
class Tree:
    """One source tree to keep out of a crate: the named entries only, licences among them."""

    crate: str
    subfolder: str
    name: str
    keep: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    folder: str
    needed_for: str  # a group of packages.txt
    reason: str
    trees: tuple[Tree, ...]

    @property
    def manifest(self) -> Path:
        return paths.THIRD_PARTY / self.folder / "Cargo.toml"

    @property
    def target(self) -> Path:
        digest = hashlib.sha256(self.manifest.with_name("Cargo.lock").read_bytes())
        for tree in self.trees:
            digest.update(repr(tree).encode())
        return paths.cache() / "third_party" / digest.hexdigest()[:16]

    @property
    def present(self) -> bool:
        return self.target.is_dir()


FREERTOS_LWIP = Group(
    "freertos-lwip",
    "firmware",
    "compiled into the firmware",
    (
        Tree(
            "freertos-next",
            "FreeRTOS-Kernel",
            "FreeRTOS-Kernel",
            (
                "LICENSE.md",
                "include",
                "portable",
                "croutine.c",
                "event_groups.c",
                "list.c",
                "queue.c",
                "stream_buffer.c",
                "tasks.c",
                "timers.c",
            ),
        ),
        # The crate's old-src/ is an older lwIP: never that one.
        Tree("lwip", "", "lwip", ("COPYING", "src", "contrib")),
    ),
)

MBEDTLS = Group(
    "mbedtls",
    "check",
    "vectors on its cryptography in place of ours",
    (Tree("mbedtls-rs-sys", "mbedtls", "mbedtls", ("LICENSE", "include", "library")),),
)

GROUPS = (FREERTOS_LWIP, MBEDTLS)


def lacking(wanted: Iterable[str]) -> list[Group]:
    """What these groups of packages need and has not been fetched."""
    return [group for group in GROUPS if group.needed_for in wanted and not group.present]


def folder() -> Path:
    """The folder for CMake's WYRM_THIRD_PARTY; `setup` must have filled it."""
    if not FREERTOS_LWIP.present:
        raise MissingError(
            "The source of FreeRTOS and lwIP has not been fetched.", remedy="Run: ./wyrm setup"
        )
    return FREERTOS_LWIP.target


def cargo_version(program: str | None) -> tuple[int, int] | None:
    if program is None:
        return None
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60)
    match = re.match(r"cargo (\d+)\.(\d+)", said.stdout)
    return (int(match[1]), int(match[2])) if match else None


def usable_cargo() -> str | None:
    """A cargo new enough to read today's crates (edition 2024), or None."""
    program = packages.which("cargo")
    version = cargo_version(program)
    return program if version and version >= OLDEST_CARGO else None


def cargo_package() -> str | None:
    """Debian's package with a new enough cargo: `cargo-web` on Debian 12, `cargo` on later ones."""
    for name in ("cargo-web", "cargo"):
        version = packages.candidate_version(name)
        match = re.match(r"(?:\d+:)?(\d+)\.(\d+)", version or "")
        if match and (int(match[1]), int(match[2])) >= OLDEST_CARGO:
            return name
    return None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One setup at a time; the kernel drops the lock however we end."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch(group: Group, cargo: str) -> None:
    """Fetches a group unless it is there; all of it appears at once or not at all."""
    with locked(group.target.parent):
        if group.present:
            return
        with tempfile.TemporaryDirectory(dir=group.target.parent, prefix="new-") as scratch:
            work = Path(scratch)
            _vendor(group, cargo, work)
            kept = work / "kept"
            for tree in group.trees:
                _keep(tree, work / "vendor", kept / tree.name)
            kept.rename(group.target)


def _vendor(group: Group, cargo: str, work: Path) -> None:
    # A home of its own keeps archives and index out of the user's, who may have a registry mirror
    # configured: that setting is honoured.
    home = work / "cargo"
    home.mkdir()
    users = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    for name in ("config.toml", "config"):
        if (users / name).exists():
            (home / name).symlink_to(users / name)
    command = [cargo, "vendor", "--locked", "--versioned-dirs", "--quiet"]
    command += ["--manifest-path", str(group.manifest), str(work / "vendor")]
    try:
        done = subprocess.run(
            command,
            cwd=work,
            env={**os.environ, "CARGO_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
        )
    except subprocess.TimeoutExpired as expired:
        raise WyrmError("cargo did not fetch the third-party source in 15 minutes.") from expired
    if done.returncode != 0:
        raise MissingError(
            f"cargo could not fetch the third-party source ({group.folder}).",
            remedy="Setup needs a network; check it and run ./wyrm setup again.",
            detail=packages.tail(done.stderr),
        )


def _keep(tree: Tree, vendor: Path, target: Path) -> None:
    found = sorted(vendor.glob(f"{tree.crate}-[0-9]*"))
    if len(found) != 1:
        raise WyrmError(f"cargo delivered no single crate named {tree.crate}.")
    source = found[0] / tree.subfolder
    target.mkdir(parents=True)
    for name in tree.keep:
        item = source / name
        if item.is_dir():
            shutil.copytree(item, target / name)
        else:
            shutil.copy2(item, target / name)
