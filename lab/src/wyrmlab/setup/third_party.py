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
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base import packages, paths
from wyrmlab.base.errors import MissingError, WyrmError

OLDEST_CARGO = (1, 85)


@dataclass(frozen=True)
class Tree:
    """One source tree to keep out of a crate: the named entries only, licences among them."""

    crate: str
    subfolder: str
    name: str
    keep: tuple[str, ...]
    archive: str = ""  # the source is a tar in the crate, and this its name


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

RIVALS = Group(
    "rivals",
    "rivals",
    "measured beside ours by `bench crypto --rivals`",
    (
        Tree("bearssl", "BearSSL", "bearssl", ("LICENSE.txt", "inc", "src")),
        Tree(
            "libsodium-sys-stable",
            "libsodium-stable",
            "libsodium",
            ("LICENSE", "src/libsodium"),
            archive="LATEST.tar.gz",
        ),
        Tree("monocypher-sys", "Monocypher", "monocypher", ("LICENCE.md", "src")),
        Tree(
            "wolfssl-sys",
            "wolfssl-src",
            "wolfssl",
            (
                "COPYING",
                "wolfssl",
                "wolfcrypt/src/chacha.c",
                "wolfcrypt/src/chacha20_poly1305.c",
                "wolfcrypt/src/fe_operations.c",
                "wolfcrypt/src/misc.c",
                "wolfcrypt/src/poly1305.c",
                "wolfcrypt/src/port/arm/thumb2-chacha-asm.S",
                "wolfcrypt/src/port/arm/thumb2-curve25519.S",
                "wolfcrypt/src/port/arm/thumb2-poly1305-asm.S",
            ),
        ),
    ),
)

GROUPS = (FREERTOS_LWIP, MBEDTLS, RIVALS)


def lacking(wanted: Iterable[str]) -> list[Group]:
    """Source that these groups of packages need and that is not fetched yet."""
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
    """Allows one setup at a time; the kernel releases the lock when we exit."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fetch(group: Group, cargo: str) -> None:
    """Fetches a group unless it is present; it appears completely or not at all."""
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


def lock(group: Group) -> None:
    """Makes the group's Cargo.lock anew; for whoever changed its Cargo.toml."""
    cargo = usable_cargo()
    if cargo is None:
        raise MissingError("No cargo that is new enough was found.", remedy="See: ./wyrm doctor")
    with tempfile.TemporaryDirectory() as scratch:
        manifest = _with_stubs(group, Path(scratch))
        subprocess.run(
            [cargo, "generate-lockfile", "--manifest-path", str(manifest)], check=True, timeout=300
        )
        shutil.copy2(manifest.with_name("Cargo.lock"), group.manifest.with_name("Cargo.lock"))


def _with_stubs(group: Group, work: Path) -> Path:
    """A copy of the manifest, and of its lock if there is one, with the empty crates it names."""
    manifest = work / "Cargo.toml"
    text = group.manifest.read_text() + "\n[patch.crates-io]\n"
    for name, stub in tomllib.loads(text)["package"]["metadata"]["stubs"].items():
        about = {"version": stub} if isinstance(stub, str) else stub
        package = about.get("package", name)
        folder = work / "stubs" / name
        folder.mkdir(parents=True)
        folder.joinpath("Cargo.toml").write_text(
            f'[package]\nname = "{package}"\nversion = "{about["version"]}"\nedition = "2021"\n'
            '[lib]\npath = "../empty.rs"\n[features]\n'
            + "".join(f"{feature} = []\n" for feature in about.get("features", ()))
        )
        text += f'{name} = {{ package = "{package}", path = "stubs/{name}" }}\n'
    (work / "stubs" / "empty.rs").touch()
    manifest.write_text(text)
    locked_versions = group.manifest.with_name("Cargo.lock")
    if locked_versions.exists():
        shutil.copy2(locked_versions, work / "Cargo.lock")
    return manifest


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
    command += ["--manifest-path", str(_with_stubs(group, work)), str(work / "vendor")]
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
        raise WyrmError(f"cargo did not deliver exactly one crate named {tree.crate}.")
    if tree.archive:
        with tarfile.open(found[0] / tree.archive) as archive:
            archive.extractall(found[0], filter="data")
    source = found[0] / tree.subfolder
    for name in tree.keep:
        item = source / name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if item.is_dir():
            shutil.copytree(item, target / name)
        else:
            shutil.copy2(item, target / name)


if __name__ == "__main__":
    lock(next(group for group in GROUPS if group.folder == sys.argv[1]))
