# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Python programs that only tests use, each group in an environment of its own.

A group is a lock in lab/extras/; its environment lies in the cache under the lock's hash.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base import packages, paths
from wyrmlab.base.errors import MissingError, WyrmError
from wyrmlab.setup.third_party import locked


@dataclass(frozen=True)
class Extra:
    name: str
    needed_for: str  # a group of packages.txt
    reason: str
    sources: tuple[str, ...] = ()  # packages of which the index has no binary

    @property
    def lock(self) -> Path:
        return paths.LAB / "extras" / f"{self.name}.txt"

    @property
    def folder(self) -> Path:
        digest = hashlib.sha256(self.lock.read_bytes()).hexdigest()[:16]
        return paths.cache() / "extras" / f"{self.name}-{digest}"

    @property
    def present(self) -> bool:
        return self.folder.is_dir()

    @property
    def python(self) -> Path:
        """Its interpreter; its programs run as `python -m`."""
        if not self.present:
            raise MissingError(f"{self.reason} is not installed.", remedy="Run: ./wyrm setup")
        return self.folder / "bin" / "python"


PACKAGING = Extra("packaging", "check", "What validates packages (PlatformIO, ESP-IDF's tools)")
DOCS = Extra("docs", "check", "What builds the documentation site (MkDocs)")
ESPHOME = Extra(
    "esphome",
    "check",
    "What generates firmware from YAML (ESPHome)",
    sources=("crcmod", "esptool", "paho-mqtt"),
)
EXTRAS = (PACKAGING, DOCS, ESPHOME)


def lacking(wanted: Iterable[str]) -> list[Extra]:
    groups = set(wanted)
    return [extra for extra in EXTRAS if extra.needed_for in groups and not extra.present]


def install(extra: Extra) -> None:
    """Makes the environment; all of it appears at once or not at all."""
    with locked(extra.folder.parent):
        if extra.present:
            return
        scratch = Path(tempfile.mkdtemp(dir=extra.folder.parent, prefix="new-"))
        try:
            _fill(extra, scratch)
            scratch.rename(extra.folder)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _fill(extra: Extra, folder: Path) -> None:
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    pip += ["--no-cache-dir", "--quiet", "install", "--require-hashes", "--only-binary", ":all:"]
    pip += [argument for name in extra.sources for argument in ("--no-binary", name)]
    for command in ([sys.executable, "-m", "venv", str(folder)], [*pip, "-r", str(extra.lock)]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        except subprocess.TimeoutExpired as expired:
            raise WyrmError(f"pip did not fetch {extra.lock.name} in 15 minutes.") from expired
        if done.returncode != 0:
            raise MissingError(
                f"{extra.reason} could not be installed.",
                remedy="Setup needs a network; check it and run ./wyrm setup again.",
                detail=packages.tail(done.stderr),
            )
